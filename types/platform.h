// Platform: everything immutable about the devices, learned once. All property and attribute queries are answered from
// it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "hip_remote/hip.h"

namespace hipr {

// A runtime whose device memory is ordinary memory of this process says so: softgpu does. On a card in a slot the CPU
// may reach it too, but slowly; that is another matter (hipDeviceAttributeIsLargeBar).
inline constexpr int kOrdinaryMemory = hipDeviceAttributeVendorSpecificBegin;

// Attribute numbers come in two dense blocks, 0… (common) and 10000… (AMD's own); ours is the first after those.
class AttributeTable {
 public:
  static constexpr int kCommon = 128, kAmdBase = 10000, kAmd = 64, kOurs = 1;

  AttributeTable() { values_.fill(kUnknown); }
  void set(int attribute, int value) {
    if (const int slot = slotOf(attribute); slot >= 0) values_[slot] = value;
  }
  std::optional<int> get(int attribute) const {
    const int slot = slotOf(attribute);
    if (slot < 0 || values_[slot] == kUnknown) return std::nullopt;
    return values_[slot];
  }

 private:
  static constexpr int kUnknown = INT32_MIN;
  static int slotOf(int attribute) {
    if (attribute >= 0 && attribute < kCommon) return attribute;
    if (attribute >= kAmdBase && attribute < kAmdBase + kAmd) return kCommon + attribute - kAmdBase;
    return attribute == kOrdinaryMemory ? kCommon + kAmd : -1;
  }
  std::array<int, kCommon + kAmd + kOurs> values_;
};

// Which function of its card a device is, as partitions of one card are several. HIP tells it in a text only, so it is
// kept as the last of AMD's numbers, which no attribute has and no program gets.
inline constexpr int kPciFunction = AttributeTable::kAmdBase + AttributeTable::kAmd - 1;

struct Limit {
  hipLimit_t limit;
  std::size_t value;
};

struct DeviceInfo {
  hipDeviceProp_tR0600 props{};
  AttributeTable attributes;
  std::vector<Limit> limits;
  int leastStreamPriority = 0;
  int greatestStreamPriority = 0;
};

// What device `from` can do with the memory of device `to`.
struct PeerInfo {
  bool canAccess = false;
  std::array<int, 4> p2p{};  // by hipDeviceP2PAttr
  std::uint32_t linkType = 0;
  std::uint32_t hops = 0;
};

struct Platform {
  int driverVersion = 0;
  int runtimeVersion = 0;
  std::vector<DeviceInfo> devices;
  std::vector<PeerInfo> peers;  // [from * devices.size() + to]

  const PeerInfo& peer(int from, int to) const { return peers[from * devices.size() + to]; }
};

}  // namespace hipr

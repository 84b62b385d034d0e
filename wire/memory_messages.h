// Messages about memory: of devices, of the host, and what is copied between them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "wire/stream.h"

namespace hipr::wire {

struct MapMemory {
  std::int32_t device = 0;
  std::uint64_t address = 0, size = 0;
  static auto fields(auto& m) { return std::tie(m.device, m.address, m.size); }
};
struct UnmapMemory {
  std::uint64_t address = 0;
  static auto fields(auto& m) { return std::tie(m.address); }
};

// For a HIP runtime that cannot place memory at a given address: it chooses, and creating memory costs a round trip.
struct AllocateMemory {
  std::int32_t device = 0;
  std::uint64_t size = 0;
  static auto fields(auto& m) { return std::tie(m.device, m.size); }
};
struct AllocateMemoryReply {
  std::int32_t status = 0;
  std::uint64_t address = 0;
  static auto fields(auto& m) { return std::tie(m.status, m.address); }
};
using FreeMemory = UnmapMemory;

// At least `bytes` more, or nothing; `most` would save asking again soon.
struct MemoryCredit {
  std::int32_t device = 0;
  std::uint64_t bytes = 0, most = 0;
  static auto fields(auto& m) { return std::tie(m.device, m.bytes, m.most); }
};
struct MemoryCreditReply {
  std::int32_t status = 0;
  std::uint64_t granted = 0;  // on top of what was granted before: 0, or from `bytes` to `most`
  static auto fields(auto& m) { return std::tie(m.status, m.granted); }
};

// Virtual memory as the program manages it: physical memory, numbered by the client, mapped at addresses of the device
// range that no MapMemory uses.
struct CreatePhysical {
  std::uint64_t number = 0;
  std::int32_t device = 0;
  std::uint64_t size = 0;
  static auto fields(auto& m) { return std::tie(m.number, m.device, m.size); }
};
struct ReleasePhysical {
  std::uint64_t number = 0;
  static auto fields(auto& m) { return std::tie(m.number); }
};
struct MapPhysical {
  std::uint64_t number = 0, address = 0, size = 0;
  static auto fields(auto& m) { return std::tie(m.number, m.address, m.size); }
};
using UnmapPhysical = UnmapMemory;
struct SetMemoryAccess {
  std::uint64_t address = 0, size = 0;
  std::vector<std::int32_t> devices{};
  std::vector<std::uint8_t> flags{};  // hipMemAccessFlags, one for each of them
  static auto fields(auto& m) { return std::tie(m.address, m.size, m.devices, m.flags); }
};

// Credit that has not been used for a while is the device's again.
struct CreditTaken {
  std::int32_t device = 0;
  std::uint64_t bytes = 0;
  static auto fields(auto& m) { return std::tie(m.device, m.bytes); }
};

// Memory that several sessions of a worker have. Whoever knows the secret can have it; the worker makes them.
using Secret = std::array<std::uint64_t, 2>;
struct ShareMemory {
  std::uint64_t address = 0;  // inside device memory
  static auto fields(auto& m) { return std::tie(m.address); }
};
struct ShareMemoryReply {
  std::int32_t status = 0;
  Secret secret{};
  std::uint64_t begin = 0, size = 0;  // of what is shared: all that was mapped or allocated together
  static auto fields(auto& m) { return std::tie(m.status, m.secret, m.begin, m.size); }
};
struct SharePhysical {
  std::uint64_t number = 0;
  static auto fields(auto& m) { return std::tie(m.number); }
};
using SharePhysicalReply = ShareMemoryReply;
struct OpenPhysical {
  std::uint64_t number = 0;  // that it gets here
  std::int32_t device = 0;
  Secret secret{};
  std::uint64_t size = 0;  // as the reply to ShareMemory had it
  static auto fields(auto& m) { return std::tie(m.number, m.device, m.secret, m.size); }
};

// `depth` slices of `height` rows of `width` bytes on the device side. The host side is always packed tight.
struct Shape {
  std::uint64_t address = 0, pitch = 0, slice = 0, width = 0, height = 1, depth = 1;
  static auto fields(auto& m) { return std::tie(m.address, m.pitch, m.slice, m.width, m.height, m.depth); }
  std::uint64_t bytes() const { return width * height * depth; }
};

inline constexpr std::uint64_t kMostInline = 64 << 10;  // bytes that an Upload may carry itself
struct Upload {
  std::uint64_t stream = 0;
  Shape to;
  std::uint64_t transfer = 0;  // 0: the bytes are right here
  Bytes bytes{};
  static auto fields(auto& m) { return std::tie(m.stream, m.to, m.transfer, m.bytes); }
};

// The bytes come as Data frames of this transfer, then Done.
struct Download {
  std::uint64_t stream = 0;
  Shape from;
  std::uint64_t transfer = 0;
  static auto fields(auto& m) { return std::tie(m.stream, m.from, m.transfer); }
};

struct DeviceCopy {
  std::uint64_t stream = 0;
  Shape to;
  std::uint64_t from = 0, fromPitch = 0, fromSlice = 0;
  std::int32_t toDevice = -1, fromDevice = -1;
  static auto fields(auto& m) {
    return std::tie(m.stream, m.to, m.from, m.fromPitch, m.fromSlice, m.toDevice, m.fromDevice);
  }
};

// Here `width` counts elements of `elementSize` bytes.
struct FillMemory {
  std::uint64_t stream = 0;
  Shape to;
  std::uint32_t value = 0, elementSize = 1;
  static auto fields(auto& m) { return std::tie(m.stream, m.to, m.value, m.elementSize); }
};

// From now on kernels can reach [address, address + size), zero-filled, at this address. The client numbers the regions
// it exposes, each higher than all before.
struct ExposeHost {
  std::uint64_t address = 0, size = 0, region = 0;
  static auto fields(auto& m) { return std::tie(m.address, m.size, m.region); }
};
// The same for memory that both processes really have, which is the next one handed over beside the ring: whole pages,
// at least `size` bytes. Nothing of it ever travels.
struct ShareHost {
  std::uint64_t address = 0, size = 0;
  static auto fields(auto& m) { return std::tie(m.address, m.size); }
};
// Either kind goes.
struct ConcealHost {
  std::uint64_t address = 0;
  static auto fields(auto& m) { return std::tie(m.address); }
};

// Changed bytes of exposed host memory, on their way to the other side: which ones, and their new values
// (mirror/changes.h).
struct HostBytes {
  Bytes runs{}, bytes{};
  static auto fields(auto& m) { return std::tie(m.runs, m.bytes); }
};

}  // namespace hipr::wire

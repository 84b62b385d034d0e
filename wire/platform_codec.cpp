#include "wire/platform_codec.h"

#include <cstring>

namespace hipr::wire {
namespace {

constexpr std::uint32_t kMaxDevices = 256;

// hipDeviceProp_tR0600 has the same layout on every supported platform (structs.h asserts its size), so it travels
// whole. Its two HDP register pointers mean nothing outside the worker's process.
using PropBytes = std::array<std::byte, sizeof(hipDeviceProp_tR0600)>;

void putProps(Writer& w, hipDeviceProp_tR0600 props) {
  props.hdpMemFlushCntl = nullptr;
  props.hdpRegFlushCntl = nullptr;
  w.raw(&props, sizeof props);
}

// Programs show it to people as it is: it ends, and says nothing to their terminal.
template <std::size_t kSize>
void makeText(char (&text)[kSize]) {
  text[kSize - 1] = 0;
  for (char& c : text)
    if (c == 0x7f || (c > 0 && c < ' ')) c = '?';
}

void getProps(Reader& r, hipDeviceProp_tR0600& props) {
  PropBytes bytes;
  r.get(bytes);
  std::memcpy(&props, bytes.data(), sizeof props);
  props.hdpMemFlushCntl = nullptr;
  props.hdpRegFlushCntl = nullptr;
  makeText(props.name);
  makeText(props.gcnArchName);
}

template <class F>
void forEachAttribute(F&& f) {
  for (int i = 0; i < AttributeTable::kCommon; ++i) f(i);
  for (int i = 0; i < AttributeTable::kAmd; ++i) f(AttributeTable::kAmdBase + i);
}

void putDevice(Writer& w, const DeviceInfo& device) {
  putProps(w, device.props);
  forEachAttribute([&](int attribute) {
    const auto value = device.attributes.get(attribute);
    w.put(value.has_value());
    w.put(value.value_or(0));
  });
  w.put(static_cast<std::uint32_t>(device.limits.size()));
  for (const Limit& limit : device.limits) {
    w.put(limit.limit);
    w.put(static_cast<std::uint64_t>(limit.value));
  }
  w.put(device.leastStreamPriority);
  w.put(device.greatestStreamPriority);
}

void getDevice(Reader& r, DeviceInfo& device) {
  getProps(r, device.props);
  forEachAttribute([&](int attribute) {
    bool known = false;
    int value = 0;
    r.get(known);
    r.get(value);
    if (known) device.attributes.set(attribute, value);
  });
  std::uint32_t limits = 0;
  r.get(limits);
  if (limits > 64) r.fail();
  for (std::uint32_t i = 0; r.ok() && i < limits; ++i) {
    std::int32_t limit = 0;
    std::uint64_t value = 0;
    r.get(limit);
    r.get(value);
    device.limits.push_back({static_cast<hipLimit_t>(limit), value});
  }
  r.get(device.leastStreamPriority);
  r.get(device.greatestStreamPriority);
}

template <class Codec, class Peer>
void peerFields(Codec&& codec, Peer& peer) {
  codec(peer.canAccess);
  codec(peer.p2p);
  codec(peer.linkType);
  codec(peer.hops);
}

}  // namespace

void encodePlatform(const Platform& platform, std::vector<std::byte>& out) {
  Writer w(out);
  w.put(platform.driverVersion);
  w.put(platform.runtimeVersion);
  w.put(static_cast<std::uint32_t>(platform.devices.size()));
  for (const DeviceInfo& device : platform.devices) putDevice(w, device);
  for (const PeerInfo& peer : platform.peers) peerFields([&](const auto& field) { w.put(field); }, peer);
}

bool decodePlatform(Bytes in, Platform& platform) {
  Reader r(in);
  r.get(platform.driverVersion);
  r.get(platform.runtimeVersion);
  std::uint32_t devices = 0;
  r.get(devices);
  if (devices > kMaxDevices) r.fail();
  for (std::uint32_t i = 0; r.ok() && i < devices; ++i) getDevice(r, platform.devices.emplace_back());
  for (std::uint32_t i = 0; r.ok() && i < devices * devices; ++i) {
    peerFields([&](auto& field) { r.get(field); }, platform.peers.emplace_back());
  }
  return r.ok() && r.atEnd();
}

}  // namespace hipr::wire

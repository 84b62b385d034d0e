#include "worker/virtual_memory.h"

#include "worker/give.h"
#include "worker/session.h"

namespace hipr::worker {
VirtualMemory::~VirtualMemory() {
  while (!mapped_.empty()) unmap(mapped_.begin()->first)->free();
  while (!physical_.empty()) release(physical_.begin()->first);
}

hipError_t VirtualMemory::create(std::uint64_t number, int device, std::uint64_t size) {
  hipMemAllocationProp prop{};
  prop.type = hipMemAllocationTypePinned;
  prop.location = {hipMemLocationTypeDevice, backend_.native(device)};
  prop.requestedHandleType = hipMemHandleTypePosixFileDescriptor;
  hipMemGenericAllocationHandle_t handle = nullptr;
  if (const hipError_t error = backend_.hip.hipMemCreate(&handle, size, &prop, 0); error != hipSuccess) return error;
  physical_[number] = std::make_shared<Physical>(device, size, handle);
  memory_.charge(device, size);
  return hipSuccess;
}

hipError_t VirtualMemory::adopt(std::uint64_t number, int device, std::uint64_t size, int descriptor) {
  backend_.use(device);
  hipMemGenericAllocationHandle_t handle = nullptr;
  // A pointer to the descriptor, or from HIP 7.1 on the descriptor where a pointer stands.
  int version = 0;
  constexpr int kByValue = 70'100'000;
  backend_.hip.hipRuntimeGetVersion(&version);
  void* const named =
      version >= kByValue ? reinterpret_cast<void*>(static_cast<std::intptr_t>(descriptor)) : &descriptor;
  if (const hipError_t error =
          backend_.hip.hipMemImportFromShareableHandle(&handle, named, hipMemHandleTypePosixFileDescriptor);
      error != hipSuccess)
    return error;
  physical_[number] = std::make_shared<Physical>(device, size, handle);
  memory_.charge(device, size);
  return hipSuccess;
}

Lent VirtualMemory::lend(std::uint64_t number) {
  const auto found = physical_.find(number);
  if (found == physical_.end()) return {};
  Physical& physical = *found->second;
  physical.lent = true;
  for (const auto& [address, mapping] : mapped_)
    if (mapping.physical == found->second) memory_.leaveAlone(address);
  return {physical.handle, physical.size};
}

// The runtime keeps memory that is mapped. So it counts until the last unmapping has been carried out, which may be
// long after the client has asked for it.
void VirtualMemory::letGo(Physical& physical) {
  if (--physical.users == 0) memory_.refund(physical.device, physical.size);
}

void VirtualMemory::release(std::uint64_t number) {
  const auto node = physical_.extract(number);
  if (node.empty()) return;
  ending_(node.mapped()->handle);
  backend_.hip.hipMemRelease(node.mapped()->handle);
  letGo(*node.mapped());
}

hipError_t VirtualMemory::map(std::uint64_t number, std::uint64_t address, std::uint64_t size) {
  const auto found = physical_.find(number);
  const std::uint64_t unit = memory_.granularity();
  if (found == physical_.end() || !unit || !size || address % unit || size % unit || size > found->second->size ||
      !memory_.vacant(address, size))
    return hipErrorInvalidValue;
  if (!leaving_.vacate(address, size)) return hipErrorOutOfMemory;
  Physical& physical = *found->second;
  if (const hipError_t error = backend_.hip.hipMemMap(at(address), size, 0, physical.handle, 0); error != hipSuccess)
    return error;
  ++physical.users;
  mapped_[address] = {size, found->second};
  memory_.adopt(physical.device, address, size);
  if (physical.lent) memory_.leaveAlone(address);
  return hipSuccess;
}

std::shared_ptr<Leaving> VirtualMemory::unmap(std::uint64_t address) {
  const auto node = mapped_.extract(address);
  if (node.empty()) return nullptr;
  memory_.disown(address);
  return leaving_.add(address, node.mapped().size, [this, address, mapping = node.mapped()] {
    backend_.hip.hipMemUnmap(at(address), mapping.size);
    letGo(*mapping.physical);
  });
}

hipError_t VirtualMemory::setAccess(std::uint64_t address, std::uint64_t size,
                                    const std::vector<hipMemAccessDesc>& who) {
  // Whole mappings, one after the other.
  auto next = mapped_.find(address);
  for (std::uint64_t left = size; left; ++next) {
    if (next == mapped_.end() || next->first != address + (size - left) || next->second.size > left)
      return hipErrorInvalidValue;
    left -= next->second.size;
  }
  return backend_.hip.hipMemSetAccess(at(address), size, who.data(), who.size());
}

hipError_t Session::onCreatePhysical(const wire::CreatePhysical& m) {
  if (!hasDevice(m.device)) return hipErrorInvalidDevice;
  if (!m.number || virtualMemory_.has(m.number)) {
    refuse("physical memory " + std::to_string(m.number) + " cannot be made");
    return hipErrorInvalidValue;
  }
  if (!obtainCredit(m.device, m.size)) return hipErrorOutOfMemory;
  return virtualMemory_.create(m.number, m.device, m.size);
}

hipError_t Session::onReleasePhysical(const wire::ReleasePhysical& m) {
  virtualMemory_.release(m.number);  // making it may have failed
  return hipSuccess;
}

hipError_t Session::onMapPhysical(const wire::MapPhysical& m) {
  return virtualMemory_.map(m.number, m.address, m.size);
}

hipError_t Session::onUnmapPhysical(const wire::UnmapPhysical& m) {
  const auto leaving = virtualMemory_.unmap(m.address);
  if (!leaving) return hipSuccess;  // mapping it may have failed
  ++departures_;
  order_.afterEverything([leaving] { leaving->free(); });
  return hipSuccess;
}

hipError_t Session::onSetMemoryAccess(const wire::SetMemoryAccess& m) {
  if (m.devices.empty() || m.devices.size() != m.flags.size()) {
    refuse("access for nobody");
    return hipErrorInvalidValue;
  }
  std::vector<hipMemAccessDesc> who;
  for (std::size_t i = 0; i < m.devices.size(); ++i) {
    if (!hasDevice(m.devices[i])) return hipErrorInvalidDevice;
    who.push_back(
        {{hipMemLocationTypeDevice, backend_.native(m.devices[i])}, static_cast<hipMemAccessFlags>(m.flags[i])});
  }
  return virtualMemory_.setAccess(m.address, m.size, who);
}

}  // namespace hipr::worker

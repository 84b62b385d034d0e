#include "runtime/shared_memory.h"

#include "runtime/async_error.h"
#include "runtime/memory.h"

namespace hipr {

namespace {

// REQUIRES: the lock is held.
hipError_t openWhole(OpenedMemory& opened, Device& device, const SharedName& name, OpenedMemory::Whole*& out) {
  if (const auto found = opened.wholes.find(name); found != opened.wholes.end()) {
    out = &found->second;
    return inOneCore(*out->allocation.owner, device, "memory of another process");
  }
  Core* core;
  HIPR_TRY(device.reach(core));
  Allocation whole{.kind = MemoryKind::kDevice, .owner = &device, .device = device.index};
  HIPR_TRY(core->openShared(name, whole));
  out = &opened.wholes[name];
  out->allocation = whole;
  return hipSuccess;
}

void* partOf(void* base, std::size_t offset) {
  return base == nullptr ? nullptr : static_cast<std::byte*>(base) + offset;
}

}  // namespace

hipError_t sharePart(const Region& region, SharedPart& part) {
  Core* core;
  HIPR_TRY(region.allocation.owner->reach(core));
  std::size_t offset = 0;
  HIPR_TRY(core->share(region.allocation, part.name, offset));
  part.size = region.allocation.size;
  part.offset = offset;
  return hipSuccess;
}

hipError_t openPart(Process& p, Device& device, const SharedPart& part, void*& address) {
  OpenedMemory& opened = p.opened;
  std::lock_guard lock(opened.mutex);
  OpenedMemory::Whole* whole = nullptr;
  HIPR_TRY(openWhole(opened, device, part.name, whole));
  const Allocation& all = whole->allocation;
  bool good = part.size != 0 && part.offset <= all.size && part.size <= all.size - part.offset;
  if (good) {
    address = partOf(all.devicePointer, part.offset);
    Region region{.allocation = all, .origin = Region::Origin::kOpened};
    region.allocation.size = part.size;
    region.allocation.devicePointer = address;
    region.allocation.host = partOf(all.host, part.offset);
    region.allocation.id = p.newId();
    int& opens = whole->parts[address];
    good = opens != 0 || p.allocations.insert(region);
    if (good) ++opens;
    if (opens == 0) whole->parts.erase(address);
  }
  if (whole->parts.empty()) {
    all.owner->evenLost().closeShared(all);
    opened.wholes.erase(part.name);
  }
  return good ? hipSuccess : hipErrorInvalidValue;
}

hipError_t closePart(Process& p, const Region& region) {
  OpenedMemory& opened = p.opened;
  std::lock_guard lock(opened.mutex);
  for (auto whole = opened.wholes.begin(); whole != opened.wholes.end(); ++whole) {
    const auto part = whole->second.parts.find(region.allocation.devicePointer);
    if (part == whole->second.parts.end()) continue;
    if (--part->second > 0) return hipSuccess;
    whole->second.parts.erase(part);
    p.allocations.take(region.allocation.devicePointer,
                       [](const Region& r) { return r.origin == Region::Origin::kOpened; });
    if (!whole->second.parts.empty()) return hipSuccess;
    const Allocation all = whole->second.allocation;
    opened.wholes.erase(whole);
    return all.owner->evenLost().closeShared(all);
  }
  return hipErrorInvalidValue;
}

// Other processes may look at it as soon as this returns, so what is still to be done with it is waited for.
hipError_t closeOpened(Process& p, const Region& region) {
  const Device& device = *region.allocation.owner;
  Core* core;
  HIPR_TRY(device.reach(core));
  HIPR_TRY(core->synchronize(device.index));
  HIPR_TRY(closePart(p, region));
  return asyncError(device);
}

void forgetParts(Process& p, const Device& device) {
  std::lock_guard lock(p.opened.mutex);
  for (auto whole = p.opened.wholes.begin(); whole != p.opened.wholes.end();) {
    if (whole->second.allocation.owner != &device) {
      ++whole;
      continue;
    }
    device.evenLost().closeShared(whole->second.allocation);
    whole = p.opened.wholes.erase(whole);
  }
}

}  // namespace hipr

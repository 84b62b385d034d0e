#include "runtime/device_reset.h"

#include "runtime/api.h"
#include "runtime/async_error.h"
#include "runtime/graph/exec.h"
#include "runtime/memory.h"
#include "runtime/registry.h"

namespace hipr {

namespace {

// The core drops its own side of them all at once, in its reset.
template <class T>
void forget(HandlePool<T>& pool, const Device& device) {
  pool.forEach([&](T* object) {
    if (object->owner == &device && pool.take(object) != nullptr) pool.recycle(object);
  });
}

// No other device of that core has anything either.
bool nothingLeft(Process& p, const Core& core) {
  bool left = false;
  const auto found = [&](auto* object) { left |= &object->owner->evenLost() == &core; };
  p.streams.forEach(found);
  p.events.forEach(found);
  p.modules.forEach(found);
  p.arrays.forEach(found);
  p.allocations.forEach([&](const Region& region) { found(&region.allocation); });
  return !left;
}

}  // namespace

hipError_t resetDevice(Process& p, Device& device) {
  device.nullStream.store(nullptr);
  p.captures.dropAll();
  p.graphExecs.forEach([&](GraphExec* exec) {
    if (exec->owner == &device) destroyExec(p, exec);
  });
  p.graphs.forEach([&](Graph* graph) {
    if (graph->owner == &device) destroyGraph(p, graph);
  });
  p.functions.forEach([&](Function* function) {
    if (function->module->owner == &device && p.functions.take(function) != nullptr) p.functions.recycle(function);
  });
  forgetLoaded(p, device);
  forgetLibraryModules(p, device);
  forget(p.modules, device);
  forget(p.streams, device);
  forget(p.events, device);
  for (const auto& texture : p.textures.takeOf(device)) static_cast<void>(device.evenLost().destroy(*texture));
  p.arrays.forEach([&](Array* array) {
    if (array->owner != &device || p.arrays.take(array) == nullptr) return;
    static_cast<void>(device.evenLost().destroy(*array));
    p.arrays.recycle(array);
  });
  // Host memory is not the device's, but its mapping is; HIP frees both, except memory the program itself owns.
  for (const Region& region : p.allocations.takeAll([&](const Region& r) { return r.allocation.owner == &device; })) {
    const bool allocated = region.origin != Region::Origin::kVariable && region.origin != Region::Origin::kMapped &&
                           region.origin != Region::Origin::kOpened;
    if (!allocated) continue;
    if (region.allocation.kind != MemoryKind::kDevice) fence(p, region.allocation);  // copies may be under way
    static_cast<void>(releaseMemory(p, region));
  }
  forgetParts(p, device);
  {
    std::lock_guard lock(device.mutex);
    device.defaultPool = device.pool = nullptr;
    device.limits.clear();
    device.peers.clear();
    device.poolPeers.clear();
  }
  endPools(p, device);
  forget(p.pools, device);
  device.flags = hipDeviceScheduleSpin;
  device.used = false;
  const bool alone = nothingLeft(p, device.evenLost());
  const hipError_t error = device.evenLost().reset(device.index, alone);
  if (error == hipSuccess && alone) admitAll(p, device.evenLost());
  device.evenLost().asyncError.clear();
  return error;
}

namespace api {

hipError_t hipDeviceReset() {
  Process* p;
  Device* device;
  HIPR_TRY(currentDevice(p, device));
  return resetDevice(*p, *device);
}

}  // namespace api
}  // namespace hipr

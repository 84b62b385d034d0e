#include "runtime/fake_core.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "runtime/async_error.h"
#include "runtime/proc_address.h"
#include "runtime/process.h"

// Each test leaves its process behind, as a program does at its end.
extern "C" [[gnu::visibility("default")]] const char* __asan_default_options() {
  return "detect_leaks=0";
}

namespace hipr {

void* exportedSymbol(const char* name, bool perThread) {
  static int plain, twin;
  if (std::string(name) == "hipMemcpy") return perThread ? &twin : &plain;
  if (std::string(name) == "hipLaunchKernelExC" || std::string(name) == "hipGetDevicePropertiesR0600") return &plain;
  return nullptr;
}

namespace testing {

FakeCore& fake() {
  static auto* core = new FakeCore;
  return *core;
}

int FakeCore::count(const std::string& action) {
  std::lock_guard lock(mutex);
  return static_cast<int>(std::count(log.begin(), log.end(), action));
}

Platform fakePlatform(int count) {
  Platform p;
  p.driverVersion = 70200000;
  p.runtimeVersion = 70200001;
  for (int i = 0; i < count; ++i) {
    DeviceInfo d;
    std::snprintf(d.props.name, sizeof(d.props.name), "Fake %d", i);
    std::snprintf(d.props.gcnArchName, sizeof(d.props.gcnArchName), "gfx90a:sramecc+:xnack-");
    std::memcpy(d.props.uuid.bytes, ("abcdef012345678" + std::to_string(i)).data(), 16);
    d.props.totalGlobalMem = std::size_t{64} << 30;
    d.props.sharedMemPerBlock = d.props.maxSharedMemoryPerMultiProcessor = 64 << 10;
    d.props.warpSize = 64;
    d.props.maxThreadsPerBlock = 1024;
    d.props.multiProcessorCount = 104 + i;
    d.props.maxThreadsPerMultiProcessor = 2048;
    d.props.texturePitchAlignment = 256;
    d.props.major = 9;
    d.props.pciBusID = 0x20 + i;
    for (int axis = 0; axis < 3; ++axis) {
      d.props.maxThreadsDim[axis] = 1024;
      d.props.maxGridSize[axis] = axis == 0 ? INT32_MAX : 65536;
    }
    d.attributes.set(hipDeviceAttributeWarpSize, 64);
    d.limits = {{hipLimitStackSize, 1024}, {hipLimitMallocHeapSize, 8 << 20}};
    d.leastStreamPriority = 1;
    d.greatestStreamPriority = -1;
    p.devices.push_back(d);
  }
  p.peers.resize(count * count, {.canAccess = true, .p2p = {1, 1, 1, 0}, .linkType = 4, .hops = 1});
  return p;
}

RuntimeTest::RuntimeTest() {
  std::lock_guard lock(fake().mutex);
  fake().platform = fakePlatform(2);
  fake().openError = fake().queryAnswer = hipSuccess;
  fake().failures.clear();
  fake().log.clear();
  fake().copies.clear();
  fake().fills.clear();
  fake().launches.clear();
  fake().streamsOfWork.clear();
  fake().live = 0;
  processPointer = nullptr;
  clearAsyncError();
  threadState() = {.objects = threadState().objects};
  threadObjects().contexts.clear();
}

RuntimeTest::~RuntimeTest() {
  processPointer = nullptr;  // a leaked process, like a leaked connection, belongs to its test
}

}  // namespace testing

namespace core {

using testing::fake;

namespace {

hipError_t note(const char* action) {
  std::lock_guard lock(fake().mutex);
  fake().log.emplace_back(action);
  const auto it = fake().failures.find(action);
  return it == fake().failures.end() ? hipSuccess : it->second;
}

std::byte* at(void* base, std::size_t offset) {
  return static_cast<std::byte*>(base) + offset;
}

}  // namespace

hipError_t open(const Platform** platform) {
  HIPR_TRY(note("open"));
  *platform = &fake().platform;
  return fake().openError;
}
void forgetAfterFork() {
  note("forgetAfterFork");
}
void shutdown() {
  note("shutdown");
}

hipError_t deviceSynchronize(int) {
  return note("deviceSynchronize");
}
hipError_t deviceReset(int, bool) {
  return note("deviceReset");
}
hipError_t setLimit(int, hipLimit_t, std::size_t) {
  return note("setLimit");
}
hipError_t setPeerAccess(int, int, bool) {
  return note("setPeerAccess");
}
hipError_t memoryInfo(int, std::size_t* free, std::size_t* total) {
  *free = 1;
  *total = 2;
  return note("memoryInfo");
}

hipError_t allocate(Allocation& a) {
  HIPR_TRY(note("allocate"));
  // Registered memory gets a second address, as on a GPU that is elsewhere.
  void* memory = std::calloc(1, a.size);
  if (memory == nullptr) return hipErrorOutOfMemory;
  a.devicePointer = a.impl = memory;
  if (a.kind == MemoryKind::kHost || a.kind == MemoryKind::kManaged) a.host = memory;
  std::lock_guard lock(fake().mutex);
  ++fake().live;
  return hipSuccess;
}
void settle(const Allocation&) {
  note("settle");
}
hipError_t release(Allocation& a) {
  note("release");
  std::free(a.impl);
  std::lock_guard lock(fake().mutex);
  --fake().live;
  return hipSuccess;
}

hipError_t copy(const Copy& c, Stream& stream) {
  HIPR_TRY(note("copy"));
  for (std::size_t z = 0; z < c.depth; ++z)
    for (std::size_t y = 0; y < c.height; ++y)
      std::memmove(at(c.to.address, z * c.to.slice + y * c.to.pitch),
                   at(c.from.address, z * c.from.slice + y * c.from.pitch), c.width);
  std::lock_guard lock(fake().mutex);
  fake().copies.push_back(c);
  fake().streamsOfWork.push_back(stream.id);
  return hipSuccess;
}
hipError_t fill(const Fill& f, Stream& stream) {
  HIPR_TRY(note("fill"));
  for (std::size_t z = 0; z < f.depth; ++z)
    for (std::size_t y = 0; y < f.height; ++y)
      for (std::size_t x = 0; x < f.width; ++x)
        std::memcpy(at(f.address, z * f.slice + y * f.pitch + x * f.elementSize), &f.value, f.elementSize);
  std::lock_guard lock(fake().mutex);
  fake().fills.push_back(f);
  fake().streamsOfWork.push_back(stream.id);
  return hipSuccess;
}

hipError_t streamCreate(Stream&) {
  return note("streamCreate");
}
hipError_t streamDestroy(Stream&) {
  return note("streamDestroy");
}
hipError_t streamSynchronize(Stream&) {
  return note("streamSynchronize");
}
hipError_t streamQuery(Stream&) {
  HIPR_TRY(note("streamQuery"));
  return fake().queryAnswer;
}
hipError_t streamWaitEvent(Stream&, Event&) {
  return note("streamWaitEvent");
}
hipError_t hostFunction(Stream&, hipHostFn_t function, void* userData) {
  HIPR_TRY(note("hostFunction"));
  function(userData);
  return hipSuccess;
}

hipError_t eventCreate(Event&) {
  return note("eventCreate");
}
hipError_t eventDestroy(Event&) {
  return note("eventDestroy");
}
hipError_t eventRecord(Event&, Stream&) {
  return note("eventRecord");
}
hipError_t eventSynchronize(Event&) {
  return note("eventSynchronize");
}
hipError_t eventQuery(Event&) {
  HIPR_TRY(note("eventQuery"));
  return fake().queryAnswer;
}
hipError_t eventElapsed(Event&, Event&, float* milliseconds) {
  *milliseconds = 1.5F;
  return note("eventElapsed");
}

hipError_t moduleLoad(Module& module) {
  module.impl = std::calloc(1, module.code->loadSize());
  return note("moduleLoad");
}
hipError_t moduleUnload(Module& module) {
  std::free(module.impl);
  return note("moduleUnload");
}
hipError_t moduleVariable(Module& module, const std::string& name, void** address) {
  *address = at(module.impl, module.code->findVariable(name)->address);
  return note("moduleVariable");
}
hipError_t launch(const Launch& launch, Stream& stream) {
  HIPR_TRY(note("launch"));
  std::lock_guard lock(fake().mutex);
  fake().launches.push_back(
      {launch.function->kernel->metadata.name, launch, {launch.arguments.begin(), launch.arguments.end()}, stream.id});
  return hipSuccess;
}

hipError_t memAddressReserve(void** address, std::size_t size, std::size_t, void*) {
  *address = std::calloc(1, size);
  return note("memAddressReserve");
}
hipError_t memAddressFree(void* address, std::size_t) {
  std::free(address);
  return note("memAddressFree");
}
hipError_t memCreate(std::uint64_t* physical, std::size_t, const hipMemAllocationProp&) {
  *physical = 77;
  return note("memCreate");
}
hipError_t memRelease(std::uint64_t) {
  return note("memRelease");
}
hipError_t memMap(void*, std::size_t, std::size_t, std::uint64_t) {
  return note("memMap");
}
hipError_t memUnmap(void*, std::size_t) {
  return note("memUnmap");
}
hipError_t memSetAccess(void*, std::size_t, const hipMemAccessDesc*, std::size_t) {
  return note("memSetAccess");
}
std::size_t memGranularity(int) {
  return 4096;
}

}  // namespace core
}  // namespace hipr

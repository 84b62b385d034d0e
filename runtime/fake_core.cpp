#include "runtime/fake_core.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "code_object/code_object.h"
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

namespace {

std::vector<Core*>& coreRow() {
  static auto* row = new std::vector<Core*>;
  return *row;
}

std::byte* at(void* base, std::size_t offset) {
  return static_cast<std::byte*>(base) + offset;
}

struct FakePoint : StreamPoint {
  bool reached() override { return testing::fake().queryAnswer == hipSuccess; }
  void wait() override { testing::fake().queryAnswer = hipSuccess; }
};

struct FakeModule : CoreObject {
  explicit FakeModule(std::size_t bytes) : memory(bytes) {}
  std::vector<std::byte> memory;
};

}  // namespace

const std::vector<Core*>& cores() {
  return coreRow();
}

namespace testing {

FakeCore& fake() {
  static auto* core = new FakeCore;
  return *core;
}

FakeCore& secondFake() {
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
    d.attributes.set(kPciFunction, i);
    d.limits = {{hipLimitStackSize, 1024}, {hipLimitMallocHeapSize, 8 << 20}};
    d.leastStreamPriority = 1;
    d.greatestStreamPriority = -1;
    p.devices.push_back(d);
  }
  p.peers.resize(count * count, {.canAccess = true, .p2p = {1, 1, 1, 0}, .linkType = 4, .hops = 1});
  return p;
}

void FakeCore::forgetAll() {
  std::lock_guard lock(mutex);
  platform = fakePlatform(2);
  openError = lostError = queryAnswer = hipSuccess;
  asyncError.clear();
  failures.clear();
  log.clear();
  copies.clear();
  fills.clear();
  launches.clear();
  streamsOfWork.clear();
  stages.clear();
  keepArrivals = false;
  arrivals.clear();
  held.clear();
  reachings.clear();
  live = 0;
}

RuntimeTest::RuntimeTest(int coreCount) {
  fake().forgetAll();
  secondFake().forgetAll();
  coreRow() = {&fake(), &secondFake()};
  coreRow().resize(static_cast<std::size_t>(coreCount));
  processPointer = nullptr;
  threadState() = {.objects = threadState().objects};
  threadObjects().contexts.clear();
}

RuntimeTest::~RuntimeTest() {
  processPointer = nullptr;  // a leaked process, like a leaked connection, belongs to its test
}

hipError_t FakeCore::note(const char* action) {
  std::lock_guard lock(mutex);
  log.emplace_back(action);
  const auto it = failures.find(action);
  return it == failures.end() ? hipSuccess : it->second;
}

hipError_t FakeCore::open(const Platform** out) {
  HIPR_TRY(note("open"));
  *out = &platform;
  return openError;
}

hipError_t FakeCore::update(GraphExec&, std::span<const std::uint32_t> steps) {
  {
    const std::lock_guard lock(mutex);
    updatedSteps.insert(updatedSteps.end(), steps.begin(), steps.end());
  }
  return note("graphUpdate");
}

hipError_t FakeCore::submit(Stream& stream, const Operation& operation, Stage until) {
  HIPR_TRY(std::visit([&](const auto& work) { return perform(work, stream); }, operation));
  std::lock_guard lock(mutex);
  stages.push_back(until);
  return hipSuccess;
}

hipError_t FakeCore::perform(const Copy& c, Stream& stream) {
  HIPR_TRY(note("copy"));
  for (std::size_t z = 0; z < c.depth; ++z)
    for (std::size_t y = 0; y < c.height; ++y)
      std::memmove(at(c.to.address, z * c.to.slice + y * c.to.pitch),
                   at(c.from.address, z * c.from.slice + y * c.from.pitch), c.width);
  std::lock_guard lock(mutex);
  copies.push_back(c);
  streamsOfWork.push_back(stream.id);
  return hipSuccess;
}

hipError_t FakeCore::perform(const Fill& f, Stream& stream) {
  HIPR_TRY(note("fill"));
  for (std::size_t z = 0; z < f.depth; ++z)
    for (std::size_t y = 0; y < f.height; ++y)
      for (std::size_t x = 0; x < f.width; ++x)
        std::memcpy(at(f.address, z * f.slice + y * f.pitch + x * f.elementSize), &f.value, f.elementSize);
  std::lock_guard lock(mutex);
  fills.push_back(f);
  streamsOfWork.push_back(stream.id);
  return hipSuccess;
}

hipError_t FakeCore::perform(const Launch& launch, Stream& stream) {
  HIPR_TRY(note("launch"));
  std::lock_guard lock(mutex);
  launches.push_back(
      {launch.function->kernel->name(), launch, {launch.arguments.begin(), launch.arguments.end()}, stream.id});
  return hipSuccess;
}

hipError_t FakeCore::perform(const HostFunction& function, Stream&) {
  HIPR_TRY(note("hostFunction"));
  function.function(function.userData);
  return hipSuccess;
}

hipError_t FakeCore::query(Stream&) {
  HIPR_TRY(note("streamQuery"));
  return queryAnswer;
}

std::unique_ptr<StreamPoint> FakeCore::point(Stream&) {
  return queryAnswer == hipSuccess ? nullptr : std::make_unique<FakePoint>();
}

hipError_t FakeCore::query(Event&) {
  HIPR_TRY(note("eventQuery"));
  return queryAnswer;
}

hipError_t FakeCore::elapsed(Event&, Event&, float* milliseconds) {
  *milliseconds = 1.5F;
  return note("eventElapsed");
}

hipError_t FakeCore::synchronize(Stream& stream) {
  {
    std::unique_lock lock(mutex);
    wentOn.wait(lock, [&] { return !held.contains(stream.id); });
  }
  return note("streamSynchronize");
}

hipError_t FakeCore::hold(Stream& stream, Arrived arrived) {
  HIPR_TRY(note("hold"));
  if (keepArrivals) {
    arrivals.push_back(std::move(arrived));
  } else {
    {
      std::lock_guard lock(mutex);
      held.insert(stream.id);
    }
    arrived(false, [this, id = stream.id] {
      std::lock_guard lock(mutex);  // by a thread that may be a test late
      if (const auto found = held.find(id); found != held.end()) held.erase(found);
      wentOn.notify_all();
    });
  }
  return hipSuccess;
}

void FakeCore::whenReached(Event&, std::function<void(bool lost)> tell) {
  note("whenReached");
  if (keepArrivals) {
    reachings.push_back(std::move(tell));
  } else {
    tell(false);
  }
}

hipError_t FakeCore::memoryInfo(int, std::size_t* free, std::size_t* total) {
  *free = 1;
  *total = 2;
  return note("memoryInfo");
}

hipError_t FakeCore::allocate(Allocation& a) {
  HIPR_TRY(note("allocate"));
  // Registered memory gets a second address, as on a GPU that is elsewhere.
  void* memory = std::calloc(1, a.size);
  if (memory == nullptr) return hipErrorOutOfMemory;
  a.devicePointer = memory;
  if (a.kind == MemoryKind::kHost || a.kind == MemoryKind::kManaged) a.host = memory;
  std::lock_guard lock(mutex);
  ++live;
  return hipSuccess;
}

hipError_t FakeCore::release(const Allocation& a) {
  note("release");
  std::free(a.devicePointer);
  std::lock_guard lock(mutex);
  --live;
  return hipSuccess;
}

hipError_t FakeCore::load(Module& module) {
  module.impl = std::make_unique<FakeModule>(static_cast<const code::CodeObject&>(*module.code).loadSize());
  return note("moduleLoad");
}

hipError_t FakeCore::unload(Module& module) {
  module.impl.reset();
  return note("moduleUnload");
}

hipError_t FakeCore::variable(Module& module, const std::string& name, void** address) {
  *address = &static_cast<FakeModule&>(*module.impl).memory[module.code->findVariable(name)->address];
  return note("moduleVariable");
}

hipError_t FakeCore::memAddressReserve(void** address, std::size_t size, std::size_t, void*) {
  *address = std::calloc(1, size);
  return note("memAddressReserve");
}

hipError_t FakeCore::memAddressFree(void* address, std::size_t) {
  std::free(address);
  return note("memAddressFree");
}

hipError_t FakeCore::memCreate(std::uint64_t* physical, std::size_t, const hipMemAllocationProp&) {
  *physical = 77;
  return note("memCreate");
}

}  // namespace testing
}  // namespace hipr

#include "runtime/launch.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/log.h"
#include "code_object/kernarg.h"
#include "runtime/activity.h"
#include "runtime/async_error.h"
#include "runtime/function.h"
#include "runtime/occupancy.h"
#include "runtime/submit.h"

namespace hipr {

namespace {

std::uint64_t volume(const dim3& d) {
  return std::uint64_t{d.x} * d.y * d.z;
}

bool within(const dim3& d, const int (&limit)[3]) {
  return d.x <= static_cast<unsigned>(limit[0]) && d.y <= static_cast<unsigned>(limit[1]) &&
         d.z <= static_cast<unsigned>(limit[2]);
}

// Work-items are counted in 32 bits per dimension.
bool countable(const dim3& groups, const dim3& block) {
  return std::uint64_t{groups.x} * block.x <= UINT32_MAX && std::uint64_t{groups.y} * block.y <= UINT32_MAX &&
         std::uint64_t{groups.z} * block.z <= UINT32_MAX;
}

// No group is larger than all there is.
dim3 blockOf(const LaunchRequest& r) {
  if (r.family != LaunchFamily::kThreads) return r.block;
  return {std::min(r.block.x, r.threads.x), std::min(r.block.y, r.threads.y), std::min(r.block.z, r.threads.z)};
}

bool divides(const dim3& block, const dim3& threads) {
  return threads.x % block.x == 0 && threads.y % block.y == 0 && threads.z % block.z == 0;
}

hipError_t checkShape(const DeviceInfo& device, const Function& function, const LaunchRequest& r) {
  const hipDeviceProp_tR0600& props = device.props;
  const code::GpuKernel& kernel = *function.kernel;
  const code::Resources needs = kernel.resources();
  const bool module = r.family == LaunchFamily::kModule;
  const hipError_t wrongBlock = module ? hipErrorInvalidValue : hipErrorInvalidConfiguration;
  if (volume(r.groups) == 0)
    return r.family == LaunchFamily::kRuntime ? hipErrorInvalidConfiguration : hipErrorInvalidValue;
  const std::uint64_t blockSize = volume(r.block);
  if (blockSize == 0 || !within(r.block, props.maxThreadsDim) ||
      blockSize > static_cast<unsigned>(props.maxThreadsPerBlock))
    return wrongBlock;
  if (module && !within(r.groups, props.maxGridSize)) return hipErrorInvalidValue;
  if (r.family != LaunchFamily::kThreads && !countable(r.groups, r.block)) return hipErrorInvalidConfiguration;
  if (needs.maxGroupSize != 0 && blockSize > needs.maxGroupSize) {
    logError("%s: %llu threads per block, but it was compiled for at most %u (__launch_bounds__)",
             kernel.name().c_str(), static_cast<unsigned long long>(blockSize), needs.maxGroupSize);
    return hipErrorLaunchFailure;
  }
  const bool tooMuchShared = r.sharedBytes + needs.sharedBytes > props.sharedMemPerBlock;
  if (tooMuchShared && (module || !r.cooperative)) return hipErrorInvalidValue;
  if (const int limit = sharedLimit(function); limit >= 0 && r.sharedBytes > static_cast<std::size_t>(limit))
    return hipErrorInvalidValue;
  if (r.family == LaunchFamily::kThreads && needs.equalGroups && !divides(blockOf(r), r.threads))
    return hipErrorInvalidValue;
  if (!r.cooperative) return hipSuccess;
  const int fitting = blocksPerUnit(device, kernel, static_cast<int>(blockSize), r.sharedBytes);
  const auto room = static_cast<std::uint64_t>(fitting) * static_cast<unsigned>(props.multiProcessorCount);
  return volume(r.groups) > room ? hipErrorCooperativeLaunchTooLarge : hipSuccess;
}

hipError_t findEvent(Process& p, hipEvent_t handle, const Stream& stream, Event*& out) {
  out = nullptr;
  if (handle == nullptr) return hipSuccess;
  out = p.events.find(handle);
  if (out == nullptr) return hipErrorInvalidValue;
  return out->owner == stream.owner ? hipSuccess : hipErrorInvalidHandle;
}

hipError_t pack(const Function& function, const LaunchRequest& r, std::span<std::byte> kernarg) {
  const code::GpuKernel& kernel = *function.kernel;
  if (r.params != nullptr) return kernel.packParams(r.params, kernarg).ok() ? hipSuccess : hipErrorInvalidValue;
  code::Bytes buffer = r.packed;
  if (r.extra != nullptr && !code::parseExtra(r.extra, buffer).ok()) return hipErrorInvalidValue;
  return kernel.packBuffer(buffer, kernarg).ok() ? hipSuccess : hipErrorInvalidValue;
}

hipError_t makeAndHand(Process& p, Stream& stream, Function& function, const LaunchRequest& r,
                       std::span<std::byte> kernarg) {
  Operation operation(std::in_place_type<Launch>);
  Launch& launch = *std::get_if<Launch>(&operation);
  HIPR_TRY(makeLaunch(function, r, kernarg, launch));
  if (r.start != nullptr || r.stop != nullptr) [[unlikely]] {
    HIPR_TRY(findEvent(p, r.start, stream, launch.start));
    HIPR_TRY(findEvent(p, r.stop, stream, launch.stop));
  }
  std::optional<KernelWatch> watch;
  if (kernelTimesWanted.load(std::memory_order_relaxed) != 0 && !stream.capturing) [[unlikely]]
    HIPR_TRY(watch.emplace(p, stream).before(launch));
  HIPR_TRY(hand(stream, operation, Stage::kSent));
  if (watch) [[unlikely]] {
    watch->after(function);
    return afterAsync(p, stream);
  }
  if (launch.start != nullptr) recordedElsewhere(*launch.start);
  if (launch.stop != nullptr) recordedElsewhere(*launch.stop);
  return afterAsync(p, stream);
}

// What is no stream is an invalid value to a launch, unlike to other calls; only hipLaunchCooperativeKernel calls it by
// its name.
hipError_t streamForLaunch(hipStream_t handle, const LaunchRequest& r, Process*& p, Stream*& out) {
  const hipError_t error = streamForWork(handle, p, out);
  const bool named = r.cooperative && r.family == LaunchFamily::kRuntime;
  return error == hipErrorContextIsDestroyed && !named ? hipErrorInvalidValue : error;
}

}  // namespace

hipError_t makeLaunch(Function& function, const LaunchRequest& r, std::span<std::byte> room, Launch& out) {
  if (r.params != nullptr && r.extra != nullptr) return hipErrorInvalidValue;
  HIPR_TRY(checkShape(*function.module->owner->info, function, r));
  std::memset(room.data(), 0, room.size());  // padding too: equal launches are equal bytes
  if (!room.empty()) HIPR_TRY(pack(function, r, room));
  out = {.function = &function,
         .groups = r.groups,
         .block = blockOf(r),
         .threads = r.threads,
         .sharedBytes = static_cast<unsigned>(r.sharedBytes),
         .cooperative = r.cooperative,
         .arguments = room};
  if (r.threads.x == 0) out.threads = {r.groups.x * r.block.x, r.groups.y * r.block.y, r.groups.z * r.block.z};
  return hipSuccess;
}

hipError_t launchKernel(Process& p, Stream& stream, Function& function, const LaunchRequest& r) {
  if (r.params != nullptr && r.extra != nullptr) return hipErrorInvalidValue;
  if (function.module->owner != stream.owner) return hipErrorInvalidHandle;
  constexpr std::size_t kUsual = 4096;  // what AMD's compilers allow by default
  if (function.argumentBytes <= kUsual) [[likely]] {
    alignas(64) std::byte kernarg[kUsual];
    return makeAndHand(p, stream, function, r, {kernarg, function.argumentBytes});
  }
  std::vector<std::byte> kernarg(function.argumentBytes);
  return makeAndHand(p, stream, function, r, kernarg);
}

hipError_t launchHost(const void* host, hipStream_t stream, const LaunchRequest& request) {
  Process* p;
  Stream* s;
  Function* function;
  HIPR_TRY(streamForLaunch(stream, request, p, s));
  HIPR_TRY(namedFunction(*p, *s->owner, host, function));
  return launchKernel(*p, *s, *function, request);
}

hipError_t launchHandle(hipFunction_t handle, hipStream_t stream, const LaunchRequest& request) {
  Process* p;
  Stream* s;
  HIPR_TRY(process(p));
  Function* function = p->functions.find(handle);
  if (function == nullptr) return hipErrorInvalidHandle;
  HIPR_TRY(streamForLaunch(stream, request, p, s));
  return launchKernel(*p, *s, *function, request);
}

hipError_t joinStreams(Process& p, std::span<Stream* const> streams) {
  hipError_t error = hipSuccess;
  std::vector<Event*> reached;
  for (Stream* stream : streams) {
    Event* event = p.events.create();
    if (event == nullptr) return hipErrorOutOfMemory;
    event->id = p.newId();
    event->owner = stream->owner;
    event->device = stream->device;
    event->flags = hipEventDisableTiming;
    reached.push_back(event);
    if (error == hipSuccess) error = stream->owner->evenLost().create(*event);
    if (error == hipSuccess) error = hand(*stream, Record{event}, Stage::kSent);
  }
  for (Stream* stream : streams)
    for (Event* event : reached)
      if (error == hipSuccess) error = hand(*stream, Wait{event}, Stage::kSent);
  for (Event* event : reached) {
    p.events.take(event);
    event->owner->evenLost().destroy(*event);
    p.events.recycle(event);
  }
  return error;
}

}  // namespace hipr

// Kernel launch: every form comes down to one request.
#pragma once

#include <cstddef>

#include "runtime/stream.h"

namespace hipr {

// HIP's families of launch calls call the same mistake differently.
enum class LaunchFamily {
  kRuntime,  // hipLaunchKernel and its like: a kernel named by its stand-in on the host
  kModule,   // hipModuleLaunchKernel: a kernel named by its handle
  kThreads,  // hipExtModuleLaunchKernel: work-items are counted, not groups
};

struct LaunchRequest {
  LaunchFamily family = LaunchFamily::kRuntime;
  dim3 groups{}, block{};
  dim3 threads{};  // work-items in all, when not groups × block
  std::size_t sharedBytes = 0;
  void** params = nullptr;              // one pointer per argument, or
  void** extra = nullptr;               // a buffer of all of them, in HIP's list, or
  std::span<const std::byte> packed{};  // the buffer itself
  hipEvent_t start = nullptr, stop = nullptr;
  bool cooperative = false;
};

// Checks the request by HIP's rules and packs its arguments into `room`, which is function.argumentBytes long.
hipError_t makeLaunch(Function& function, const LaunchRequest& request, std::span<std::byte> room, Launch& out);

// Checks, packs and launches. The way every launch goes: it allocates nothing and takes no lock.
hipError_t launchKernel(Process& p, Stream& stream, Function& function, const LaunchRequest& request);

// The same for a kernel named by its stand-in on the host, and for one named by its handle.
hipError_t launchHost(const void* host, hipStream_t stream, const LaunchRequest& request);
hipError_t launchHandle(hipFunction_t function, hipStream_t stream, const LaunchRequest& request);

// Makes the work given to any of the streams from now on wait for all work given to all of them before.
hipError_t joinStreams(Process& p, std::span<Stream* const> streams);

}  // namespace hipr

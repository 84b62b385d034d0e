// The core of a HIP runtime: the few things that really differ between "the GPU is elsewhere" and "the GPU is this
// CPU".
//
// HIP has some 570 entry points but only about 40 distinct actions. runtime/ turns every entry point into these
// actions, once, with all of HIP's argument rules, so that a program gets the same answers locally and remotely. Each
// function below is defined twice and chosen at link time:
//   client/            carries it to a worker (libamdhip64.so.N)
//   backends/softgpu/  does it on the CPU     (softgpu/libamdhip64.so.N)
//
// Rules for both sides:
//  - Every function is thread-safe. None touches the caller's current device or last error: the device is in the
//  arguments.
//  - Arguments are already validated: streams are never null, sizes are non-zero, pointers lie inside known allocations
//  where
//    HIP demands it.
//  - Work given to a stream is asynchronous. A failure found later is raised with raiseAsyncError
//  (runtime/async_error.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hip_remote/hip.h"
#include "runtime/objects.h"
#include "runtime/platform.h"

namespace hipr::core {

// --- process
// -------------------------------------------------------------------------------------------------------------
// Connects or initialises on first use and gives the immutable description of all devices. On failure the cause has
// been logged in one line and every later call fails the same way. Idempotent.
hipError_t open(const Platform** platform);
void forgetAfterFork();  // in the child: drop everything inherited without touching the parent's connection or threads
void shutdown();         // at exit: let posted work reach its destination

// --- devices
// -------------------------------------------------------------------------------------------------------------
hipError_t deviceSynchronize(int device);
// The runtime has already forgotten every object of that device, and released its memory. `alone`: and there is none of
// any other device.
hipError_t deviceReset(int device, bool alone);
hipError_t setLimit(int device, hipLimit_t limit, std::size_t value);
hipError_t setPeerAccess(int device, int peer, bool enabled);
hipError_t memoryInfo(int device, std::size_t* free, std::size_t* total);

// --- memory
// --------------------------------------------------------------------------------------------------------------
// REQUIRES: kind, device, size and flags are set (and host, for kRegistered). Fills devicePointer, host (except for
// kDevice, where it stays null unless the CPU can read the memory at its device address) and impl.
hipError_t allocate(Allocation& allocation);
// HIP's frees synchronize. Called before one, this waits as long as the program could notice if they did not: until the
// host functions of earlier work have run and what that work writes to host memory is there.
void settle(const Allocation& allocation);
// Waits for nothing: memory that running work may still use must not be reused before that work ends.
hipError_t release(Allocation& allocation);

hipError_t copy(const Copy& copy, Stream& stream);
hipError_t fill(const Fill& fill, Stream& stream);

// --- streams and events
// --------------------------------------------------------------------------------------------------
hipError_t streamCreate(Stream& stream);   // device, flags, priority, cuMask and kind are set
hipError_t streamDestroy(Stream& stream);  // work already given to it still completes
hipError_t streamSynchronize(Stream& stream);
hipError_t streamQuery(Stream& stream);  // hipSuccess or hipErrorNotReady
hipError_t streamWaitEvent(Stream& stream, Event& event);
hipError_t hostFunction(Stream& stream, hipHostFn_t function,
                        void* userData);  // runs in stream order, on a thread of ours

hipError_t eventCreate(Event& event);
hipError_t eventDestroy(Event& event);
hipError_t eventRecord(Event& event, Stream& stream);
hipError_t eventSynchronize(Event& event);  // hipSuccess at once when never recorded
hipError_t eventQuery(Event& event);        // hipSuccess or hipErrorNotReady
// REQUIRES: both were recorded and neither disables timing. hipErrorNotReady when one is not complete.
hipError_t eventElapsed(Event& start, Event& stop, float* milliseconds);

// --- code
// ----------------------------------------------------------------------------------------------------------------
hipError_t moduleLoad(Module& module);  // module.code is the parsed code object for module.device
hipError_t moduleUnload(Module& module);
// The device address of a variable of the module. REQUIRES: the code object defines it.
hipError_t moduleVariable(Module& module, const std::string& name, void** address);
hipError_t launch(const Launch& launch, Stream& stream);

// --- virtual memory: HIP's own shapes
// -----------------------------------------------------------------------------------
hipError_t memAddressReserve(void** address, std::size_t size, std::size_t alignment, void* hint);
hipError_t memAddressFree(void* address, std::size_t size);
hipError_t memCreate(std::uint64_t* physical, std::size_t size, const hipMemAllocationProp& prop);
hipError_t memRelease(std::uint64_t physical);
hipError_t memMap(void* address, std::size_t size, std::size_t offset, std::uint64_t physical);
hipError_t memUnmap(void* address, std::size_t size);
hipError_t memSetAccess(void* address, std::size_t size, const hipMemAccessDesc* descriptions, std::size_t count);
std::size_t memGranularity(int device);

}  // namespace hipr::core

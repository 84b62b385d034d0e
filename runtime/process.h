// Process: everything the runtime knows between the first call that needs a device and exit. It exists once, is reached
// through one atomic pointer and is never destroyed, so calls in other threads stay safe while the process ends. A
// forked child forgets its parent's and starts afresh.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "hip_remote/hip.h"
#include "runtime/across.h"
#include "runtime/advice.h"
#include "runtime/allocation_map.h"
#include "runtime/core.h"
#include "runtime/device.h"
#include "runtime/execution_context.h"
#include "runtime/graph/capture.h"
#include "runtime/graph/graph.h"
#include "runtime/graph/user_object.h"
#include "runtime/handles.h"
#include "runtime/library.h"
#include "runtime/objects.h"
#include "runtime/pool.h"
#include "runtime/shared_memory.h"
#include "runtime/texture_map.h"
#include "runtime/thread_state.h"
#include "runtime/try.h"
#include "runtime/vmm.h"

namespace hipr {

struct Process {
  std::vector<std::unique_ptr<Device>> devices;  // those the program sees, of all cores, by ordinal
  bool launchBlocking = false;                   // HIP_LAUNCH_BLOCKING=1

  AllocationMap allocations;
  AdviceMap advice;
  VirtualMemory virtualMemory;
  OpenedMemory opened;
  HandlePool<Stream> streams{1 << 18};
  HandlePool<Event> events{1 << 20};
  HandlePool<Module> modules{1 << 18};
  HandlePool<Function> functions{1 << 20};
  HandlePool<MemoryPool> pools{1 << 18};
  HandlePool<Library> libraries{1 << 16};
  HandlePool<Array> arrays{1 << 18};
  TextureMap textures;
  ModuleTextures moduleTextures;
  HandlePool<ResourceDescription> resourceDescriptions{1 << 18};
  HandlePool<ExecutionContext> executionContexts{1 << 16};
  std::atomic<bool> usesPools{false};  // memory has been allocated from one
  HandlePool<Graph> graphs{1 << 18};
  HandlePool<GraphNode> graphNodes{1 << 22};
  HandlePool<GraphExec> graphExecs{1 << 18};
  HandlePool<UserObject> userObjects{1 << 18};
  Captures captures;
  Across across;

  std::uint64_t newId() { return nextId_.fetch_add(1, std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> nextId_{1};
};

extern std::atomic<Process*> processPointer;

// Null before the first successful open, after exit, and in a forked child until it opens its own.
inline Process* openedProcess() {
  return processPointer.load(std::memory_order_acquire);
}

hipError_t openProcess(Process*& out);

// The process, opened (connected, initialised) if need be.
inline hipError_t process(Process*& out) {
  out = openedProcess();
  return out != nullptr ? hipSuccess : openProcess(out);
}

// A device by the program's number, and the calling thread's current one.
inline hipError_t findDevice(Process& p, int ordinal, Device*& out) {
  if (ordinal < 0 || static_cast<std::size_t>(ordinal) >= p.devices.size()) return hipErrorInvalidDevice;
  out = p.devices[ordinal].get();
  return hipSuccess;
}
inline hipError_t currentDevice(Process*& p, Device*& out) {
  HIPR_TRY(process(p));
  return findDevice(*p, threadState().device, out);
}

// runtime/exit.cpp
bool exited();
Process* endingProcess();          // exit() has begun, and the program's own handlers may still use this one; else null
inline Process* livingProcess() {  // either; null when there is none yet
  Process* p = openedProcess();
  return p != nullptr ? p : endingProcess();
}
// runtime/fork.cpp
void watchForks();

}  // namespace hipr

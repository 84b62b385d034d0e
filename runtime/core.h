// Core: what carries out the work. HIP has some 570 entry points but only some sixty distinct actions; runtime/ turns
// every entry point into these, once, with all of HIP's argument rules, so that a program gets the same answers
// whatever core answers. There are two kinds:
//   client/            a worker somewhere else (libamdhip64.so.N)
//   backends/softgpu/  the CPU of this machine (softgpu/libamdhip64.so.N)
// A process may have several, each with its own devices; runtime/ puts them in one row.
//
// Rules for all of them:
//  - Every function is thread-safe. None touches the caller's current device or last error.
//  - Devices are numbered as in the core's own platform, whatever *_VISIBLE_DEVICES hides.
//  - Arguments are already validated: objects are of this core, sizes are not 0, pointers lie inside known allocations
//    where HIP demands it.
//  - Work given to a stream is asynchronous. A failure found later is raised with raiseAsyncError (async_error.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "hip_remote/hip.h"
#include "platform/exit.h"
#include "rtc/request.h"
#include "runtime/async_error.h"
#include "runtime/graph_exec.h"
#include "runtime/objects.h"
#include "runtime/operation.h"
#include "types/platform.h"

namespace hipr {

// What a stream had been given at some moment.
class StreamPoint {
 public:
  virtual ~StreamPoint() = default;
  virtual bool reached() = 0;  // all of it is done; says so a little late rather than wait
  virtual void wait() = 0;
};

// What another core has to know to bring bytes here. Good for one copy, and not for long.
struct Invitation {
  std::uint64_t number = 0;
  std::string place;  // where it is
  std::array<std::uint8_t, 32> ticket{};
};

class Core {
 public:
  virtual ~Core() = default;

  AsyncError asyncError;  // of work that had been given to it

  // --- process
  // Connects or initialises on first use and gives the immutable description of its devices. On failure the cause has
  // been logged in one line and every later call fails the same way. Idempotent.
  virtual hipError_t open(const Platform** platform) = 0;
  // Why nothing can be asked of it any more, else hipSuccess. Asked in one place, runtime/device.h.
  virtual hipError_t lost() const = 0;
  virtual void forgetAfterFork() = 0;  // in the child: drop what was inherited, touch no connection or thread
  virtual void leave(platform::Ending ending) = 0;  // let posted work reach its destination while that is possible

  // --- work
  // The only way to give work to a stream. Returns when it has come as far as `until` (operation.h).
  virtual hipError_t submit(Stream& stream, const Operation& operation, Stage until) = 0;
  // Everything submitted to the device so far is visible. What HIP's frees promise.
  virtual void fence(int device) = 0;
  virtual hipError_t synchronize(int device) = 0;

  // --- streams and events
  virtual hipError_t create(Stream& stream) = 0;  // device, flags, priority, cuMask and kind are set
  // One that the program made: when its work is done, or the host could not tell that it is not.
  virtual hipError_t destroy(Stream& stream) = 0;
  virtual hipError_t synchronize(Stream& stream) = 0;
  virtual hipError_t query(Stream& stream) = 0;                    // hipSuccess or hipErrorNotReady
  virtual std::unique_ptr<StreamPoint> point(Stream& stream) = 0;  // null when it has nothing to do

  virtual hipError_t create(Event& event) = 0;
  virtual hipError_t destroy(Event& event) = 0;
  virtual hipError_t synchronize(Event& event) = 0;  // hipSuccess at once when never recorded
  virtual hipError_t query(Event& event) = 0;        // hipSuccess or hipErrorNotReady
  // REQUIRES: both were recorded and neither disables timing. hipErrorNotReady when one is not complete.
  virtual hipError_t elapsed(Event& start, Event& stop, float* milliseconds) = 0;

  // --- order between cores (across.h). Whoever is called back must not wait, and is called exactly once.
  // Where a stream stands after everything given to it so far. It goes on when `goOn` is called; a core that is lost
  // meanwhile, or was before, says so instead: then there is no stream to go on.
  using GoOn = std::function<void()>;
  using Arrived = std::function<void(bool lost, GoOn goOn)>;
  virtual hipError_t hold(Stream&, Arrived) { return hipErrorNotSupported; }
  // The event's last record is reached, or was never made; or the core is lost.
  virtual void whenReached(Event&, std::function<void(bool lost)> tell) { tell(true); }

  // --- copies between cores that this process takes no part in (copy_across.h). hipErrorNotSupported: not by this
  // core. As an operation of the stream, the bytes of copy.to come from another core; and from here copy.from goes to
  // one that has invited it, which has all of it when this returns. After any failure the copy has to be made in
  // another way.
  virtual hipError_t invite(Stream&, const Copy&, Invitation&) { return hipErrorNotSupported; }
  virtual hipError_t bring(Stream&, const Copy&, const Invitation&) { return hipErrorNotSupported; }
  virtual void withdraw(const Invitation&) {}  // nobody will come

  // --- graphs; submit(GraphLaunch) runs one
  virtual hipError_t create(GraphExec& exec) = 0;  // its steps are set
  virtual hipError_t update(GraphExec& exec,
                            std::span<const std::uint32_t> steps) = 0;  // the work of these has changed
  virtual hipError_t destroy(GraphExec& exec) = 0;                      // launches already submitted still complete

  // --- devices
  // The runtime has already forgotten every object of that device, and released its memory. `alone`: and this core has
  // none of any other device.
  virtual hipError_t reset(int device, bool alone) = 0;
  virtual hipError_t setLimit(int device, hipLimit_t limit, std::size_t value) = 0;
  virtual hipError_t setPeerAccess(int device, int peer, bool enabled) = 0;
  virtual hipError_t memoryInfo(int device, std::size_t* free, std::size_t* total) = 0;

  // --- memory
  // REQUIRES: kind, device, size and flags are set (and host, for kRegistered). Fills devicePointer, and host except
  // for kDevice, where it stays null unless the CPU can read the memory at its device address.
  virtual hipError_t allocate(Allocation& allocation) = 0;
  // The program has been told where kernels find registered memory, and may write that address anywhere.
  virtual void reveal(const Allocation& /*allocation*/) {}
  // Waits for nothing: memory that work submitted so far may still use is not reused before that work ends.
  virtual hipError_t release(const Allocation& allocation) = 0;
  // Host memory of another core, which has allocated it: kernels of this one may use it from now on, too, at the same
  // addresses; and no longer. Released after that.
  virtual hipError_t admit(const Allocation&) { return hipErrorNotSupported; }
  virtual void dismiss(const Allocation&) {}

  // --- memory that other processes have too: those of this machine, or those that use the same worker
  // A name for what the allocation is a part of, and where in that the allocation begins.
  virtual hipError_t share(const Allocation&, SharedName&, std::size_t&) { return hipErrorNotSupported; }
  // REQUIRES: device is set; fills the rest. hipErrorInvalidDevicePointer: nothing has that name (any more).
  virtual hipError_t openShared(const SharedName&, Allocation&) { return hipErrorNotSupported; }
  virtual hipError_t closeShared(const Allocation&) { return hipErrorNotSupported; }  // like release

  // --- images, of devices that have them (image.h)
  virtual hipError_t create(Array&) { return hipErrorNotSupported; }    // all but impl is set
  virtual hipError_t create(Texture&) { return hipErrorNotSupported; }  // all but object and impl is set
  virtual hipError_t destroy(Array&) { return hipErrorNotSupported; }   // both wait for nothing, as release
  virtual hipError_t destroy(Texture&) { return hipErrorNotSupported; }

  // --- code
  virtual hipError_t load(Module& module) = 0;  // module.code is the parsed code object for module.device
  virtual hipError_t unload(Module& module) = 0;
  // The device address of a variable of the module. REQUIRES: the code object defines it.
  virtual hipError_t variable(Module& module, const std::string& name, void** address) = 0;

  // Compiles a program for hiprtc. hipErrorNotSupported: it does not; then nothing has been said in `result`.
  virtual hipError_t compile(const rtc::Request&, rtc::Result&) { return hipErrorNotSupported; }

  // --- virtual memory: HIP's own shapes
  virtual hipError_t memAddressReserve(void** address, std::size_t size, std::size_t alignment, void* hint) = 0;
  virtual hipError_t memAddressFree(void* address, std::size_t size) = 0;
  virtual hipError_t memCreate(std::uint64_t* physical, std::size_t size, const hipMemAllocationProp& prop) = 0;
  virtual hipError_t memRelease(std::uint64_t physical) = 0;
  virtual hipError_t memMap(void* address, std::size_t size, std::size_t offset, std::uint64_t physical) = 0;
  virtual hipError_t memUnmap(void* address, std::size_t size) = 0;
  virtual hipError_t memSetAccess(void* address, std::size_t size, const hipMemAccessDesc* descriptions,
                                  std::size_t count) = 0;
  virtual std::size_t memGranularity(int device) = 0;  // 0: it has no virtual memory management
  // A file descriptor that stands for the memory, here and in other processes; and what such a one stands for.
  virtual hipError_t memExport(std::uint64_t, int*) { return hipErrorNotSupported; }
  virtual hipError_t memImport(int, int, std::uint64_t*, std::size_t*) { return hipErrorNotSupported; }
};

// The cores of this process, always the same ones; they live as long as it does. Defined where a library is put
// together (libs/): that choice is all that makes it a remote or a local HIP runtime.
const std::vector<Core*>& cores();

}  // namespace hipr

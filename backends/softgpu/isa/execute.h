// The software GPU's processor: runs AMD gfx90a / gfx942 machine code on this machine's CPU.
//
// This header is the whole interface. The caller owns memory, code objects, streams and arguments; this side owns
// waves, registers, LDS and scratch. Device addresses are addresses of this process, and every access a kernel makes
// (vector, scalar, instruction fetch) is first looked up in the caller's AddressSpace, so a wild pointer ends the
// dispatch with a Fault and never touches anything else. The bytes may lie elsewhere than the addresses say: the
// caller's regions tell.
//
// Threads: everything may be called from any thread. Completion callbacks and Services run on executor threads.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace hipr::softgpu {

enum class Gpu : std::uint8_t { kGfx90a, kGfx942 };

// The apertures of generic pointers, fixed: the upper 32 bits of an LDS or private address seen through a flat pointer.
// (What hidden_shared_base and hidden_private_base of code object v5 must hold.)
inline constexpr std::uint32_t kSharedBase = 0x00010000;
inline constexpr std::uint32_t kPrivateBase = 0x00020000;

// Bytes [begin, end) that kernels may read, write and execute. Empty when begin == end.
struct Region {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t shift = 0;  // from a device address to where this process has the byte, modulo 2^64; whole pages
};

// What kernels may touch. The caller implements find() and calls expireCaches() after unmapping anything, before the
// memory is reused or returned to the system; waves drop their cached regions at their next access. Work still running
// against memory that is being freed is the program's error, but the caller should only unmap when no dispatch can
// touch it.
class AddressSpace {
 public:
  virtual ~AddressSpace() = default;

  // The live region containing `address`, or an empty one. Must be thread-safe; called on cache misses only.
  virtual Region find(std::uint64_t address) const = 0;

  std::uint64_t generation() const { return generation_.load(std::memory_order_acquire); }
  void expireCaches() { generation_.fetch_add(1, std::memory_order_acq_rel); }

 private:
  std::atomic<std::uint64_t> generation_{1};
};

// The 64 bytes at NAME.kd (AMDGPUUsage "Kernel Descriptor").
struct KernelDescriptor {
  std::uint32_t groupSegmentBytes = 0;    // static LDS
  std::uint32_t privateSegmentBytes = 0;  // per lane
  std::uint32_t kernargBytes = 0;
  std::int64_t entryOffset = 0;  // from the descriptor to the first instruction
  std::uint32_t rsrc1 = 0;
  std::uint32_t rsrc2 = 0;
  std::uint32_t rsrc3 = 0;
  std::uint16_t properties = 0;
  std::uint16_t kernargPreload = 0;

  static KernelDescriptor parse(std::span<const std::byte, 64> bytes);
};

// Decoded instructions of one loaded code object; filled lazily, shared by its kernels and all their launches.
class CodeCache;
std::shared_ptr<CodeCache> makeCodeCache(Region code, Gpu gpu);

// One kernel of a loaded code object. `entry` is descriptor address + entryOffset and lies in the cache's region.
struct KernelCode {
  std::string name;
  std::uint64_t entry = 0;
  KernelDescriptor descriptor;
  std::shared_ptr<CodeCache> code;
};

enum class FaultKind : std::uint8_t {
  kMemory,              // an access outside the address space, LDS or scratch
  kIllegalInstruction,  // not an instruction of this GPU, or one this processor does not implement yet
  kTrap,                // s_trap: abort(), assert(), __builtin_trap()
  kWatchdog,            // the dispatch's time limit passed
  kResources,           // the dispatch cannot run at all: too much LDS, no memory for its waves, bad sizes
};

struct Fault {
  FaultKind kind = FaultKind::kMemory;
  std::string text;  // one line: kernel, pc, instruction, lane, address
  std::uint64_t pc = 0;
  int lane = -1;  // -1: not one lane's doing
  std::uint64_t address = 0;
};

// What a kernel asks of the world outside. Called on executor threads, several at once.
class Services {
 public:
  virtual ~Services() = default;

  // s_sendmsg MSG_INTERRUPT: a hostcall packet is waiting. Serve it before returning; the kernel then spins on its
  // result.
  virtual void interrupt() = 0;
  // s_trap with another id than 2 (abort) and 3 (debug). A fault ends the dispatch; nothing continues it.
  virtual std::optional<Fault> trap(std::uint8_t id) = 0;
  // Code that a kernel reaches by a pointer, outside its own code object: null when nothing there is code. What is
  // returned lives as long as the dispatch.
  virtual CodeCache* codeAround(std::uint64_t) { return nullptr; }
  // s_memrealtime, in ticks of the constant 100 MHz clock.
  virtual std::uint64_t realtime() = 0;
};

// The default: no hostcalls to serve, unknown traps are faults, the realtime clock is steady_clock.
Services& defaultServices();

struct Dispatch {
  KernelCode kernel;
  std::array<std::uint32_t, 3> groupSize{1, 1, 1};  // work-items; their product is at most 1024
  std::array<std::uint32_t, 3> gridSize{1, 1, 1};   // work-items; the last groups of a dimension may be partial
  std::uint32_t dynamicLdsBytes = 0;
  std::uint32_t privateBytes = 0;    // scratch per lane; at least the descriptor's privateSegmentBytes is given
  std::uint64_t kernarg = 0;         // inside the address space
  std::uint64_t dispatchPacket = 0;  // the AQL packet, inside the address space
  std::uint64_t queue = 0;           // amd_queue_t for QUEUE_PTR, inside the address space
  std::uint64_t dispatchId = 0;
  bool cooperative = false;                // all workgroups are resident at once
  std::uint32_t watchdogMilliseconds = 0;  // 0: none
};

// Runs dispatches on a pool of threads. Workgroups of all submitted dispatches share the pool fairly; within a dispatch
// they start in index order, and waves that spin, sleep or wait give way to the others.
// Whoever has the threads of an Executor go slower than they could. Thread-safe.
class Pace {
 public:
  using Clock = std::chrono::steady_clock;
  virtual ~Pace() = default;
  // A thread has computed for so long; it goes on at the moment this returns.
  virtual Clock::time_point computed(std::chrono::nanoseconds work) = 0;
};

class Executor {
 public:
  struct Options {
    unsigned threads = 0;  // 0: as many as the machine has
    Pace* pace = nullptr;  // null: as fast as they can
  };
  static unsigned threadsFor(unsigned wanted);  // how many those are
  using Completion = std::function<void(std::optional<Fault>)>;

  Executor(const AddressSpace& memory, Services& services, Options options);
  ~Executor();  // waits for everything submitted

  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  // Queues the dispatch and returns. `done` is called once, after its last wave ended and its memory effects are
  // visible. Ordering between dispatches (streams, events) is the caller's: submit the next one from `done`.
  void submit(Dispatch dispatch, Completion done);

  // Ends every running dispatch with a kTrap fault saying `why` (a device reset).
  void stopAll(const std::string& why);

 private:
  struct Pool;
  std::unique_ptr<Pool> pool_;
};

}  // namespace hipr::softgpu

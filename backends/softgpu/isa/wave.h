// The state of one wave of 64 lanes, and what it shares with its workgroup and dispatch.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <vector>

#include "backends/softgpu/isa/execute.h"
#include "backends/softgpu/isa/inst.h"

// Handlers are compiled several times for different CPUs. Anything inline they share with other files must not exist as
// a linkable function, or the linker could hand an AVX-512 copy to a machine without it.
#define HIPR_INLINE inline __attribute__((always_inline))

namespace hipr::softgpu {

inline constexpr int kLanes = 64;
inline constexpr std::uint32_t kGprIndexing = 1u << 27;  // bits of MODE
inline constexpr std::uint32_t kVectorSkip = 1u << 28;
inline constexpr unsigned kMaxRows = 512 + 32;  // any register number plus any operand width stays inside

// State all workgroups of a dispatch share.
struct DispatchState {
  Dispatch dispatch;
  const AddressSpace* memory = nullptr;
  Services* services = nullptr;
  Gpu gpu = Gpu::kGfx90a;
  std::atomic<bool> stop{false};
  std::mutex faultMutex;
  std::optional<Fault> fault;  // the first one

  // ds_gws_*: one barrier per resource. A wave waits until `round` moves.
  struct Gws {
    std::uint32_t arrived = 0;
    std::uint32_t round = 0;
    std::uint32_t value = 0;  // semaphore count
  };
  std::mutex gwsMutex;
  Gws gws[64];
};

struct Workgroup {
  DispatchState* shared = nullptr;
  std::uint32_t id[3] = {};
  std::vector<std::uint8_t> lds;
  alignas(16) std::uint8_t beyondLds[kLanes][16];  // what lanes read and write past the end of LDS (lds.h)
  unsigned waves = 0;                              // not ended
  unsigned waiting = 0;                            // at s_barrier
};

enum class WaveState : std::uint8_t { kReady, kBarrier, kSleeping, kGws, kEnded };

struct Wave {
  // By operand code: SGPRs, special registers, and then the inline constants, so that reading any scalar operand but
  // the literal and the status bits is one load.
  alignas(64) std::uint32_t s[256];
  alignas(64) std::uint32_t laneMask[kLanes];  // ~0 or 0 per lane of laneMaskOf: operand.h
  std::uint64_t laneMaskOf;
  std::uint32_t* v;  // kMaxRows rows of 64 lanes
  std::uint32_t accumOffset;
  std::int32_t budget;  // instructions until the wave gives way
  const Inst* ip;       // next instruction; null when a handler has asked to leave the loop
  const Inst* resume;   // where to go on then
  CodeCache* code;
  Workgroup* group;
  DispatchState* shared;
  Region scratch;              // this wave's, all lanes
  std::uint32_t scratchBytes;  // per lane
  Region lds;                  // the workgroup's
  Region bounce;               // a handler's own buffer, while it uses one
  Region regions[2];           // of the address space, last used first
  std::uint64_t regionsOf;     // generation of `regions`
  std::uint32_t mode;
  std::uint32_t trapStatus;
  std::uint32_t gwsRound;
  std::uint8_t gwsResource;
  bool gprIndexing;  // MODE has one of the two bits above: another loop runs the wave
  bool flushF32;     // MODE flushes f32 denormals
  bool plainFloat;   // MODE rounds to nearest and keeps all denormals
  bool scc;
  WaveState state;
  std::uint32_t idInGroup;

  // Pairs are aligned; an odd code is not legal and must not reach past the registers.
  HIPR_INLINE std::uint64_t pair(unsigned code) const {
    std::uint64_t value;
    std::memcpy(&value, &s[code & ~1u], 8);
    return value;
  }
  HIPR_INLINE void setPair(unsigned code, std::uint64_t value) { std::memcpy(&s[code & ~1u], &value, 8); }
  HIPR_INLINE std::uint64_t exec() const { return pair(kExecLo); }
  HIPR_INLINE std::uint64_t vcc() const { return pair(kVccLo); }
  HIPR_INLINE std::uint32_t* vgpr(unsigned code) const { return v + (code & 255) * kLanes; }
  // The row of a vector operand; wider operands continue in the following rows.
  HIPR_INLINE std::uint32_t* row(unsigned code) const {
    return v + ((code & 255) + ((code >> 9) & 1) * accumOffset) * kLanes;
  }
  // Ends the loop that runs the wave, behind this instruction.
  HIPR_INLINE void leave() {
    if (ip) resume = ip;
    ip = nullptr;
  }
  HIPR_INLINE void stop(WaveState to) {
    state = to;
    leave();
  }
};

// Ends the dispatch: records the fault (with kernel, pc and mnemonic added to `what`) and stops the wave.
void raise(Wave& w, const Inst& i, FaultKind kind, const char* what, int lane = -1, std::uint64_t address = 0);

// The region around [address, address + bytes) in the address space, LDS, or the wave's scratch, or null; refills the
// wave's region cache, and is good until the next call.
const Region* reachable(Wave& w, std::uint64_t address, std::uint64_t bytes);

// Puts the inline constants and apertures in place.
void fillConstants(Wave& w);
// Writes MODE and what is derived from it.
void setMode(Wave& w, std::uint32_t mode);

// Runs until the wave stops or its budget is spent.
void runWave(Wave& w);

}  // namespace hipr::softgpu

#include "backends/softgpu/isa/wave.h"

#include <array>
#include <bit>
#include <cstdio>
#include <string>

#include "backends/softgpu/isa/constants.h"
#include "backends/softgpu/isa/decode.h"
#include "backends/softgpu/isa/print.h"
#include "backends/softgpu/isa/table.h"

namespace hipr::softgpu {
namespace {

std::string hex(std::uint64_t value) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

bool scalar(const Inst& i) {
  return i.row >= allRows().size() || allRows()[i.row].encoding <= Encoding::SMEM;
}

bool vectorAlu(const Inst& i) {
  if (i.row >= allRows().size()) return false;
  Encoding e = allRows()[i.row].encoding;
  return e == Encoding::VOP1 || e == Encoding::VOP2 || e == Encoding::VOPC || e == Encoding::VOP3;
}

constexpr std::array<std::uint32_t, 128> makeConstants() {
  std::array<std::uint32_t, 128> values{};
  auto at = [&](unsigned code) -> std::uint32_t& { return values[code - kFirstConstant]; };
  for (unsigned n = 0; n <= 64; ++n) at(128 + n) = n;
  for (unsigned n = 1; n <= 16; ++n) at(192 + n) = 0u - n;
  at(235) = kSharedBase;
  at(236) = 0xffffffff;  // shared limit
  at(237) = kPrivateBase;
  at(238) = 0xffffffff;
  constexpr float kFloats[] = {0.5f, -0.5f, 1, -1, 2, -2, 4, -4, 0x1.45f306p-3f};
  for (unsigned n = 0; n < 9; ++n) at(240 + n) = std::bit_cast<std::uint32_t>(kFloats[n]);
  return values;
}
constexpr std::array<std::uint32_t, 128> kConstants = makeConstants();

// A register outside the wave's reach reads and writes v0 on hardware; here it stays where it was encoded.
void shift(std::uint16_t& code, unsigned by) {
  if (code >= kVgpr && code < kAgpr && code + by < kAgpr) code = static_cast<std::uint16_t>(code + by);
}

}  // namespace

void fillConstants(Wave& w) {
  std::memcpy(&w.s[kFirstConstant], kConstants.data(), sizeof kConstants);
}

void setMode(Wave& w, std::uint32_t mode) {
  w.mode = mode;
  w.flushF32 = ((mode >> 4) & 3) != 3;
  w.plainFloat = (mode & 0xff) == 0xf0;
  w.gprIndexing = mode & (kGprIndexing | kVectorSkip);
}

void raise(Wave& w, const Inst& i, FaultKind kind, const char* what, int lane, std::uint64_t address) {
  Fault fault;
  fault.kind = kind;
  fault.pc = w.code->addressOf(i);
  fault.lane = lane;
  fault.address = address;
  const Dispatch& d = w.shared->dispatch;
  std::uint32_t words[2] = {};
  unsigned available = fault.pc + 8 <= w.code->region().end ? 2 : fault.pc + 4 <= w.code->region().end ? 1 : 0;
  std::memcpy(words, reinterpret_cast<const void*>(fault.pc + w.code->region().shift), available * sizeof words[0]);
  fault.text = std::string(what) + " in " + d.kernel.name + " at pc " + hex(fault.pc) + " (entry+" +
               hex(fault.pc - d.kernel.entry) + ", " + printInstruction(words, available, w.code->gpu()) + ", word " +
               hex(words[0]) + ")";
  if (kind == FaultKind::kMemory) fault.text += " address " + hex(address);
  if (lane >= 0) fault.text += " lane " + std::to_string(lane);
  fault.text += " workgroup " + std::to_string(w.group->id[0]) + "," + std::to_string(w.group->id[1]) + "," +
                std::to_string(w.group->id[2]);
  {
    std::lock_guard lock(w.shared->faultMutex);
    if (!w.shared->fault) w.shared->fault = std::move(fault);
  }
  w.shared->stop.store(true, std::memory_order_release);
  w.stop(WaveState::kEnded);
}

const Region* reachable(Wave& w, std::uint64_t address, std::uint64_t bytes) {
  auto inside = [&](const Region& r) { return address >= r.begin && address < r.end && bytes <= r.end - address; };
  std::uint64_t generation = w.shared->memory->generation();
  if (generation != w.regionsOf) {
    w.regions[0] = w.regions[1] = {};
    w.regionsOf = generation;
  }
  if (inside(w.regions[0])) return &w.regions[0];
  if (inside(w.scratch)) return &w.scratch;
  if (inside(w.lds)) return &w.lds;
  if (inside(w.bounce)) return &w.bounce;
  if (inside(w.regions[1])) {
    std::swap(w.regions[0], w.regions[1]);
    return &w.regions[0];
  }
  Region found = w.shared->memory->find(address);
  if (!inside(found)) return nullptr;
  w.regions[1] = w.regions[0];
  w.regions[0] = found;
  return &w.regions[0];
}

namespace {

void runPlain(Wave& w) {
  const Inst* i = w.ip;
  std::int32_t left = w.budget;
  while (left > 0) {
    --left;
    const Inst* next = i + i->step;
    w.ip = next;
    // Most instructions do not jump. A branch guesses that, where the next instruction would wait for w.ip to come back
    // from memory. The empty assembly hides from the compiler that reading w.ip would do.
    const Inst* guess = next;
    asm("" : "+r"(guess));
    i->run(w, *i);
    if (w.ip == next) [[likely]] {
      i = guess;
    } else {
      asm volatile("");
      i = w.ip;
      if (!i) break;
    }
  }
  w.ip = i ? i : w.resume;
  w.budget = left;
}

// While s_set_gpr_idx is on (vector registers are addressed relative to M0) or s_setvskip (vector instructions do
// nothing).
void runIndexed(Wave& w) {
  for (; w.gprIndexing && w.state == WaveState::kReady && w.budget > 0; --w.budget) {
    const Inst* i = w.ip;
    w.ip = i + i->step;
    if ((w.mode & kVectorSkip) && !scalar(*i)) continue;
    if ((w.mode & kGprIndexing) && vectorAlu(*i)) {
      Inst moved = *i;
      unsigned by = w.s[kM0] & 0xff, enables = (w.s[kM0] >> 12) & 15;
      for (unsigned k = 0; k < 3; ++k)
        if ((enables >> k) & 1) shift(moved.src[k], by);
      if (enables & 8) shift(moved.dst, by);
      moved.run(w, moved);
    } else {
      i->run(w, *i);
    }
    if (!w.ip) w.ip = w.resume;
  }
}

}  // namespace

void runWave(Wave& w) {
  do {
    w.gprIndexing ? runIndexed(w) : runPlain(w);
  } while (w.state == WaveState::kReady && w.budget > 0);
}

}  // namespace hipr::softgpu

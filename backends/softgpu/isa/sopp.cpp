// Branches, barriers, messages and the end of a wave.
#include "backends/softgpu/isa/scalar.h"

namespace hipr::softgpu::HIPR_LEVEL {
namespace {

void branch(Wave& w, const Inst& i, bool taken) {
  if (!taken) return;
  std::int64_t distance = std::int64_t{1} + static_cast<std::int32_t>(i.literal);
  const Inst* target = i.nearby ? &i + distance : w.code->atOffset(i.offset + static_cast<std::uint64_t>(distance));
  if (!target) return raise(w, i, FaultKind::kMemory, "branch out of the code", -1, afterInst(w, i) + i.literal * 4);
  w.ip = target;
}

void end(Wave& w, const Inst&) {
  w.stop(WaveState::kEnded);
}
void nothing(Wave&, const Inst&) {}

void message(Wave& w, const Inst& i) {
  constexpr unsigned kInterrupt = 1;
  if ((i.literal & 15) == kInterrupt) return w.shared->services->interrupt();
  raise(w, i, FaultKind::kIllegalInstruction, "message of unknown kind");
}

}  // namespace

#define NOTHING(name) const Impl name{nothing, nothing};
NOTHING(s_nop)
NOTHING(s_wakeup)
NOTHING(s_setprio)
NOTHING(s_icache_inv)
NOTHING(s_incperflevel)
NOTHING(s_decperflevel)
NOTHING(s_ttracedata)
// No debugger is ever attached.
NOTHING(s_cbranch_cdbgsys)
NOTHING(s_cbranch_cdbguser)
NOTHING(s_cbranch_cdbgsys_or_user)
NOTHING(s_cbranch_cdbgsys_and_user)

const Impl s_endpgm{end, end};
const Impl s_endpgm_saved{end, end};
const Impl s_endpgm_ordered_ps_done{end, end};

RUN(s_branch) {
  branch(w, i, true);
}
RUN(s_cbranch_scc0) {
  branch(w, i, !w.scc);
}
RUN(s_cbranch_scc1) {
  branch(w, i, w.scc);
}
RUN(s_cbranch_vccz) {
  branch(w, i, w.vcc() == 0);
}
RUN(s_cbranch_vccnz) {
  branch(w, i, w.vcc() != 0);
}
RUN(s_cbranch_execz) {
  branch(w, i, w.exec() == 0);
}
RUN(s_cbranch_execnz) {
  branch(w, i, w.exec() != 0);
}

RUN(s_barrier) {
  w.stop(WaveState::kBarrier);
}
RUN(s_sleep) {
  w.stop(WaveState::kSleeping);
}

// Memory operations are done when their handler returns; what is left to order is this CPU's own view of memory, and
// x86 keeps loads and stores in order.
#ifdef __x86_64__
NOTHING(s_waitcnt)
#else
RUN(s_waitcnt) {
  std::atomic_thread_fence(std::memory_order_acq_rel);
}
#endif

RUN(s_setkill) {
  if (i.literal & 1) w.stop(WaveState::kEnded);
}
RUN(s_sethalt) {
  if (i.literal & 1) raise(w, i, FaultKind::kTrap, "the wave halted itself");
}

const Impl s_sendmsg{message, message};
RUN(s_sendmsghalt) {
  message(w, i);
  raise(w, i, FaultKind::kTrap, "the wave halted itself");
}

RUN(s_trap) {
  constexpr unsigned kAbort = 2, kDebug = 3;
  auto id = static_cast<std::uint8_t>(i.literal);
  if (id == kDebug) return;
  if (id == kAbort) return raise(w, i, FaultKind::kTrap, "trap (abort)");
  if (std::optional<Fault> fault = w.shared->services->trap(id))
    raise(w, i, fault->kind, fault->text.c_str(), fault->lane, fault->address);
}

RUN(s_set_gpr_idx_off) {
  changeMode(w, w.mode & ~kGprIndexing);
}
RUN(s_set_gpr_idx_mode) {
  w.s[kM0] = (w.s[kM0] & ~0xf000u) | (i.literal & 15) << 12;
}

}  // namespace hipr::softgpu::HIPR_LEVEL

// Global wave sync: barriers and semaphores among all waves of a dispatch (cooperative groups' grid.sync).
#include "backends/softgpu/isa/scalar.h"

namespace hipr::softgpu::HIPR_LEVEL {
namespace {

unsigned resourceOf(const Wave& w, const Inst& i) {
  return ((w.s[kM0] >> 16) + i.literal) & 63;
}

// The operand is that of the first active lane.
std::uint32_t operandOf(const Wave& w, const Inst& i) {
  return w.row(i.src[0])[w.exec() ? std::countr_zero(w.exec()) : 0];
}

void waitForRound(Wave& w, unsigned resource, std::uint32_t round) {
  w.gwsResource = static_cast<std::uint8_t>(resource);
  w.gwsRound = round;
  w.stop(WaveState::kGws);
}

}  // namespace

RUN(ds_gws_init) {
  std::lock_guard lock(w.shared->gwsMutex);
  w.shared->gws[resourceOf(w, i)].value = operandOf(w, i) + 1;
}

// The operand is the number of waves less one; it comes with every arrival, so no setting up is needed.
RUN(ds_gws_barrier) {
  unsigned resource = resourceOf(w, i);
  std::lock_guard lock(w.shared->gwsMutex);
  DispatchState::Gws& gws = w.shared->gws[resource];
  if (++gws.arrived > operandOf(w, i)) {
    gws.arrived = 0;
    ++gws.round;
    return;
  }
  waitForRound(w, resource, gws.round);
}

RUN(ds_gws_sema_v) {
  std::lock_guard lock(w.shared->gwsMutex);
  DispatchState::Gws& gws = w.shared->gws[resourceOf(w, i)];
  ++gws.value;
  ++gws.round;
}
RUN(ds_gws_sema_br) {
  std::lock_guard lock(w.shared->gwsMutex);
  DispatchState::Gws& gws = w.shared->gws[resourceOf(w, i)];
  gws.value += operandOf(w, i);
  ++gws.round;
}
RUN(ds_gws_sema_release_all) {
  std::lock_guard lock(w.shared->gwsMutex);
  DispatchState::Gws& gws = w.shared->gws[resourceOf(w, i)];
  gws.value = ~0u >> 1;
  ++gws.round;
}
RUN(ds_gws_sema_p) {
  unsigned resource = resourceOf(w, i);
  std::lock_guard lock(w.shared->gwsMutex);
  DispatchState::Gws& gws = w.shared->gws[resource];
  if (gws.value > 0) {
    --gws.value;
    return;
  }
  w.ip = &i;  // tries again when the round moves
  waitForRound(w, resource, gws.round);
}

}  // namespace hipr::softgpu::HIPR_LEVEL

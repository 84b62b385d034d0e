// Forks and joins: a divergent branch runs the path with fewer lanes first and leaves the other one on a stack in the
// SGPRs, four registers per entry, whose depth (CSP) is in MODE. No compiler of today emits them.
#include "backends/softgpu/isa/scalar.h"

namespace hipr::softgpu::HIPR_LEVEL {
namespace {

using U64 = std::uint64_t;

constexpr unsigned kDepthShift = 29;

void setDepth(Wave& w, unsigned depth) {
  setMode(w, (w.mode & ~(7u << kDepthShift)) | depth << kDepthShift);
}

void fork(Wave& w, const Inst& i, U64 lanes, U64 target) {
  U64 pass = w.exec() & lanes, fail = w.exec() & ~lanes, next = afterInst(w, i);
  if (!fail) return jump(w, i, target);
  if (!pass) return;
  bool failFirst = std::popcount(fail) < std::popcount(pass);
  unsigned depth = w.mode >> kDepthShift;
  w.setPair(depth * 4, failFirst ? pass : fail);
  w.setPair(depth * 4 + 2, failFirst ? target : next);
  setDepth(w, (depth + 1) & 7);
  w.setPair(kExecLo, failFirst ? fail : pass);
  if (!failFirst) jump(w, i, target);
}

}  // namespace

RUN(s_cbranch_g_fork) {
  fork(w, i, src64(w, i, 0), src64(w, i, 1));
}
RUN(s_cbranch_i_fork) {
  fork(w, i, w.pair(i.dst), afterInst(w, i) + static_cast<U64>(std::int64_t{static_cast<std::int32_t>(i.literal)} * 4));
}
RUN(s_cbranch_join) {
  unsigned depth = w.mode >> kDepthShift;
  if (depth == src32(w, i, 0)) return;
  depth = (depth - 1) & 7;
  setDepth(w, depth);
  w.setPair(kExecLo, w.pair(depth * 4));
  jump(w, i, w.pair(depth * 4 + 2));
}

}  // namespace hipr::softgpu::HIPR_LEVEL

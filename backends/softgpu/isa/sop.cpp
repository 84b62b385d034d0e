// Scalar ALU, control flow and control.
#include "backends/softgpu/isa/scalar.h"

namespace hipr::softgpu::HIPR_LEVEL {

RUN(s_endpgm) {
  w.stop(WaveState::kEnded);
}

RUN(s_add_u32) {
  std::uint64_t sum = std::uint64_t{src32(w, i, 0)} + src32(w, i, 1);
  w.scc = sum >> 32;
  w.s[i.dst] = static_cast<std::uint32_t>(sum);
}

RUN(s_mov_b32) {
  w.s[i.dst] = src32(w, i, 0);
}
RUN(s_mov_b64) {
  w.setPair(i.dst, src64(w, i, 0));
}

}  // namespace hipr::softgpu::HIPR_LEVEL

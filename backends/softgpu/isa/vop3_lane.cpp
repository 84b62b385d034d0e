// Moves between one lane of a vector register and a scalar register. EXEC does not matter.
#include "backends/softgpu/isa/scalar.h"

namespace hipr::softgpu::HIPR_LEVEL {

// The destination field of v_readlane names a scalar register.
RUN(v_readlane_b32) {
  unsigned lane = src32(w, i, 1) & 63;
  w.s[i.dst & 127] = w.row(i.src[0])[lane];
}
RUN(v_writelane_b32) {
  unsigned lane = src32(w, i, 1) & 63;
  w.row(i.dst)[lane] = src32(w, i, 0);
}

}  // namespace hipr::softgpu::HIPR_LEVEL

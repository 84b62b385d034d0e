// Vector instructions that exist in the VOP3 encoding only.
#include "backends/softgpu/isa/operand.h"

namespace hipr::softgpu::HIPR_LEVEL {

LANE(v_fma_f32, float, (float a, float b, float c), __builtin_fmaf(a, b, c))
LANE(v_fma_f64, double, (double a, double b, double c), __builtin_fma(a, b, c))

}  // namespace hipr::softgpu::HIPR_LEVEL

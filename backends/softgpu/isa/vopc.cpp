// Vector compares.
#include "backends/softgpu/isa/operand.h"

namespace hipr::softgpu::HIPR_LEVEL {

LANE(v_cmp_lt_f32, bool, (float a, float b), a < b)

}  // namespace hipr::softgpu::HIPR_LEVEL

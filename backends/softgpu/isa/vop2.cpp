// Vector instructions with two sources.
#include "backends/softgpu/isa/operand.h"

namespace hipr::softgpu::HIPR_LEVEL {

LANE(v_cndmask_b32, std::uint32_t, (std::uint32_t a, std::uint32_t b, bool second), second ? b : a)
LANE(v_add_f32, float, (float a, float b), a + b)
LANE(v_fmac_f32, float, (float a, float b, float c), __builtin_fmaf(a, b, c))

static HIPR_INLINE Carry<std::uint32_t> addWithCarry(std::uint32_t a, std::uint32_t b, bool in) {
  std::uint32_t sum = a + b + in;
  return {sum, sum < a || (in && sum == a)};
}
LANE(v_addc_co_u32, Carry<std::uint32_t>, (std::uint32_t a, std::uint32_t b, bool in), addWithCarry(a, b, in))

}  // namespace hipr::softgpu::HIPR_LEVEL

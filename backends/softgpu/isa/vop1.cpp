// Vector instructions with one source.
#include "backends/softgpu/isa/operand.h"

namespace hipr::softgpu::HIPR_LEVEL {

LANE(v_mov_b32, std::uint32_t, (std::uint32_t a), a)

}  // namespace hipr::softgpu::HIPR_LEVEL

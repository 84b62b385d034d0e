// Inline constants in all lanes, so that reading one costs no more than reading a register.
#pragma once

#include <array>
#include <cstdint>

namespace hipr::softgpu {

inline constexpr unsigned kFirstConstant = 128;  // operand codes
inline constexpr unsigned kMinusOne = 193;
inline constexpr unsigned kPastConstants = 249;

using ConstantRow = std::array<std::uint32_t, 64>;
struct alignas(64) ConstantRows {
  std::array<ConstantRow, kPastConstants - kFirstConstant> of;
};
extern const ConstantRows constantRows;  // [code - kFirstConstant], as 32-bit operands read them

}  // namespace hipr::softgpu

// Small exports that need no device: half-float conversion, channel descriptions, build identification, debugger hooks.
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <iterator>

#include "runtime/api.h"

namespace hipr::api {

// IEEE binary16 → binary32, exact.
float __gnu_h2f_ieee(unsigned short h) {
  const std::uint32_t sign = (h & 0x8000u) << 16, exponent = h >> 10 & 0x1f, fraction = h & 0x3ff;
  if (exponent == 0) {
    const float value = std::ldexp(static_cast<float>(fraction), -24);
    return sign != 0 ? -value : value;
  }
  const std::uint32_t biased = exponent == 0x1f ? 0xff : exponent + 112;
  return std::bit_cast<float>(sign | biased << 23 | fraction << 13);
}

// IEEE binary32 → binary16, to nearest even.
unsigned short __gnu_f2h_ieee(float f) {
  const auto bits = std::bit_cast<std::uint32_t>(f);
  const std::uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000)  // NaN: keep its upper fraction, and keep it quiet
    return static_cast<unsigned short>(sign | 0x7e00 | (magnitude >> 13 & 0x3ff));
  if (magnitude >= 0x477ff000) return static_cast<unsigned short>(sign | 0x7c00);  // rounds to infinity
  // Below the smallest normal number the unit is 2^-24; the conversion of a float does the rounding there.
  if (magnitude < 0x38800000)
    return static_cast<unsigned short>(sign | static_cast<std::uint32_t>(std::nearbyint(std::ldexp(std::fabs(f), 24))));
  const std::uint32_t rounded = magnitude + 0xfff + (magnitude >> 13 & 1);
  return static_cast<unsigned short>(sign | (rounded - (112u << 23)) >> 13);
}

hipChannelFormatDesc hipCreateChannelDesc(int x, int y, int z, int w, hipChannelFormatKind f) {
  return {x, y, z, w, f};
}

// No precompiled header is offered.
void __hipGetPCH(const char** pch, unsigned int* size) {
  if (pch != nullptr) *pch = nullptr;
  if (size != nullptr) *size = 0;
}

// A place for debuggers to stop at.
void __hipOnError(const void*) {}

const char* amd_dbgapi_get_build_name() {
  return "hip-remote";
}
const char* amd_dbgapi_get_git_hash() {
  return "";
}
size_t amd_dbgapi_get_build_id() {
  return 0;
}

}  // namespace hipr::api

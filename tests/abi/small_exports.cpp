// Functions that need no device: half floats for compilers, what a build is called, a header for compilers, the place
// where a debugger stops.
#include <cmath>

#include "hip_abi.h"

extern "C" {
void __hipGetPCH(const char** header, unsigned* size);
const char* amd_dbgapi_get_build_name();
const char* amd_dbgapi_get_git_hash();
std::size_t amd_dbgapi_get_build_id();
#if ABI < 7
std::uint16_t __gnu_f2h_ieee(float);
float __gnu_h2f_ieee(std::uint16_t);
#else
void __hipOnError(const void*);
#endif
}

#if ABI < 7
TEST(every_half_float_comes_back) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const bool nan = (bits & 0x7c00) == 0x7c00 && (bits & 0x3ff) != 0;
    const float wide = __gnu_h2f_ieee(half);
    EXPECT_EQ(std::isnan(wide), nan);
    if (!nan) EXPECT_EQ(__gnu_f2h_ieee(wide), half);
  }
}

TEST(half_floats_by_their_values) {
  EXPECT_EQ(__gnu_h2f_ieee(0x3c00), 1.0f);
  EXPECT_EQ(__gnu_h2f_ieee(0xc000), -2.0f);
  EXPECT_EQ(__gnu_h2f_ieee(0x7bff), 65504.0f);
  EXPECT_EQ(__gnu_h2f_ieee(0x0001), 0x1p-24f);
  EXPECT_EQ(__gnu_h2f_ieee(0x7c00), INFINITY);
  EXPECT(std::signbit(__gnu_h2f_ieee(0x8000)));
}

// To the nearest, and between two to the even one.
TEST(rounding) {
  EXPECT_EQ(__gnu_f2h_ieee(1.0f + 0x1p-11f), 0x3c00);             // halfway: down to even
  EXPECT_EQ(__gnu_f2h_ieee(1.0f + 0x3p-11f), 0x3c02);             // halfway: up to even
  EXPECT_EQ(__gnu_f2h_ieee(1.0f + 0x1p-11f + 0x1p-20f), 0x3c01);  // a little more than halfway
  EXPECT_EQ(__gnu_f2h_ieee(65519.996f), 0x7bff);
  EXPECT_EQ(__gnu_f2h_ieee(65520.0f), 0x7c00);  // rounds to infinity
  EXPECT_EQ(__gnu_f2h_ieee(-1e30f), 0xfc00);
  EXPECT_EQ(__gnu_f2h_ieee(0x1p-25f), 0x0000);  // halfway to the smallest: to even
  EXPECT_EQ(__gnu_f2h_ieee(0x1.8p-25f), 0x0001);
  EXPECT_EQ(__gnu_f2h_ieee(-0.0f), 0x8000);
  EXPECT_EQ(__gnu_f2h_ieee(NAN) & 0x7e00, 0x7e00);
}
#endif

TEST(what_a_build_is_called) {
  const char *name = amd_dbgapi_get_build_name(), *hash = amd_dbgapi_get_git_hash();
  REQUIRE(name != nullptr && hash != nullptr);
  EXPECT(std::strlen(name) > 0);
  EXPECT_EQ(amd_dbgapi_get_build_id(), amd_dbgapi_get_build_id());
  check::result(std::string(name) + hash);
  check::result(amd_dbgapi_get_build_id());
}

// A runtime may have a precompiled header for run-time compilers; both results say whether there is one.
TEST(precompiled_header) {
  const char* header = "untouched";
  unsigned size = 99;
  __hipGetPCH(&header, &size);
  EXPECT_EQ(header == nullptr, size == 0);
}

#if ABI >= 7
TEST(where_a_debugger_stops) {
  (void)hipGetLastError();
  IS(hipSetDevice(-1), kInvalidDevice);
  __hipOnError("what went wrong");
  IS(hipPeekAtLastError(), kInvalidDevice);  // it changes nothing
  OK(hipSetDevice(0));
}
#endif

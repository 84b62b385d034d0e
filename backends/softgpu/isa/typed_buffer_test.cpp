// Typed buffer loads and stores: every data format with every number format it has, over edge values of each
// component, against the formats' definitions.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "backends/softgpu/isa/exact.h"
#include "backends/softgpu/isa/test_wave.h"

namespace hipr::softgpu {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;
using I32 = std::int32_t;

// Formats are named from the highest bits down; X is in the lowest.
struct Data {
  unsigned code;
  std::vector<unsigned> bits;
};
const std::vector<Data> kFormats = {{1, {8}},
                                    {2, {16}},
                                    {3, {8, 8}},
                                    {4, {32}},
                                    {5, {16, 16}},
                                    {6, {11, 11, 10}},     // 10_11_11
                                    {7, {10, 11, 11}},     // 11_11_10
                                    {8, {2, 10, 10, 10}},  // 10_10_10_2
                                    {9, {10, 10, 10, 2}},  // 2_10_10_10
                                    {10, {8, 8, 8, 8}},
                                    {11, {32, 32}},
                                    {12, {16, 16, 16, 16}},
                                    {13, {32, 32, 32}},
                                    {14, {32, 32, 32, 32}}};
enum Number : unsigned { kUnorm, kSnorm, kUscaled, kSscaled, kUint, kSint, kFloat = 7 };
constexpr Number kNumbers[] = {kUnorm, kSnorm, kUscaled, kSscaled, kUint, kSint, kFloat};

bool isInteger(Number number) {
  return number == kUint || number == kSint;
}
// 32 bits are integers or floats; floats have 10, 11, 16 or 32.
bool exists(const Data& d, Number number) {
  bool wide = d.bits[0] == 32;
  if (number == kFloat) {
    for (unsigned bits : d.bits)
      if (bits < 10) return false;
    return true;
  }
  return isInteger(number) || !wide;
}

U64 ones(unsigned bits) {
  return (1ull << bits) - 1;
}
std::int64_t extended(U64 field, unsigned bits) {
  return static_cast<std::int64_t>(field << (64 - bits)) >> (64 - bits);
}
FloatFormat floatOf(unsigned bits) {
  return bits == 32 ? kFloatFormat : bits == 16 ? kHalfFormat : FloatFormat{5, bits - 5};  // those have no sign
}

U32 loaded(U64 field, unsigned bits, Number number) {
  auto number64 = static_cast<long double>(field), top = static_cast<long double>(ones(bits - 1));
  auto signedValue = static_cast<long double>(extended(field, bits));
  switch (number) {
    case kUint:
      return static_cast<U32>(field);
    case kSint:
      return static_cast<U32>(extended(field, bits));
    case kUnorm:
      return std::bit_cast<U32>(static_cast<float>(number64 / static_cast<long double>(ones(bits))));
    case kSnorm:
      return std::bit_cast<U32>(static_cast<float>(std::max(signedValue / top, -1.0L)));
    case kUscaled:
      return std::bit_cast<U32>(static_cast<float>(number64));
    case kSscaled:
      return std::bit_cast<U32>(static_cast<float>(signedValue));
    case kFloat:
      return static_cast<U32>(exactConvert(floatOf(bits), kFloatFormat, field, Rounding::kNearestEven));
  }
  return 0;
}
bool same(U32 got, U32 expected, Number number) {
  bool nans = !isInteger(number) && kFloatFormat.isNan(got) && kFloatFormat.isNan(expected);
  return got == expected || nans;
}

// The n-th edge value of a field.
U64 edgeOf(unsigned bits, unsigned n) {
  const U64 kEdges[] = {0,
                        1,
                        ones(bits),
                        ones(bits) - 1,
                        1ull << (bits - 1),
                        ones(bits - 1),
                        (1ull << (bits - 1)) + 1,
                        0x5a5a5a5a & ones(bits),
                        ones(bits) / 3};
  return kEdges[n % 9];
}

// 16 bytes for each lane, with a descriptor in s[4:7] and the lanes' offsets in v1.
struct Buffer {
  alignas(16) std::uint8_t bytes[1024] = {};
  TestWave wave;

  explicit Buffer(const std::string& assembly, U32 word3 = 0x00027000) : wave(assemble(assembly)) {
    auto base = reinterpret_cast<U64>(bytes);
    wave->setPair(4, base);
    wave->s[6] = sizeof bytes;
    wave->s[7] = word3;
    for (unsigned l = 0; l < kLanes; ++l) wave.v(1, l) = 16 * l;
  }
  // The fields of a lane's element, wherever they fall.
  void put(const Data& d, unsigned lane, const U64* fields) {
    unsigned __int128 element = 0;
    unsigned at = 0;
    for (unsigned c = 0; c < d.bits.size(); at += d.bits[c], ++c)
      element |= static_cast<unsigned __int128>(fields[c]) << at;
    std::memcpy(bytes + 16 * lane, &element, 16);
  }
  U64 field(const Data& d, unsigned lane, unsigned component) const {
    unsigned __int128 element;
    std::memcpy(&element, bytes + 16 * lane, 16);
    unsigned at = 0;
    for (unsigned c = 0; c < component; ++c) at += d.bits[c];
    return static_cast<U64>(element >> at) & ones(d.bits[component]);
  }
};

std::string access(const char* name, unsigned first, unsigned count, const Data& d, Number number) {
  std::string registers = "v[" + std::to_string(first) + ":" + std::to_string(first + count - 1) + "]";
  if (count == 1) registers = "v" + std::to_string(first);
  return std::string("tbuffer_") + name + " " + registers + ", v1, s[4:7], dfmt:" + std::to_string(d.code) +
         ", nfmt:" + std::to_string(number) + ", 0 offen\n";
}

TEST(TypedBuffer, EveryFormatLoads) {
  NEEDS_ASSEMBLER;
  for (const Data& d : kFormats) {
    std::string source;
    std::vector<Number> numbers;
    for (Number number : kNumbers)
      if (exists(d, number)) numbers.push_back(number);
    for (std::size_t k = 0; k < numbers.size(); ++k)
      source += access("load_format_xyzw", static_cast<unsigned>(10 + 10 * k), 4, d, numbers[k]) +
                access("load_format_d16_xyzw", static_cast<unsigned>(14 + 10 * k), 2, d, numbers[k]) +
                access("load_format_x", static_cast<unsigned>(16 + 10 * k), 1, d, numbers[k]);
    Buffer b(source);
    U64 fields[kLanes][4] = {};
    for (unsigned l = 0; l < kLanes; ++l) {
      for (unsigned c = 0; c < d.bits.size(); ++c) fields[l][c] = edgeOf(d.bits[c], l + 2 * c + l / 9 * c);
      b.put(d, l, fields[l]);
    }
    ASSERT_EQ(b.wave.run(), "") << source;
    for (std::size_t k = 0; k < numbers.size(); ++k)
      for (unsigned l = 0; l < kLanes; ++l)
        for (unsigned c = 0; c < 4; ++c) {
          Number number = numbers[k];
          // What a format lacks is 0, 0, 0, 1.
          U32 missing = c == 3 ? (isInteger(number) ? 1 : 0x3f800000) : 0;
          U32 expected = c < d.bits.size() ? loaded(fields[l][c], d.bits[c], number) : missing;
          auto first = static_cast<unsigned>(10 + 10 * k);
          U32 got = b.wave.v(first + c, l);
          ASSERT_TRUE(same(got, expected, number))
              << "dfmt " << d.code << " nfmt " << number << " component " << c << std::hex << " field " << fields[l][c]
              << " gives " << got << ", not " << expected;
          ASSERT_TRUE(c > 0 || b.wave.v(first + 6, l) == got) << "x alone";
          U32 half = b.wave.v(first + 4 + c / 2, l) >> (c % 2 * 16) & 0xffff;
          U64 narrow = isInteger(number) ? expected & 0xffff
                                         : exactConvert(kFloatFormat, kHalfFormat, expected, Rounding::kNearestEven);
          bool nans = !isInteger(number) && kHalfFormat.isNan(half) && kHalfFormat.isNan(narrow);
          ASSERT_TRUE(half == narrow || nans) << "d16 of dfmt " << d.code << " nfmt " << number << " component " << c
                                              << std::hex << " gives " << half << ", not " << narrow;
        }
  }
}

// Where a format can hold what it loads, a store puts the same bits back.
TEST(TypedBuffer, StoresGiveBackWhatWasLoaded) {
  NEEDS_ASSEMBLER;
  for (const Data& d : kFormats)
    for (Number number : kNumbers) {
      if (!exists(d, number)) continue;
      Buffer b(access("load_format_xyzw", 10, 4, d, number) + "v_mov_b32 v2, 0\n v_add_u32 v1, 0x200, v1\n" +
               access("store_format_xyzw", 10, 4, d, number));
      U64 fields[32][4] = {};
      b.wave->setPair(kExecLo, 0xffffffff);  // the upper half is the copy
      for (unsigned l = 0; l < 32; ++l) {
        for (unsigned c = 0; c < d.bits.size(); ++c) fields[l][c] = edgeOf(d.bits[c], l + 2 * c);
        b.put(d, l, fields[l]);
      }
      ASSERT_EQ(b.wave.run(), "");
      for (unsigned l = 0; l < 32; ++l)
        for (unsigned c = 0; c < d.bits.size(); ++c) {
          U64 expected = fields[l][c];
          // -1 has two codes, of which the larger one comes back; NaNs stay NaNs.
          if (number == kSnorm && expected == 1ull << (d.bits[c] - 1)) ++expected;
          U64 got = b.field(d, l + 32, c);
          FloatFormat f = floatOf(d.bits[c]);
          bool nans = number == kFloat && f.isNan(got) && f.isNan(expected);
          ASSERT_TRUE(got == expected || nans) << "dfmt " << d.code << " nfmt " << number << " component " << c
                                               << std::hex << " field " << fields[l][c] << " became " << got;
        }
    }
}

// Normalised formats limit and round to nearest; scaled ones limit.
TEST(TypedBuffer, StoresLimit) {
  NEEDS_ASSEMBLER;
  const float kValues[] = {-INFINITY, -3e9f, -2,    -1, -0.75f, -1.0f / 3, -1e-20f, -0.0f,    0,  1e-20f,
                           1.0f / 3,  0.5f,  0.25f, 1,  2,      65536,     3e9f,    INFINITY, NAN};
  for (unsigned bits : {8u, 16u})
    for (Number number : {kUnorm, kSnorm, kUscaled, kSscaled}) {
      Data d{bits == 8 ? 1u : 2u, {bits}};
      Buffer b(access("store_format_x", 10, 1, d, number));
      for (unsigned l = 0; l < kLanes; ++l) b.wave.v(10, l) = std::bit_cast<U32>(kValues[l % 19]);
      ASSERT_EQ(b.wave.run(), "");
      for (unsigned l = 0; l < kLanes; ++l) {
        long double x = kValues[l % 19];
        bool isSigned = number == kSnorm || number == kSscaled, norm = number == kUnorm || number == kSnorm;
        if (!norm && x != truncl(x)) continue;  // which integer is not said
        auto top = static_cast<long double>(ones(isSigned ? bits - 1 : bits));
        long double low = !isSigned ? 0 : norm ? -top : -top - 1;
        long double wanted = std::isnan(x) ? 0 : std::min(std::max(norm ? nearbyintl(x * top) : x, low), top);
        U64 expected = static_cast<U64>(static_cast<std::int64_t>(wanted)) & ones(bits);
        ASSERT_EQ(b.field(d, l, 0), expected) << bits << " bits, nfmt " << number << " of " << kValues[l % 19];
      }
    }
}

// buffer_load_format_x is the one typed load that has an LDS form: MTBUF has no such bit, and the wider ones do not
// fit.
TEST(TypedBuffer, OneComponentToLds) {
  NEEDS_ASSEMBLER;
  U32 word3 = 4 | kUnorm << 12 | 1 << 15;  // component X as it is, 8 bits
  Buffer b("s_mov_b32 m0, 0x100\n buffer_load_format_x v1, s[4:7], 0 offen offset:4 lds", word3);
  for (unsigned l = 0; l < kLanes; ++l) b.bytes[16 * l + 4] = static_cast<std::uint8_t>(4 * l);
  b.wave->s[6] = 1000;  // the last lane is outside and reads zero
  b.wave->setPair(kExecLo, ~2ull);
  auto* lds = reinterpret_cast<U32*>(b.wave->lds.begin) + 0x104 / 4;
  lds[1] = lds[63] = 77;
  ASSERT_EQ(b.wave.run(), "");
  for (unsigned l = 0; l < kLanes; ++l) EXPECT_EQ(lds[l], l == 1 ? 77 : l == 63 ? 0 : loaded(4 * l, 8, kUnorm)) << l;
}

}  // namespace
}  // namespace hipr::softgpu

// Every matrix instruction of the table against a plain product in exact arithmetic, one rounding per step in order of
// K (docs/softgpu.md): small integers, which every format has exactly, and edge values.
#include <gtest/gtest.h>

#include <bit>
#include <random>

#include "backends/softgpu/isa/edge.h"
#include "backends/softgpu/isa/matrix_layout.h"
#include "backends/softgpu/isa/table.h"

namespace hipr::softgpu {
namespace {

using U64 = std::uint64_t;

std::uint64_t encode(const std::string& format, int x) {
  auto value = static_cast<float>(x);
  std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  if (format == "f32" || format == "xf32") return bits;
  if (format == "f64") return std::bit_cast<std::uint64_t>(static_cast<double>(x));
  if (format == "bf16") return bits >> 16;
  if (format == "i32") return static_cast<std::uint32_t>(x);
  if (format == "i8") return static_cast<std::uint8_t>(x);
  if (x == 0) return 0;
  unsigned mantissa = format == "f16" ? 10 : format == "fp8" ? 3 : 2;
  unsigned bias = format == "f16" ? 15 : format == "fp8" ? 8 : 16;
  unsigned width = format == "f16" ? 16 : 8;
  unsigned exponent = ((bits >> 23) & 0xff) - 127 + bias;
  return (bits >> 31) << (width - 1) | exponent << mantissa | ((bits & 0x7fffff) >> (23 - mantissa));
}

// Mostly finite, or all results would be NaNs.
U64 edgeOf(const std::string& format, std::mt19937& random) {
  if (format == "i8" || format == "i32") {
    constexpr U64 kIntegers[] = {0, 1, 0x7f, 0x80, 0xff, 0x7fffffff, 0x80000000, 0xffffffff};
    return kIntegers[random() % (format == "i8" ? 5 : 8)] & (format == "i8" ? 0xff : 0xffffffff);
  }
  bool special = random() % 32 == 0;
  if (format.ends_with("8")) {
    constexpr U64 kCodes[] = {0, 1, 3, 7, 8, 0x40, 0x48, 0x7f, 0x81, 0x87, 0xc0, 0xff};
    return special ? 0x80 : kCodes[random() % 12];
  }
  FloatFormat f = format == "f64" ? kDoubleFormat : format == "f16" ? kHalfFormat : kFloatFormat;
  const U64 kSpecial[] = {f.infinity(), f.infinity() | f.sign(), f.nan(), f.largest(), f.largest() | f.sign()};
  const U64 kFinite[] = {
      0,       f.sign(),           1,           f.quietBit() | f.sign(),       f.infinity() & ~(f.infinity() << 1),
      f.one(), f.one() | f.sign(), f.one() + 1, f.one() + 3 * f.quietBit() + 5};
  U64 code = special ? kSpecial[random() % 5] : kFinite[random() % 9];
  return format == "bf16" ? code >> 16 : code;
}

// A source as the unit multiplies it: f32, f64 or a signed integer.
U64 multiplied(const std::string& format, U64 code, bool flush) {
  constexpr FloatFormat kXf32{8, 10}, kBfloat{8, 7};
  auto flushed = [&](FloatFormat f) { return flush && f.isDenormal(code) ? code & f.sign() : code; };
  if (format == "bf16") return flushed(kBfloat) << 16;
  if (format == "f16") return exactConvert(kHalfFormat, kFloatFormat, flushed(kHalfFormat), Rounding::kNearestEven);
  if (format == "fp8") return exactFrom8Bits(4, code);
  if (format == "bf8") return exactFrom8Bits(5, code);
  if (format == "i8") return static_cast<U64>(static_cast<std::int8_t>(code));
  if (format != "xf32") return code;
  U64 rounded = exactConvert(kFloatFormat, kXf32, code, Rounding::kNearestEven);
  return exactConvert(kXf32, kFloatFormat, rounded, Rounding::kNearestEven);
}

std::string registers(char file, unsigned first, unsigned count) {
  std::string name(1, file);
  if (count == 1) return name + std::to_string(first);
  return name + "[" + std::to_string(first) + ":" + std::to_string(first + count - 1) + "]";
}

constexpr unsigned kA = 10, kB = 20, kC = 140, kD = 100, kIndex = 40;

// `accumulation`: A and D (and C with it) in the other file, which starts at register 256 here.
class Product {
 public:
  Product(const Matrix& m, Gpu gpu, bool accumulation, const std::string& modifiers = "", int cbsz = 0, int abid = 0)
      : m_(m), gpu_(gpu), base_(accumulation ? 256 : 0), cbsz_(cbsz), abid_(abid) {
    unsigned wordsA = static_cast<unsigned>((m.sparse ? m.perLane() / 2 : m.perLane()) * m.bits(m.a) / 32);
    unsigned wordsB = static_cast<unsigned>(m.perLane() * m.bits(m.b) / 32);
    unsigned wordsD = static_cast<unsigned>(m.results() * m.bits(m.result) / 32);
    char file = accumulation ? 'a' : 'v';
    std::string c = m.sparse ? registers('v', kIndex, 1) : registers(file, kC, wordsD);
    text = m.name + " " + registers(file, kD, wordsD) + ", " + registers(file, kA, wordsA) + ", " +
           registers('v', kB, wordsB) + ", " + c + " " + modifiers;
  }

  std::string text;

  // `code` has the instruction at `offset`.
  void check(const std::vector<std::uint32_t>& code, std::size_t offset, bool edges) {
    TestWave w(code, gpu_);
    w->ip = w->code->at(w->code->region().begin + offset);
    w->setPair(kExecLo, 0);  // plays no part
    std::mt19937 random(42);
    auto pick = [&](const std::string& format) {
      return edges ? edgeOf(format, random) : encode(format, static_cast<int>(random() % 7) - 3);
    };
    fill(w, random, pick);
    std::vector<U64> expected;
    eachResult([&](int block, int row, int column, int lane, int index) {
      U64 c = pick(m_.result);
      o_.put(w, base_ + (m_.sparse ? kD : kC), m_.result, lane, index, c);
      expected.push_back(dot(block, row, column, c));
    });
    ASSERT_EQ(w.run(), "") << text;
    std::size_t n = 0;
    eachResult([&](int block, int row, int column, int lane, int index) {
      U64 got = o_.result(w, base_ + kD, lane, index), wanted = expected[n++];
      FloatFormat f = m_.result == "f64" ? kDoubleFormat : kFloatFormat;
      bool nans = m_.result != "i32" && f.isNan(got) && f.isNan(wanted);
      ASSERT_TRUE(got == wanted || nans) << text << " block " << block << " row " << row << " column " << column
                                         << std::hex << " gives " << got << ", not " << wanted;
    });
  }

 private:
  std::size_t at(int block, int row, int k) const {
    const int element = (block * m_.size + row) * m_.k + k;
    return static_cast<std::size_t>(element);
  }
  template <class Visit>
  void eachResult(Visit visit) {
    for (int block = 0; block < m_.blocks; ++block)
      for (int row = 0; row < m_.size; ++row)
        for (int column = 0; column < m_.size; ++column) {
          int lane, index;
          o_.place(block, row, column, lane, index);
          visit(block, row, column, lane, index);
          if (testing::Test::HasFatalFailure()) return;
        }
  }

  // A and B, in registers and here as they are multiplied. A sparse A has two of four.
  template <class Pick>
  void fill(TestWave& w, std::mt19937& random, Pick pick) {
    a_.assign(at(m_.blocks, 0, 0), 0);
    b_ = a_;
    stored_.assign(a_.size(), !m_.sparse);
    for (int block = 0; block < m_.blocks; ++block)
      for (int row = 0; row < m_.size; ++row)
        for (int k = 0; k < m_.k; ++k) {
          int lane = o_.sourceLane(block, row, k), n = k % m_.perLane();
          U64 code = pick(m_.b);
          b_[at(block, row, k)] = multiplied(m_.b, code, flushes());
          o_.put(w, kB, m_.b, lane, n, code);
          if (!m_.sparse) {
            putA(w, block, row, k, lane, n, pick(m_.a));
          } else if (k % 4 == 0) {
            int first = static_cast<int>(random() % 3),
                second = first + 1 + static_cast<int>(random() % unsigned(3 - first));
            w.v(kIndex, static_cast<unsigned>(lane)) |= static_cast<std::uint32_t>(first | second << 2) << n;
            putA(w, 0, row, k + first, lane, n / 2, pick(m_.a));
            putA(w, 0, row, k + second, lane, n / 2 + 1, pick(m_.a));
          }
        }
  }
  void putA(TestWave& w, int block, int row, int k, int lane, int n, U64 code) {
    a_[at(block, row, k)] = multiplied(m_.a, code, flushes());
    stored_[at(block, row, k)] = true;
    o_.put(w, base_ + kA, m_.a, lane, n, code);
  }

  U64 dot(int block, int row, int column, U64 sum) const {
    FloatFormat f = m_.result == "f64" ? kDoubleFormat : kFloatFormat;
    int from = cbsz_ ? (block >> cbsz_ << cbsz_) + abid_ : block;
    for (int k = 0; k < m_.k; ++k) {
      if (!stored_[at(from, row, k)]) continue;
      U64 x = a_[at(from, row, k)], y = b_[at(block, column, k)];
      sum = m_.result == "i32" ? (x * y + sum) & 0xffffffff : exactFma(f, x, y, sum, Rounding::kNearestEven);
    }
    return flushes() && f.isDenormal(sum) ? sum & f.sign() : sum;
  }
  // CDNA2 has no denormals where sources have 16 bits.
  bool flushes() const { return gpu_ == Gpu::kGfx90a && m_.bits(m_.a) == 16; }

  const Matrix m_;
  const Operands o_{m_};
  Gpu gpu_;
  unsigned base_;
  int cbsz_, abid_;
  std::vector<U64> a_, b_;
  std::vector<bool> stored_;
};

std::vector<std::string> mnemonics() {
  std::vector<std::string> names;
  for (const Row& row : allRows())
    if (describe(row.name).size) names.push_back(row.name);
  return names;
}
const EdgeTested kTested[] = {EdgeTested(mnemonics()), EdgeTested({"v_accvgpr_read_b32", "v_accvgpr_write_b32"})};

void checkAll(std::vector<Product>& products, Gpu gpu) {
  std::string source;
  for (const Product& p : products) source += p.text + "\n s_endpgm\n";
  std::vector<std::uint32_t> code = assemble(source, gpu == Gpu::kGfx90a ? "gfx90a" : "gfx942");
  constexpr std::size_t kWords = 3;  // each: two of the instruction and its s_endpgm
  ASSERT_EQ(code.size(), kWords * products.size() + 1) << source;
  for (std::size_t k = 0; k < products.size(); ++k)
    for (bool edges : {false, true}) ASSERT_NO_FATAL_FAILURE(products[k].check(code, 4 * kWords * k, edges));
}

TEST(Matrix, EveryShapeIsAProduct) {
  NEEDS_ASSEMBLER;
  for (Gpu gpu : {Gpu::kGfx90a, Gpu::kGfx942}) {
    std::vector<Product> products;
    for (const Row& row : allRows()) {
      std::string name = row.name;
      if (name.find("mfma") == std::string::npos) continue;
      if (!(row.gpus & (gpu == Gpu::kGfx90a ? kOnly90a : kOnly942))) continue;
      Matrix m = describe(name);
      ASSERT_NE(m.size, 0) << name;
      for (bool accumulation : {false, true}) products.emplace_back(m, gpu, accumulation);
    }
    EXPECT_GT(products.size(), 40u);
    ASSERT_NO_FATAL_FAILURE(checkAll(products, gpu));
  }
}

TEST(Matrix, BroadcastOfBlocks) {
  NEEDS_ASSEMBLER;
  std::vector<Product> cdna2, cdna3;
  cdna2.emplace_back(describe("v_mfma_f32_4x4x1f32"), Gpu::kGfx90a, false, "cbsz:2 abid:3", 2, 3);
  cdna2.emplace_back(describe("v_mfma_f32_16x16x4f16"), Gpu::kGfx90a, true, "cbsz:1 abid:1", 1, 1);
  cdna3.emplace_back(describe("v_mfma_f32_32x32x4_2b_bf16"), Gpu::kGfx942, false, "cbsz:1 abid:0", 1, 0);
  checkAll(cdna2, Gpu::kGfx90a);
  checkAll(cdna3, Gpu::kGfx942);
}

TEST(Matrix, AccumulationRegisters) {
  NEEDS_ASSEMBLER;
  TestWave w(assemble("v_accvgpr_write_b32 a3, v1\n v_accvgpr_write_b32 a4, 1.0\n v_accvgpr_read_b32 v2, a3"));
  w->setPair(kExecLo, 1);
  w.v(1, 0) = 77;
  w.v(2, 1) = 5;
  EXPECT_EQ(w.run(), "");
  EXPECT_EQ(w.v(256 + 3, 0), 77u);
  EXPECT_EQ(w.v(256 + 4, 0), 0x3f800000u);
  EXPECT_EQ(w.v(2, 0), 77u);
  EXPECT_EQ(w.v(2, 1), 5u);
}

}  // namespace
}  // namespace hipr::softgpu

// Every matrix instruction of the table against a plain product, with the register layouts written down from AMD's
// description (element to lane and register; the handlers go the other way). Small integers: every format is exact.
#include <gtest/gtest.h>

#include <bit>
#include <cstdio>
#include <random>
#include <regex>

#include "backends/softgpu/isa/table.h"
#include "backends/softgpu/isa/test_wave.h"

namespace hipr::softgpu {
namespace {

struct Matrix {
  std::string name, result, a, b;  // formats
  int size = 0, k = 0, blocks = 1;
  bool sparse = false;
  int bits(const std::string& format) const {
    return format == "f64" ? 64 : format.ends_with("32") ? 32 : format.ends_with("16") ? 16 : 8;
  }
  int groups() const { return 64 / size / blocks; }
  int perLane() const { return k / groups(); }  // values of B, and of a dense A
  int results() const { return size * size * blocks / 64; }
};

Matrix describe(const std::string& name) {
  static const std::regex kShape(
      R"(v_(s?)mfmac?_(f32|i32|f64)_(\d+)x\d+x(\d+)_?(?:(\d+)b_)?(x?f32|bf16|f16|i8|f64|bf8|fp8)(?:_(1k|bf8|fp8))?)");
  std::smatch m;
  Matrix x;
  if (!std::regex_match(name, m, kShape)) return x;
  x.name = name;
  x.sparse = m[1] == "s";
  x.result = m[2];
  x.size = std::stoi(m[3]);
  x.k = std::stoi(m[4]);
  x.a = x.b = m[6];
  if (m[7] == "bf8" || m[7] == "fp8") x.b = m[7];
  // gfx90a names leave the blocks out: the small K of a shape has as many blocks as fill a wave.
  bool wide = x.size == 4 || (m[5].matched);
  x.blocks = m[5].matched ? std::stoi(m[5]) : 1;
  if (!m[5].matched) {
    int perLane = x.a == "f32" || x.a == "f64" ? 1 : (x.a == "bf16" && m[7] != "1k") || x.a == "xf32" ? 2 : 4;
    if (x.a == "f64")
      x.blocks = x.size == 4 ? 4 : 1;
    else if (wide || x.k == perLane)
      x.blocks = 64 / x.size;
  }
  return x;
}

std::uint64_t encode(const std::string& format, int x) {
  auto value = static_cast<float>(x);
  std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  if (format == "f32" || format == "xf32") return bits;
  if (format == "f64") return std::bit_cast<std::uint64_t>(static_cast<double>(x));
  if (format == "bf16") return bits >> 16;
  if (format == "i8") return static_cast<std::uint8_t>(x);
  if (x == 0) return 0;
  unsigned mantissa = format == "f16" ? 10 : format == "fp8" ? 3 : 2;
  unsigned bias = format == "f16" ? 15 : format == "fp8" ? 8 : 16;
  unsigned width = format == "f16" ? 16 : 8;
  unsigned exponent = ((bits >> 23) & 0xff) - 127 + bias;
  return (bits >> 31) << (width - 1) | exponent << mantissa | ((bits & 0x7fffff) >> (23 - mantissa));
}

class Operands {
 public:
  explicit Operands(const Matrix& m) : m_(m) {}

  // Value n of a lane in the registers from `first` on.
  void put(TestWave& w, unsigned first, const std::string& format, int lane, int n, int x) const {
    int bits = m_.bits(format);
    std::uint64_t code = encode(format, x);
    auto l = static_cast<unsigned>(lane);
    if (bits == 64) {
      w.v(first + 2 * static_cast<unsigned>(n), l) = static_cast<std::uint32_t>(code);
      w.v(first + 2 * static_cast<unsigned>(n) + 1, l) = static_cast<std::uint32_t>(code >> 32);
      return;
    }
    std::uint32_t& word = w.v(first + static_cast<unsigned>(n * bits / 32), l);
    unsigned shift = static_cast<unsigned>(n * bits % 32);
    std::uint32_t mask = bits == 32 ? ~0u : ((1u << bits) - 1) << shift;
    word = (word & ~mask) | (static_cast<std::uint32_t>(code) << shift & mask);
  }

  int sourceLane(int block, int row, int k) const { return row + m_.size * (k / m_.perLane() * m_.blocks + block); }

  // Element (row, column) of a block of C or D.
  void place(int block, int row, int column, int& lane, int& index) const {
    if (m_.result == "f64") {
      lane = m_.size == 4 ? column + 4 * block + 16 * row : column + 16 * (row % 4);
      index = m_.size == 4 ? 0 : row / 4;
    } else if (m_.size == 4) {
      lane = column + 4 * block;
      index = row;
    } else {
      int groups = 64 / m_.size;
      lane = column + m_.size * (row / 4 % groups);
      index = block * m_.size * m_.size / 64 + 4 * (row / (4 * groups)) + row % 4;
    }
  }

  int result(TestWave& w, unsigned first, int lane, int index) const {
    auto l = static_cast<unsigned>(lane), n = static_cast<unsigned>(index);
    if (m_.result == "f64")
      return static_cast<int>(
          std::bit_cast<double>(w.v(first + 2 * n, l) | std::uint64_t{w.v(first + 2 * n + 1, l)} << 32));
    std::uint32_t bits = w.v(first + n, l);
    return m_.result == "i32" ? static_cast<int>(bits) : static_cast<int>(std::bit_cast<float>(bits));
  }

 private:
  const Matrix& m_;
};

std::string registers(char file, unsigned first, unsigned count) {
  std::string name(1, file);
  if (count == 1) return name + std::to_string(first);
  return name + "[" + std::to_string(first) + ":" + std::to_string(first + count - 1) + "]";
}

constexpr unsigned kA = 10, kB = 20, kC = 140, kD = 100, kIndex = 40;

// `accumulation`: A and D (and C with it) in the other file, which starts at register 256 here.
void check(const Matrix& m, Gpu gpu, bool accumulation, const std::string& modifiers = "", int cbsz = 0, int abid = 0) {
  Operands o(m);
  std::mt19937 random(42);
  auto small = [&] { return static_cast<int>(random() % 7) - 3; };
  unsigned wordsA = static_cast<unsigned>((m.sparse ? m.perLane() / 2 : m.perLane()) * m.bits(m.a) / 32);
  unsigned wordsB = static_cast<unsigned>(m.perLane() * m.bits(m.b) / 32);
  unsigned wordsD = static_cast<unsigned>(m.results() * m.bits(m.result) / 32);
  char file = accumulation ? 'a' : 'v';
  unsigned base = accumulation ? 256 : 0;
  std::string c = m.sparse ? registers('v', kIndex, 1) : registers(file, kC, wordsD);
  std::string text = m.name + " " + registers(file, kD, wordsD) + ", " + registers(file, kA, wordsA) + ", " +
                     registers('v', kB, wordsB) + ", " + c + " " + modifiers;
  std::vector<std::uint32_t> code = assemble(text, gpu == Gpu::kGfx90a ? "gfx90a" : "gfx942");
  ASSERT_FALSE(code.empty()) << text;
  TestWave w(code, gpu);
  w->setPair(kExecLo, 0);  // plays no part

  std::vector<int> a(static_cast<std::size_t>(m.blocks * m.size * m.k)), b(a.size());
  auto at = [&](int block, int row, int k) { return (block * m.size + row) * m.k + k; };
  for (int block = 0; block < m.blocks; ++block)
    for (int row = 0; row < m.size; ++row)
      for (int k = 0; k < m.k; ++k) {
        b[at(block, row, k)] = small();
        o.put(w, kB, m.b, o.sourceLane(block, row, k), k % m.perLane(), b[at(block, row, k)]);
        if (!m.sparse) {
          a[at(block, row, k)] = small();
          o.put(w, base + kA, m.a, o.sourceLane(block, row, k), k % m.perLane(), a[at(block, row, k)]);
        } else if (k % 4 == 0) {  // two of four, in rising order
          int first = static_cast<int>(random() % 3),
              second = first + 1 + static_cast<int>(random() % unsigned(3 - first));
          int lane = o.sourceLane(0, row, k), n = k % m.perLane() / 2;
          std::uint32_t& index = w.v(kIndex, static_cast<unsigned>(lane));
          index |= static_cast<std::uint32_t>(first | second << 2) << (2 * n);
          for (int which = 0; which < 2; ++which) {
            int x = small();
            a[at(0, row, k + (which ? second : first))] = x;
            o.put(w, base + kA, m.a, lane, n + which, x);
          }
        }
      }
  std::vector<int> expected;
  for (int pass = 0; pass < 2; ++pass) {
    std::size_t n = 0;
    for (int block = 0; block < m.blocks; ++block)
      for (int row = 0; row < m.size; ++row)
        for (int column = 0; column < m.size; ++column, ++n) {
          int lane, index;
          o.place(block, row, column, lane, index);
          if (pass == 0) {
            int sum = small();
            o.put(w, base + (m.sparse ? kD : kC), m.result == "i32" ? "f32" : m.result, lane, index, sum);
            if (m.result == "i32")
              w.v(base + (m.sparse ? kD : kC) + static_cast<unsigned>(index), static_cast<unsigned>(lane)) =
                  static_cast<std::uint32_t>(sum);
            int from = cbsz ? (block >> cbsz << cbsz) + abid : block;
            for (int k = 0; k < m.k; ++k) sum += a[at(from, row, k)] * b[at(block, column, k)];
            expected.push_back(sum);
          } else {
            ASSERT_EQ(o.result(w, base + kD, lane, index), expected[n])
                << text << " block " << block << " row " << row << " column " << column;
          }
        }
    if (pass == 0) {
      ASSERT_EQ(w.run(), "") << text;
    }
  }
}

TEST(Matrix, EveryShapeIsAProduct) {
  if (assemble("").empty()) GTEST_SKIP() << "llvm-mc-19 is not installed";
  int shapes = 0;
  for (const Row& row : allRows()) {
    std::string name = row.name;
    if (name.find("mfma") == std::string::npos) continue;
    Matrix m = describe(name);
    ASSERT_NE(m.size, 0) << name;
    for (Gpu gpu : {Gpu::kGfx90a, Gpu::kGfx942}) {
      if (!(row.gpus & (gpu == Gpu::kGfx90a ? kOnly90a : kOnly942))) continue;
      check(m, gpu, false);
      check(m, gpu, true);
      ++shapes;
    }
  }
  EXPECT_GT(shapes, 60);
}

TEST(Matrix, BroadcastOfBlocks) {
  if (assemble("").empty()) GTEST_SKIP() << "llvm-mc-19 is not installed";
  check(describe("v_mfma_f32_4x4x1f32"), Gpu::kGfx90a, false, "cbsz:2 abid:3", 2, 3);
  check(describe("v_mfma_f32_16x16x4f16"), Gpu::kGfx90a, true, "cbsz:1 abid:1", 1, 1);
  check(describe("v_mfma_f32_32x32x4_2b_bf16"), Gpu::kGfx942, false, "cbsz:1 abid:0", 1, 0);
}

TEST(Matrix, AccumulationRegisters) {
  if (assemble("").empty()) GTEST_SKIP() << "llvm-mc-19 is not installed";
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

// For tests: matrix instructions by name, and where their elements lie in registers, from AMD's description (element to
// lane and register; the handlers go the other way).
#pragma once

#include <cstdint>
#include <regex>
#include <string>

#include "backends/softgpu/isa/test_wave.h"

namespace hipr::softgpu {

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

inline Matrix describe(const std::string& name) {
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

class Operands {
 public:
  explicit Operands(const Matrix& m) : m_(m) {}

  // Value n of a lane in the registers from `first` on.
  void put(TestWave& w, unsigned first, const std::string& format, int lane, int n, std::uint64_t code) const {
    int bits = m_.bits(format);
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

  std::uint64_t result(TestWave& w, unsigned first, int lane, int index) const {
    auto l = static_cast<unsigned>(lane), n = static_cast<unsigned>(index);
    if (m_.result != "f64") return w.v(first + n, l);
    return w.v(first + 2 * n, l) | std::uint64_t{w.v(first + 2 * n + 1, l)} << 32;
  }

 private:
  const Matrix m_;
};

}  // namespace hipr::softgpu

// The published algorithms of rocRAND's generators, computed on the CPU: Philox4x32-10 (Salmon et al.), XORWOW
// (Marsaglia), MRG32k3a (L'Ecuyer), MTGP32 (Saito), Sobol (Joe and Kuo). Where a generator has many engines, each
// starts far enough from the others; the jumps are computed here from the recurrence itself, not taken from the
// library's tables.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

namespace reference {

using std::uint32_t;
using std::uint64_t;

inline std::array<uint32_t, 4> philox(uint64_t seed, uint64_t counter, uint64_t subsequence) {
  std::array<uint32_t, 4> x{uint32_t(counter), uint32_t(counter >> 32), uint32_t(subsequence),
                            uint32_t(subsequence >> 32)};
  uint32_t key0 = uint32_t(seed), key1 = uint32_t(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    const uint64_t a = uint64_t{0xD2511F53} * x[0], b = uint64_t{0xCD9E8D57} * x[2];
    x = {uint32_t(b >> 32) ^ x[1] ^ key0, uint32_t(b), uint32_t(a >> 32) ^ x[3] ^ key1, uint32_t(a)};
    key0 += 0x9E3779B9;
    key1 += 0xBB67AE85;
  }
  return x;
}

struct Xorwow {
  std::array<uint32_t, 5> x{123456789, 362436069, 521288629, 88675123, 5783321};
  uint32_t d = 6615241;

  explicit Xorwow(uint64_t seed) {  // rocRAND's way of mixing the seed in
    const uint32_t low = 1228688033u * (uint32_t(seed) ^ 0x2c7f967fu);
    const uint32_t high = 2073658381u * (uint32_t(seed >> 32) ^ 0xa03697cbu);
    x[0] += low, x[1] ^= low, x[2] += high, x[3] ^= high, x[4] += low;
    d += high + low;
  }
  static void step(std::array<uint32_t, 5>& x) {
    const uint32_t t = x[0] ^ (x[0] >> 2);
    x = {x[1], x[2], x[3], x[4], x[4] ^ (x[4] << 4) ^ t ^ (t << 1)};
  }
  uint32_t next() {
    step(x);
    return x[4] + (d += 362437);
  }
};

// The linear part of XORWOW, applied 2^67 times: what lies between two engines. (The counter d is then the same again.)
class XorwowJump {
 public:
  XorwowJump() {
    for (int bit = 0; bit < kBits; ++bit) {
      columns_[bit] = {};
      columns_[bit][bit / 32] = 1u << bit % 32;
      Xorwow::step(columns_[bit]);
    }
    for (int square = 0; square < 67; ++square) {
      auto squared = columns_;
      for (auto& column : squared) column = apply(column);
      columns_ = squared;
    }
  }
  std::array<uint32_t, 5> apply(const std::array<uint32_t, 5>& x) const {
    std::array<uint32_t, 5> y{};
    for (int bit = 0; bit < kBits; ++bit)
      if (x[bit / 32] >> bit % 32 & 1)
        for (int i = 0; i < 5; ++i) y[i] ^= columns_[bit][i];
    return y;
  }

 private:
  static constexpr int kBits = 160;
  std::array<std::array<uint32_t, 5>, kBits> columns_;
};

// One of the two recurrences of MRG32k3a: x(n) = a·x(n-2) + b·x(n-3) or a·x(n-1) + b·x(n-3), modulo m.
struct MrgComponent {
  uint64_t m;
  std::array<uint64_t, 9> matrix;  // one step of (x0, x1, x2)
  std::array<uint64_t, 3> x;

  static uint64_t product(uint64_t a, uint64_t b, uint64_t m) {
    return static_cast<uint64_t>(static_cast<unsigned __int128>(a) * b % m);
  }
  void apply(const std::array<uint64_t, 9>& by) {
    std::array<uint64_t, 3> y{};
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) y[r] = (y[r] + product(by[r * 3 + c], x[c], m)) % m;
    x = y;
  }
  std::array<uint64_t, 9> power2(int exponent) const {  // matrix^(2^exponent)
    auto p = matrix;
    for (int i = 0; i < exponent; ++i) {
      std::array<uint64_t, 9> q{};
      for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c)
          for (int k = 0; k < 3; ++k) q[r * 3 + c] = (q[r * 3 + c] + product(p[r * 3 + k], p[k * 3 + c], m)) % m;
      p = q;
    }
    return p;
  }
};

struct Mrg32k3a {
  static constexpr uint64_t kM1 = 4294967087, kM2 = 4294944443;
  MrgComponent one{kM1, {0, 1, 0, 0, 0, 1, kM1 - 810728, 1403580, 0}, {}};
  MrgComponent two{kM2, {0, 1, 0, 0, 0, 1, kM2 - 1370589, 0, 527612}, {}};

  explicit Mrg32k3a(uint32_t seed) {  // rocRAND's way of spreading the seed
    const uint64_t a = seed ^ 0x55555555u, b = 0xAAAAAAAAu;
    one.x = {a * seed % kM1, b * seed % kM1, a * seed % kM1};
    two.x = {b * seed % kM2, a * seed % kM2, b * seed % kM2};
  }
  uint32_t next() {  // in [1, kM1]
    one.apply(one.matrix);
    two.apply(two.matrix);
    return static_cast<uint32_t>(one.x[2] > two.x[2] ? one.x[2] - two.x[2] : one.x[2] + kM1 - two.x[2]);
  }
};

// MTGP32 with the parameters of one of its 11213-bit recurrences; Parameters is the library's table entry.
class Mtgp32 {
 public:
  template <class Parameters>
  Mtgp32(const Parameters& p, uint32_t mask, uint32_t seed) : pos_(p.pos), sh1_(p.sh1), sh2_(p.sh2), mask_(mask) {
    std::copy(p.tbl, p.tbl + 16, table_.begin());
    std::copy(p.tmp_tbl, p.tmp_tbl + 16, temper_.begin());
    const uint32_t hidden = p.tbl[4] ^ (p.tbl[8] << 16);
    uint32_t fill = hidden + (hidden >> 16);
    fill = (fill + (fill >> 8)) & 0xff;
    state_.assign(kWords, fill * 0x01010101u);
    state_[0] = seed;
    state_[1] = hidden;
    for (uint32_t i = 1; i < kWords; ++i) state_[i] ^= 1812433253u * (state_[i - 1] ^ (state_[i - 1] >> 30)) + i;
  }
  uint32_t next() {
    uint32_t x = (state_[0 + at_] & mask_) ^ state_[1 + at_];
    x ^= x << sh1_;
    const uint32_t y = x ^ (state_[at_ + pos_] >> sh2_);
    const uint32_t made = y ^ table_[y & 15];
    uint32_t t = state_[at_ + pos_ - 1];
    t ^= t >> 16;
    t ^= t >> 8;
    state_.push_back(made);
    ++at_;
    return made ^ temper_[t & 15];
  }

 private:
  static constexpr uint32_t kWords = 351;
  std::size_t at_ = 0;
  const std::size_t pos_;
  const int sh1_, sh2_;
  const uint32_t mask_;
  std::array<uint32_t, 16> table_, temper_;
  std::vector<uint32_t> state_;  // everything made so far; the recurrence looks back kWords
};

// Direction numbers of the first dimensions, from the primitive polynomials and initial numbers that Joe and Kuo
// published in 2008; the first dimension is van der Corput's sequence.
template <class Word>
std::vector<Word> sobolDirections(unsigned dimension) {
  struct Row {
    unsigned degree, polynomial;
    std::array<unsigned, 5> m;
  };
  static constexpr Row kRows[] = {
      {1, 0, {1}},          {2, 1, {1, 3}},        {3, 1, {1, 3, 1}},       {3, 2, {1, 1, 1}},
      {4, 1, {1, 1, 3, 3}}, {4, 4, {1, 3, 5, 13}}, {5, 2, {1, 1, 5, 5, 17}}};
  constexpr unsigned kBits = sizeof(Word) * 8;
  std::vector<Word> v(kBits);
  if (dimension == 0) {
    for (unsigned i = 0; i < kBits; ++i) v[i] = Word{1} << (kBits - 1 - i);
    return v;
  }
  const Row& row = kRows[dimension - 1];
  for (unsigned i = 0; i < kBits; ++i) {
    if (i < row.degree) {
      v[i] = Word{row.m[i]} << (kBits - 1 - i);
      continue;
    }
    v[i] = v[i - row.degree] ^ (v[i - row.degree] >> row.degree);
    for (unsigned k = 1; k < row.degree; ++k)
      if (row.polynomial >> (row.degree - 1 - k) & 1) v[i] ^= v[i - k];
  }
  return v;
}
inline constexpr unsigned kSobolDimensions = 8;

template <class Word>
Word sobol(const std::vector<Word>& directions, uint64_t index) {
  const uint64_t gray = index ^ (index >> 1);
  Word x = 0;
  for (std::size_t bit = 0; bit < directions.size(); ++bit)
    if (gray >> bit & 1) x ^= directions[bit];
  return x;
}

}  // namespace reference

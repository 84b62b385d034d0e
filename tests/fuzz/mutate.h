// Deterministic mutations of fuzz inputs: the same seed gives the same sequence everywhere.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tests/fuzz/fuzz.h"

namespace hipr::fuzz {

class Random {  // splitmix64
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }
  std::size_t below(std::size_t n) { return n ? static_cast<std::size_t>(next() % n) : 0; }

 private:
  std::uint64_t state_;
};

inline void mutateOnce(Input& in, const std::vector<Input>& corpus, Random& random) {
  // Values that break length checks: edges of each width, and small numbers that turn lengths into nonsense.
  static constexpr std::uint64_t kEdges[] = {
      0,          1,          2,           7,          0x7f,       0x80,  0xff,      0x7fff,     0xffff,     0x7fffffff,
      0x80000000, 0xffffffff, 0x100000000, ~0ull >> 1, 1ull << 63, ~0ull, ~0ull - 7, ~0ull - 63, 1ull << 40, 4096};
  constexpr std::size_t kMaxInput = 1 << 20;
  const std::size_t at = random.below(in.size());
  switch (in.empty() ? 3 : random.below(9)) {
    case 0:
      in[at] ^= static_cast<std::uint8_t>(1u << random.below(8));
      break;
    case 1:
      in[at] = static_cast<std::uint8_t>(random.next());
      break;
    case 2: {  // overwrite a field of 2, 4 or 8 bytes
      const std::uint64_t value = kEdges[random.below(std::size(kEdges))] + random.below(3) - 1;
      const std::size_t width = std::size_t{2} << random.below(3);
      const std::size_t field = random.below(2) ? at & ~(width - 1) : at;
      for (std::size_t i = 0; i < width && field + i < in.size(); ++i)
        in[field + i] = static_cast<std::uint8_t>(value >> 8 * i);
      break;
    }
    case 3: {  // insert
      const std::size_t count = 1 + random.below(8);
      for (std::size_t i = 0; i < count && in.size() < kMaxInput; ++i) {
        in.insert(in.begin() + static_cast<std::ptrdiff_t>(at), static_cast<std::uint8_t>(random.next()));
      }
      break;
    }
    case 4: {  // remove
      const std::size_t count = std::min(in.size() - at, 1 + random.below(16));
      in.erase(in.begin() + static_cast<std::ptrdiff_t>(at), in.begin() + static_cast<std::ptrdiff_t>(at + count));
      break;
    }
    case 5:  // truncate
      in.resize(at);
      break;
    case 6: {  // copy a piece onto another place
      const std::size_t from = random.below(in.size());
      const std::size_t count = std::min(in.size() - std::max(from, at), 1 + random.below(64));
      std::copy_n(Input(in.begin() + static_cast<std::ptrdiff_t>(from), in.end()).begin(), count,
                  in.begin() + static_cast<std::ptrdiff_t>(at));
      break;
    }
    case 7: {  // continue with the tail of another input
      const Input& other = corpus[random.below(corpus.size())];
      const std::size_t from = random.below(other.size());
      in.resize(at);
      in.insert(in.end(), other.begin() + static_cast<std::ptrdiff_t>(from), other.end());
      break;
    }
    default: {  // add a little to a number
      const std::size_t width = std::size_t{1} << random.below(4);
      std::uint64_t value = 0;
      for (std::size_t i = 0; i < width && at + i < in.size(); ++i) value |= std::uint64_t{in[at + i]} << 8 * i;
      value += random.below(33) - 16;
      for (std::size_t i = 0; i < width && at + i < in.size(); ++i)
        in[at + i] = static_cast<std::uint8_t>(value >> 8 * i);
      break;
    }
  }
}

}  // namespace hipr::fuzz

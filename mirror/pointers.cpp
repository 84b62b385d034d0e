#include "mirror/pointers.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace hipr::mirror {
namespace {

constexpr std::size_t kBlock = 64;  // words that are judged together

// A range of addresses by the upper halves of words in it. May be wider than the range.
class UpperHalves {
 public:
  UpperHalves(std::uint64_t base, std::uint64_t size) {
    const auto first = static_cast<std::uint32_t>(base >> 32),
               last = static_cast<std::uint32_t>((base + size - 1) >> 32);
    const int varying = std::bit_width(first ^ last);  // the bits below are not the same in all of the range
    fixed_ = varying == 32 ? 0 : ~0u << varying;
    wanted_ = first & fixed_;
  }
  bool anyIn(const std::byte* block) const {
    Quad found{};
    for (std::size_t i = 0; i < kBlock * 8; i += 2 * sizeof(Quad)) {
      Quad a, b;
      std::memcpy(&a, block + i, sizeof a);
      std::memcpy(&b, block + i + sizeof a, sizeof b);
      const Quad upper = __builtin_shufflevector(a, b, 1, 3, 5, 7);
      found |= reinterpret_cast<Quad>((upper & fixed_) == wanted_);
    }
    return found[0] | found[1] | found[2] | found[3];
  }

 private:
  using Quad = std::uint32_t __attribute__((vector_size(16)));
  std::uint32_t fixed_, wanted_;
};

}  // namespace

std::vector<std::uint64_t> addressesIn(wire::Bytes bytes, std::uint64_t base, std::uint64_t size) {
  std::vector<std::uint64_t> out;
  if (!size) return out;
  const std::size_t count = bytes.size() / 8;
  const UpperHalves range(base, size);
  for (std::size_t first = 0; first < count; first += kBlock) {
    if (first + kBlock <= count && !range.anyIn(bytes.data() + 8 * first)) continue;
    for (std::size_t i = first; i < std::min(first + kBlock, count); ++i) {
      std::uint64_t value;
      std::memcpy(&value, bytes.data() + 8 * i, sizeof value);
      if (value - base < size && (out.empty() || out.back() != value)) out.push_back(value);
    }
  }
  return out;
}

}  // namespace hipr::mirror

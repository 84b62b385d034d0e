#include "mirror/pointers.h"

#include <algorithm>
#include <cstring>

namespace hipr::mirror {
namespace {

constexpr std::size_t kBlock = 64;  // words that are judged together

// Plain arithmetic on independent words, which compilers turn into vector instructions.
bool anyInside(const std::byte* words, std::uint64_t base, std::uint64_t size) {
  std::uint64_t found = 0;
  for (std::size_t i = 0; i < kBlock; ++i) {
    std::uint64_t value;
    std::memcpy(&value, words + 8 * i, sizeof value);
    found |= value - base < size;
  }
  return found != 0;
}

}  // namespace

std::vector<std::uint64_t> addressesIn(wire::Bytes bytes, std::uint64_t base, std::uint64_t size) {
  std::vector<std::uint64_t> out;
  const std::size_t count = bytes.size() / 8;
  for (std::size_t first = 0; first < count; first += kBlock) {
    if (first + kBlock <= count && !anyInside(bytes.data() + 8 * first, base, size)) continue;
    for (std::size_t i = first; i < std::min(first + kBlock, count); ++i) {
      std::uint64_t value;
      std::memcpy(&value, bytes.data() + 8 * i, sizeof value);
      if (value - base < size && (out.empty() || out.back() != value)) out.push_back(value);
    }
  }
  return out;
}

}  // namespace hipr::mirror

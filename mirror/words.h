// Memory that somebody else, a program or a kernel, may be writing and reading while we look at it: read and written in
// naturally aligned words, each in one access, so that a counter or a flag is never seen half old and half new.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace hipr::mirror {

inline constexpr std::size_t kWord = 8;
inline constexpr std::uint64_t kHighBits = 0x8080808080808080;  // one bit for each byte of a word: all eight changed

static_assert(std::endian::native == std::endian::little, "masks count bytes from the low end");

template <class Unit>
bool alignedFor(const std::byte* at) {
  return reinterpret_cast<std::uintptr_t>(at) % sizeof(Unit) == 0;
}

// Programs write such memory as they like, also bytes next to ours. To a thread sanitizer that is a race with us, which
// is the nature of the thing; so functions that touch it use the built-in atomics, unwatched.
#define HIPR_UNWATCHED __attribute__((no_sanitize("thread")))

template <class Unit>
Unit* unitAt(const std::byte* at) {
  return reinterpret_cast<Unit*>(const_cast<std::byte*>(at));
}

// The word at `at`, of which `size` bytes exist; the others read as zero.
HIPR_UNWATCHED inline std::uint64_t loadWord(const std::byte* at, std::size_t size = kWord) {
  if (size >= kWord && alignedFor<std::uint64_t>(at))
    return __atomic_load_n(unitAt<std::uint64_t>(at), __ATOMIC_ACQUIRE);
  std::uint64_t word = 0;
  std::size_t i = 0;
  for (; i + 4 <= size && i < kWord && alignedFor<std::uint32_t>(at); i += 4) {
    word |= std::uint64_t{__atomic_load_n(unitAt<std::uint32_t>(at + i), __ATOMIC_ACQUIRE)} << (8 * i);
  }
  for (; i < size && i < kWord; ++i) {
    word |= std::uint64_t{__atomic_load_n(unitAt<std::uint8_t>(at + i), __ATOMIC_RELAXED)} << (8 * i);
  }
  return word;
}

// The high bit of every byte in which the two differ.
inline std::uint64_t differingBytes(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t x = a ^ b, low = 0x7f7f7f7f7f7f7f7f;
  return (((x & low) + low) | x) & kHighBits;
}

// All bits of the bytes that have their high bit in `mask`.
inline std::uint64_t wholeBytes(std::uint64_t mask) {
  return (mask >> 7) * 0xff;
}

// Are [a, a + size) and [b, b + size) different? `a` may be changing.
bool differs(const std::byte* a, const std::byte* b, std::size_t size);

// Writes bytes of changing memory in the order they are given, and nothing else: bytes that fall into one aligned word
// become visible together, the other bytes of that word keep whatever anybody writes into them meanwhile.
class WordWriter {
 public:
  WordWriter() = default;
  WordWriter(const WordWriter&) = delete;
  WordWriter& operator=(const WordWriter&) = delete;
  ~WordWriter() { finish(); }

  // REQUIRES: [at, at + size) lies in [begin, end), the memory that may be touched
  void write(std::byte* at, const std::byte* bytes, std::size_t size, const std::byte* begin, const std::byte* end);
  void finish();

 private:
  std::byte* word_ = nullptr;  // aligned; the one being put together
  std::uint64_t value_ = 0, mask_ = 0;
  bool low_ = false, high_ = false;  // whether its lower and its upper half may be touched as a whole
};

}  // namespace hipr::mirror

#include "mirror/words.h"

#include <algorithm>

namespace hipr::mirror {
namespace {

// Bytes of a unit that are not in `mask` belong to others, who may write them at any moment: hence the exchange.
template <class Unit>
HIPR_UNWATCHED void merge(std::byte* at, Unit value, Unit mask) {
  Unit* unit = unitAt<Unit>(at);
  if (mask == static_cast<Unit>(~Unit{0})) return __atomic_store_n(unit, value, __ATOMIC_RELEASE);
  Unit seen = __atomic_load_n(unit, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(unit, &seen, static_cast<Unit>((seen & ~mask) | (value & mask)), true,
                                      __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {
  }
}

HIPR_UNWATCHED void mergeBytes(std::byte* at, std::uint64_t value, std::uint64_t mask, std::size_t first,
                               std::size_t last) {
  for (std::size_t i = first; i < last; ++i) {
    if (mask >> (8 * i) & 0xff)
      __atomic_store_n(unitAt<std::uint8_t>(at + i), static_cast<std::uint8_t>(value >> (8 * i)), __ATOMIC_RELEASE);
  }
}

}  // namespace

HIPR_UNWATCHED bool differs(const std::byte* a, const std::byte* b, std::size_t size) {
  std::size_t i = 0;
  if (alignedFor<std::uint64_t>(a)) {
    constexpr std::size_t kStep = 16 * kWord;
    for (; i + kStep <= size; i += kStep) {
      std::uint64_t any = 0;
#pragma GCC unroll 16
      for (std::size_t k = 0; k < kStep; k += kWord) {
        std::uint64_t before;
        std::memcpy(&before, b + i + k, kWord);
        any |= __atomic_load_n(unitAt<std::uint64_t>(a + i + k), __ATOMIC_RELAXED) ^ before;
      }
      if (any) return true;
    }
  }
  for (; i < size; i += kWord) {
    const std::size_t left = std::min(kWord, size - i);
    std::uint64_t before = 0;
    std::memcpy(&before, b + i, left);
    if (loadWord(a + i, left) != before) return true;
  }
  return false;
}

HIPR_UNWATCHED void WordWriter::write(std::byte* at, const std::byte* bytes, std::size_t size, const std::byte* begin,
                                      const std::byte* end) {
  while (size) {
    const std::size_t into = reinterpret_cast<std::uintptr_t>(at) % kWord, n = std::min(size, kWord - into);
    std::byte* word = at - into;
    if (n == kWord) {
      if (word_) finish();
      std::uint64_t value;
      std::memcpy(&value, bytes, kWord);
      __atomic_store_n(unitAt<std::uint64_t>(word), value, __ATOMIC_RELEASE);
    } else {
      if (word_ != word) {
        finish();
        word_ = word;
        low_ = word >= begin && word + 4 <= end;
        high_ = word + 4 >= begin && word + 8 <= end;
      }
      std::uint64_t value = 0;
      std::memcpy(&value, bytes, n);
      const std::uint64_t mask = (~std::uint64_t{0} >> (64 - 8 * n)) << (8 * into);
      value_ = (value_ & ~mask) | (value << (8 * into));
      mask_ |= mask;
    }
    at += n;
    bytes += n;
    size -= n;
  }
}

void WordWriter::finish() {
  if (!word_) return;
  const auto lowMask = static_cast<std::uint32_t>(mask_), highMask = static_cast<std::uint32_t>(mask_ >> 32);
  if (lowMask && highMask && low_ && high_) {
    merge<std::uint64_t>(word_, value_, mask_);
  } else {
    if (lowMask && low_) {
      merge<std::uint32_t>(word_, static_cast<std::uint32_t>(value_), lowMask);
    } else if (lowMask) {
      mergeBytes(word_, value_, mask_, 0, 4);
    }
    if (highMask && high_) {
      merge<std::uint32_t>(word_ + 4, static_cast<std::uint32_t>(value_ >> 32), highMask);
    } else if (highMask) {
      mergeBytes(word_, value_, mask_, 4, 8);
    }
  }
  word_ = nullptr;
  value_ = mask_ = 0;
}

}  // namespace hipr::mirror

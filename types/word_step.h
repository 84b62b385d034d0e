// What a stream can be told to do with one word of memory: write it, or wait until it has a certain value.
#pragma once

#include <cstdint>

#include "hip_remote/hip.h"

namespace hipr {

enum class WordAction : std::uint8_t {
  kWrite,
  kAdd,
  kSubtract,
  // Until this holds of the word, of which only the bits in the mask count:
  kWaitAtLeast,  // word >= value
  kWaitEqual,    // word == value
  kWaitAny,      // it has any of the bits of value
  kWaitMissing,  // some bit is neither in the word nor in value
};
// What HIP calls the two that are neither writes nor waits: flags of a write.
inline constexpr unsigned kIncrementFlag = 0x1000, kDecrementFlag = 0x1001;
inline constexpr auto kLastWordAction = WordAction::kWaitMissing;
inline constexpr unsigned kMostWordSteps = 256;  // in one call

inline bool waits(WordAction action) {
  return action >= WordAction::kWaitAtLeast;
}

// The flags by which HIP tells the ways to write or to wait from each other.
inline unsigned flagsOf(WordAction action) {
  if (waits(action)) return static_cast<unsigned>(action) - static_cast<unsigned>(WordAction::kWaitAtLeast);
  return action == WordAction::kAdd ? kIncrementFlag : action == WordAction::kSubtract ? kDecrementFlag : 0;
}

// A word as one of a batch, where a wait has no mask.
inline hipStreamBatchMemOpParams inBatch(WordAction action, unsigned bytes, void* address, std::uint64_t value) {
  hipStreamBatchMemOpParams out{};
  if (waits(action)) {
    out.waitValue.operation = bytes == 8 ? hipStreamMemOpWaitValue64 : hipStreamMemOpWaitValue32;
    out.waitValue.address = address;
    out.waitValue.value64 = value;
    out.waitValue.flags = flagsOf(action);
  } else {
    out.writeValue.operation = bytes == 8 ? hipStreamMemOpWriteValue64 : hipStreamMemOpWriteValue32;
    out.writeValue.address = address;
    out.writeValue.value64 = value;
    out.writeValue.flags = flagsOf(action);
  }
  return out;
}

// `Word` is std::uint32_t or std::uint64_t, as the word is wide.
template <class Word>
bool satisfied(WordAction action, Word word, Word value, Word mask) {
  word &= mask;
  switch (action) {
    case WordAction::kWaitAtLeast:
      return word >= value;
    case WordAction::kWaitEqual:
      return word == value;
    case WordAction::kWaitAny:
      return (word & value) != 0;
    case WordAction::kWaitMissing:
      return static_cast<Word>(~(word | (value & mask))) != 0;
    default:
      return true;
  }
}

}  // namespace hipr

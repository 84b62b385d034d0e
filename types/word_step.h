// What a stream can be told to do with one word of memory: write it, or wait until it has a certain value.
#pragma once

#include <cstdint>

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
inline constexpr auto kLastWordAction = WordAction::kWaitMissing;
inline constexpr unsigned kMostWordSteps = 256;  // in one call

inline bool waits(WordAction action) {
  return action >= WordAction::kWaitAtLeast;
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

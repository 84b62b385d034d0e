// A hint to the processor that this memory is about to be written.
#pragma once

#include <cstddef>

namespace hipr {

inline void prefetchToWrite(const std::byte* memory, std::size_t size) {
  constexpr std::size_t kLine = 64;
  for (std::size_t at = 0; at < size; at += kLine) {
#if defined(__x86_64__)
    asm volatile("prefetchw %0" : : "m"(memory[at]));
#elif defined(__GNUC__)
    __builtin_prefetch(memory + at, 1);
#endif
  }
}

}  // namespace hipr

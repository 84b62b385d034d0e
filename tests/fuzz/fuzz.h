// What a fuzz target may offer to the driver besides LLVMFuzzerTestOneInput.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

extern "C" [[gnu::weak]] void __sanitizer_set_report_fd(void* descriptor);
extern "C" [[gnu::weak]] std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace hipr::fuzz {

using Input = std::vector<std::uint8_t>;

// Valid inputs to start from, made in code so that no binary files are committed. Optional: a target without it starts
// from random bytes.
[[gnu::weak]] std::vector<Input> seeds();

template <class Bytes>
Input input(const Bytes& bytes) {
  const auto* p = reinterpret_cast<const std::uint8_t*>(bytes.data());
  return Input(p, p + bytes.size());
}

// Throws away what the target logs, but not what a sanitizer reports. libFuzzer writes to stderr itself and has an
// option of its own for this, which run.sh gives.
inline void quietLog() {
  static const bool quiet = [] {
    if (LLVMFuzzerMutate) return true;
    const int kept = dup(STDERR_FILENO);
    if (kept < 0 || !std::freopen("/dev/null", "w", stderr)) std::abort();
    if (__sanitizer_set_report_fd) __sanitizer_set_report_fd(reinterpret_cast<void*>(static_cast<std::intptr_t>(kept)));
    return true;
  }();
  (void)quiet;
}

}  // namespace hipr::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

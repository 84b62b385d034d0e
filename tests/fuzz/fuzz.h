// What a fuzz target may offer to the driver besides LLVMFuzzerTestOneInput.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

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

}  // namespace hipr::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

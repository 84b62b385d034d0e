// For tests: scalar instructions over all pairs of edge values, with SCC clear and set before, against models.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "backends/softgpu/isa/edge.h"

namespace hipr::softgpu {

// What an instruction sees; 32-bit operands have 32 bits here.
struct ScalarIn {
  std::uint64_t a, b, d, exec;
  bool scc;
};
// What it changes.
struct ScalarOut {
  std::optional<std::uint64_t> d = std::nullopt;
  std::optional<bool> scc = std::nullopt;
  std::optional<std::uint64_t> exec = std::nullopt;
};
struct ScalarCase {
  std::string assembly;  // a, b, d are 32-bit registers, A, B, D pairs
  std::function<ScalarOut(const ScalarIn&)> model;
};

void compareScalars(const std::vector<ScalarCase>& cases);

// Bits 31:0 as a signed number, and whether one does not fit there.
inline std::int64_t signed32(std::uint64_t x) {
  return static_cast<std::int32_t>(x);
}
inline bool overflows32(std::int64_t x) {
  return x != static_cast<std::int32_t>(x);
}

}  // namespace hipr::softgpu

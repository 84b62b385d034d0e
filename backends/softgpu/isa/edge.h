// For tests: instructions over all combinations of edge values, in the MODEs that matter, against references; and the
// list of the instructions that have such a test, which edge_coverage_test.cpp compares with the table.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "backends/softgpu/isa/exact.h"
#include "backends/softgpu/isa/execute.h"

namespace hipr::softgpu {

enum class Type : std::uint8_t { kI16, kI32, kI64, kHalf, kFloat, kDouble };

constexpr bool isWideType(Type t) {
  return t == Type::kI64 || t == Type::kDouble;
}
constexpr bool isFloatType(Type t) {
  return t >= Type::kHalf;
}
constexpr FloatFormat formatOf(Type t) {
  return t == Type::kHalf ? kHalfFormat : t == Type::kFloat ? kFloatFormat : kDoubleFormat;
}
constexpr std::uint64_t maskOf(Type t) {
  return isWideType(t) ? ~0ull : t == Type::kI16 || t == Type::kHalf ? 0xffff : 0xffffffff;
}

using Sources = std::vector<std::uint64_t>;
// All combinations of the edge values of the types.
std::vector<Sources> edgeInputs(const std::vector<Type>& types, bool withSignalingNans);

struct EdgeCase {
  std::string assembly;  // sources v[0:1], v[2:3], v[4:5]; result v[6:7]
  Type result;
  std::vector<Type> sources;
  // Result bits, or nothing where the reference has no opinion. Floating point NaNs compare as equal; of 16-bit results
  // the high half is not looked at.
  std::function<std::optional<std::uint64_t>(const Sources& x, std::uint32_t mode)> expected;
};

// MODE: rounding 0-1 (f32) and 2-3 (f16, f64), denormals 4-5 and 6-7 (1: of sources, 2: of results), then these.
inline constexpr std::uint32_t kDx10ClampMode = 1 << 8, kIeeeMode = 1 << 9, kUsualMode = 0x3f0;
// Every rounding with every treatment of denormals, DX10_CLAMP and IEEE on and off.
std::vector<std::uint32_t> everyMode();
// Every rounding with and without denormals: for what has too many inputs for all of them.
std::vector<std::uint32_t> mainModes();

void compareEdges(const std::vector<EdgeCase>& cases, const std::vector<std::uint32_t>& modes, Gpu gpu = Gpu::kGfx90a);
// The same with inputs of one's own; all cases have sources of the same types.
void compareEdges(const std::vector<EdgeCase>& cases, const std::vector<Sources>& inputs,
                  const std::vector<std::uint32_t>& modes, Gpu gpu);

// Rows of the table that a test covers; one such object beside each table of tests.
class EdgeTested {
 public:
  explicit EdgeTested(const std::vector<std::string>& mnemonics);
  // The instructions of the cases, but for those that only prepare a source or fetch a result.
  template <class Case>
  static EdgeTested in(const std::vector<Case>& cases) {
    std::vector<std::string> all;
    for (const Case& c : cases)
      for (const std::string& name : mnemonicsOf(c.assembly)) all.push_back(name);
    return EdgeTested(all);
  }
  static const std::set<std::string>& rows();

 private:
  static std::vector<std::string> mnemonicsOf(const std::string& assembly);
};

}  // namespace hipr::softgpu

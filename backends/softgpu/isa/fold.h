// For tests: instructions against LLVM's constant folder, which knows nothing of this host's floating point.
#pragma once

#include "backends/softgpu/isa/edge.h"

namespace hipr::softgpu {

struct Case {
  const char* assembly;  // sources v[0:1], v[2:3], v[4:5]; result v[6:7]
  const char* ir;        // operations on %a, %b, %c, one per line; the last one is the result
  Type result;
  std::vector<Type> sources;
};

// Runs each instruction on all combinations of edge values of its sources, and LLVM's operation on the same. Fails the
// test where they differ, or where LLVM folded none of an instruction's.
void compareWithLlvm(const std::vector<Case>& cases);

}  // namespace hipr::softgpu

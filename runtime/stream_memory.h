// Words of memory that streams write and wait for, as programs describe them.
#pragma once

#include <span>
#include <vector>

#include "runtime/process.h"

namespace hipr {

// A batch of hipStreamBatchMemOp or of a graph's node, checked, with its memory looked up.
hipError_t makeWordSteps(Process& p, std::span<const hipStreamBatchMemOpParams> batch, std::vector<WordStep>& out);

}  // namespace hipr

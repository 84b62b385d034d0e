// An instantiated graph as a core gets it: steps, and what each of them comes after. Child graphs and empty nodes are
// gone by then; what memory nodes mean is settled by the runtime.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "runtime/operation.h"

namespace hipr {

struct Graph;

struct GraphStep {
  std::optional<Operation> work;     // none: only a place where others meet
  std::vector<std::byte> arguments;  // of a launch: what its span refers to
  std::vector<WordStep> words;       // the same of words
  std::vector<std::uint32_t> after;  // steps with lower numbers
  int device = 0;                    // where it runs, as its core counts

  GraphStep() = default;
  GraphStep(GraphStep&&) = default;  // moving keeps what spans refer to where it is
  GraphStep& operator=(GraphStep&&) = default;
};

struct GraphExec {
  std::uint64_t id = 0;
  Device* owner = nullptr;
  int device = 0;
  std::vector<GraphStep> steps;
  std::unique_ptr<CoreObject> impl;

  unsigned long long flags = 0;  // of hipGraphInstantiateWithFlags
  Graph* graph = nullptr;        // a copy of the one it was made of; its nodes know their steps
  Graph* origin = nullptr;       // the one it was made of, which may be gone
  std::uint64_t originId = 0;
};

}  // namespace hipr

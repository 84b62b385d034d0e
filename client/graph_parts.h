// How a graph is divided between this process and the worker.
//
// The worker can do most steps alone (kernels, copies within device memory, fills). As many of them as possible form
// one part, which the worker keeps and runs on request. Steps that need this process (functions, memory that only
// exists here, events) stand between two parts. A launch submits parts and steps in order, and stream order does the
// rest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hipr::client {

struct PartInput {
  enum class Place { kThere, kHere, kAnywhere };  // kAnywhere: a step that does nothing
  Place place = Place::kThere;
  std::span<const std::uint32_t> after;  // steps with lower numbers
};

struct GraphPart {
  bool there = false;
  std::vector<std::uint32_t> steps;  // in ascending order when there; one of them when here
};

// Every step is in one part, except that those that do nothing may be in none; what a step comes after is in the same
// part or in an earlier one. No part has more than `most` steps.
std::vector<GraphPart> divide(std::span<const PartInput> steps, std::size_t most);

}  // namespace hipr::client

#include "client/graph_parts.h"

#include <algorithm>
#include <functional>
#include <queue>

namespace hipr::client {
namespace {

using Place = PartInput::Place;
using Ready = std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>>;  // the lowest first

bool doesSomething(const GraphPart& part, std::span<const PartInput> steps) {
  return std::ranges::any_of(part.steps, [&](std::uint32_t step) { return steps[step].place != Place::kAnywhere; });
}

}  // namespace

std::vector<GraphPart> divide(std::span<const PartInput> steps, std::size_t most) {
  std::vector<std::size_t> unmet(steps.size());
  std::vector<std::vector<std::uint32_t>> followers(steps.size());
  Ready here, there;
  const auto makeReady = [&](std::uint32_t step) { (steps[step].place == Place::kHere ? here : there).push(step); };
  for (std::uint32_t i = 0; i < steps.size(); ++i) {
    unmet[i] = steps[i].after.size();
    for (const std::uint32_t before : steps[i].after) followers[before].push_back(i);
    if (unmet[i] == 0) makeReady(i);
  }

  std::vector<GraphPart> parts;
  GraphPart part;
  const auto take = [&](Ready& ready) {
    const std::uint32_t step = ready.top();
    ready.pop();
    part.steps.push_back(step);
    for (const std::uint32_t follower : followers[step]) {
      if (--unmet[follower] == 0) makeReady(follower);
    }
  };
  const auto finish = [&](bool isThere) {
    part.there = isThere;
    std::ranges::sort(part.steps);
    if (doesSomething(part, steps)) parts.push_back(std::move(part));
    part = {};
  };
  while (!here.empty() || !there.empty()) {
    while (!there.empty() && part.steps.size() < most) take(there);
    if (!part.steps.empty()) finish(true);
    if (!there.empty() || here.empty()) continue;
    take(here);
    finish(false);
  }
  return parts;
}

}  // namespace hipr::client

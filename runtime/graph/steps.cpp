#include "runtime/graph/steps.h"

#include <algorithm>

#include "runtime/submit.h"

namespace hipr {

namespace {

// The operation of a node; none for those that only stand somewhere. Events may have been destroyed meanwhile.
struct MakeWork {
  Process& p;
  GraphStep& step;

  hipError_t operator()(const KernelWork& kernel) {
    step.arguments = kernel.arguments;
    Launch launch = kernel.launch;
    launch.arguments = step.arguments;
    step.work = launch;
    return hipSuccess;
  }
  hipError_t operator()(const CopyWork& copy) {
    step.work = copy.copy;
    return hipSuccess;
  }
  hipError_t operator()(const FillWork& fill) {
    step.work = fill.fill;
    return hipSuccess;
  }
  hipError_t operator()(const HostWork& host) {
    step.work = HostFunction{host.params.fn, host.params.userData};
    return hipSuccess;
  }
  hipError_t operator()(const RecordWork& record) {
    Event* event = p.events.find(record.event);
    step.work = Record{event};
    return event != nullptr ? hipSuccess : hipErrorInvalidValue;
  }
  hipError_t operator()(const WaitWork& wait) {
    Event* event = p.events.find(wait.event);
    step.work = Wait{event};
    return event != nullptr ? hipSuccess : hipErrorInvalidValue;
  }
  hipError_t operator()(const WordWork& words) {
    step.words = words.steps;
    step.work = WordSteps{step.words};
    return hipSuccess;
  }
  hipError_t operator()(const auto&) { return hipSuccess; }
};

hipError_t fillStep(Process& p, const GraphExec& exec, const GraphNode& node, GraphStep& step) {
  HIPR_TRY(inOneCore(*exec.owner, *node.device, "a graph"));
  step.device = node.device->index;
  if (!node.enabled) return hipSuccess;
  HIPR_TRY(std::visit(MakeWork{p, step}, node.work));
  return !step.work || staysInside(*exec.owner, *step.work) ? hipSuccess : severalWorkers("a graph");
}

std::uint32_t addStep(GraphExec& exec, std::vector<std::uint32_t> after) {
  GraphStep& step = exec.steps.emplace_back();
  step.after = std::move(after);
  step.device = exec.device;
  return static_cast<std::uint32_t>(exec.steps.size() - 1);
}

hipError_t addSteps(Process& p, GraphExec& exec, const Graph& graph, const std::vector<std::uint32_t>& roots);

// A child graph lies between two places: what it comes after leads to the first, all of it to the second.
hipError_t addChild(Process& p, GraphExec& exec, GraphNode& node, const Graph& child,
                    std::vector<std::uint32_t> after) {
  const std::uint32_t begin = addStep(exec, std::move(after));
  HIPR_TRY(addSteps(p, exec, child, {begin}));
  std::vector<std::uint32_t> ends;
  for (const GraphNode* inner : child.nodes)
    if (inner->before.empty()) ends.push_back(inner->step);
  if (ends.empty()) ends.push_back(begin);
  node.step = addStep(exec, std::move(ends));
  return hipSuccess;
}

hipError_t addSteps(Process& p, GraphExec& exec, const Graph& graph, const std::vector<std::uint32_t>& roots) {
  std::vector<GraphNode*> nodes;
  if (!inOrder(graph, nodes)) return hipErrorInvalidValue;
  for (GraphNode* node : nodes) {
    std::vector<std::uint32_t> after = roots;
    if (!node->after.empty()) after.clear();
    for (const GraphNode* earlier : node->after) after.push_back(earlier->step);
    if (const auto* child = std::get_if<ChildWork>(&node->work)) {
      HIPR_TRY(addChild(p, exec, *node, *child->graph, std::move(after)));
      continue;
    }
    node->step = addStep(exec, std::move(after));
    HIPR_TRY(fillStep(p, exec, *node, exec.steps[node->step]));
    const auto* kernel = std::get_if<KernelWork>(&node->work);
    if (kernel == nullptr || kernel->stop == nullptr) continue;
    GraphStep& stop = exec.steps[addStep(exec, {node->step})];
    HIPR_TRY(MakeWork({p, stop})(RecordWork{kernel->stop}));
  }
  return hipSuccess;
}

bool same(const dim3& a, const dim3& b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

bool same(const Launch& a, const Launch& b) {
  return a.function == b.function && same(a.groups, b.groups) && same(a.block, b.block) && same(a.threads, b.threads) &&
         a.sharedBytes == b.sharedBytes && a.cooperative == b.cooperative &&
         std::equal(a.arguments.begin(), a.arguments.end(), b.arguments.begin(), b.arguments.end());
}

template <class T>
bool same(const T& a, const T& b) {
  if constexpr (requires { a == b; }) {
    return a == b;
  } else {
    return false;
  }
}

bool sameWork(const GraphStep& a, const GraphStep& b) {
  if (!a.work || !b.work) return !a.work && !b.work;
  if (a.work->index() != b.work->index()) return false;
  return std::visit([&](const auto& work) { return same(work, std::get<std::decay_t<decltype(work)>>(*b.work)); },
                    *a.work);
}

}  // namespace

hipError_t makeSteps(Process& p, GraphExec& exec) {
  return addSteps(p, exec, *exec.graph, {});
}

hipError_t changeStep(Process& p, GraphExec& exec, GraphNode& node, std::vector<std::uint32_t>& changed) {
  GraphStep step;
  HIPR_TRY(fillStep(p, exec, node, step));
  GraphStep& before = exec.steps[node.step];
  step.after = before.after;
  if (sameWork(before, step)) return hipSuccess;
  before = std::move(step);
  changed.push_back(node.step);
  return hipSuccess;
}

}  // namespace hipr

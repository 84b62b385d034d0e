// Graphs: each launch makes the commands of its steps anew, with the graph's own edges between them, so independent
// branches run side by side.
#include "backends/softgpu/commands.h"
#include "backends/softgpu/core.h"
#include "backends/softgpu/state.h"
#include "backends/softgpu/stream.h"

namespace hipr::softgpu {
namespace {

// What a graph of the runtime is here. One instance does not overtake itself, whatever streams it is launched on.
struct GraphState : CoreObject {
  explicit GraphState(const std::vector<GraphStep>& steps) : isEnd(steps.size(), true) {
    for (const GraphStep& step : steps)
      for (const std::uint32_t earlier : step.after) isEnd[earlier] = false;
  }
  std::vector<bool> isEnd;  // no other step comes after it
  std::mutex mutex;
  CommandPtr last;  // the end of its last launch
};

struct MakeCommand {
  Device& device;
  CommandPtr& out;

  hipError_t operator()(const Copy& copy) { return made(copyCommand(device, copy)); }
  hipError_t operator()(const Fill& fill) { return made(fillCommand(device, fill)); }
  hipError_t operator()(const Launch& launch) { return launchCommand(device, launch, out); }
  hipError_t operator()(const HostFunction& function) { return made(hostCommand(function)); }
  hipError_t operator()(const Record& record) { return made(recordCommand(record)); }
  hipError_t operator()(const Wait& wait) { return made(waitCommand(wait)); }
  hipError_t operator()(const GraphLaunch&) { return hipErrorNotSupported; }  // child graphs are laid out flat
  hipError_t operator()(const WordSteps& steps) { return made(wordCommand(device, steps)); }

  hipError_t made(CommandPtr command) {
    out = std::move(command);
    return hipSuccess;
  }
};

hipError_t makeCommand(const GraphStep& step, CommandPtr& out) {
  if (step.work) return std::visit(MakeCommand{state().device(step.device), out}, *step.work);
  out = std::make_shared<Marker>();
  return hipSuccess;
}

}  // namespace

hipError_t SoftgpuCore::create(GraphExec& exec) {
  exec.impl = std::make_unique<GraphState>(exec.steps);
  return hipSuccess;
}

hipError_t SoftgpuCore::update(GraphExec&, std::span<const std::uint32_t>) {
  return hipSuccess;  // launches look at the steps
}

hipError_t SoftgpuCore::destroy(GraphExec& exec) {
  exec.impl.reset();
  return hipSuccess;
}

hipError_t SoftgpuCore::perform(const GraphLaunch& launch, Stream& stream, Stage) {
  const GraphExec& exec = *launch.exec;
  Device& device = state().device(stream.device);
  if (device.failure() != hipSuccess) return device.failure();
  auto& graph = static_cast<GraphState&>(*exec.impl);
  const auto begin = std::make_shared<Marker>(), end = std::make_shared<Marker>();
  std::vector<CommandPtr> commands(exec.steps.size());
  for (std::size_t i = 0; i < commands.size(); ++i)
    if (const hipError_t error = makeCommand(exec.steps[i], commands[i]); error != hipSuccess) return error;

  for (std::size_t i = 0; i < commands.size(); ++i) {
    const GraphStep& step = exec.steps[i];
    if (step.after.empty()) commands[i]->after(*begin);
    for (const std::uint32_t earlier : step.after) commands[i]->after(*commands[earlier]);
    if (graph.isEnd[i]) end->after(*commands[i]);
  }
  if (commands.empty()) end->after(*begin);
  const std::lock_guard lock(graph.mutex);
  if (graph.last != nullptr) begin->after(*graph.last);
  graph.last = end;
  for (const CommandPtr& command : commands) command->release();  // they wait for `begin`
  queueOf(stream).submit(begin, end);
  return hipSuccess;
}

}  // namespace hipr::softgpu

// Graphs: what the client has sent is checked like the messages that its steps are, once; what memory and functions
// they name, again whenever something may have gone.
#include <algorithm>
#include <utility>

#include "code_object/kernarg.h"
#include "worker/give.h"
#include "worker/session.h"

namespace hipr::worker {
namespace {

constexpr std::size_t kMostStepsOfAll = 1 << 20;  // in all graphs of a client

template <class Message>
bool decode(wire::Bytes bytes, Message& message) {
  wire::Reader in(bytes);
  in.get(message);
  return in.ok() && in.atEnd();
}

bool ascendingBelow(const std::vector<std::uint32_t>& numbers, std::size_t end) {
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (numbers[i] >= end || (i && numbers[i] <= numbers[i - 1])) return false;
  return true;
}

bool prints(const GraphStep& step) {
  const auto* launch = std::get_if<GraphStep::Launch>(&step.work);
  return launch && launch->function->prints;
}

std::uint64_t bytesOf(const GraphStep& step) {
  std::uint64_t bytes = sizeof step + step.after.size() * sizeof step.after[0];
  if (const auto* launch = std::get_if<GraphStep::Launch>(&step.work)) bytes += launch->message->bytes();
  if (const auto* words = std::get_if<wire::WordSteps>(&step.work)) bytes += words->list.size() * sizeof words->list[0];
  if (std::holds_alternative<GraphStep::ArrayCopy>(step.work)) bytes += sizeof(ArrayWork);
  return bytes;
}

std::uint64_t bytesOf(const std::vector<GraphStep>& steps) {
  std::uint64_t bytes = 0;
  for (const GraphStep& step : steps) bytes += bytesOf(step);
  return bytes;
}

// Operations of the runtime, where a graph is given to a stream step by step.
std::uint64_t piecesOf(const GraphStep& step, int device) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 32;  // far too many; so their sum is a number
  if (const auto* copy = std::get_if<wire::DeviceCopy>(&step.work)) return std::min(kMost, worker::piecesOf(*copy));
  if (const auto* fill = std::get_if<wire::FillMemory>(&step.work)) return std::min(kMost, worker::piecesOf(*fill));
  if (const auto* words = std::get_if<wire::WordSteps>(&step.work)) return words->list.size();
  if (std::holds_alternative<GraphStep::ArrayCopy>(step.work)) return 1;
  return step.device == device ? 1 : 5;  // a kernel, and two streams that wait for each other
}

}  // namespace

bool Session::decodeStep(const wire::GraphStep& m, GraphStep& step) {
  const auto malformed = [this] {
    refuse("a malformed step of a graph");
    return false;
  };
  if (!hasDevice(m.device)) return false;
  step.device = m.device;
  if (m.opcode == 0) return m.work.empty() || malformed();
  switch (static_cast<wire::Opcode>(m.opcode)) {
    case wire::Opcode::kLaunchKernel: {
      wire::LaunchKernel launch;
      if (!decode(m.work, launch) || launch.stream || launch.start || launch.stop) return malformed();
      if (launch.arguments.size() > wire::kMostInline) return malformed();
      auto function = functions_.find(launch.function);
      if (!function) {
        refuse("function " + std::to_string(launch.function) + " does not exist");
        return false;
      }
      if (!function->native) step.broken = hipErrorInvalidDeviceFunction;
      if (function->native && launch.arguments.size() < code::explicitSize(function->kernel->metadata))
        step.broken = hipErrorInvalidValue;
      step.work = GraphStep::Launch{std::make_shared<KeptMessage<wire::LaunchKernel>>(launch), std::move(function)};
      return true;
    }
    case wire::Opcode::kDeviceCopy: {
      wire::DeviceCopy copy;
      if (!decode(m.work, copy) || copy.stream) return malformed();
      step.work = copy;
      return true;
    }
    case wire::Opcode::kFillMemory: {
      wire::FillMemory fill;
      if (!decode(m.work, fill) || fill.stream) return malformed();
      if (fill.elementSize != 1 && fill.elementSize != 2 && fill.elementSize != 4) return malformed();
      step.work = fill;
      return true;
    }
    case wire::Opcode::kWordSteps: {
      wire::WordSteps words;
      if (!decode(m.work, words) || words.stream || !wellFormed(words)) return malformed();
      step.work = std::move(words);
      return true;
    }
    case wire::Opcode::kArrayCopy: {
      const auto copy = std::make_shared<ArrayWork>();
      if (!decode(m.work, copy->message) || copy->message.stream) return malformed();
      if (!resolve(*copy)) return false;
      step.broken = copy->broken;
      step.work = GraphStep::ArrayCopy(copy);
      return true;
    }
    default:
      return malformed();
  }
}

std::shared_ptr<Graph> Session::graph(std::uint64_t number) {
  std::shared_ptr<Graph> graph = graphs_.find(number);
  if (!graph) refuse("graph " + std::to_string(number) + " does not exist");
  return graph;
}

hipError_t Session::onGraphCreate(const wire::GraphCreate& m) {
  if (!hasDevice(m.device)) return hipErrorInvalidDevice;
  const auto graph = std::make_shared<Graph>(m.device);
  graph->current = std::make_shared<GraphVersion>();
  if (m.steps.empty() || m.steps.size() > wire::kMostGraphSteps || !graphs_.add(m.graph, graph)) {
    refuse("graph " + std::to_string(m.graph) + " of " + std::to_string(m.steps.size()) + " steps cannot be made");
    return hipErrorInvalidValue;
  }
  graphSteps_ += m.steps.size();
  if (graphSteps_ > kMostStepsOfAll) {
    refuse("more than " + std::to_string(kMostStepsOfAll) + " steps of graphs");
    return hipErrorOutOfMemory;
  }
  std::vector<GraphStep>& steps = graph->current->steps;
  for (const wire::GraphStep& step : m.steps) {
    GraphStep& made = steps.emplace_back();
    if (!ascendingBelow(step.after, steps.size() - 1)) refuse("a step of a graph that comes after a later one");
    if (!refusal_.empty() || !decodeStep(step, made)) return hipErrorInvalidValue;
    made.after = step.after;
    graph->prints = graph->prints || prints(made);
  }
  graph->current->room = meter_.take(Quota::kCodeBytes, bytesOf(steps));
  if (!graph->current->room) {
    graphSteps_ -= std::exchange(steps, {}).size();
    return graph->broken = hipErrorOutOfMemory;
  }
  prepare(*graph);  // launches report what is wrong
  return hipSuccess;
}

hipError_t Session::onGraphUpdate(const wire::GraphUpdate& m) {
  const std::shared_ptr<Graph> g = graph(m.graph);
  if (!g) return hipErrorInvalidHandle;
  if (g->broken != hipSuccess) return g->broken;
  if (m.numbers.size() != m.steps.size() || !ascendingBelow(m.numbers, g->current->steps.size())) {
    refuse("an update of steps that graph " + std::to_string(m.graph) + " does not have");
    return hipErrorInvalidValue;
  }
  std::vector<GraphStep> changed(m.steps.size());
  for (std::size_t i = 0; i < changed.size(); ++i) {
    if (!m.steps[i].after.empty()) refuse("an update of what a step comes after");
    if (!refusal_.empty() || !decodeStep(m.steps[i], changed[i])) return hipErrorInvalidValue;
    changed[i].after = g->current->steps[m.numbers[i]].after;
    g->prints = g->prints || prints(changed[i]);
  }
  // Until launches that keep the version of before are done there are two of them.
  std::uint64_t bytes = bytesOf(g->current->steps) + bytesOf(changed);
  for (const std::uint32_t number : m.numbers) bytes -= bytesOf(g->current->steps[number]);
  Meter::Share room = meter_.take(Quota::kCodeBytes, bytes);
  if (!room) return g->broken = hipErrorOutOfMemory;
  change(*g, m.numbers, std::move(changed));
  g->current->room = std::move(room);
  return hipSuccess;
}

// Launches that wait for their turn run what they were launched with: as long as there are any, their version stays as
// it is.
void Session::change(Graph& graph, const std::vector<std::uint32_t>& numbers, std::vector<GraphStep> steps) {
  const std::lock_guard lock(order_.mutex());
  const std::shared_ptr<GraphVersion> before = graph.current;
  const bool held = before.use_count() > 2;
  graph.checked = 0;
  if (held) {
    graph.current = std::make_shared<GraphVersion>();
    graph.current->steps = before->steps;
  }
  GraphVersion& now = *graph.current;
  bool kept = now.native != nullptr;
  // What is wrong with a step is told by a launch; the runtime does not hear of it.
  const bool sound =
      namedExists(steps) && std::ranges::all_of(steps, [](const GraphStep& step) { return step.broken == hipSuccess; });
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    GraphStep& step = now.steps[numbers[i]];
    kept = kept && sound && now.native->change(numbers[i], step, steps[i]);
    step = std::move(steps[i]);
  }
  if (!kept) {
    retire(std::move(now.native));
    now.tried = false;
  }
  if (held) order_.afterEverything([before] { before->native.reset(); });
  prepare(graph);
}

hipError_t Session::onGraphDestroy(const wire::GraphDestroy& m) {
  const std::shared_ptr<Graph> g = graphs_.take(m.graph);
  if (!g) {
    refuse("graph " + std::to_string(m.graph) + " does not exist");
    return hipErrorInvalidHandle;
  }
  drop(g);
  return hipSuccess;
}

void Session::drop(const std::shared_ptr<Graph>& graph) {
  graphSteps_ -= graph->current->steps.size();
  order_.afterEverything([version = graph->current] { version->native.reset(); });
}

void Session::retire(std::unique_ptr<NativeGraph> native) {
  if (!native) return;
  order_.afterEverything([shared = std::shared_ptr<NativeGraph>(std::move(native))]() mutable { shared.reset(); });
}

bool Session::namedExists(const std::vector<GraphStep>& steps) {
  DeviceMemory::Span span;
  for (const GraphStep& step : steps) {
    if (const auto* launch = std::get_if<GraphStep::Launch>(&step.work)) {
      if (functions_.find(launch->message->get().function) != launch->function) return false;
    } else if (const auto* copy = std::get_if<wire::DeviceCopy>(&step.work)) {
      if (!locate(copy->to.address, extentOf(copy->to), span) || !locate(copy->from, extentOf(sourceOf(*copy)), span))
        return false;
    } else if (const auto* fill = std::get_if<wire::FillMemory>(&step.work)) {
      if (!locate(fill->to.address, extentOf(fill->to, fill->elementSize), span)) return false;
    } else if (const auto* words = std::get_if<wire::WordSteps>(&step.work)) {
      if (!located(*words)) return false;
    } else if (const auto* arrays = std::get_if<GraphStep::ArrayCopy>(&step.work)) {
      if (!namedExists(**arrays)) return false;
    }
  }
  return true;
}

hipError_t Session::prepare(Graph& graph) {
  GraphVersion& version = *graph.current;
  if (graph.broken != hipSuccess) return graph.broken;
  if (graph.checked == departures_) return hipSuccess;
  for (const GraphStep& step : version.steps)
    if (step.broken != hipSuccess) return step.broken;
  if (!namedExists(version.steps)) return hipErrorInvalidDevicePointer;
  graph.checked = departures_;
  if (!version.tried) makeNative(version);
  version.pieces = 0;
  for (const GraphStep& step : version.steps) version.pieces += piecesOf(step, graph.device);
  if (version.native) version.pieces = version.native->nodes();
  return hipSuccess;
}

void Session::makeNative(GraphVersion& version) {
  version.tried = true;
  Meter::Share room = meter_.take(Quota::kCodeBytes, NativeGraph::bytesFor(version.steps));
  if (room) version.native = NativeGraph::make(backend_, version.steps);
  if (version.native) version.native->room = std::move(room);
}

void Session::onGraphLaunch(const wire::GraphLaunch& m) {
  const StreamPtr s = stream(m.stream);
  const std::shared_ptr<Graph> g = graph(m.graph);
  if (!s || !g) return;
  const hipError_t error = prepare(*g);
  submit<wire::Opcode::kGraphLaunch>(
      s, m, error,
      [this, version = g->current](const StreamPtr& on, const wire::GraphLaunch&) {
        if (version->native) return version->native->launch(on->native);
        hipError_t given = hipSuccess;
        for (const GraphStep& step : version->steps)
          if (given == hipSuccess) given = give(step, on);
        return given;
      },
      error == hipSuccess ? g->current->pieces : 1);
  s->lastWriter = s->sent;
  if (g->prints) reporter_.mayPrint();
  if (hostMemory_.any()) exchange_.start();
}

hipError_t Session::give(const GraphStep& step, const StreamPtr& s) {
  if (const auto* copy = std::get_if<wire::DeviceCopy>(&step.work)) return giveCopy(backend_.hip, *copy, s->native);
  if (const auto* fill = std::get_if<wire::FillMemory>(&step.work)) return giveFill(backend_.hip, *fill, s->native);
  if (const auto* words = std::get_if<wire::WordSteps>(&step.work)) return giveWords(backend_.hip, *words, s->native);
  if (const auto* arrays = std::get_if<GraphStep::ArrayCopy>(&step.work))
    return backend_.hip.hipMemcpy3DAsync(&(*arrays)->params, s->native);
  const auto* kernel = std::get_if<GraphStep::Launch>(&step.work);
  if (!kernel) return hipSuccess;
  if (step.device == s->device) return launch(kernel->message->get(), s, *kernel->function, nullptr, nullptr);
  // A kernel of another device runs there; what comes before and after it waits.
  const StreamPtr& other = nullStreams_[static_cast<std::size_t>(step.device)];
  hipError_t error = follow(other, s);
  if (error == hipSuccess) error = launch(kernel->message->get(), other, *kernel->function, nullptr, nullptr);
  if (error == hipSuccess) error = follow(s, other);
  backend_.use(s->device);
  return error;
}

hipError_t Session::follow(const StreamPtr& later, const StreamPtr& earlier) {
  hipError_t error = hipSuccess;
  backend_.use(earlier->device);
  const hipEvent_t event = order_.events(earlier->device).record(earlier->native, &error);
  if (!event) return error;
  backend_.use(later->device);
  error = backend_.hip.hipStreamWaitEvent(later->native, event, 0);
  order_.events(earlier->device).give(event);
  return error;
}

}  // namespace hipr::worker

// RemoteCore: graphs. Its parts that the worker can do alone (graph_parts.h) travel when a graph is made, and when it
// is changed, what has changed; a launch is one short message for each of them. Steps between two parts are submitted
// at each launch, like any other operation of that stream. Nothing here waits for an answer.
#include <algorithm>
#include <map>

#include "client/graph_parts.h"
#include "client/remote_core.h"
#include "client/work.h"

namespace hipr::client {
using wire::Opcode;

namespace {

using Place = PartInput::Place;

struct GraphObject : CoreObject {
  struct Part : GraphPart {
    std::uint64_t id = 0;  // on the worker; 0: its step is done from here
    bool waits = false;    // for words of memory
  };
  std::vector<Part> parts;
  std::vector<Place> places;  // of the steps, when the parts were made
};

GraphObject& remote(const GraphExec& exec) {
  return static_cast<GraphObject&>(*exec.impl);
}

Place placeOf(Session& s, const GraphStep& step) {
  if (!step.work) return Place::kAnywhere;
  const bool there = std::visit(
      [&]<class Work>(const Work& work) {
        if constexpr (std::is_same_v<Work, Launch>) return true;
        if constexpr (std::is_same_v<Work, Copy>) return isThere(s, work.to) && isThere(s, work.from);
        if constexpr (std::is_same_v<Work, Fill>) return isThere(s, work);
        if constexpr (std::is_same_v<Work, WordSteps>) return isThere(work);
        return false;
      },
      *step.work);
  return there ? Place::kThere : Place::kHere;
}

// A step that stays on the worker, with the bytes its message refers to.
class EncodedStep {
 public:
  EncodedStep(Session& s, const GraphStep& step) : device_(step.device) {
    if (!step.work) return;
    if (const auto* launch = std::get_if<Launch>(&*step.work)) {
      introduce(s, *launch->function);
      wire::LaunchKernel message = launchMessage(*launch);
      std::vector<std::byte> arguments(launch->arguments.begin(), launch->arguments.end());
      if (s.host().needsScan()) s.host().scanArguments(arguments);
      message.arguments = arguments;
      encode(Opcode::kLaunchKernel, message);
    } else if (const auto* copy = std::get_if<Copy>(&*step.work)) {
      if (namesArray(*copy)) {
        encode(Opcode::kArrayCopy, arrayCopyMessage(s, *copy));
      } else {
        encode(Opcode::kDeviceCopy, copyMessage(s, *copy));
      }
    } else if (const auto* fill = std::get_if<Fill>(&*step.work)) {
      encode(Opcode::kFillMemory, fillMessage(s, *fill));
    } else if (const auto* words = std::get_if<WordSteps>(&*step.work)) {
      encode(Opcode::kWordSteps, wordMessage(*words));
    }
  }
  wire::GraphStep message(std::vector<std::uint32_t> after) const {
    return {.opcode = opcode_, .device = device_, .after = std::move(after), .work = bytes_};
  }

 private:
  template <class Message>
  void encode(Opcode opcode, const Message& message) {
    opcode_ = static_cast<std::uint16_t>(opcode);
    wire::Writer(bytes_).put(message);
  }

  std::uint16_t opcode_ = 0;
  std::int32_t device_;
  std::vector<std::byte> bytes_;
};

bool waitsForWords(const GraphStep& step) {
  const auto* words = step.work ? std::get_if<WordSteps>(&*step.work) : nullptr;
  return words && waits(*words);
}

// Kernels of the graph may use host memory: its copies then belong on the worker too.
void exposeArguments(Session& s, std::span<const GraphStep> steps) {
  if (!s.host().needsScan()) return;
  for (const GraphStep& step : steps) {
    const auto* launch = step.work ? std::get_if<Launch>(&*step.work) : nullptr;
    if (!launch) continue;
    std::vector<std::byte> arguments(launch->arguments.begin(), launch->arguments.end());
    s.host().scanArguments(arguments);
  }
}

void sendPart(Session& s, const GraphExec& exec, GraphObject::Part& part) {
  part.id = s.newGraph();
  std::map<std::uint32_t, std::uint32_t> numbers;  // of the steps, within the part
  for (const std::uint32_t step : part.steps) numbers.emplace(step, static_cast<std::uint32_t>(numbers.size()));
  std::vector<EncodedStep> encoded;
  encoded.reserve(part.steps.size());
  wire::GraphCreate message{.graph = part.id, .device = exec.device};
  for (const std::uint32_t number : part.steps) {
    const GraphStep& step = exec.steps[number];
    part.waits = part.waits || waitsForWords(step);
    std::vector<std::uint32_t> after;  // what is in an earlier part is done by then
    for (const std::uint32_t before : step.after) {
      if (const auto found = numbers.find(before); found != numbers.end()) after.push_back(found->second);
    }
    std::ranges::sort(after);
    after.erase(std::unique(after.begin(), after.end()), after.end());
    message.steps.push_back(encoded.emplace_back(s, step).message(std::move(after)));
  }
  s.connection().post<Opcode::kGraphCreate>(message);
}

void makeParts(Session& s, const GraphExec& exec, GraphObject& graph) {
  exposeArguments(s, exec.steps);
  std::vector<PartInput> inputs;
  graph.places.clear();
  for (const GraphStep& step : exec.steps) {
    graph.places.push_back(placeOf(s, step));
    inputs.push_back({graph.places.back(), step.after});
  }
  graph.parts.clear();
  for (GraphPart& part : divide(inputs, wire::kMostGraphSteps)) {
    GraphObject::Part& made = graph.parts.emplace_back();
    static_cast<GraphPart&>(made) = std::move(part);
    if (made.there) sendPart(s, exec, made);
  }
}

void dropParts(Session& s, GraphObject& graph) {
  for (const GraphObject::Part& part : graph.parts) {
    if (part.id) s.connection().post<Opcode::kGraphDestroy>({part.id});
  }
  graph.parts.clear();
}

}  // namespace

hipError_t RemoteCore::create(GraphExec& exec) {
  auto graph = std::make_unique<GraphObject>();
  makeParts(session(), exec, *graph);
  exec.impl = std::move(graph);
  return hipSuccess;
}

hipError_t RemoteCore::update(GraphExec& exec, std::span<const std::uint32_t> steps) {
  Session& s = session();
  GraphObject& graph = remote(exec);
  const bool moved = std::ranges::any_of(
      steps, [&](std::uint32_t number) { return placeOf(s, exec.steps[number]) != graph.places[number]; });
  if (moved) {
    dropParts(s, graph);
    makeParts(s, exec, graph);
    return hipSuccess;
  }
  std::vector<std::uint32_t> changed(steps.begin(), steps.end());
  std::ranges::sort(changed);
  for (GraphObject::Part& part : graph.parts) {
    if (!part.id) continue;
    wire::GraphUpdate message{.graph = part.id};
    std::vector<EncodedStep> encoded;
    encoded.reserve(part.steps.size());
    for (std::uint32_t i = 0; i < part.steps.size(); ++i) {
      if (!std::ranges::binary_search(changed, part.steps[i])) continue;
      const GraphStep& step = exec.steps[part.steps[i]];
      part.waits = part.waits || waitsForWords(step);
      message.numbers.push_back(i);
      message.steps.push_back(encoded.emplace_back(s, step).message({}));
    }
    if (!message.numbers.empty()) s.connection().post<Opcode::kGraphUpdate>(message);
  }
  return hipSuccess;
}

hipError_t RemoteCore::destroy(GraphExec& exec) {
  dropParts(session(), remote(exec));
  exec.impl.reset();
  return hipSuccess;
}

hipError_t RemoteCore::perform(const GraphLaunch& launch, Stream& stream, Stage until) {
  Session& s = session();
  RemoteStream& r = client::remote(stream);
  s.host().flush();  // before kernels run, they must be able to see what the program wrote
  for (const GraphObject::Part& part : remote(*launch.exec).parts) {
    if (part.id) {
      s.submit<Opcode::kGraphLaunch>(r, {r.id, part.id}, [&](std::uint64_t position) {
        if (part.waits) s.streams().awaitWord(r, position);
      });
      continue;
    }
    const Operation& work = *launch.exec->steps[part.steps.front()].work;
    hipError_t error = hipSuccess;
    if (const auto* c = std::get_if<Copy>(&work)) {
      error = copy(*c, stream, Stage::kSent, HostAccess::kInOrder);
    } else if (const auto* f = std::get_if<Fill>(&work)) {
      error = fill(*f, stream, Stage::kSent, HostAccess::kInOrder);
    } else {
      error = std::visit([&](const auto& operation) { return perform(operation, stream, Stage::kSent); }, work);
    }
    if (error != hipSuccess) return error;
  }
  if (s.host().anyMirrored()) s.exchangeHostMemory();
  return until == Stage::kVisible ? synchronize(stream) : hipSuccess;
}

}  // namespace hipr::client

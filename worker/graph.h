// Graphs: work that the client has sent once and launches many times.
//
// A step is a message that was kept: what it would do on a stream it does here after the steps it names. Where the
// runtime has graphs a NativeGraph is made of the steps; elsewhere, or when it cannot express one of them, they are
// given to the stream one after the other.
#pragma once

#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include "worker/backend.h"
#include "worker/function.h"
#include "worker/images.h"
#include "worker/kept_message.h"
#include "worker/quotas.h"

namespace hipr::worker {

struct GraphStep {
  struct Launch {
    std::shared_ptr<const KeptMessage<wire::LaunchKernel>> message;
    std::shared_ptr<Function> function;
  };
  using ArrayCopy = std::shared_ptr<const ArrayWork>;
  using Nothing = std::monostate;  // only a place where others meet

  int device = 0;
  std::vector<std::uint32_t> after;  // steps with lower numbers
  std::variant<Nothing, Launch, wire::DeviceCopy, wire::FillMemory, wire::WordSteps, ArrayCopy> work;
  hipError_t broken = hipSuccess;  // it can never be done
};

// A graph of the runtime. Not thread-safe, except that launch() may be called by any thread.
class NativeGraph {
 public:
  // Null when the runtime cannot make it. REQUIRES: what copies and fills name is known to exist.
  static std::unique_ptr<NativeGraph> make(const Backend& backend, const std::vector<GraphStep>& steps);
  static std::uint64_t bytesFor(const std::vector<GraphStep>& steps);  // of memory that it will take, about
  ~NativeGraph();
  Meter::Share room;  // for these

  hipError_t launch(hipStream_t stream) const { return backend_.hip.hipGraphLaunch(exec_, stream); }
  // From the next launch on. False when it cannot, or only in part: then another one has to be made.
  bool change(std::size_t number, const GraphStep& from, const GraphStep& to);
  std::uint64_t nodes() const { return count_; }

 private:
  explicit NativeGraph(const Backend& backend) : backend_(backend) {}
  using Node = hipGraphNode_t;
  using Nodes = std::vector<Node>;
  bool add(const GraphStep& step);
  bool join(Nodes& nodes);  // several: an empty one after them stands for them
  bool addNodes(const GraphStep::Nothing&, const Nodes& after, Nodes& made);
  bool addNodes(const GraphStep::Launch& launch, const Nodes& after, Nodes& made);
  bool addNodes(const wire::DeviceCopy& copy, const Nodes& after, Nodes& made);
  bool addNodes(const wire::FillMemory& fill, const Nodes& after, Nodes& made);
  bool addNodes(const wire::WordSteps& words, const Nodes& after, Nodes& made);
  bool addNodes(const GraphStep::ArrayCopy& copy, const Nodes& after, Nodes& made);
  bool changeNode(Node node, const GraphStep::Nothing&, const GraphStep::Nothing&);
  bool changeNode(Node node, const GraphStep::Launch& from, const GraphStep::Launch& to);
  bool changeNode(Node node, const wire::DeviceCopy& from, const wire::DeviceCopy& to);
  bool changeNode(Node node, const wire::FillMemory& from, const wire::FillMemory& to);
  bool changeNode(Node node, const wire::WordSteps& from, const wire::WordSteps& to);
  bool changeNode(Node node, const GraphStep::ArrayCopy& from, const GraphStep::ArrayCopy& to);

  const Backend& backend_;
  hipGraph_t graph_ = nullptr;
  hipGraphExec_t exec_ = nullptr;
  std::vector<Nodes> nodes_;  // of each step: one, or several that together are the step
  Nodes ends_;                // of each step: the one that others come after
  std::uint64_t count_ = 0;   // of all nodes
};

// A graph as it was between two changes. Launches that wait for their turn keep the one they were made with.
struct GraphVersion {
  std::vector<GraphStep> steps;
  Meter::Share room;                    // for them
  std::uint64_t pieces = 1;             // operations of the runtime that a launch becomes
  bool tried = false;                   // whether the runtime takes it
  std::unique_ptr<NativeGraph> native;  // null: it does not
};

struct Graph {
  explicit Graph(int ofDevice) : device(ofDevice) {}
  const int device;
  std::shared_ptr<GraphVersion> current;
  hipError_t broken = hipSuccess;  // there was no room for what the client has said of it
  bool prints = false;
  std::uint64_t checked = 0;  // what it names existed when this many things had gone; 0: not looked at yet
};

}  // namespace hipr::worker

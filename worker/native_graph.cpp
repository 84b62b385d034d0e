#include <algorithm>

#include "worker/give.h"
#include "worker/graph.h"

namespace hipr::worker {
namespace {

constexpr std::uint64_t kMostPieces = 256;  // of one step; beyond that a stream is as good
constexpr std::uint64_t kNodeBytes = 512, kEdgeBytes = 16;

struct KernelNode {
  explicit KernelNode(const GraphStep::Launch& launch) {
    const wire::LaunchKernel& m = launch.message->get();
    arguments = argumentPointers(launch.function->kernel->metadata, const_cast<std::byte*>(m.arguments.data()));
    arguments.push_back(nullptr);  // a kernel without arguments has a list of them too
    params.func = launch.function->native;
    params.gridDim = {m.groups[0], m.groups[1], m.groups[2]};
    params.blockDim = {m.block[0], m.block[1], m.block[2]};
    params.sharedMemBytes = m.sharedBytes;
    params.kernelParams = arguments.data();
  }
  std::vector<void*> arguments;
  hipKernelNodeParams params{};
};

// A copy as nodes know it: all of it in one line, or one plane of it.
struct Plane {
  std::uint64_t to, from;
  std::size_t toPitch, fromPitch, width, height;
  bool line() const { return height == 1; }
  hipMemcpy3DParms params() const {
    hipMemcpy3DParms p{};
    p.dstPtr = {at(to), toPitch, width, height};
    p.srcPtr = {at(from), fromPitch, width, height};
    p.extent = {width, height, 1};
    p.kind = hipMemcpyDefault;
    return p;
  }
};

// Empty when there would be too many.
std::vector<Plane> planesOf(const wire::DeviceCopy& m) {
  if (contiguous(m.to) && contiguous(sourceOf(m))) return {{m.to.address, m.from, 0, 0, m.to.bytes(), 1}};
  std::vector<Plane> planes;
  for (std::uint64_t z = 0; z < m.to.depth && m.to.depth <= kMostPieces; ++z) {
    planes.push_back({m.to.address + z * m.to.slice, m.from + z * m.fromSlice, std::max(m.to.pitch, m.to.width),
                      std::max(m.fromPitch, m.to.width), m.to.width, m.to.height});
  }
  return planes;
}

hipMemsetParams memset(const wire::FillMemory& m, std::uint64_t address, std::uint64_t width, std::uint64_t height) {
  hipMemsetParams p{};
  p.dst = at(address);
  p.elementSize = m.elementSize;
  p.value = m.elementSize == 1 ? m.value & 0xff : m.elementSize == 2 ? m.value & 0xffff : m.value;
  p.width = width;
  p.height = height;
  p.pitch = std::max(m.to.pitch, m.to.width * m.elementSize);
  return p;
}

// Not every runtime fills several rows with anything but bytes.
std::vector<hipMemsetParams> memsetsOf(const wire::FillMemory& m) {
  if (contiguous(bytesOf(m))) return {memset(m, m.to.address, m.to.width * m.to.height * m.to.depth, 1)};
  const bool byRow = m.elementSize != 1;
  if (m.to.depth > kMostPieces || (byRow && m.to.height > kMostPieces / m.to.depth)) return {};
  std::vector<hipMemsetParams> out;
  for (std::uint64_t z = 0; z < m.to.depth; ++z) {
    const std::uint64_t plane = m.to.address + z * m.to.slice;
    if (!byRow) out.push_back(memset(m, plane, m.to.width, m.to.height));
    for (std::uint64_t y = 0; byRow && y < m.to.height; ++y)
      out.push_back(memset(m, plane + y * m.to.pitch, m.to.width, 1));
  }
  return out;
}

// Words as a node has them; `params` refers to `list`.
struct WordNode {
  explicit WordNode(const wire::WordSteps& m) {
    for (const wire::WordStep& step : m.list)
      list.push_back(inBatch(step.action, step.bytes, at(step.address), step.value));
    params.paramArray = list.data();
    params.count = static_cast<unsigned>(list.size());
  }
  WordNode(const WordNode&) = delete;
  std::vector<hipStreamBatchMemOpParams> list;
  hipBatchMemOpNodeParams params{};
};

std::size_t nodesOf(const GraphStep& step) {
  if (const auto* copy = std::get_if<wire::DeviceCopy>(&step.work)) return planesOf(*copy).size();
  if (const auto* fill = std::get_if<wire::FillMemory>(&step.work)) return memsetsOf(*fill).size();
  return 1;
}

// A node waits for whole words.
bool masked(const wire::WordSteps& m) {
  return std::ranges::any_of(m.list, [](const wire::WordStep& step) {
    const std::uint64_t all = step.bytes == 8 ? ~std::uint64_t{0} : ~std::uint32_t{0};
    return waits(step.action) && (step.mask & all) != all;
  });
}

}  // namespace

std::unique_ptr<NativeGraph> NativeGraph::make(const Backend& backend, const std::vector<GraphStep>& steps) {
  const HipTable& hip = backend.hip;
  if (!hip.hipGraphLaunch) return nullptr;
  std::unique_ptr<NativeGraph> made(new NativeGraph(backend));
  if (hip.hipGraphCreate(&made->graph_, 0) != hipSuccess) return nullptr;
  for (const GraphStep& step : steps)
    if (!made->add(step)) return nullptr;
  if (hip.hipGraphInstantiate(&made->exec_, made->graph_, nullptr, nullptr, 0) != hipSuccess) return nullptr;
  return made;
}

NativeGraph::~NativeGraph() {
  if (exec_) backend_.hip.hipGraphExecDestroy(exec_);
  if (graph_) backend_.hip.hipGraphDestroy(graph_);
}

std::uint64_t NativeGraph::bytesFor(const std::vector<GraphStep>& steps) {
  std::uint64_t bytes = 0;
  for (const GraphStep& step : steps) {
    bytes += (nodesOf(step) + 2) * kNodeBytes + (step.after.size() + 2 * nodesOf(step)) * kEdgeBytes;
    if (const auto* launch = std::get_if<GraphStep::Launch>(&step.work)) bytes += launch->message->bytes();
  }
  return bytes;
}

// A step of several nodes that came after others of several would have as many edges as the product of both.
bool NativeGraph::add(const GraphStep& step) {
  Nodes after, made;
  for (const std::uint32_t before : step.after) after.push_back(ends_[before]);
  backend_.use(step.device);
  if (nodesOf(step) > 1 && !join(after)) return false;
  if (!std::visit([&](const auto& work) { return addNodes(work, after, made); }, step.work) || made.empty())
    return false;
  count_ += made.size();
  nodes_.push_back(made);
  if (!join(made)) return false;
  ends_.push_back(made.front());
  return true;
}

bool NativeGraph::join(Nodes& nodes) {
  if (nodes.size() < 2) return true;
  Node joint = nullptr;
  if (backend_.hip.hipGraphAddEmptyNode(&joint, graph_, nodes.data(), nodes.size()) != hipSuccess) return false;
  nodes = {joint};
  ++count_;
  return true;
}

bool NativeGraph::addNodes(const GraphStep::Nothing&, const Nodes& after, Nodes& made) {
  return backend_.hip.hipGraphAddEmptyNode(&made.emplace_back(), graph_, after.data(), after.size()) == hipSuccess;
}

bool NativeGraph::addNodes(const GraphStep::Launch& launch, const Nodes& after, Nodes& made) {
  const wire::LaunchKernel& m = launch.message->get();
  if (partialGroups(m)) return false;
  const KernelNode kernel(launch);
  Node& node = made.emplace_back();
  if (backend_.hip.hipGraphAddKernelNode(&node, graph_, after.data(), after.size(), &kernel.params) != hipSuccess)
    return false;
  if (!m.cooperative) return true;
  hipLaunchAttributeValue yes{};
  yes.cooperative = 1;
  return backend_.hip.hipGraphKernelNodeSetAttribute(node, hipLaunchAttributeCooperative, &yes) == hipSuccess;
}

bool NativeGraph::addNodes(const wire::DeviceCopy& copy, const Nodes& after, Nodes& made) {
  for (const Plane& plane : planesOf(copy)) {
    Node& node = made.emplace_back();
    const hipMemcpy3DParms params = plane.params();
    const hipError_t error =
        plane.line() ? backend_.hip.hipGraphAddMemcpyNode1D(&node, graph_, after.data(), after.size(), at(plane.to),
                                                            at(plane.from), plane.width, hipMemcpyDefault)
                     : backend_.hip.hipGraphAddMemcpyNode(&node, graph_, after.data(), after.size(), &params);
    if (error != hipSuccess) return false;
  }
  return true;
}

bool NativeGraph::addNodes(const wire::FillMemory& fill, const Nodes& after, Nodes& made) {
  for (const hipMemsetParams& params : memsetsOf(fill)) {
    Node& node = made.emplace_back();
    if (backend_.hip.hipGraphAddMemsetNode(&node, graph_, after.data(), after.size(), &params) != hipSuccess)
      return false;
  }
  return true;
}

bool NativeGraph::addNodes(const wire::WordSteps& words, const Nodes& after, Nodes& made) {
  const WordNode node(words);
  return !masked(words) && backend_.hip.hipGraphAddBatchMemOpNode(&made.emplace_back(), graph_, after.data(),
                                                                  after.size(), &node.params) == hipSuccess;
}

bool NativeGraph::addNodes(const GraphStep::ArrayCopy& copy, const Nodes& after, Nodes& made) {
  return backend_.hip.hipGraphAddMemcpyNode(&made.emplace_back(), graph_, after.data(), after.size(), &copy->params) ==
         hipSuccess;
}

bool NativeGraph::change(std::size_t number, const GraphStep& from, const GraphStep& to) {
  if (from.device != to.device || nodes_[number].size() != 1) return false;
  backend_.use(to.device);
  return std::visit(
      [&]<class Was>(const Was& was) {
        const Was* is = std::get_if<Was>(&to.work);
        return is && changeNode(nodes_[number].front(), was, *is);
      },
      from.work);
}

bool NativeGraph::changeNode(Node, const GraphStep::Nothing&, const GraphStep::Nothing&) {
  return true;
}

bool NativeGraph::changeNode(Node node, const GraphStep::Launch& from, const GraphStep::Launch& to) {
  const wire::LaunchKernel& m = to.message->get();
  if (partialGroups(m) || m.cooperative != from.message->get().cooperative) return false;
  const KernelNode kernel(to);
  return backend_.hip.hipGraphExecKernelNodeSetParams(exec_, node, &kernel.params) == hipSuccess;
}

bool NativeGraph::changeNode(Node node, const wire::DeviceCopy& from, const wire::DeviceCopy& to) {
  const std::vector<Plane> was = planesOf(from), is = planesOf(to);
  if (is.size() != 1 || is[0].line() != was[0].line()) return false;
  hipMemcpy3DParms params = is[0].params();
  const hipError_t error = is[0].line() ? backend_.hip.hipGraphExecMemcpyNodeSetParams1D(
                                              exec_, node, at(is[0].to), at(is[0].from), is[0].width, hipMemcpyDefault)
                                        : backend_.hip.hipGraphExecMemcpyNodeSetParams(exec_, node, &params);
  return error == hipSuccess;
}

bool NativeGraph::changeNode(Node node, const wire::FillMemory&, const wire::FillMemory& to) {
  const std::vector<hipMemsetParams> is = memsetsOf(to);
  return is.size() == 1 && backend_.hip.hipGraphExecMemsetNodeSetParams(exec_, node, &is[0]) == hipSuccess;
}

bool NativeGraph::changeNode(Node node, const wire::WordSteps&, const wire::WordSteps& to) {
  const WordNode changed(to);
  return !masked(to) && backend_.hip.hipGraphExecBatchMemOpNodeSetParams(exec_, node, &changed.params) == hipSuccess;
}

bool NativeGraph::changeNode(Node node, const GraphStep::ArrayCopy&, const GraphStep::ArrayCopy& to) {
  hipMemcpy3DParms params = to->params;
  return backend_.hip.hipGraphExecMemcpyNodeSetParams(exec_, node, &params) == hipSuccess;
}

}  // namespace hipr::worker

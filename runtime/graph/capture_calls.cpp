// The calls about stream capture.
#include <algorithm>

#include "runtime/api.h"
#include "runtime/graph/graph.h"
#include "runtime/stream.h"

namespace hipr::api {

namespace {

bool known(hipStreamCaptureMode mode) {
  return mode >= hipStreamCaptureModeGlobal && mode <= hipStreamCaptureModeRelaxed;
}

// The null stream of old cannot be captured, but the thread's own one, which _spt calls mean by null, can.
hipError_t beginCapture(hipStream_t handle, hipStreamCaptureMode mode, Graph* into,
                        const std::vector<GraphNode*>& after) {
  Process* p;
  Stream* s;
  HIPR_TRY(process(p));
  HIPR_TRY(findStream(*p, handle, s));
  if (s->kind == Stream::Kind::kNull) return hipErrorStreamCaptureUnsupported;
  if (!known(mode)) return hipErrorInvalidValue;
  return p->captures.begin(*p, *s, mode, into, after);
}

hipError_t findNodes(Process& p, const Graph& graph, const hipGraphNode_t* handles, std::size_t count,
                     std::vector<GraphNode*>& out) {
  if (handles == nullptr && count != 0) return hipErrorInvalidValue;
  for (std::size_t i = 0; i < count; ++i) {
    GraphNode* node = p.graphNodes.find(handles[i]);
    if (node == nullptr || node->graph != &graph) return hipErrorInvalidValue;
    out.push_back(node);
  }
  return hipSuccess;
}

hipError_t statusOf(hipStream_t handle, Process*& p, Stream*& stream, hipStreamCaptureStatus* status) {
  HIPR_TRY(process(p));
  if (status == nullptr) return hipErrorInvalidValue;
  HIPR_TRY(findStream(*p, handle, stream));
  if (stream->kind == Stream::Kind::kNull && p->captures.blocksNullStream()) return hipErrorStreamCaptureImplicit;
  *status = p->captures.look(*stream, [](const Capture* capture) {
    if (capture == nullptr) return hipStreamCaptureStatusNone;
    return capture->invalidated ? hipStreamCaptureStatusInvalidated : hipStreamCaptureStatusActive;
  });
  return hipSuccess;
}

}  // namespace

hipError_t hipStreamBeginCapture(hipStream_t stream, hipStreamCaptureMode mode) {
  return beginCapture(stream, mode, nullptr, {});
}

hipError_t hipStreamBeginCaptureToGraph(hipStream_t stream, hipGraph_t graph, const hipGraphNode_t* dependencies,
                                        const hipGraphEdgeData* dependencyData, size_t numDependencies,
                                        hipStreamCaptureMode mode) {
  Process* p;
  Graph* g;
  HIPR_TRY(process(p));
  if (dependencyData != nullptr) return hipErrorNotSupported;
  if (graph == nullptr || (dependencies == nullptr) != (numDependencies == 0)) return hipErrorInvalidValue;
  HIPR_TRY(findGraph(graph, p, g));
  std::vector<GraphNode*> after;
  HIPR_TRY(findNodes(*p, *g, dependencies, numDependencies, after));
  return beginCapture(stream, mode, g, after);
}

hipError_t hipStreamEndCapture(hipStream_t stream, hipGraph_t* pGraph) {
  Process* p;
  Stream* s;
  HIPR_TRY(process(p));
  if (pGraph == nullptr) return hipErrorInvalidValue;
  *pGraph = nullptr;
  HIPR_TRY(findStream(*p, stream, s));
  Graph* graph;
  HIPR_TRY(p->captures.end(*p, *s, graph));
  *pGraph = handleOf(graph);
  return hipSuccess;
}

hipError_t hipStreamIsCapturing(hipStream_t stream, hipStreamCaptureStatus* pCaptureStatus) {
  Process* p;
  Stream* s;
  return statusOf(stream, p, s, pCaptureStatus);
}

hipError_t hipStreamGetCaptureInfo(hipStream_t stream, hipStreamCaptureStatus* pCaptureStatus,
                                   unsigned long long* pId) {
  return api::hipStreamGetCaptureInfo_v2(stream, pCaptureStatus, pId, nullptr, nullptr, nullptr);
}

hipError_t hipStreamGetCaptureInfo_v2(hipStream_t stream, hipStreamCaptureStatus* captureStatus_out,
                                      unsigned long long* id_out, hipGraph_t* graph_out,
                                      const hipGraphNode_t** dependencies_out, size_t* numDependencies_out) {
  Process* p;
  Stream* s;
  HIPR_TRY(statusOf(stream, p, s, captureStatus_out));
  if (*captureStatus_out != hipStreamCaptureStatusActive) return hipSuccess;
  p->captures.look(*s, [&](Capture* capture) {
    if (capture == nullptr) return;  // it ended a moment ago
    static_assert(sizeof(GraphNode*) == sizeof(hipGraphNode_t));
    const std::vector<GraphNode*>& frontier = capture->frontiers.at(s);
    if (id_out != nullptr) *id_out = capture->id;
    if (graph_out != nullptr) *graph_out = handleOf(capture->graph);
    // Valid until the next work on the stream, as in HIP.
    if (dependencies_out != nullptr) *dependencies_out = reinterpret_cast<const hipGraphNode_t*>(frontier.data());
    if (numDependencies_out != nullptr) *numDependencies_out = frontier.size();
  });
  return hipSuccess;
}

hipError_t hipStreamUpdateCaptureDependencies(hipStream_t stream, hipGraphNode_t* dependencies, size_t numDependencies,
                                              unsigned int flags) {
  Process* p;
  Stream* s;
  HIPR_TRY(process(p));
  HIPR_TRY(findStream(*p, stream, s));
  return p->captures.look(*s, [&](Capture* capture) -> hipError_t {
    if (capture == nullptr) return hipErrorIllegalState;
    if (flags != hipStreamAddCaptureDependencies && flags != hipStreamSetCaptureDependencies)
      return hipErrorInvalidValue;
    std::vector<GraphNode*> nodes;
    HIPR_TRY(findNodes(*p, *capture->graph, dependencies, numDependencies, nodes));
    std::vector<GraphNode*>& frontier = capture->frontiers.at(s);
    if (flags == hipStreamSetCaptureDependencies) {
      capture->letGo.insert(frontier.begin(), frontier.end());
      frontier.clear();
    }
    for (GraphNode* node : nodes)
      if (std::find(frontier.begin(), frontier.end(), node) == frontier.end()) frontier.push_back(node);
    return hipSuccess;
  });
}

hipError_t hipThreadExchangeStreamCaptureMode(hipStreamCaptureMode* mode) {
  if (mode == nullptr || !known(*mode)) return hipErrorInvalidValue;
  std::swap(*mode, threadState().captureMode);
  return hipSuccess;
}

}  // namespace hipr::api

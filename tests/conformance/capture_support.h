// Beginning and ending a capture, and asking what it is.
#pragma once
#include "graph_support.h"

inline void begin(hipStream_t s, hipStreamCaptureMode mode = hipStreamCaptureModeGlobal) {
  HIP(hipStreamBeginCapture(s, mode));
}
inline hipGraph_t end(hipStream_t s) {
  hipGraph_t graph = nullptr;
  HIP(hipStreamEndCapture(s, &graph));
  return graph;
}
inline hipStreamCaptureStatus statusOf(hipStream_t s) {
  hipStreamCaptureStatus status = hipStreamCaptureStatusNone;
  HIP(hipStreamIsCapturing(s, &status));
  return status;
}

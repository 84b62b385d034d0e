// hipMemcpy3DBatchAsync: several copies of boxes in one call, in the order of the stream.
#include <cstdint>

#include "base/overflow.h"
#include "runtime/api.h"
#include "runtime/memcpy.h"
#include "runtime/stream.h"

namespace hipr::api {

namespace {

// Rows and layers of memory are counted in bytes and rows; 0 means that they follow each other without gaps.
hipError_t sideOf(const hipMemcpy3DOperand& operand, const hipExtent& extent, CopySide& out) {
  const auto& memory = operand.op.ptr;
  const std::size_t row = memory.rowLength != 0 ? memory.rowLength : extent.width;
  const std::size_t rows = memory.layerHeight != 0 ? memory.layerHeight : extent.height;
  std::size_t layer = 0;
  if (memory.ptr == nullptr || row < extent.width || rows < extent.height || mulOverflows(row, rows, &layer))
    return hipErrorInvalidValue;
  out = {memory.ptr, row, layer};
  return hipSuccess;
}

hipError_t requestOf(const hipMemcpy3DBatchOp& op, CopyRequest& out) {
  if (op.srcAccessOrder < hipMemcpySrcAccessOrderStream || op.srcAccessOrder > hipMemcpySrcAccessOrderAny ||
      op.flags > hipMemcpyFlagPreferOverlapWithCompute)
    return hipErrorInvalidValue;
  if (op.extent.width == 0 || op.extent.height == 0 || op.extent.depth == 0) return hipErrorInvalidValue;
  // Without image instructions there are no arrays that a copy could name.
  if (op.src.type != hipMemcpyOperandTypePointer || op.dst.type != hipMemcpyOperandTypePointer)
    return hipErrorInvalidValue;
  HIPR_TRY(sideOf(op.src, op.extent, out.from));
  HIPR_TRY(sideOf(op.dst, op.extent, out.to));
  out.width = op.extent.width;
  out.height = op.extent.height;
  out.depth = op.extent.depth;
  out.kind = hipMemcpyDefault;
  return hipSuccess;
}

}  // namespace

// Where memory is and who else reads it are hints; when the source is read is what HIP's asynchronous copies promise.
hipError_t hipMemcpy3DBatchAsync(size_t numOps, hipMemcpy3DBatchOp* opList, size_t* failIdx, unsigned long long flags,
                                 hipStream_t stream) {
  Process* p;
  Stream* s;
  if (failIdx != nullptr) *failIdx = SIZE_MAX;
  if (numOps == 0 || opList == nullptr || flags != 0) return hipErrorInvalidValue;
  HIPR_TRY(streamForBatch(stream, p, s));
  for (std::size_t i = 0; i < numOps; ++i) {
    CopyRequest request;
    hipError_t error = requestOf(opList[i], request);
    if (error == hipSuccess) error = copyMemory(*p, *s, request, Stage::kSent);
    if (error == hipSuccess) continue;
    if (failIdx != nullptr) *failIdx = i;
    return error;
  }
  return hipSuccess;
}

}  // namespace hipr::api

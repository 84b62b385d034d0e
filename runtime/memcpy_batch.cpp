// hipMemcpy3DBatchAsync: several copies of boxes in one call, in the order of the stream.
#include <cstdint>

#include "base/overflow.h"
#include "runtime/api.h"
#include "runtime/memcpy.h"
#include "runtime/stream.h"

namespace hipr::api {

namespace {

// Rows and layers of memory are counted in bytes and rows; 0 means that they follow each other without gaps.
hipError_t memorySide(const hipMemcpy3DOperand& operand, const hipExtent& extent, CopySide& out) {
  if (out.array != nullptr) return hipSuccess;
  const auto& memory = operand.op.ptr;
  const std::size_t row = memory.rowLength != 0 ? memory.rowLength : extent.width;
  const std::size_t rows = memory.layerHeight != 0 ? memory.layerHeight : extent.height;
  std::size_t layer = 0;
  if (memory.ptr == nullptr || row < extent.width || rows < extent.height || mulOverflows(row, rows, &layer))
    return hipErrorInvalidValue;
  out = {memory.ptr, row, layer};
  return hipSuccess;
}

// An array's offset counts texels. No side yet where the operand is memory.
hipError_t arraySideOf(const hipMemcpy3DOperand& operand, CopySide& out) {
  if (operand.type == hipMemcpyOperandTypePointer) return hipSuccess;
  if (operand.type != hipMemcpyOperandTypeArray) return hipErrorInvalidValue;
  const hipOffset3D& offset = operand.op.array.offset;
  HIPR_TRY(arraySide(operand.op.array.array, 0, offset.y, offset.z, out));
  return mulOverflows(offset.x, out.array->texelBytes, &out.x) ? hipErrorInvalidValue : hipSuccess;
}

hipError_t requestOf(const hipMemcpy3DBatchOp& op, CopyRequest& out) {
  if (op.srcAccessOrder < hipMemcpySrcAccessOrderStream || op.srcAccessOrder > hipMemcpySrcAccessOrderAny ||
      op.flags > hipMemcpyFlagPreferOverlapWithCompute)
    return hipErrorInvalidValue;
  hipExtent extent = op.extent;
  if (extent.width == 0 || extent.height == 0 || extent.depth == 0) return hipErrorInvalidValue;
  HIPR_TRY(arraySideOf(op.src, out.from));
  HIPR_TRY(arraySideOf(op.dst, out.to));
  // Where an array takes part, the width counts its texels.
  if (const Array* const array = out.to.array != nullptr ? out.to.array : out.from.array; array != nullptr)
    if (mulOverflows(extent.width, array->texelBytes, &extent.width)) return hipErrorInvalidValue;
  HIPR_TRY(memorySide(op.src, extent, out.from));
  HIPR_TRY(memorySide(op.dst, extent, out.to));
  out.width = extent.width;
  out.height = extent.height;
  out.depth = extent.depth;
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

// Copies of two and three dimensions, in the runtime's and the driver's shapes.
#include "base/overflow.h"
#include "runtime/api.h"
#include "runtime/image.h"
#include "runtime/memcpy.h"

namespace hipr {

namespace {

bool nothing(const hipExtent& extent) {
  return extent.width == 0 || extent.height == 0 || extent.depth == 0;
}

hipError_t copy2D(void* dst, std::size_t dpitch, const void* src, std::size_t spitch, std::size_t width,
                  std::size_t height, hipMemcpyKind kind, hipStream_t stream, Stage asked) {
  if (!knownKind(kind)) return hipErrorInvalidMemcpyDirection;
  if (width != 0 && height != 0 && (dpitch < width || spitch < width)) return hipErrorInvalidPitchValue;
  const CopyRequest request{
      .to = {dst, dpitch, 0}, .from = {src, spitch, 0}, .width = width, .height = height, .kind = kind};
  return copyMemory(stream, request, asked);
}

// The start of a box at `position` inside a pitched memory, and its strides. hipErrorInvalidValue when the box sticks
// out of a row or of a slice.
hipError_t boxSide(const hipPitchedPtr& memory, const hipPos& position, const hipExtent& extent, CopySide& out) {
  std::size_t right = 0, slice = 0, start = 0, rows = 0, deep = 0;
  if (memory.ptr == nullptr) return hipErrorInvalidValue;
  if (addOverflows(position.x, extent.width, &right) || right > memory.pitch) return hipErrorInvalidValue;
  if (extent.depth > 1 || position.z > 0) {
    if (position.y > memory.ysize || extent.height > memory.ysize - position.y) return hipErrorInvalidValue;
  }
  if (mulOverflows(memory.pitch, memory.ysize, &slice) || mulOverflows(position.z, slice, &deep) ||
      mulOverflows(position.y, memory.pitch, &rows) || addOverflows(deep, rows, &start) ||
      addOverflows(start, position.x, &start))
    return hipErrorInvalidValue;
  out = {static_cast<std::byte*>(memory.ptr) + start, memory.pitch, slice, memory.ptr};
  return hipSuccess;
}

// For the driver, and in copies from and to arrays, a pitch or height of 0 means tightly packed.
hipPitchedPtr packed(hipPitchedPtr memory, const hipPos& position, const hipExtent& extent) {
  if (memory.pitch == 0) memory.pitch = position.x + extent.width;
  if (memory.ysize == 0) memory.ysize = position.y + extent.height;
  return memory;
}

// An array's position counts texels.
hipError_t texelSide(const void* array, const hipPos& position, CopySide& out) {
  HIPR_TRY(arraySide(array, 0, position.y, position.z, out));
  return mulOverflows(position.x, out.array->texelBytes, &out.x) ? hipErrorInvalidValue : hipSuccess;
}

hipError_t checkBox(const hipMemcpy3DParms& c) {
  if ((c.dstArray != nullptr) == (c.dstPtr.ptr != nullptr) || (c.srcArray != nullptr) == (c.srcPtr.ptr != nullptr))
    return hipErrorInvalidValue;
  if (c.dstArray != nullptr || c.srcArray != nullptr) HIPR_TRY(withImages());
  if (c.dstPtr.pitch < c.dstPtr.xsize || c.srcPtr.pitch < c.srcPtr.xsize) return hipErrorInvalidPitchValue;
  return knownKind(c.kind) ? hipSuccess : hipErrorInvalidMemcpyDirection;
}

hipError_t copyBox(const hipMemcpy3DParms& c, hipStream_t stream, Stage asked) {
  Process* p;
  Stream* s;
  HIPR_TRY(streamForWork(stream, p, s));
  if (asked != Stage::kSent) HIPR_TRY(p->captures.blockingCallAllowed());
  HIPR_TRY(checkBox(c));
  if (nothing(c.extent)) return hipSuccess;
  CopyRequest request;
  HIPR_TRY(boxRequest(c, request));
  return copyMemory(*p, *s, request, asked);
}

hipError_t copyPeerBox(const hipMemcpy3DPeerParms* c, hipStream_t stream, Stage asked) {
  Process* p;
  Device* device;
  HIPR_TRY(process(p));
  if (c == nullptr) return hipErrorInvalidValue;
  HIPR_TRY(findDevice(*p, c->srcDevice, device));
  HIPR_TRY(findDevice(*p, c->dstDevice, device));
  const hipMemcpy3DParms box{.srcArray = c->srcArray,
                             .srcPos = c->srcPos,
                             .srcPtr = c->srcPtr,
                             .dstArray = c->dstArray,
                             .dstPos = c->dstPos,
                             .dstPtr = c->dstPtr,
                             .extent = c->extent,
                             .kind = hipMemcpyDefault};
  return copyBox(box, stream, asked);
}

// One side of the driver's descriptions.
hipError_t driverSide(hipMemoryType type, const void* host, hipDeviceptr_t device, const void* array, std::size_t pitch,
                      std::size_t height, const hipPos& position, const hipExtent& extent, CopySide& out) {
  const void* base = nullptr;
  switch (type) {
    case hipMemoryTypeHost:
      base = host;
      break;
    case hipMemoryTypeDevice:
    case hipMemoryTypeUnified:
    case hipMemoryTypeManaged:
      base = device;
      break;
    case hipMemoryTypeArray:
      if (array == nullptr) return hipErrorInvalidValue;
      HIPR_TRY(withImages());
      return arraySide(array, position.x, position.y, position.z, out);
    default:
      return hipErrorInvalidValue;
  }
  return boxSide(packed({const_cast<void*>(base), pitch, pitch, height}, position, extent), position, extent, out);
}

hipError_t copyDriver(const HIP_MEMCPY3D* c, hipStream_t stream, Stage asked) {
  Process* p;
  Stream* s;
  HIPR_TRY(streamForWork(stream, p, s));
  if (asked != Stage::kSent) HIPR_TRY(p->captures.blockingCallAllowed());
  if (c == nullptr || c->srcLOD != 0 || c->dstLOD != 0) return hipErrorInvalidValue;
  if (nothing({c->WidthInBytes, c->Height, c->Depth})) return hipSuccess;
  CopyRequest request;
  HIPR_TRY(driverRequest(*c, request));
  return copyMemory(*p, *s, request, asked);
}

hipError_t copyDriver2D(const hip_Memcpy2D* c, hipStream_t stream, Stage asked) {
  Process* p;
  HIPR_TRY(process(p));
  if (c == nullptr) return hipErrorInvalidValue;
  HIP_MEMCPY3D as3D{};
  as3D.srcXInBytes = c->srcXInBytes;
  as3D.srcY = c->srcY;
  as3D.srcMemoryType = c->srcMemoryType;
  as3D.srcHost = c->srcHost;
  as3D.srcDevice = c->srcDevice;
  as3D.srcArray = c->srcArray;
  as3D.srcPitch = c->srcPitch;
  as3D.dstXInBytes = c->dstXInBytes;
  as3D.dstY = c->dstY;
  as3D.dstMemoryType = c->dstMemoryType;
  as3D.dstHost = c->dstHost;
  as3D.dstDevice = c->dstDevice;
  as3D.dstArray = c->dstArray;
  as3D.dstPitch = c->dstPitch;
  as3D.WidthInBytes = c->WidthInBytes;
  as3D.Height = c->Height;
  as3D.Depth = 1;
  return copyDriver(&as3D, stream, asked);
}

}  // namespace

hipError_t boxRequest(const hipMemcpy3DParms& c, CopyRequest& out) {
  HIPR_TRY(checkBox(c));
  hipExtent extent = c.extent;
  out = {};
  if (c.dstArray != nullptr) HIPR_TRY(texelSide(c.dstArray, c.dstPos, out.to));
  if (c.srcArray != nullptr) HIPR_TRY(texelSide(c.srcArray, c.srcPos, out.from));
  if (out.to.array != nullptr && out.from.array != nullptr && out.to.array->texelBytes != out.from.array->texelBytes)
    return hipErrorInvalidValue;
  // Where an array takes part, the width counts its texels.
  const Array* const array = out.to.array != nullptr ? out.to.array : out.from.array;
  if (array != nullptr && mulOverflows(extent.width, array->texelBytes, &extent.width)) return hipErrorInvalidValue;
  out.width = extent.width;
  out.height = extent.height;
  out.depth = extent.depth;
  out.kind = c.kind;
  if (out.to.array == nullptr)
    HIPR_TRY(boxSide(array ? packed(c.dstPtr, c.dstPos, extent) : c.dstPtr, c.dstPos, extent, out.to));
  if (out.from.array == nullptr)
    HIPR_TRY(boxSide(array ? packed(c.srcPtr, c.srcPos, extent) : c.srcPtr, c.srcPos, extent, out.from));
  return hipSuccess;
}

hipError_t driverRequest(const HIP_MEMCPY3D& c, CopyRequest& out) {
  const hipExtent extent{c.WidthInBytes, c.Height, c.Depth};
  out = {.width = extent.width, .height = extent.height, .depth = extent.depth};
  HIPR_TRY(driverSide(c.dstMemoryType, c.dstHost, c.dstDevice, c.dstArray, c.dstPitch, c.dstHeight,
                      {c.dstXInBytes, c.dstY, c.dstZ}, extent, out.to));
  return driverSide(c.srcMemoryType, c.srcHost, c.srcDevice, c.srcArray, c.srcPitch, c.srcHeight,
                    {c.srcXInBytes, c.srcY, c.srcZ}, extent, out.from);
}

namespace api {

hipError_t hipMemcpy2D(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width, size_t height,
                       hipMemcpyKind kind) {
  return copy2D(dst, dpitch, src, spitch, width, height, kind, nullptr, Stage::kVisible);
}

hipError_t hipMemcpy2DAsync(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width, size_t height,
                            hipMemcpyKind kind, hipStream_t stream) {
  return copy2D(dst, dpitch, src, spitch, width, height, kind, stream, Stage::kSent);
}

hipError_t hipMemcpy3D(const hipMemcpy3DParms* p) {
  if (p == nullptr) return hipErrorInvalidValue;
  return copyBox(*p, nullptr, Stage::kVisible);
}

hipError_t hipMemcpy3DAsync(const hipMemcpy3DParms* p, hipStream_t stream) {
  if (p == nullptr) return hipErrorInvalidValue;
  return copyBox(*p, stream, Stage::kSent);
}

hipError_t hipMemcpy3DPeer(hipMemcpy3DPeerParms* p) {
  return copyPeerBox(p, nullptr, Stage::kVisible);
}

hipError_t hipMemcpy3DPeerAsync(hipMemcpy3DPeerParms* p, hipStream_t stream) {
  return copyPeerBox(p, stream, Stage::kSent);
}

hipError_t hipMemcpyParam2D(const hip_Memcpy2D* pCopy) {
  return copyDriver2D(pCopy, nullptr, Stage::kVisible);
}

hipError_t hipMemcpyParam2DAsync(const hip_Memcpy2D* pCopy, hipStream_t stream) {
  return copyDriver2D(pCopy, stream, Stage::kSent);
}

hipError_t hipDrvMemcpy2DUnaligned(const hip_Memcpy2D* pCopy) {
  return copyDriver2D(pCopy, nullptr, Stage::kVisible);
}

hipError_t hipDrvMemcpy3D(const HIP_MEMCPY3D* pCopy) {
  return copyDriver(pCopy, nullptr, Stage::kVisible);
}

hipError_t hipDrvMemcpy3DAsync(const HIP_MEMCPY3D* pCopy, hipStream_t stream) {
  return copyDriver(pCopy, stream, Stage::kSent);
}

}  // namespace api
}  // namespace hipr

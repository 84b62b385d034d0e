// Copies from and to arrays, in the shapes of their own calls (memcpy_3d.cpp has the general ones).
#include "base/overflow.h"
#include "runtime/api.h"
#include "runtime/image.h"
#include "runtime/memcpy.h"

namespace hipr {

namespace {

bool inside(std::size_t from, std::size_t count, std::size_t all) {
  return from <= all && count <= all - from;
}

// For the driver, layers of one dimension are rows. Here, as for the runtime's calls, they are slices.
void turnLayers(CopyRequest& r) {
  const auto layered = [](const CopySide& side) { return side.array != nullptr && layered1D(*side.array); };
  const auto countsRows = [&](const CopySide& side) { return layered(side) && (r.height > 1 || side.y > 0); };
  if (r.depth != 1 || (!countsRows(r.to) && !countsRows(r.from))) return;
  std::swap(r.height, r.depth);
  for (CopySide* side : {&r.to, &r.from}) {
    if (layered(*side)) std::swap(side->y, side->z);
    if (side->array == nullptr) side->slice = side->pitch;
  }
}

}  // namespace

hipError_t fitArrays(CopyRequest& r) {
  if (r.to.array == nullptr && r.from.array == nullptr) [[likely]]
    return hipSuccess;
  turnLayers(r);
  for (CopySide* side : {&r.from, &r.to}) {
    const Array* const array = side->array;
    if (array == nullptr) continue;
    r.width -= r.width % array->texelBytes;  // a part of a texel does not count
    side->x -= side->x % array->texelBytes;
    if (r.width == 0 || !inside(side->x, r.width, array->rowBytes()) || !inside(side->y, r.height, array->rows()) ||
        !inside(side->z, r.depth, array->slices()))
      return hipErrorInvalidValue;
  }
  return hipSuccess;
}

hipError_t arraySide(const void* handle, std::size_t x, std::size_t y, std::size_t z, CopySide& out) {
  Process* p;
  HIPR_TRY(process(p));
  out = {.array = findArray(*p, handle), .x = x, .y = y, .z = z};
  return out.array != nullptr ? hipSuccess : hipErrorInvalidValue;
}

namespace api {

namespace {

// Copies of two dimensions: first what every such copy checks, then its sides.
hipError_t beginCopy2D(hipMemcpyKind kind, hipStream_t stream) {
  Process* p;
  Stream* s;
  HIPR_TRY(process(p));
  if (!knownKind(kind)) return hipErrorInvalidMemcpyDirection;
  return findStream(*p, stream, s) == hipSuccess ? hipSuccess : hipErrorInvalidValue;
}
hipError_t rows(const void* memory, std::size_t pitch, std::size_t width, CopySide& out) {
  if (memory == nullptr) return hipErrorInvalidValue;
  out = {.address = memory, .pitch = pitch};
  return pitch == 0 || pitch < width ? hipErrorInvalidPitchValue : hipSuccess;
}
hipError_t box(const void* array, std::size_t x, std::size_t y, std::size_t width, std::size_t height, CopySide& out) {
  if (arraySide(array, x, y, 0, out) != hipSuccess) return hipErrorInvalidHandle;
  return inside(x, width, out.array->rowBytes()) && inside(y, height, out.array->rows()) ? hipSuccess
                                                                                         : hipErrorInvalidValue;
}

hipError_t toArray(void* array, std::size_t x, std::size_t y, const void* src, std::size_t pitch, std::size_t width,
                   std::size_t height, hipMemcpyKind kind, hipStream_t stream, Stage asked) {
  CopyRequest request{.width = width, .height = height, .kind = kind};
  HIPR_TRY(beginCopy2D(kind, stream));
  HIPR_TRY(rows(src, pitch, width, request.from));
  HIPR_TRY(box(array, x, y, width, height, request.to));
  return copyMemory(stream, request, asked);
}
hipError_t fromArray(void* dst, std::size_t pitch, const void* array, std::size_t x, std::size_t y, std::size_t width,
                     std::size_t height, hipMemcpyKind kind, hipStream_t stream, Stage asked) {
  CopyRequest request{.width = width, .height = height, .kind = kind};
  HIPR_TRY(beginCopy2D(kind, stream));
  HIPR_TRY(box(array, x, y, width, height, request.from));
  HIPR_TRY(rows(dst, pitch, width, request.to));
  return copyMemory(stream, request, asked);
}

// Bytes that fill rows of an array from a position on, as the calls of the first versions of HIP count them.
hipError_t wholeRows(const void* handle, std::size_t x, std::size_t y, std::size_t count, CopySide& array,
                     CopySide& memory, CopyRequest& request) {
  HIPR_TRY(arraySide(handle, x, y, 0, array));
  request.width = count / array.array->rows();
  request.height = count / array.array->rowBytes();
  memory.pitch = request.width;
  return hipSuccess;
}

// Copies of one dimension: bytes of the first row. They call everything an invalid value.
hipError_t line(CopySide to, CopySide from, std::size_t count, hipStream_t stream, Stage asked) {
  if (!to.named() || !from.named() || count == 0) return hipErrorInvalidValue;
  for (CopySide* side : {&to, &from})
    if (side->array == nullptr) side->pitch = side->slice = count;
  return copyMemory(stream, {.to = to, .from = from, .width = count}, asked);
}
CopySide of(hipArray_t handle, std::size_t offset) {
  CopySide out;
  return arraySide(handle, offset, 0, 0, out) == hipSuccess ? out : CopySide{};
}

}  // namespace

hipError_t hipMemcpy2DToArray(hipArray_t dst, size_t wOffset, size_t hOffset, const void* src, size_t spitch,
                              size_t width, size_t height, hipMemcpyKind kind) {
  return toArray(dst, wOffset, hOffset, src, spitch, width, height, kind, nullptr, Stage::kVisible);
}
hipError_t hipMemcpy2DToArrayAsync(hipArray_t dst, size_t wOffset, size_t hOffset, const void* src, size_t spitch,
                                   size_t width, size_t height, hipMemcpyKind kind, hipStream_t stream) {
  return toArray(dst, wOffset, hOffset, src, spitch, width, height, kind, stream, Stage::kSent);
}
hipError_t hipMemcpy2DFromArray(void* dst, size_t dpitch, hipArray_const_t src, size_t wOffset, size_t hOffset,
                                size_t width, size_t height, hipMemcpyKind kind) {
  return fromArray(dst, dpitch, src, wOffset, hOffset, width, height, kind, nullptr, Stage::kVisible);
}
hipError_t hipMemcpy2DFromArrayAsync(void* dst, size_t dpitch, hipArray_const_t src, size_t wOffset, size_t hOffset,
                                     size_t width, size_t height, hipMemcpyKind kind, hipStream_t stream) {
  return fromArray(dst, dpitch, src, wOffset, hOffset, width, height, kind, stream, Stage::kSent);
}
hipError_t hipMemcpy2DArrayToArray(hipArray_t dst, size_t wOffsetDst, size_t hOffsetDst, hipArray_const_t src,
                                   size_t wOffsetSrc, size_t hOffsetSrc, size_t width, size_t height,
                                   hipMemcpyKind kind) {
  CopyRequest request{.width = width, .height = height, .kind = kind};
  HIPR_TRY(beginCopy2D(kind, nullptr));
  HIPR_TRY(box(src, wOffsetSrc, hOffsetSrc, width, height, request.from));
  HIPR_TRY(box(dst, wOffsetDst, hOffsetDst, width, height, request.to));
  return copyMemory(nullptr, request, Stage::kVisible);
}

hipError_t hipMemcpyToArray(hipArray_t dst, size_t wOffset, size_t hOffset, const void* src, size_t count,
                            hipMemcpyKind kind) {
  CopyRequest request{.from = {.address = src}, .kind = kind};
  HIPR_TRY(wholeRows(dst, wOffset, hOffset, count, request.to, request.from, request));
  return copyMemory(nullptr, request, Stage::kVisible);
}
hipError_t hipMemcpyFromArray(void* dst, hipArray_const_t src, size_t wOffsetSrc, size_t hOffset, size_t count,
                              hipMemcpyKind kind) {
  CopyRequest request{.to = {.address = dst}, .kind = kind};
  HIPR_TRY(wholeRows(src, wOffsetSrc, hOffset, count, request.from, request.to, request));
  return copyMemory(nullptr, request, Stage::kVisible);
}

hipError_t hipMemcpyAtoA(hipArray_t dstArray, size_t dstOffset, hipArray_t srcArray, size_t srcOffset, size_t count) {
  return line(of(dstArray, dstOffset), of(srcArray, srcOffset), count, nullptr, Stage::kVisible);
}
hipError_t hipMemcpyAtoD(hipDeviceptr_t dstDevice, hipArray_t srcArray, size_t srcOffset, size_t count) {
  return line({.address = dstDevice}, of(srcArray, srcOffset), count, nullptr, Stage::kVisible);
}
hipError_t hipMemcpyDtoA(hipArray_t dstArray, size_t dstOffset, hipDeviceptr_t srcDevice, size_t count) {
  return line(of(dstArray, dstOffset), {.address = srcDevice}, count, nullptr, Stage::kVisible);
}
hipError_t hipMemcpyAtoH(void* dst, hipArray_t srcArray, size_t srcOffset, size_t count) {
  return line({.address = dst}, of(srcArray, srcOffset), count, nullptr, Stage::kVisible);
}
hipError_t hipMemcpyHtoA(hipArray_t dstArray, size_t dstOffset, const void* srcHost, size_t count) {
  return line(of(dstArray, dstOffset), {.address = srcHost}, count, nullptr, Stage::kVisible);
}
hipError_t hipMemcpyAtoHAsync(void* dstHost, hipArray_t srcArray, size_t srcOffset, size_t count, hipStream_t stream) {
  return line({.address = dstHost}, of(srcArray, srcOffset), count, stream, Stage::kSent);
}
hipError_t hipMemcpyHtoAAsync(hipArray_t dstArray, size_t dstOffset, const void* srcHost, size_t count,
                              hipStream_t stream) {
  return line(of(dstArray, dstOffset), {.address = srcHost}, count, stream, Stage::kSent);
}

}  // namespace api
}  // namespace hipr

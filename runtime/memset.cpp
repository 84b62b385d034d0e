#include "runtime/memset.h"

#include "base/overflow.h"
#include "runtime/api.h"
#include "runtime/stream.h"
#include "runtime/submit.h"

namespace hipr {

hipError_t makeFill(const Process& p, const FillRequest& r, Fill& out) {
  if (r.address == nullptr || reinterpret_cast<std::uintptr_t>(r.address) % r.elementSize != 0)
    return hipErrorInvalidValue;
  std::size_t row = 0, rows = 0, slices = 0, bytes = 0;
  if (mulOverflows(r.width, r.elementSize, &row) || row > r.pitch || mulOverflows(r.height - 1, r.pitch, &rows) ||
      mulOverflows(r.depth - 1, r.slice, &slices) || addOverflows(rows, slices, &bytes) ||
      addOverflows(bytes, row, &bytes))
    return hipErrorInvalidValue;

  const auto region = p.allocations.find(r.address);
  if (!region) return hipErrorInvalidValue;
  const Allocation& memory = region->allocation;
  const std::size_t offset = region->offsetOf(r.address);
  if (!p.allocations.holds(*region, offset, bytes)) return hipErrorInvalidValue;
  void* base = memory.kind == MemoryKind::kRegistered ? memory.host : memory.devicePointer;
  out = {.address = static_cast<std::byte*>(base) + offset,
         .pitch = r.pitch,
         .slice = r.slice,
         .width = r.width,
         .height = r.height,
         .depth = r.depth,
         .value = r.value,
         .elementSize = r.elementSize,
         .kind = memory.kind,
         .owner = memory.owner,
         .synchronous = memory.synchronous};
  return hipSuccess;
}

namespace api {

namespace {

hipError_t fillMemory(hipStream_t stream, const FillRequest& r, bool async = true) {
  Process* p;
  Stream* s;
  HIPR_TRY(streamForWork(stream, p, s));
  if (!async) HIPR_TRY(p->captures.blockingCallAllowed());
  if (r.width == 0 || r.height == 0 || r.depth == 0) return hipSuccess;
  Fill fill;
  HIPR_TRY(makeFill(*p, r, fill));
  // The null stream of a worker knows nothing of another worker's memory, but that worker's does.
  if (s->kind == Stream::Kind::kNull && fill.kind == MemoryKind::kDevice && !sameCore(*s->owner, *fill.owner))
    HIPR_TRY(nullStream(*p, *fill.owner, s));
  // The host may look at its own memory as soon as a call without "Async" returns.
  const Stage until = fill.kind == MemoryKind::kDevice && !fill.synchronous ? Stage::kDone : Stage::kVisible;
  return submit(*p, *s, fill, async && !fill.synchronous ? Stage::kSent : until);
}

template <class T>
FillRequest line(void* address, T value, std::size_t count) {
  return {.address = address, .value = value, .elementSize = sizeof(T), .pitch = count * sizeof(T), .width = count};
}

// Their width is in bytes, also where the documentation speaks of values; AMD's runtime takes it so.
template <class T>
FillRequest rows(void* address, std::size_t pitch, T value, std::size_t width, std::size_t height) {
  FillRequest r = line(address, value, width / sizeof(T));
  r.pitch = pitch;
  r.height = height;
  return r;
}

hipError_t now(const FillRequest& r) {
  return fillMemory(nullptr, r, false);
}

std::uint8_t lowByte(int value) {
  return static_cast<std::uint8_t>(value);
}

hipError_t box(const hipPitchedPtr& memory, int value, const hipExtent& extent, FillRequest& out) {
  out = rows(memory.ptr, memory.pitch, lowByte(value), extent.width, extent.height);
  out.depth = extent.depth;
  if (extent.width == 0 || extent.height == 0 || extent.depth == 0) return hipSuccess;
  if (extent.depth > 1 && extent.height > memory.ysize) return hipErrorInvalidValue;
  if (extent.width > memory.pitch) return hipErrorInvalidValue;
  return mulOverflows(memory.pitch, memory.ysize, &out.slice) ? hipErrorInvalidValue : hipSuccess;
}

}  // namespace

hipError_t hipMemset(void* dst, int value, size_t sizeBytes) {
  return now(line(dst, lowByte(value), sizeBytes));
}

hipError_t hipMemsetAsync(void* dst, int value, size_t sizeBytes, hipStream_t stream) {
  return fillMemory(stream, line(dst, lowByte(value), sizeBytes));
}

hipError_t hipMemset2D(void* dst, size_t pitch, int value, size_t width, size_t height) {
  return now(rows(dst, pitch, lowByte(value), width, height));
}

hipError_t hipMemset2DAsync(void* dst, size_t pitch, int value, size_t width, size_t height, hipStream_t stream) {
  return fillMemory(stream, rows(dst, pitch, lowByte(value), width, height));
}

hipError_t hipMemset3D(hipPitchedPtr pitchedDevPtr, int value, hipExtent extent) {
  FillRequest r;
  HIPR_TRY(box(pitchedDevPtr, value, extent, r));
  return now(r);
}

hipError_t hipMemset3DAsync(hipPitchedPtr pitchedDevPtr, int value, hipExtent extent, hipStream_t stream) {
  FillRequest r;
  HIPR_TRY(box(pitchedDevPtr, value, extent, r));
  return fillMemory(stream, r);
}

hipError_t hipMemsetD8(hipDeviceptr_t dest, unsigned char value, size_t count) {
  return now(line(dest, value, count));
}

hipError_t hipMemsetD8Async(hipDeviceptr_t dest, unsigned char value, size_t count, hipStream_t stream) {
  return fillMemory(stream, line(dest, value, count));
}

hipError_t hipMemsetD16(hipDeviceptr_t dest, unsigned short value, size_t count) {
  return now(line(dest, value, count));
}

hipError_t hipMemsetD16Async(hipDeviceptr_t dest, unsigned short value, size_t count, hipStream_t stream) {
  return fillMemory(stream, line(dest, value, count));
}

hipError_t hipMemsetD32(hipDeviceptr_t dest, int value, size_t count) {
  return now(line(dest, static_cast<std::uint32_t>(value), count));
}

hipError_t hipMemsetD32Async(hipDeviceptr_t dst, int value, size_t count, hipStream_t stream) {
  return fillMemory(stream, line(dst, static_cast<std::uint32_t>(value), count));
}

hipError_t hipMemsetD2D8(hipDeviceptr_t dst, size_t dstPitch, unsigned char value, size_t width, size_t height) {
  return now(rows(dst, dstPitch, value, width, height));
}

hipError_t hipMemsetD2D8Async(hipDeviceptr_t dst, size_t dstPitch, unsigned char value, size_t width, size_t height,
                              hipStream_t stream) {
  return fillMemory(stream, rows(dst, dstPitch, value, width, height));
}

hipError_t hipMemsetD2D16(hipDeviceptr_t dst, size_t dstPitch, unsigned short value, size_t width, size_t height) {
  return now(rows(dst, dstPitch, value, width, height));
}

hipError_t hipMemsetD2D16Async(hipDeviceptr_t dst, size_t dstPitch, unsigned short value, size_t width, size_t height,
                               hipStream_t stream) {
  return fillMemory(stream, rows(dst, dstPitch, value, width, height));
}

hipError_t hipMemsetD2D32(hipDeviceptr_t dst, size_t dstPitch, unsigned int value, size_t width, size_t height) {
  return now(rows(dst, dstPitch, value, width, height));
}

hipError_t hipMemsetD2D32Async(hipDeviceptr_t dst, size_t dstPitch, unsigned int value, size_t width, size_t height,
                               hipStream_t stream) {
  return fillMemory(stream, rows(dst, dstPitch, value, width, height));
}

}  // namespace api
}  // namespace hipr

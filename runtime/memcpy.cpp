// Copies of one dimension, and the rules all copies share.
#include "runtime/memcpy.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "base/overflow.h"
#include "runtime/api.h"
#include "runtime/async_error.h"
#include "runtime/submit.h"

namespace hipr {

namespace {

// Bytes from the first to one past the last touched; false when that is more than there are addresses.
bool reach(const CopyRequest& r, const CopySide& side, std::size_t& bytes) {
  std::size_t rows = 0, slices = 0;
  return !mulOverflows(r.height - 1, side.pitch, &rows) && !mulOverflows(r.depth - 1, side.slice, &slices) &&
         !addOverflows(rows, slices, &bytes) && !addOverflows(bytes, r.width, &bytes);
}

hipError_t resolve(const Process& p, const CopyRequest& r, const CopySide& side, Plane& out) {
  if (side.array != nullptr) {
    out = {.kind = MemoryKind::kDevice,
           .owner = side.array->owner,
           .device = side.array->device,
           .array = side.array,
           .x = side.x,
           .y = side.y,
           .z = side.z};
    return hipSuccess;
  }
  std::size_t bytes = 0;
  if (!reach(r, side, bytes)) return hipErrorInvalidValue;
  out = {.address = const_cast<void*>(side.address), .pitch = side.pitch, .slice = side.slice};
  const void* base = side.base != nullptr ? side.base : side.address;
  const auto region = p.allocations.find(base);
  if (!region) return hipSuccess;  // pageable
  const Allocation& memory = region->allocation;
  const auto inside = static_cast<const std::byte*>(side.address) - static_cast<const std::byte*>(base);
  const std::size_t offset = region->offsetOf(base) + static_cast<std::size_t>(inside);
  if (!p.allocations.holds(*region, offset, bytes)) return hipErrorInvalidValue;
  out.synchronous = memory.synchronous;
  out.kind = memory.kind;
  out.owner = memory.owner;
  out.device = memory.device;
  if (memory.kind == MemoryKind::kRegistered) out.address = static_cast<std::byte*>(memory.host) + offset;
  return hipSuccess;
}

// Neither side is the device's business: the program's own memory, after the work before it. No kind that names a
// device describes that, unless devices reach such memory too.
hipError_t copyPageable(const Process& p, const Copy& copy, hipMemcpyKind kind, Stream& stream) {
  const bool named = kind != hipMemcpyHostToHost && kind != hipMemcpyDefault;
  if (named && !p.devices[0]->info->props.pageableMemoryAccess) return hipErrorInvalidValue;
  HIPR_TRY(synchronize(stream));
  for (std::size_t z = 0; z < copy.depth; ++z)
    for (std::size_t y = 0; y < copy.height; ++y)
      std::memmove(static_cast<std::byte*>(copy.to.address) + z * copy.to.slice + y * copy.to.pitch,
                   static_cast<const std::byte*>(copy.from.address) + z * copy.from.slice + y * copy.from.pitch,
                   copy.width);
  return asyncError(*stream.owner);
}

bool isPinned(const Plane& plane) {
  return plane.kind == MemoryKind::kHost || plane.kind == MemoryKind::kRegistered;
}

// The host may look at pageable memory as soon as any call has returned, and so it is with copies from it to other
// memory of the host; AMD's runtime also lets the CPU copy from pinned memory to pinned memory. A plain copy inside
// device memory is never waited for, and one of slices is not where the program has said what it is; one of rows is.
Stage stageOf(const Copy& copy, hipMemcpyKind kind, Stage asked) {
  const bool toPageable = copy.to.kind == MemoryKind::kPageable, fromPageable = copy.from.kind == MemoryKind::kPageable;
  if (toPageable || (fromPageable && copy.to.kind != MemoryKind::kDevice)) return Stage::kVisible;
  if (isPinned(copy.to) && isPinned(copy.from)) return Stage::kVisible;
  const bool onDevice = copy.from.kind == MemoryKind::kDevice && copy.to.kind == MemoryKind::kDevice;
  const bool plain = copy.depth == 1 ? copy.height == 1 : kind == hipMemcpyDeviceToDevice;
  const bool synchronous = copy.to.synchronous || copy.from.synchronous;
  return asked == Stage::kVisible && onDevice && plain && !synchronous ? Stage::kDone : asked;
}

// A copy on the null stream whose device memory is all of another device: it is ordered with the work of that one. Null
// when it is not like that.
Device* deviceElsewhere(const Stream& stream, const Copy& copy) {
  if (stream.kind != Stream::Kind::kNull) return nullptr;
  Device* other = nullptr;
  for (const Plane* plane : {&copy.to, &copy.from}) {
    if (plane->kind != MemoryKind::kDevice) continue;
    if (plane->owner == stream.owner) return nullptr;
    other = plane->owner;
  }
  return other;
}

}  // namespace

hipError_t makeCopy(const Process& p, const CopyRequest& asked, Copy& out) {
  CopyRequest request = asked;
  HIPR_TRY(fitArrays(request));
  if (!request.to.named() || !request.from.named()) return hipErrorInvalidValue;
  if (!knownKind(request.kind)) return hipErrorInvalidMemcpyDirection;
  out = {.width = request.width, .height = request.height, .depth = request.depth};
  HIPR_TRY(resolve(p, request, request.to, out.to));
  return resolve(p, request, request.from, out.from);
}

hipError_t copyMemory(Process& p, Stream& stream, const CopyRequest& request, Stage asked) {
  if (request.width == 0 || request.height == 0 || request.depth == 0) return hipSuccess;
  Copy copy;
  HIPR_TRY(makeCopy(p, request, copy));
  if (copy.to.synchronous || copy.from.synchronous) asked = Stage::kVisible;
  if (copy.from.kind == MemoryKind::kPageable && copy.to.kind == MemoryKind::kPageable && !stream.capturing)
    return copyPageable(p, copy, request.kind, stream);
  Stream* at = &stream;
  if (Device* elsewhere = deviceElsewhere(stream, copy)) HIPR_TRY(nullStream(p, *elsewhere, at));
  return submit(p, *at, copy, stageOf(copy, request.kind, asked));
}

hipError_t copyMemory(hipStream_t stream, const CopyRequest& request, Stage asked) {
  Process* p;
  Stream* s;
  HIPR_TRY(streamForWork(stream, p, s));
  if (stream == nullptr && asked != Stage::kSent) HIPR_TRY(p->captures.blockingCallAllowed());
  return copyMemory(*p, *s, request, asked);
}

namespace api {

hipError_t hipMemcpy(void* dst, const void* src, size_t sizeBytes, hipMemcpyKind kind) {
  return copyMemory(nullptr, linear(dst, src, sizeBytes, kind), Stage::kVisible);
}

hipError_t hipMemcpyAsync(void* dst, const void* src, size_t sizeBytes, hipMemcpyKind kind, hipStream_t stream) {
  return copyMemory(stream, linear(dst, src, sizeBytes, kind), Stage::kSent);
}

hipError_t hipMemcpyWithStream(void* dst, const void* src, size_t sizeBytes, hipMemcpyKind kind, hipStream_t stream) {
  Process* p;
  Stream* s;
  HIPR_TRY(streamForWork(stream, p, s));
  if (s->capturing) HIPR_TRY(p->captures.streamWaitAllowed(*s));  // its result would be looked at before there is one
  return copyMemory(stream, linear(dst, src, sizeBytes, kind), Stage::kVisible);
}

hipError_t hipMemcpyHtoD(hipDeviceptr_t dst, const void* src, size_t sizeBytes) {
  return api::hipMemcpy(dst, src, sizeBytes, hipMemcpyHostToDevice);
}

hipError_t hipMemcpyDtoH(void* dst, hipDeviceptr_t src, size_t sizeBytes) {
  return api::hipMemcpy(dst, src, sizeBytes, hipMemcpyDeviceToHost);
}

hipError_t hipMemcpyDtoD(hipDeviceptr_t dst, hipDeviceptr_t src, size_t sizeBytes) {
  return api::hipMemcpy(dst, src, sizeBytes, hipMemcpyDeviceToDevice);
}

hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t dst, const void* src, size_t sizeBytes, hipStream_t stream) {
  return api::hipMemcpyAsync(dst, src, sizeBytes, hipMemcpyHostToDevice, stream);
}

hipError_t hipMemcpyDtoHAsync(void* dst, hipDeviceptr_t src, size_t sizeBytes, hipStream_t stream) {
  return api::hipMemcpyAsync(dst, src, sizeBytes, hipMemcpyDeviceToHost, stream);
}

hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t dst, hipDeviceptr_t src, size_t sizeBytes, hipStream_t stream) {
  return api::hipMemcpyAsync(dst, src, sizeBytes, hipMemcpyDeviceToDevice, stream);
}

namespace {

hipError_t copyPeer(void* dst, int dstDevice, const void* src, int srcDevice, std::size_t size, hipStream_t stream,
                    Stage asked) {
  Process* p;
  Device *to, *from;
  HIPR_TRY(process(p));
  HIPR_TRY(findDevice(*p, dstDevice, to));
  HIPR_TRY(findDevice(*p, srcDevice, from));
  return copyMemory(stream, linear(dst, src, size, hipMemcpyDeviceToDevice), asked);
}

}  // namespace

hipError_t hipMemcpyPeer(void* dst, int dstDeviceId, const void* src, int srcDeviceId, size_t sizeBytes) {
  return copyPeer(dst, dstDeviceId, src, srcDeviceId, sizeBytes, nullptr, Stage::kDone);
}

hipError_t hipMemcpyPeerAsync(void* dst, int dstDeviceId, const void* src, int srcDevice, size_t sizeBytes,
                              hipStream_t stream) {
  return copyPeer(dst, dstDeviceId, src, srcDevice, sizeBytes, stream, Stage::kSent);
}

namespace {

// attributes[k] are for the copies from starts[k] on.
bool attributesMakeSense(const hipMemcpyAttributes* attributes, const std::size_t* starts, std::size_t several,
                         std::size_t copies) {
  if (several == 0) return true;
  if (attributes == nullptr || starts == nullptr || several > copies || starts[0] != 0) return false;
  for (std::size_t k = 0; k < several; ++k) {
    if (attributes[k].srcAccessOrder < hipMemcpySrcAccessOrderStream ||
        attributes[k].srcAccessOrder > hipMemcpySrcAccessOrderAny || starts[k] >= copies ||
        (k != 0 && starts[k] <= starts[k - 1]))
      return false;
  }
  return true;
}

}  // namespace

// The attributes are hints about where the memory is and who else reads it; none of them changes what is copied. A size
// of 0 is told by its place; all copies make sense before the first is given to the stream.
hipError_t hipMemcpyBatchAsync(void** dsts, void** srcs, size_t* sizes, size_t count, hipMemcpyAttributes* attrs,
                               size_t* attrsIdxs, size_t numAttrs, size_t* failIdx, hipStream_t stream) {
  Process* p;
  Stream* s;
  HIPR_TRY(streamForBatch(stream, p, s));
  if (dsts == nullptr || srcs == nullptr || sizes == nullptr || count == 0 ||
      !attributesMakeSense(attrs, attrsIdxs, numAttrs, count))
    return hipErrorInvalidValue;
  const std::size_t* const none = std::find(sizes, sizes + count, std::size_t{0});
  if (failIdx != nullptr) *failIdx = none != sizes + count ? static_cast<std::size_t>(none - sizes) : SIZE_MAX;
  if (none != sizes + count) return hipErrorInvalidValue;
  const auto request = [&](std::size_t i) { return linear(dsts[i], srcs[i], sizes[i], hipMemcpyDefault); };
  Copy copy;
  for (std::size_t i = 0; i < count; ++i) HIPR_TRY(makeCopy(*p, request(i), copy));
  for (std::size_t i = 0; i < count; ++i) HIPR_TRY(copyMemory(*p, *s, request(i), Stage::kSent));
  return hipSuccess;
}

}  // namespace api
}  // namespace hipr

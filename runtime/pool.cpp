// Stream-ordered allocation without pools: memory is the caller's at once, and its release waits for the work that uses
// it because core::release never lets memory be reused before that.
#include "runtime/api.h"
#include "runtime/async_error.h"
#include "runtime/memory.h"
#include "runtime/stream.h"

namespace hipr::api {

hipError_t hipMallocAsync(void** dev_ptr, size_t size, hipStream_t stream) {
  Process* p;
  Stream* s;
  HIPR_TRY(process(p));
  if (dev_ptr == nullptr) return hipErrorInvalidValue;
  HIPR_TRY(findStream(*p, stream, s));
  *dev_ptr = nullptr;
  if (size == 0) return hipSuccess;
  return allocateMemory(*p, *p->deviceByIndex[s->device], MemoryKind::kDevice, size, hipDeviceMallocDefault,
                        Region::Origin::kStream, *dev_ptr);
}

hipError_t hipFreeAsync(void* dev_ptr, hipStream_t stream) {
  Process* p;
  Stream* s;
  HIPR_TRY(process(p));
  if (dev_ptr == nullptr) return hipSuccess;
  HIPR_TRY(findStream(*p, stream, s));
  const auto region = p->allocations.take(dev_ptr, [](const Region& r) {
    return r.allocation.kind == MemoryKind::kDevice &&
           (r.origin == Region::Origin::kAllocated || r.origin == Region::Origin::kStream);
  });
  return region ? releaseMemory(*p, *region) : hipErrorInvalidValue;
}

}  // namespace hipr::api

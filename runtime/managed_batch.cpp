// Several ranges of managed memory at a time: where they should be, and which are of no use as they are. Both are
// hints. Discarded memory keeps what it has, which is one of the contents that HIP lets it have.
#include <span>

#include "runtime/api.h"
#include "runtime/memory.h"
#include "runtime/stream.h"

namespace hipr::api {

namespace {

struct Ranges {
  void** pointers;
  std::size_t* sizes;
  std::size_t count;
};

hipError_t check(const Ranges& ranges, unsigned long long flags, hipStream_t stream) {
  Process* p;
  Stream* s;
  HIPR_TRY(process(p));
  if (ranges.pointers == nullptr || ranges.sizes == nullptr || ranges.count == 0 || flags != 0 || stream == nullptr)
    return hipErrorInvalidValue;
  HIPR_TRY(findStream(*p, stream, s));
  for (std::size_t i = 0; i < ranges.count; ++i) {
    const void* const pointer = ranges.pointers[i];
    if (pointer == nullptr || ranges.sizes[i] == 0) return hipErrorInvalidValue;
    const auto region = findRegion(*p, pointer);
    if (region && ranges.sizes[i] > region->allocation.size - region->offsetOf(pointer)) return hipErrorInvalidValue;
    const bool reached = region ? isManaged(*region) : s->owner->info->props.pageableMemoryAccess != 0;
    if (!reached) return hipErrorNotSupported;
  }
  return hipSuccess;
}

hipError_t checkPlaces(const hipMemLocation* locations, std::size_t count) {
  Process* p;
  Device* device;
  HIPR_TRY(process(p));
  for (std::size_t k = 0; k < count; ++k)
    if (locations[k].type == hipMemLocationTypeDevice && findDevice(*p, locations[k].id, device) != hipSuccess)
      return hipErrorInvalidValue;
  return hipSuccess;
}

// locations[k] is for the ranges from indices[k] on.
hipError_t prefetch(const Ranges& ranges, const hipMemLocation* locations, const std::size_t* indices,
                    std::size_t count, unsigned long long flags, hipStream_t stream) {
  HIPR_TRY(check(ranges, flags, stream));
  if (locations == nullptr || indices == nullptr || count == 0 || count > ranges.count || indices[0] != 0)
    return hipErrorInvalidValue;
  for (std::size_t k = 1; k < count; ++k)
    if (indices[k] <= indices[k - 1] || indices[k] >= ranges.count) return hipErrorInvalidValue;
  HIPR_TRY(checkPlaces(locations, count));
  std::size_t k = 0;
  for (std::size_t i = 0; i < ranges.count; ++i) {
    if (k + 1 < count && indices[k + 1] == i) ++k;
    HIPR_TRY(api::hipMemPrefetchAsync_v2(ranges.pointers[i], ranges.sizes[i], locations[k], 0, stream));
  }
  return hipSuccess;
}

}  // namespace

hipError_t hipMemPrefetchBatchAsync(void** dev_ptrs, size_t* sizes, size_t count, hipMemLocation* prefetch_locs,
                                    size_t* prefetch_loc_idxs, size_t num_prefetch_locs, unsigned long long flags,
                                    hipStream_t stream) {
  const Ranges ranges{dev_ptrs, sizes, count};
  const hipError_t error = prefetch(ranges, prefetch_locs, prefetch_loc_idxs, num_prefetch_locs, flags, stream);
  return error == hipErrorNotSupported ? hipErrorInvalidValue : error;  // unlike the next ones
}

hipError_t hipMemDiscardBatchAsync(void** dev_ptrs, size_t* sizes, size_t count, unsigned long long flags,
                                   hipStream_t stream) {
  return check({dev_ptrs, sizes, count}, flags, stream);
}

hipError_t hipDrvMemDiscardBatchAsync(hipDeviceptr_t* dptrs, size_t* sizes, size_t count, unsigned long long flags,
                                      hipStream_t stream) {
  return api::hipMemDiscardBatchAsync(dptrs, sizes, count, flags, stream);
}

hipError_t hipMemDiscardAndPrefetchBatchAsync(void** dptrs, size_t* sizes, size_t count, hipMemLocation* prefetchLocs,
                                              size_t* prefetchLocIdxs, size_t numPrefetchLocs, unsigned long long flags,
                                              hipStream_t stream) {
  return prefetch({dptrs, sizes, count}, prefetchLocs, prefetchLocIdxs, numPrefetchLocs, flags, stream);
}

hipError_t hipDrvMemDiscardAndPrefetchBatchAsync(hipDeviceptr_t* dptrs, size_t* sizes, size_t count,
                                                 hipMemLocation* prefetchLocs, size_t* prefetchLocIdxs,
                                                 size_t numPrefetchLocs, unsigned long long flags, hipStream_t stream) {
  return prefetch({dptrs, sizes, count}, prefetchLocs, prefetchLocIdxs, numPrefetchLocs, flags, stream);
}

}  // namespace hipr::api

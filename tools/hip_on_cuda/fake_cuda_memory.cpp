// The stand-in's memory: allocations, pinned memory, what a pointer is, and memory at chosen addresses.
#include <sys/mman.h>

#include <cstdlib>

#include "tools/hip_on_cuda/fake_cuda.h"

namespace hipr::cuda::fake {

void Ranges::add(CUdeviceptr start, std::size_t size, CUmemorytype type) {
  std::lock_guard lock(mutex_);
  ranges_[start] = {size, type};
}

bool Ranges::remove(CUdeviceptr start) {
  std::lock_guard lock(mutex_);
  return ranges_.erase(start) == 1;
}

CUmemorytype Ranges::typeOf(CUdeviceptr address) {
  std::lock_guard lock(mutex_);
  auto next = ranges_.upper_bound(address);
  if (next == ranges_.begin()) return CUmemorytype{};
  --next;
  return address - next->first < next->second.size ? next->second.type : CUmemorytype{};
}

Ranges& ranges() {
  static Ranges& only = *new Ranges;
  return only;
}

namespace {

constexpr std::size_t kGranularity = std::size_t{2} << 20, kMemory = std::size_t{1} << 30;

CUresult allocate(void** out, std::size_t bytes, CUmemorytype type) {
  if (bytes > kMemory) return kOutOfMemory;
  *out = std::aligned_alloc(4096, (bytes + 4095) & ~std::size_t{4095});
  if (!*out) return kOutOfMemory;
  ranges().add(reinterpret_cast<CUdeviceptr>(*out), bytes, type);
  return kCudaSuccess;
}

CUresult release(void* memory) {
  if (!ranges().remove(reinterpret_cast<CUdeviceptr>(memory))) return kCudaInvalidValue;
  waitForAll();
  std::free(memory);
  return kCudaSuccess;
}

}  // namespace
}  // namespace hipr::cuda::fake

using namespace hipr::cuda;
using namespace hipr::cuda::fake;

extern "C" {

CUresult cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  *free = *total = kMemory;
  return kCudaSuccess;
}

CUresult cuDeviceTotalMem_v2(std::size_t* bytes, CUdevice) {
  *bytes = kMemory;
  return kCudaSuccess;
}

CUresult cuMemAlloc_v2(CUdeviceptr* address, std::size_t bytes) {
  return allocate(reinterpret_cast<void**>(address), bytes, kMemoryDevice);
}

CUresult cuMemFree_v2(CUdeviceptr address) {
  return release(at<void>(address));
}

CUresult cuMemHostAlloc(void** address, std::size_t bytes, unsigned) {
  return allocate(address, bytes, kMemoryHost);
}

CUresult cuMemFreeHost(void* address) {
  return release(address);
}

CUresult cuMemHostRegister_v2(void* address, std::size_t bytes, unsigned) {
  ranges().add(reinterpret_cast<CUdeviceptr>(address), bytes, kMemoryHost);
  return kCudaSuccess;
}

CUresult cuMemHostUnregister(void* address) {
  return ranges().remove(reinterpret_cast<CUdeviceptr>(address)) ? kCudaSuccess : 713;
}

CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr* device, void* host, unsigned) {
  *device = reinterpret_cast<CUdeviceptr>(host);
  return kCudaSuccess;
}

CUresult cuPointerGetAttributes(unsigned count, CUpointerAttribute* which, void** values, CUdeviceptr address) {
  const CUmemorytype type = ranges().typeOf(address);
  for (unsigned i = 0; i < count; ++i) {
    switch (which[i]) {
      case kPointerMemoryType:
        *static_cast<unsigned*>(values[i]) = type;
        break;
      case kPointerDevicePointer:
        *static_cast<CUdeviceptr*>(values[i]) = type ? address : 0;
        break;
      case kPointerHostPointer:
        *static_cast<CUdeviceptr*>(values[i]) = type == kMemoryHost ? address : 0;
        break;
      case kPointerIsManaged:
        *static_cast<unsigned*>(values[i]) = 0;
        break;
      case kPointerDeviceOrdinal:
        *static_cast<int*>(values[i]) = 0;
        break;
    }
  }
  return kCudaSuccess;
}

CUresult cuMemGetAllocationGranularity(std::size_t* bytes, const CUmemAllocationProp*, int) {
  *bytes = kGranularity;
  return kCudaSuccess;
}

CUresult cuMemAddressReserve(CUdeviceptr* address, std::size_t bytes, std::size_t, CUdeviceptr wish,
                             unsigned long long) {
  void* got = mmap(at<void>(wish), bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  *address = reinterpret_cast<CUdeviceptr>(got);
  return got == MAP_FAILED ? kOutOfMemory : kCudaSuccess;
}

CUresult cuMemAddressFree(CUdeviceptr address, std::size_t bytes) {
  return munmap(at<void>(address), bytes) == 0 ? kCudaSuccess : kCudaInvalidValue;
}

// The memory comes into being where it is mapped; the handle stands only for its size.
CUresult cuMemCreate(CUmemHandle* handle, std::size_t bytes, const CUmemAllocationProp*, unsigned long long) {
  *handle = bytes;
  return bytes % kGranularity ? kCudaInvalidValue : kCudaSuccess;
}

CUresult cuMemRelease(CUmemHandle) {
  return kCudaSuccess;
}

CUresult cuMemMap(CUdeviceptr address, std::size_t bytes, std::size_t, CUmemHandle handle, unsigned long long) {
  if (bytes > handle || address % kGranularity) return kCudaInvalidValue;
  ranges().add(address, bytes, kMemoryDevice);
  return kCudaSuccess;
}

CUresult cuMemSetAccess(CUdeviceptr address, std::size_t bytes, const CUmemAccessDesc*, std::size_t) {
  return mprotect(at<void>(address), bytes, PROT_READ | PROT_WRITE) == 0 ? kCudaSuccess : kOutOfMemory;
}

CUresult cuMemUnmap(CUdeviceptr address, std::size_t bytes) {
  if (!ranges().remove(address)) return kCudaInvalidValue;
  madvise(at<void>(address), bytes, MADV_DONTNEED);
  return mprotect(at<void>(address), bytes, PROT_NONE) == 0 ? kCudaSuccess : kCudaInvalidValue;
}
}

// Allocation: sizes, alignment, distinct ranges, pitch and 3D, address ranges, memory info, out of memory, and wrong
// frees.
#include "support.h"

#include <algorithm>
#include <atomic>
#include <thread>

template <class T = void>
static T* allocate(std::size_t bytes) {
  void* p = nullptr;
  HIP(hipMalloc(&p, bytes));
  return static_cast<T*>(p);
}

TEST(sizes_and_alignment) {
  std::vector<std::pair<char*, std::size_t>> all;
  for (std::size_t bytes : {1, 3, 255, 256, 257, 4095, 4096, 65537, 1 << 20, (8 << 20) + 1}) {
    char* p = allocate<char>(bytes);
    EXPECT(p != nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % 256, std::uintptr_t(0));
    all.push_back({p, bytes});
  }
  std::sort(all.begin(), all.end());
  for (std::size_t i = 1; i < all.size(); ++i) EXPECT(all[i - 1].first + all[i - 1].second <= all[i].first);
  for (const auto& a : all) {
    HIP(hipMemset(a.first, 0x5a, a.second));
    char last = 0;
    HIP(hipMemcpy(&last, a.first + a.second - 1, 1, hipMemcpyDeviceToHost));
    EXPECT_EQ(last, 0x5a);
    HIP(hipFree(a.first));
  }
}

TEST(zero_and_null) {
  void* p = reinterpret_cast<void*>(8);
  HIP(hipMalloc(&p, 0));
  EXPECT_EQ(p, static_cast<void*>(nullptr));
  HIP(hipFree(nullptr));
  HIP_ERR(hipMalloc(nullptr, 16), hipErrorInvalidValue);
}

TEST(wrong_frees) {
  int onStack = 0;
  HIP_ERR(hipFree(&onStack), hipErrorInvalidValue);
  char* p = allocate<char>(1000);
  HIP(hipFree(p));
  HIP_ERR(hipFree(p), hipErrorInvalidValue);
  HIP_ERR(hipHostFree(&onStack), hipErrorInvalidValue);
  HIP(hipHostFree(nullptr));
  HIP(hipHostFree(allocate<char>(1000)));  // either name frees either memory
}

// HIP's frees wait for the device, and libraries rely on it: what earlier work does to the program has been done.
TEST(free_waits_for_host_functions) {
  Stream stream(hipStreamNonBlocking);
  for (bool host : {false, true}) {
    std::atomic<bool> done{false};
    void* p = nullptr;
    HIP(host ? hipHostMalloc(&p, 1000, hipHostMallocDefault) : hipMalloc(&p, 1000));
    HIP(hipStreamAddCallback(
        stream,
        [](hipStream_t, hipError_t, void* flag) {
          std::this_thread::sleep_for(std::chrono::milliseconds(50));
          *static_cast<std::atomic<bool>*>(flag) = true;
        },
        &done, 0));
    HIP(host ? hipHostFree(p) : hipFree(p));
    EXPECT(done.load());
  }
}

TEST(free_waits_for_copies_to_and_from_host_memory) {
  const std::size_t bytes = std::size_t(8) << 20;
  Stream stream(hipStreamNonBlocking);
  char *from = nullptr, *to = nullptr, *d = allocate<char>(bytes), *other = allocate<char>(100);
  HIP(hipHostMalloc(reinterpret_cast<void**>(&from), bytes, hipHostMallocDefault));
  HIP(hipHostMalloc(reinterpret_cast<void**>(&to), bytes, hipHostMallocDefault));
  std::memset(from, 0x77, bytes);
  std::memset(to, 0, bytes);
  HIP(hipMemcpyAsync(d, from, bytes, hipMemcpyHostToDevice, stream));
  HIP(hipHostFree(from));
  HIP(hipMemcpyAsync(to, d, bytes, hipMemcpyDeviceToHost, stream));
  HIP(hipFree(other));
  std::size_t right = 0;
  for (std::size_t i = 0; i < bytes; ++i) right += to[i] == 0x77;
  EXPECT_EQ(right, bytes);
  HIP(hipHostFree(to));
  HIP(hipFree(d));
}

TEST(out_of_memory_is_reported_by_the_call) {
  std::size_t free = 0, total = 0;
  HIP(hipMemGetInfo(&free, &total));
  void* p = reinterpret_cast<void*>(8);
  HIP_ERR(hipMalloc(&p, total + (std::size_t(1) << 30)), hipErrorOutOfMemory);
  HIP_ERR(hipMalloc(&p, ~std::size_t(0) / 2), hipErrorOutOfMemory);
  char* q = allocate<char>(100);  // and the device still works
  HIP(hipMemset(q, 1, 100));
  HIP(hipFree(q));
}

TEST(memory_info_follows_allocations) {
  const std::size_t bytes = std::size_t(32) << 20;
  std::size_t before = 0, during = 0, after = 0, total = 0, total2 = 0;
  HIP(hipMemGetInfo(&before, &total));
  char* p = allocate<char>(bytes);
  HIP(hipMemGetInfo(&during, &total2));
  HIP(hipFree(p));
  HIP(hipMemGetInfo(&after, &total2));
  EXPECT_EQ(total, total2);
  EXPECT(before <= total);
  EXPECT(during + bytes <= before);
  EXPECT_EQ(after, before);
  std::size_t size = 0;
  char* q = allocate<char>(5000);
  HIP(hipMemPtrGetInfo(q, &size));
  EXPECT_EQ(size, std::size_t(5000));
  HIP(hipFree(q));
}

TEST(memory_is_reused) {
  for (int i = 0; i < 200; ++i) {  // 200 x 64 MiB would not fit all at once on a small device
    char* p = allocate<char>(std::size_t(64) << 20);
    HIP(hipFree(p));
  }
}

TEST(many_small_allocations) {
  std::vector<int*> all;
  for (int i = 0; i < 1000; ++i) {
    int* p = allocate<int>(sizeof(int) * (i % 50 + 1));
    HIP(hipMemcpyAsync(p, &i, sizeof i, hipMemcpyHostToDevice, nullptr));
    all.push_back(p);
  }
  HIP(hipDeviceSynchronize());
  std::sort(all.begin(), all.end());
  EXPECT(std::unique(all.begin(), all.end()) == all.end());
  long long sum = 0;
  for (int* p : all) {
    int v = 0;
    HIP(hipMemcpy(&v, p, sizeof v, hipMemcpyDeviceToHost));
    sum += v;
    HIP(hipFree(p));
  }
  EXPECT_EQ(sum, 1000LL * 999 / 2);
  check::result(sum);
}

TEST(address_range) {
  char* p = allocate<char>(10000);
  hipDeviceptr_t base = nullptr;
  std::size_t size = 0;
  for (std::size_t offset : {0, 1, 9999}) {
    HIP(hipMemGetAddressRange(&base, &size, p + offset));
    EXPECT_EQ(base, static_cast<void*>(p));
    EXPECT_EQ(size, std::size_t(10000));
  }
  HIP(hipFree(p));
  HIP_ERR(hipMemGetAddressRange(&base, &size, p), hipErrorNotFound);
  int onStack;
  HIP_ERR(hipMemGetAddressRange(&base, &size, &onStack), hipErrorNotFound);
  HIP_ERR(hipMemGetAddressRange(&base, &size, nullptr), hipErrorNotFound);
}

__global__ void fillPitched(char* base, std::size_t pitch, int width, int height) {
  const int x = threadIdx.x, y = blockIdx.x;
  if (x < width && y < height) base[y * pitch + x] = static_cast<char>(x + y);
}

TEST(pitch) {
  const std::size_t width = 100, height = 37;
  void* p = nullptr;
  std::size_t pitch = 0;
  HIP(hipMallocPitch(&p, &pitch, width, height));
  EXPECT(pitch >= width);
  EXPECT_EQ(pitch % 64, std::size_t(0));
  fillPitched<<<height, 128>>>(static_cast<char*>(p), pitch, width, height);
  KERNEL_OK();
  std::vector<char> host(width * height);
  HIP(hipMemcpy2D(host.data(), width, p, pitch, width, height, hipMemcpyDeviceToHost));
  for (std::size_t i = 0; i < host.size(); ++i)
    if (!EXPECT_EQ(host[i], static_cast<char>(i % width + i / width))) break;
  HIP(hipFree(p));
  HIP_ERR(hipMallocPitch(nullptr, &pitch, width, height), hipErrorInvalidValue);
  HIP_ERR(hipMallocPitch(&p, nullptr, width, height), hipErrorInvalidValue);
  HIP_ERR(hipMallocPitch(&p, &pitch, ~std::size_t(0), 1), hipErrorInvalidValue);
  HIP_ERR(hipMallocPitch(&p, &pitch, 1, ~std::size_t(0)), hipErrorOutOfMemory);
  hipDeviceptr_t d = nullptr;
  HIP(hipMemAllocPitch(&d, &pitch, 64, 8, 4));
  EXPECT(d != nullptr && pitch >= 64);
  HIP(hipFree(d));
  check::result(host);
}

TEST(three_dimensions) {
  const hipExtent extent = make_hipExtent(50, 6, 7);
  hipPitchedPtr p = {};
  HIP(hipMalloc3D(&p, extent));
  EXPECT(p.ptr != nullptr);
  EXPECT(p.pitch >= extent.width);
  EXPECT_EQ(p.xsize, extent.width);
  EXPECT_EQ(p.ysize, extent.height);
  HIP(hipMemset(p.ptr, 9, p.pitch * extent.height * extent.depth));  // all of it is there
  HIP(hipFree(p.ptr));
  HIP_ERR(hipMalloc3D(nullptr, extent), hipErrorInvalidValue);
}

TEST(extended_allocation_flags) {
  for (unsigned flags : {hipDeviceMallocDefault, hipDeviceMallocFinegrained}) {
    void* p = nullptr;
    HIP(hipExtMallocWithFlags(&p, 4096, flags));
    HIP(hipMemset(p, 3, 4096));
    HIP(hipFree(p));
  }
  void* p = nullptr;
  HIP_ERR(hipExtMallocWithFlags(&p, 4096, 0x7777), hipErrorInvalidValue);
}

__global__ void touch(int* p, int n, int v) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) p[i] += v;
}

TEST(free_waits_for_the_kernels_that_use_it) {
  const int n = 100000;
  Buffer<int> out(1);
  int* p = allocate<int>(n * sizeof(int));
  HIP(hipMemset(p, 0, n * sizeof(int)));
  for (int i = 0; i < 5; ++i) touch<<<1, 256>>>(p, n, 1);
  KERNEL_OK();
  HIP(hipMemcpyAsync(out, p + n - 1, sizeof(int), hipMemcpyDeviceToDevice, nullptr));
  HIP(hipFree(p));
  EXPECT_EQ(out.download()[0], 5);
  check::result(out.download());
}

// vmm.hip tests the calls themselves, where there is something to test.
TEST(virtual_memory_is_there_exactly_where_the_attribute_says_so) {
  constexpr auto kAttribute = static_cast<hipDeviceAttribute_t>(89);  // newer than the oldest headers
  int supported = 0;
  HIP(hipDeviceGetAttribute(&supported, kAttribute, 0));
  hipMemAllocationProp prop{};
  prop.type = hipMemAllocationTypePinned;
  prop.location.type = hipMemLocationTypeDevice;
  const hipError_t expected = supported != 0 ? hipSuccess : hipErrorNotSupported;
  std::size_t unit = 0;
  HIP_ERR(hipMemGetAllocationGranularity(&unit, &prop, hipMemAllocationGranularityMinimum), expected);
  const std::size_t size = unit != 0 ? unit : 2 << 20;
  void* range = nullptr;
  HIP_ERR(hipMemAddressReserve(&range, size, 0, nullptr, 0), expected);
  if (range != nullptr) HIP(hipMemAddressFree(range, size));
  hipMemGenericAllocationHandle_t handle = nullptr;
  HIP_ERR(hipMemCreate(&handle, size, &prop, 0), expected);
  if (handle != nullptr) HIP(hipMemRelease(handle));
}

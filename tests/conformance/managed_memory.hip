// Managed memory: one pointer for host and device, coherent both ways at launches and waits, also as __managed__
// variables.
#include "support.h"

__global__ void square(int* p, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] *= p[i];
}

template <class T>
static T* managed(std::size_t n, unsigned flags = hipMemAttachGlobal) {
  T* p = nullptr;
  HIP(hipMallocManaged(reinterpret_cast<void**>(&p), n * sizeof(T), flags));
  return p;
}

TEST(host_and_device_take_turns) {
  const int n = 5000;
  int* p = managed<int>(n);
  for (int i = 0; i < n; ++i) p[i] = i % 100;
  for (int turn = 0; turn < 4; ++turn) {
    std::vector<int> want(n);
    for (int i = 0; i < n; ++i) want[i] = p[i] * p[i];
    square<<<blocksFor(n, 256), 256>>>(p, n);
    KERNEL_OK();
    HIP(hipDeviceSynchronize());
    EXPECT_VEC(std::vector<int>(p, p + n), want);
    for (int i = 0; i < n; ++i) p[i] = (p[i] + turn) % 50;
  }
  check::result(p, n * sizeof(int));
  HIP(hipFree(p));
}

TEST(sparse_changes_on_both_sides) {  // different pages, and different words of one page
  const int n = 1 << 18;
  int* p = managed<int>(n);
  std::memset(p, 0, n * sizeof(int));
  for (int i = 0; i < n; i += 4099) p[i] = 3;
  square<<<blocksFor(n, 256), 256>>>(p, n);
  KERNEL_OK();
  HIP(hipDeviceSynchronize());
  long long sum = 0;
  for (int i = 0; i < n; ++i) sum += p[i];
  EXPECT_EQ(sum, 9LL * ((n - 1) / 4099 + 1));
  p[5] = 4;
  square<<<1, 64>>>(p, 64);
  KERNEL_OK();
  HIP(hipDeviceSynchronize());
  EXPECT_EQ(p[0], 81);
  EXPECT_EQ(p[5], 16);
  check::result(sum);
  HIP(hipFree(p));
}

TEST(copies_with_managed_memory) {
  const int n = 1000;
  int* p = managed<int>(n);
  Buffer<int> d(std::vector<int>(n, 7));
  HIP(hipMemcpy(p, d, n * sizeof(int), hipMemcpyDefault));
  EXPECT_EQ(p[n - 1], 7);
  p[0] = 5;
  HIP(hipMemcpy(d, p, n * sizeof(int), hipMemcpyDefault));
  EXPECT_EQ(d.download()[0], 5);
  HIP(hipMemset(p, 0, n * sizeof(int)));
  HIP(hipDeviceSynchronize());
  EXPECT_EQ(p[500], 0);
  HIP(hipFree(p));
}

TEST(wrong_arguments) {
  void* p = nullptr;
  HIP_ERR(hipMallocManaged(nullptr, 100, hipMemAttachGlobal), hipErrorInvalidValue);
  HIP_ERR(hipMallocManaged(&p, 100, 0x40), hipErrorInvalidValue);
}

TEST(attachment_and_advice) {
  int* p = managed<int>(1000, hipMemAttachHost);
  HIP(hipMemAdvise(p, 4000, hipMemAdviseSetReadMostly, 0));
  HIP(hipMemPrefetchAsync(p, 4000, 0, nullptr));
  HIP(hipMemPrefetchAsync(p, 4000, hipCpuDeviceId, nullptr));
  HIP(hipStreamSynchronize(nullptr));
  HIP(hipFree(p));
}

static int attribute(hipMemRangeAttribute which, const void* p, std::size_t size) {
  int v = 77;
  HIP(hipMemRangeGetAttribute(&v, sizeof v, which, p, size));
  return v;
}

TEST(advice_is_about_pages) {
  constexpr std::size_t kPage = 4096;
  char* p = managed<char>(3 * kPage);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % kPage, std::uintptr_t(0));
  HIP(hipMemAdvise(p + 100, kPage, hipMemAdviseSetPreferredLocation, 0));  // the first page and the second
  EXPECT_EQ(attribute(hipMemRangeAttributePreferredLocation, p, 2 * kPage), 0);
  EXPECT_EQ(attribute(hipMemRangeAttributePreferredLocation, p, 3 * kPage), int(hipInvalidDeviceId));
  HIP(hipMemPrefetchAsync(p + 2 * kPage + 5, 1, hipCpuDeviceId, nullptr));
  EXPECT_EQ(attribute(hipMemRangeAttributeLastPrefetchLocation, p + 2 * kPage, kPage), int(hipCpuDeviceId));
  EXPECT_EQ(attribute(hipMemRangeAttributeLastPrefetchLocation, p, kPage), int(hipInvalidDeviceId));
  HIP(hipFree(p));
}

TEST(several_attributes_at_once) {
  char* p = managed<char>(8192);
  HIP(hipMemAdvise(p, 8192, hipMemAdviseSetReadMostly, 0));
  HIP(hipMemAdvise(p, 8192, hipMemAdviseSetAccessedBy, 0));
  HIP(hipMemPrefetchAsync(p, 4096, 0, nullptr));
  int readMostly = -9, last = -9, by[3] = {-9, -9, -9};
  void* data[] = {&readMostly, &last, by};
  std::size_t sizes[] = {sizeof readMostly, sizeof last, sizeof by};
  hipMemRangeAttribute which[] = {hipMemRangeAttributeReadMostly, hipMemRangeAttributeLastPrefetchLocation,
                                  hipMemRangeAttributeAccessedBy};
  HIP(hipMemRangeGetAttributes(data, sizes, which, 3, p, 4096));
  EXPECT_EQ(readMostly, 1);
  EXPECT_EQ(last, 0);
  EXPECT_VEC(std::vector<int>(by, by + 3), (std::vector<int>{0, hipInvalidDeviceId, hipInvalidDeviceId}));
  HIP(hipMemRangeGetAttributes(data, sizes, which, 2, p, 8192));
  EXPECT_EQ(last, int(hipInvalidDeviceId));  // the second page has not been fetched
  HIP_ERR(hipMemRangeGetAttributes(nullptr, sizes, which, 3, p, 4096), hipErrorInvalidValue);
  HIP_ERR(hipMemRangeGetAttributes(data, nullptr, which, 3, p, 4096), hipErrorInvalidValue);
  HIP_ERR(hipMemRangeGetAttributes(data, sizes, nullptr, 3, p, 4096), hipErrorInvalidValue);
  HIP_ERR(hipMemRangeGetAttributes(data, sizes, which, 0, p, 4096), hipErrorInvalidValue);
  HIP_ERR(hipMemRangeGetAttributes(data, sizes, which, 3, p, 0), hipErrorInvalidValue);
  sizes[0] = 3;  // no number has three bytes
  HIP_ERR(hipMemRangeGetAttributes(data, sizes, which, 1, p, 4096), hipErrorInvalidValue);
  HIP(hipFree(p));
}

TEST(memory_that_can_be_advised_about) {
  int count = 0;
  HIP(hipGetDeviceCount(&count));
  std::vector<int> own(1000);
  HIP(hipHostRegister(own.data(), 4000, 0));
  HIP(hipMemAdvise(own.data(), 4000, hipMemAdviseSetReadMostly, 0));
  EXPECT_EQ(attribute(hipMemRangeAttributeReadMostly, own.data(), 4000), 1);
  HIP(hipHostUnregister(own.data()));
  Buffer<int> device(1000);
  HIP_ERR(hipMemAdvise(device.get(), 4000, hipMemAdviseSetReadMostly, 0), hipErrorInvalidValue);
  HIP(hipMemPrefetchAsync(device.get(), 4000, 0, nullptr));  // it is there
  HIP_ERR(hipMemPrefetchAsync(device.get(), 4001, 0, nullptr), hipErrorInvalidValue);
  int* p = managed<int>(1000);
  HIP_ERR(hipMemAdvise(p, 4001, hipMemAdviseSetReadMostly, 0), hipErrorInvalidValue);
  HIP_ERR(hipMemAdvise(p, 4000, hipMemAdviseSetAccessedBy, count), hipErrorInvalidDevice);
  HIP_ERR(hipMemAdvise(nullptr, 4000, hipMemAdviseSetAccessedBy, count), hipErrorInvalidDevice);
  HIP(hipMemAdvise(p, 4000, hipMemAdviseSetReadMostly, count));  // of no device in particular
  HIP_ERR(hipMemPrefetchAsync(p, 4000, count, nullptr), hipErrorInvalidDevice);
  HIP_ERR(hipMemPrefetchAsync(p, 0, 0, nullptr), hipErrorInvalidValue);
  Stream s;
  HIP(hipStreamAttachMemAsync(s, p, 0, hipMemAttachSingle));
  HIP(hipStreamAttachMemAsync(s, p, 4000, hipMemAttachGlobal));
  HIP_ERR(hipStreamAttachMemAsync(s, p, 3999, hipMemAttachGlobal), hipErrorInvalidValue);  // all or nothing
  HIP_ERR(hipStreamAttachMemAsync(nullptr, p, 0, hipMemAttachSingle), hipErrorInvalidValue);
  HIP_ERR(hipStreamAttachMemAsync(s, &count, sizeof count, hipMemAttachGlobal), hipErrorInvalidValue);
  HIP(hipFree(p));
}

__managed__ int counter = 41;
struct Record {
  double value;
  int* link;
};
__managed__ Record record = {2.5, nullptr};

__global__ void useManaged() {
  counter += 1;
  record.value *= 2;
  if (record.link) *record.link = counter;
}

TEST(coherency_of_memory_is_as_it_was_allocated) {
  void *device = nullptr, *fine = nullptr, *host = nullptr, *coarse = nullptr;
  HIP(hipMalloc(&device, 100));
  HIP(hipExtMallocWithFlags(&fine, 100, hipDeviceMallocFinegrained));
  HIP(hipHostMalloc(&host, 100, hipHostMallocDefault));
  HIP(hipHostMalloc(&coarse, 100, hipHostMallocNonCoherent));
  EXPECT_EQ(attribute(hipMemRangeAttributeCoherencyMode, device, 100), int(hipMemRangeCoherencyModeCoarseGrain));
  EXPECT_EQ(attribute(hipMemRangeAttributeCoherencyMode, fine, 100), int(hipMemRangeCoherencyModeFineGrain));
  EXPECT_EQ(attribute(hipMemRangeAttributeCoherencyMode, host, 100), int(hipMemRangeCoherencyModeFineGrain));
  EXPECT_EQ(attribute(hipMemRangeAttributeCoherencyMode, coarse, 100), int(hipMemRangeCoherencyModeCoarseGrain));
  int v = 0;
  HIP_ERR(hipMemRangeGetAttribute(&v, sizeof v, hipMemRangeAttributeCoherencyMode, device, 101), hipErrorInvalidValue);
  HIP_ERR(hipMemRangeGetAttribute(&v, sizeof v, hipMemRangeAttributeReadMostly, device, 100), hipErrorInvalidValue);
  HIP(hipFree(device));
  HIP(hipFree(fine));
  HIP(hipHostFree(host));
  HIP(hipHostFree(coarse));
}

TEST(managed_variables) {
  EXPECT_EQ(counter, 41);  // initialised before main
  EXPECT_EQ(record.value, 2.5);
  int* target = managed<int>(1);
  *target = 0;
  record.link = target;
  useManaged<<<1, 1>>>();
  KERNEL_OK();
  HIP(hipDeviceSynchronize());
  EXPECT_EQ(counter, 42);
  EXPECT_EQ(record.value, 5.0);
  EXPECT_EQ(*target, 42);
  counter = 99;
  useManaged<<<1, 1>>>();
  KERNEL_OK();
  HIP(hipDeviceSynchronize());
  EXPECT_EQ(counter, 100);
  EXPECT_EQ(*target, 100);
  record.link = nullptr;
  counter = 41;
  record.value = 2.5;
  HIP(hipFree(target));
}

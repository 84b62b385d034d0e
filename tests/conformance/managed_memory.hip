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

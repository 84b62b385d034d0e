// Host memory that kernels reach: pinned and mapped allocations, registered ranges, and what the host sees after a
// wait.
#include "support.h"

#include <cstdlib>

__global__ void triple(int* p, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] *= 3;
}
__global__ void sumTo(const int* p, int n, int* out) {
  if (threadIdx.x == 0) {
    int s = 0;
    for (int i = 0; i < n; ++i) s += p[i];
    *out = s;
  }
}

static int* pinned(std::size_t n, unsigned flags) {
  int* p = nullptr;
  HIP(hipHostMalloc(reinterpret_cast<void**>(&p), n * sizeof(int), flags));
  return p;
}

TEST(kernels_read_and_write_mapped_memory) {
  const int n = 3000;
  for (unsigned flags :
       {0u | hipHostMallocDefault, 0u | hipHostMallocMapped, 0u | hipHostMallocPortable, 0u | hipHostMallocCoherent,
        hipHostMallocNonCoherent, 0u | hipHostMallocWriteCombined | hipHostMallocMapped}) {
    int* host = pinned(n, flags);
    for (int i = 0; i < n; ++i) host[i] = i;
    int* device = nullptr;
    HIP(hipHostGetDevicePointer(reinterpret_cast<void**>(&device), host, 0));
    triple<<<blocksFor(n, 256), 256>>>(device, n);
    KERNEL_OK();
    HIP(hipDeviceSynchronize());
    for (int i = 0; i < n; ++i)
      if (!EXPECT_EQ(host[i], 3 * i)) break;
    for (int i = 0; i < n; ++i) host[i] += 1;  // and the host's change reaches the next kernel
    triple<<<blocksFor(n, 256), 256>>>(device, n);
    KERNEL_OK();
    HIP(hipStreamSynchronize(nullptr));
    for (int i = 0; i < n; ++i)
      if (!EXPECT_EQ(host[i], (3 * i + 1) * 3)) break;
    check::result(host, n * sizeof(int));
    HIP(hipHostFree(host));
  }
}

TEST(visible_after_an_event_too) {
  int* host = pinned(64, hipHostMallocMapped);
  for (int i = 0; i < 64; ++i) host[i] = 1;
  Stream s(hipStreamNonBlocking);
  Event e;
  triple<<<1, 64, 0, s>>>(host, 64);  // unified addressing: the host pointer itself works
  KERNEL_OK();
  HIP(hipEventRecord(e, s));
  HIP(hipEventSynchronize(e));
  EXPECT_EQ(host[63], 3);
  triple<<<1, 64, 0, s>>>(host, 64);
  KERNEL_OK();
  HIP(hipEventRecord(e, s));
  while (hipEventQuery(e) == hipErrorNotReady) {
  }
  EXPECT_EQ(host[63], 9);
  HIP(hipHostFree(host));
}

TEST(part_of_a_mapping) {
  int* host = pinned(1000, hipHostMallocMapped);
  for (int i = 0; i < 1000; ++i) host[i] = 1;
  int* device = nullptr;
  HIP(hipHostGetDevicePointer(reinterpret_cast<void**>(&device), host + 500, 0));
  triple<<<1, 64>>>(device, 10);
  KERNEL_OK();
  HIP(hipDeviceSynchronize());
  EXPECT_EQ(host[499], 1);
  EXPECT_EQ(host[500], 3);
  EXPECT_EQ(host[509], 3);
  EXPECT_EQ(host[510], 1);
  HIP(hipHostFree(host));
}

TEST(registered_memory) {
  const int n = 5000;
  std::vector<int> heap(n + 3);
  int* host = heap.data() + 3;  // no particular alignment
  for (int i = 0; i < n; ++i) host[i] = i - 100;
  HIP(hipHostRegister(host, n * sizeof(int), hipHostRegisterMapped));
  int* device = nullptr;
  HIP(hipHostGetDevicePointer(reinterpret_cast<void**>(&device), host, 0));
  triple<<<blocksFor(n, 128), 128>>>(device, n);
  KERNEL_OK();
  HIP(hipDeviceSynchronize());
  for (int i = 0; i < n; ++i)
    if (!EXPECT_EQ(host[i], 3 * (i - 100))) break;
  host[7] = 1000;
  Buffer<int> sum(1);
  sumTo<<<1, 1>>>(device, 10, sum);
  KERNEL_OK();
  int want = 0;
  for (int i = 0; i < 10; ++i) want += host[i];
  EXPECT_EQ(sum.download()[0], want);
  HIP(hipHostUnregister(host));
  EXPECT_EQ(heap[0] | heap[1] | heap[2], 0);
  check::result(heap);
}

TEST(registered_memory_in_copies) {
  const int n = 100000;
  std::vector<int> a(n, 4), b(n, 0);
  HIP(hipHostRegister(a.data(), n * sizeof(int), hipHostRegisterDefault));
  HIP(hipHostRegister(b.data(), n * sizeof(int), hipHostRegisterPortable));
  Buffer<int> d(n);
  Stream s;
  HIP(hipMemcpyAsync(d, a.data(), d.bytes(), hipMemcpyHostToDevice, s));
  triple<<<blocksFor(n, 256), 256, 0, s>>>(d, n);
  HIP(hipMemcpyAsync(b.data(), d, d.bytes(), hipMemcpyDeviceToHost, s));
  HIP(hipStreamSynchronize(s));
  EXPECT_VEC(b, std::vector<int>(n, 12));
  HIP(hipHostUnregister(a.data()));
  HIP(hipHostUnregister(b.data()));
}

TEST(wrong_registrations) {
  std::vector<int> v(1000);
  HIP_ERR(hipHostRegister(nullptr, 100, 0), hipErrorInvalidValue);
  HIP_ERR(hipHostRegister(v.data(), 0, 0), hipErrorInvalidValue);
  HIP_ERR(hipHostRegister(v.data(), 4000, 0xf00), hipErrorInvalidValue);
  HIP_ERR(hipHostUnregister(v.data()), hipErrorHostMemoryNotRegistered);
  HIP_ERR(hipHostUnregister(nullptr), hipErrorInvalidValue);
  HIP(hipHostRegister(v.data(), 4000, 0));
  HIP(hipHostRegister(v.data(), 4000, 0));  // once more changes nothing
  HIP(hipHostRegister(v.data() + 10, 400, 0));
  HIP_ERR(hipHostFree(v.data()), hipErrorInvalidValue);
  HIP(hipHostUnregister(v.data()));
  HIP_ERR(hipHostUnregister(v.data()), hipErrorHostMemoryNotRegistered);
  HIP_ERR(hipHostRegister(v.data(), std::size_t(1) << 46, 0), hipErrorInvalidValue);  // not all of it is memory
}

TEST(device_pointers_of_host_memory) {
  int* host = pinned(16, hipHostMallocDefault);
  void* device = nullptr;
  HIP_ERR(hipHostGetDevicePointer(nullptr, host, 0), hipErrorInvalidValue);
  HIP_ERR(hipHostGetDevicePointer(&device, nullptr, 0), hipErrorInvalidValue);
  HIP_ERR(hipHostGetDevicePointer(&device, host, 1), hipErrorInvalidValue);
  int onStack = 0;
  HIP_ERR(hipHostGetDevicePointer(&device, &onStack, 0), hipErrorInvalidValue);
  HIP(hipHostFree(host));
  Buffer<int> memory(16);  // which no host has allocated, but HIP knows it
  HIP(hipHostGetDevicePointer(&device, memory + 3, 0));
  EXPECT_EQ(device, static_cast<void*>(memory + 3));
}

TEST(flags) {
  for (unsigned f : {hipHostMallocDefault, hipHostMallocMapped | hipHostMallocPortable, hipHostMallocCoherent}) {
    int* p = pinned(16, f);
    unsigned got = 0;
    HIP(hipHostGetFlags(&got, p));
    EXPECT_EQ(got & f, f);
    HIP(hipHostFree(p));
  }
  unsigned got = 0;
  int onStack = 0;
  HIP_ERR(hipHostGetFlags(&got, &onStack), hipErrorInvalidValue);
  HIP_ERR(hipHostGetFlags(nullptr, &onStack), hipErrorInvalidValue);
  HIP(hipHostRegister(&onStack, sizeof onStack, 0));
  HIP_ERR(hipHostGetFlags(&got, &onStack), hipErrorInvalidValue);  // only of what was allocated
  HIP(hipHostUnregister(&onStack));
  Buffer<int> memory(16);
  HIP_ERR(hipHostGetFlags(&got, memory.get()), hipErrorInvalidValue);
  void* p = nullptr;
  HIP(hipMallocManaged(&p, 64, hipMemAttachGlobal));
  got = 99;
  HIP(hipHostGetFlags(&got, p));
  EXPECT_EQ(got, 0u);
  HIP(hipFree(p));
  HIP_ERR(hipHostMalloc(&p, 64, hipHostMallocCoherent | hipHostMallocNonCoherent), hipErrorInvalidValue);
  HIP_ERR(hipHostMalloc(&p, 64, hipHostMallocCoherent | 0x10000000), hipErrorInvalidValue);  // and uncached
  HIP(hipHostAlloc(&p, 64, 0x10000000));
  HIP(hipHostFree(p));
  HIP(hipHostMalloc(&p, 64, 8));  // a flag that means nothing
  HIP(hipHostFree(p));
  HIP_ERR(hipHostMalloc(nullptr, 64, 0), hipErrorInvalidValue);
  HIP_ERR(hipHostMalloc(&p, std::size_t(1) << 46, 0), hipErrorOutOfMemory);  // more than any machine has
  HIP(hipHostMalloc(&p, 0, 0));
  EXPECT_EQ(p, static_cast<void*>(nullptr));
}

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
TEST(older_names) {
  void *a = nullptr, *b = nullptr;
  int* c = nullptr;
  HIP(hipMallocHost(&a, 100));
  HIP(hipHostAlloc(&b, 100, hipHostMallocDefault));
  HIP(hipMemAllocHost(reinterpret_cast<void**>(&c), 100));
  std::memset(a, 1, 100);
  std::memset(b, 1, 100);
  HIP(hipFreeHost(a));
  HIP(hipHostFree(b));
  for (int i = 0; i < 25; ++i) c[i] = i;
  triple<<<1, 32>>>(c, 25);
  KERNEL_OK();
  HIP(hipDeviceSynchronize());
  for (int i = 0; i < 25; ++i) EXPECT_EQ(c[i], 3 * i);
  HIP(hipFreeHost(c));
  HIP_ERR(hipMemAllocHost(nullptr, 100), hipErrorInvalidValue);
}
#pragma clang diagnostic pop

TEST(memset_and_copy_on_mapped_memory) {
  int* host = pinned(100, hipHostMallocMapped);
  HIP(hipMemset(host, 0x11, 400));
  HIP(hipDeviceSynchronize());
  EXPECT_EQ(host[99], 0x11111111);
  Buffer<int> d(100);
  d.fill(0x22);
  HIP(hipMemcpy(host, d, 400, hipMemcpyDefault));
  EXPECT_EQ(host[50], 0x22222222);
  HIP(hipHostFree(host));
}

struct Job {
  int* data;
  int n;
};
__global__ void runJobs(const Job* jobs, int* out) {
  int s = 0;
  for (int i = 0; i < jobs[threadIdx.x].n; ++i) s += jobs[threadIdx.x].data[i]++;
  out[threadIdx.x] = s;
}

TEST(pointers_to_host_memory_inside_device_memory) {
  int* host = pinned(30, hipHostMallocMapped);
  for (int i = 0; i < 30; ++i) host[i] = i;
  Buffer<Job> jobs(std::vector<Job>{{host, 10}, {host + 10, 20}});
  Buffer<int> out(2);
  runJobs<<<1, 2>>>(jobs, out);
  KERNEL_OK();
  HIP(hipDeviceSynchronize());
  EXPECT_VEC(out.download(), (std::vector<int>{45, 390}));
  EXPECT_EQ(host[0], 1);
  EXPECT_EQ(host[29], 30);
  HIP(hipHostFree(host));
}

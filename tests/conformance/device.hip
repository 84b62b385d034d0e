// Device management: count, current device per thread, properties and attributes that agree, limits, flags, PCI ids,
// choice.
#include "support.h"
#include "system.h"

#include <thread>

static int deviceCount() {
  int n = 0;
  HIP(hipGetDeviceCount(&n));
  return n;
}

TEST(count_and_current) {
  const int n = deviceCount();
  REQUIRE(n >= 1);
  int current = -1;
  HIP(hipGetDevice(&current));
  EXPECT_EQ(current, 0);
  for (int d = 0; d < n; ++d) {
    HIP(hipSetDevice(d));
    HIP(hipGetDevice(&current));
    EXPECT_EQ(current, d);
  }
  HIP(hipSetDevice(0));
  check::result(n);
}

TEST(wrong_devices) {
  const int n = deviceCount();
  HIP_ERR(hipSetDevice(n), hipErrorInvalidDevice);
  HIP_ERR(hipSetDevice(-1), hipErrorInvalidDevice);
  HIP_ERR(hipGetDeviceCount(nullptr), hipErrorInvalidValue);
  HIP_ERR(hipGetDevice(nullptr), hipErrorInvalidValue);
  int current = -1;
  HIP(hipGetDevice(&current));
  EXPECT_EQ(current, 0);
  hipDeviceProp_t p;
  HIP_ERR(hipGetDeviceProperties(&p, n), hipErrorInvalidDevice);
  HIP_ERR(hipGetDeviceProperties(nullptr, 0), hipErrorInvalidValue);
  int v = 0;
  HIP_ERR(hipDeviceGetAttribute(&v, hipDeviceAttributeWarpSize, n), hipErrorInvalidDevice);
  HIP_ERR(hipDeviceGetAttribute(nullptr, hipDeviceAttributeWarpSize, 0), hipErrorInvalidValue);
  HIP_ERR(hipDeviceGetAttribute(&v, static_cast<hipDeviceAttribute_t>(987654), 0), hipErrorInvalidValue);
  hipDevice_t device;
  HIP_ERR(hipDeviceGet(&device, n), hipErrorInvalidDevice);
}

TEST(a_new_thread_starts_on_device_0) {
  const int last = deviceCount() - 1;
  HIP(hipSetDevice(last));
  int seen = -1;
  std::thread([&] {
    int d = -1;
    if (hipGetDevice(&d) == hipSuccess) seen = d;
  }).join();
  EXPECT_EQ(seen, 0);
  int mine = -1;
  HIP(hipGetDevice(&mine));
  EXPECT_EQ(mine, last);
  HIP(hipSetDevice(0));
}

TEST(properties) {
  for (int d = 0; d < deviceCount(); ++d) {
    hipDeviceProp_t p;
    std::memset(&p, 0xab, sizeof p);
    HIP(hipGetDeviceProperties(&p, d));
    EXPECT(std::strlen(p.name) > 0 && std::strlen(p.name) < sizeof p.name);
    EXPECT(std::string(p.gcnArchName).rfind("gfx90a", 0) == 0);
    EXPECT_EQ(p.major, 9);
    EXPECT_EQ(p.minor, 0);
    EXPECT_EQ(p.warpSize, 64);
    EXPECT(p.totalGlobalMem >= std::size_t(64) << 20);
    EXPECT(p.multiProcessorCount >= 1);
    EXPECT_EQ(p.maxThreadsPerBlock, 1024);
    EXPECT_EQ(p.maxThreadsDim[0], 1024);
    EXPECT(p.maxGridSize[0] >= 65536);
    EXPECT_EQ(p.sharedMemPerBlock, std::size_t(65536));
    EXPECT(p.regsPerBlock >= 65536);
    EXPECT(p.clockRate > 0);
    EXPECT(p.memoryBusWidth > 0);
    EXPECT(p.l2CacheSize > 0);
    EXPECT(p.totalConstMem >= 65536);
    EXPECT(p.concurrentKernels);
    EXPECT(p.canMapHostMemory);
    EXPECT(p.cooperativeLaunch);
    EXPECT(p.managedMemory);
    EXPECT_EQ(p.integrated, 0);
    EXPECT(p.maxThreadsPerMultiProcessor >= 1024);
    EXPECT(p.arch.hasGlobalInt32Atomics && p.arch.hasDoubles && p.arch.hasWarpShuffle && p.arch.has3dGrid);
    check::result(std::string(p.name) + p.gcnArchName);
    check::result(p.totalGlobalMem);
  }
}

TEST(attributes_agree_with_properties) {
  for (int d = 0; d < deviceCount(); ++d) {
    hipDeviceProp_t p;
    HIP(hipGetDeviceProperties(&p, d));
    auto is = [d](hipDeviceAttribute_t a, long long want, const char* name) {
      int v = -12345;
      if (!HIP_ERR(hipDeviceGetAttribute(&v, a, d), hipSuccess) || v != static_cast<int>(want))
        check::fail(__FILE__, __LINE__,
                    std::string(name) + " is " + check::show(v) + ", the property " + check::show(want));
      return v;
    };
#define AGREE(A, P) is(hipDeviceAttribute##A, static_cast<long long>(p.P), #A)
#define IS(A, P) check::result(AGREE(A, P))
    IS(WarpSize, warpSize);
    IS(MaxThreadsPerBlock, maxThreadsPerBlock);
    IS(MaxBlockDimX, maxThreadsDim[0]);
    IS(MaxBlockDimY, maxThreadsDim[1]);
    IS(MaxBlockDimZ, maxThreadsDim[2]);
    IS(MaxGridDimX, maxGridSize[0]);
    IS(MaxGridDimY, maxGridSize[1]);
    IS(MaxGridDimZ, maxGridSize[2]);
    IS(MaxSharedMemoryPerBlock, sharedMemPerBlock);
    IS(TotalConstantMemory, totalConstMem);
    IS(MaxRegistersPerBlock, regsPerBlock);
    IS(ClockRate, clockRate);
    IS(MemoryClockRate, memoryClockRate);
    IS(MemoryBusWidth, memoryBusWidth);
    IS(MultiprocessorCount, multiProcessorCount);
    IS(ComputeMode, computeMode);
    IS(L2CacheSize, l2CacheSize);
    IS(MaxThreadsPerMultiProcessor, maxThreadsPerMultiProcessor);
    IS(ComputeCapabilityMajor, major);
    IS(ComputeCapabilityMinor, minor);
    IS(ConcurrentKernels, concurrentKernels);
    IS(PciBusId, pciBusID);
    IS(PciDeviceId, pciDeviceID);
    IS(PciDomainID, pciDomainID);
    IS(MaxSharedMemoryPerMultiprocessor, maxSharedMemoryPerMultiProcessor);
    IS(IsMultiGpuBoard, isMultiGpuBoard);
    IS(Integrated, integrated);
    IS(CooperativeLaunch, cooperativeLaunch);
    IS(CanMapHostMemory, canMapHostMemory);
    IS(ManagedMemory, managedMemory);
    IS(TextureAlignment, textureAlignment);
    IS(MaxPitch, memPitch);
    IS(KernelExecTimeout, kernelExecTimeoutEnabled);
    IS(EccEnabled, ECCEnabled);
    // Not the same through a worker on another machine: host and device have a copy of such memory each there.
    AGREE(ConcurrentManagedAccess, concurrentManagedAccess);
    AGREE(DirectManagedMemAccessFromHost, directManagedMemAccessFromHost);
    AGREE(PageableMemoryAccess, pageableMemoryAccess);
#undef IS
#undef AGREE
  }
}

TEST(driver_style_queries) {
  hipDeviceProp_t p;
  HIP(hipGetDeviceProperties(&p, 0));
  hipDevice_t device = -1;
  HIP(hipDeviceGet(&device, 0));
  EXPECT_EQ(device, 0);
  char name[256] = {};
  HIP(hipDeviceGetName(name, sizeof name, device));
  EXPECT_EQ(std::string(name), std::string(p.name));
  HIP_ERR(hipDeviceGetName(nullptr, 10, device), hipErrorInvalidValue);
  HIP_ERR(hipDeviceGetName(name, 0, device), hipErrorInvalidValue);
  std::size_t total = 0;
  HIP(hipDeviceTotalMem(&total, device));
  EXPECT_EQ(total, p.totalGlobalMem);
  int major = 0, minor = -1;
  HIP(hipDeviceComputeCapability(&major, &minor, device));
  EXPECT_EQ(major, p.major);
  EXPECT_EQ(minor, p.minor);
  int driver = 0, runtime = 0;
  HIP(hipDriverGetVersion(&driver));
  HIP(hipRuntimeGetVersion(&runtime));
  EXPECT(driver > 50000000);
  EXPECT(runtime > 50000000);
  HIP(hipInit(0));
  HIP_ERR(hipInit(1), hipErrorInvalidValue);
}

TEST(uuids_are_distinct) {
  std::vector<std::string> seen;
  for (int d = 0; d < deviceCount(); ++d) {
    hipUUID id;
    HIP(hipDeviceGetUuid(&id, d));
    const std::string text(id.bytes, sizeof id.bytes);
    EXPECT(text != std::string(sizeof id.bytes, '\0'));
    for (const auto& s : seen) EXPECT(s != text);
    seen.push_back(text);
  }
  hipUUID id;
  HIP_ERR(hipDeviceGetUuid(&id, 999), hipErrorInvalidDevice);
  HIP_ERR(hipDeviceGetUuid(nullptr, 0), hipErrorInvalidValue);
}

TEST(pci_bus_ids) {
  for (int d = 0; d < deviceCount(); ++d) {
    char id[32] = {};
    HIP(hipDeviceGetPCIBusId(id, sizeof id, d));
    int found = -1;
    HIP(hipDeviceGetByPCIBusId(&found, id));
    EXPECT_EQ(found, d);
    hipDeviceProp_t p;
    HIP(hipGetDeviceProperties(&p, d));
    char want[32];
    std::snprintf(want, sizeof want, "%04x:%02x:%02x.0", p.pciDomainID, p.pciBusID, p.pciDeviceID);
    EXPECT_EQ(std::string(id), std::string(want));
    check::result(std::string(id));
  }
  char id[32];
  HIP_ERR(hipDeviceGetPCIBusId(nullptr, 32, 0), hipErrorInvalidValue);
  HIP_ERR(hipDeviceGetPCIBusId(id, sizeof id, deviceCount()), hipErrorInvalidDevice);
  HIP_ERR(hipDeviceGetPCIBusId(id, 12, 0), hipErrorInvalidValue);  // one short
  int d;
  HIP_ERR(hipDeviceGetByPCIBusId(&d, nullptr), hipErrorInvalidValue);
  HIP_ERR(hipDeviceGetByPCIBusId(&d, "03:00.0"), hipErrorInvalidValue);  // the domain belongs to it
}

TEST(memory_info_of_one_kind) {
  std::size_t free = 0, total = 0, sameTotal = 0;
  HIP(hipMemGetInfo(&free, &total));
  HIP(hipMemGetInfo(nullptr, &sameTotal));
  EXPECT_EQ(sameTotal, total);
  HIP(hipMemGetInfo(&free, nullptr));
  HIP(hipMemGetInfo(nullptr, nullptr));
}

// Not in the headers of HIP 5.2.
static hipError_t setLimit(hipLimit_t limit, std::size_t bytes) {
  static const auto function =
      reinterpret_cast<hipError_t (*)(hipLimit_t, std::size_t)>(os::symbol("hipDeviceSetLimit"));
  return function ? function(limit, bytes) : hipErrorNotSupported;
}

TEST(limits) {
  std::size_t heap = 0;
  HIP(hipDeviceGetLimit(&heap, hipLimitMallocHeapSize));
  EXPECT(heap > 0);
  HIP_ERR(hipDeviceGetLimit(&heap, static_cast<hipLimit_t>(0x1234)), hipErrorUnsupportedLimit);
  HIP_ERR(hipDeviceGetLimit(nullptr, hipLimitMallocHeapSize), hipErrorInvalidValue);
  HIP_ERR(setLimit(static_cast<hipLimit_t>(3), 1024), hipErrorInvalidValue);
  HIP_ERR(setLimit(static_cast<hipLimit_t>(-1), 1024), hipErrorInvalidValue);
  HIP_ERR(setLimit(hipLimitMallocHeapSize, ~std::size_t{0}), hipErrorInvalidValue);
  const auto stack = static_cast<hipLimit_t>(0);
  std::size_t before = 0, bytes = 0;
  HIP(hipDeviceGetLimit(&before, stack));
  HIP_ERR(setLimit(stack, 128 << 10), hipErrorInvalidValue);
  HIP(setLimit(stack, 4097));
  HIP(hipDeviceGetLimit(&bytes, stack));
  EXPECT_EQ(bytes, std::size_t{4112});  // in units of 16
  HIP(setLimit(stack, before));
  // A whole pointer, to no register of another machine.
  for (const auto attribute : {hipDeviceAttributeHdpMemFlushCntl, hipDeviceAttributeHdpRegFlushCntl}) {
    void* flushRegister = &before;
    HIP(hipDeviceGetAttribute(reinterpret_cast<int*>(&flushRegister), attribute, 0));
    EXPECT_EQ(flushRegister, static_cast<void*>(nullptr));
  }
}

TEST(flags) {
  unsigned flags = 99;
  HIP(hipGetDeviceFlags(&flags));
  EXPECT_EQ(flags, unsigned(hipDeviceScheduleSpin));
  HIP_ERR(hipGetDeviceFlags(nullptr), hipErrorInvalidValue);
  for (unsigned f :
       {hipDeviceScheduleSpin, hipDeviceScheduleYield, hipDeviceScheduleBlockingSync, hipDeviceScheduleAuto}) {
    HIP(hipSetDeviceFlags(f));
    HIP(hipGetDeviceFlags(&flags));
    EXPECT_EQ(flags, f);
  }
  HIP(hipSetDeviceFlags(hipDeviceScheduleYield | hipDeviceMapHost));
  HIP(hipGetDeviceFlags(&flags));
  EXPECT_EQ(flags, unsigned(hipDeviceScheduleYield));  // how to wait is all that is kept
  HIP(hipSetDeviceFlags(hipDeviceScheduleSpin));
  HIP_ERR(hipSetDeviceFlags(0x4000), hipErrorInvalidValue);
}

// AMD GPUs have nothing to configure there: any wish is accepted and changes nothing.
TEST(cache_and_shared_memory_configuration) {
  hipFuncCache_t cache = hipFuncCachePreferL1;
  HIP(hipDeviceSetCacheConfig(hipFuncCachePreferShared));
  HIP(hipDeviceGetCacheConfig(&cache));
  EXPECT_EQ(cache, hipFuncCachePreferNone);
  hipSharedMemConfig shared;
  HIP(hipDeviceSetSharedMemConfig(hipSharedMemBankSizeEightByte));
  HIP(hipDeviceGetSharedMemConfig(&shared));
  EXPECT_EQ(shared, hipSharedMemBankSizeFourByte);
  HIP_ERR(hipDeviceSetCacheConfig(static_cast<hipFuncCache_t>(-1)), hipErrorInvalidValue);
  HIP_ERR(hipDeviceSetSharedMemConfig(static_cast<hipSharedMemConfig>(-1)), hipErrorInvalidValue);
  HIP_ERR(hipDeviceGetCacheConfig(nullptr), hipErrorInvalidValue);
  HIP_ERR(hipDeviceGetSharedMemConfig(nullptr), hipErrorInvalidValue);
}

TEST(choose_device) {
  for (int d = deviceCount() - 1; d >= 0; --d) {
    hipDeviceProp_t want;
    HIP(hipGetDeviceProperties(&want, d));
    int chosen = -1;
    HIP(hipChooseDevice(&chosen, &want));
    EXPECT(chosen >= 0 && chosen < deviceCount());
    hipDeviceProp_t got;
    HIP(hipGetDeviceProperties(&got, chosen));
    EXPECT_EQ(std::string(got.gcnArchName), std::string(want.gcnArchName));
  }
  hipDeviceProp_t p = {};
  int d = -1;
  HIP(hipChooseDevice(&d, &p));
  EXPECT_EQ(d, 0);
  p.major = 1000;  // nobody has that: the first is as good as any
  d = -1;
  HIP(hipChooseDevice(&d, &p));
  EXPECT_EQ(d, 0);
  HIP_ERR(hipChooseDevice(nullptr, &p), hipErrorInvalidValue);
  HIP_ERR(hipChooseDevice(&d, nullptr), hipErrorInvalidValue);
}

__global__ void put(int* out, int v) {
  *out = v;
}

TEST(synchronize_waits_for_every_stream) {
  Stream a, b(hipStreamNonBlocking);
  Buffer<int> x(1), y(1);
  put<<<1, 1, 0, a>>>(x, 1);
  put<<<1, 1, 0, b>>>(y, 2);
  KERNEL_OK();
  HIP(hipDeviceSynchronize());
  HIP(hipStreamQuery(a));
  HIP(hipStreamQuery(b));
  EXPECT_EQ(x.download()[0], 1);
  EXPECT_EQ(y.download()[0], 2);
}

__global__ void timeBothClocks(unsigned long long* ticks) {
  constexpr unsigned long long kTicks = 500000;  // 5 ms of the 100 MHz clock
  const unsigned long long real = __builtin_amdgcn_s_memrealtime(), shader = __builtin_amdgcn_s_memtime();
  unsigned long long now;
  do now = __builtin_amdgcn_s_memrealtime();
  while (now - real < kTicks);
  ticks[0] = __builtin_amdgcn_s_memtime() - shader;
  ticks[1] = now - real;
}

TEST(the_shader_clock_ticks_at_the_rate_that_is_named) {
  int kilohertz = 0;
  HIP(hipDeviceGetAttribute(&kilohertz, hipDeviceAttributeClockRate, 0));
  Buffer<unsigned long long> ticks(2);
  bool alike = false;
  for (int attempt = 0; attempt < 10 && !alike; ++attempt) {  // somebody may have the processor between two readings
    timeBothClocks<<<1, 1>>>(ticks);
    KERNEL_OK();
    const auto t = ticks.download();
    const double expected = kilohertz / 100000.0, found = double(t[0]) / double(t[1]);
    alike = found > 0.9 * expected && found < 1.1 * expected;
  }
  EXPECT(alike);
}

TEST(reset_leaves_a_usable_device) {  // last: it frees what others hold
  int* p = nullptr;
  HIP(hipMalloc(reinterpret_cast<void**>(&p), 4096));
  HIP(hipDeviceReset());
  Buffer<int> x(1);
  put<<<1, 1>>>(x, 5);
  KERNEL_OK();
  EXPECT_EQ(x.download()[0], 5);
}

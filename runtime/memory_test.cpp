// Allocation, host memory, managed memory, pointers, virtual memory.
#include "runtime/fake_core.h"

namespace hipr {
namespace {

using testing::fake;
class Memory : public testing::RuntimeTest {};

TEST_F(Memory, AllocateAndFree) {
  void* p = &p;
  EXPECT_EQ(api::hipMalloc(&p, 0), hipSuccess);
  EXPECT_EQ(p, nullptr);
  EXPECT_EQ(api::hipMalloc(nullptr, 4), hipErrorInvalidValue);
  ASSERT_EQ(api::hipMalloc(&p, 100), hipSuccess);
  EXPECT_EQ(api::hipFree(static_cast<char*>(p) + 1), hipErrorInvalidValue);
  EXPECT_EQ(api::hipFree(p), hipSuccess);
  EXPECT_EQ(api::hipFree(p), hipErrorInvalidValue);
  EXPECT_EQ(api::hipHostFree(p), hipErrorInvalidValue);
  EXPECT_EQ(api::hipFree(nullptr), hipSuccess);
  EXPECT_EQ(fake().live, 0);
  fake().failures["allocate"] = hipErrorOutOfMemory;
  EXPECT_EQ(api::hipMalloc(&p, 100), hipErrorOutOfMemory);
}

TEST_F(Memory, FreesFenceTheDevicesThatReachTheMemory) {
  const auto actionsOf = [](auto call) {
    fake().log.clear();
    EXPECT_EQ(call(), hipSuccess);
    return fake().log;
  };
  const std::vector<std::string> one{"fence", "release"}, all{"fence", "fence", "release"};
  void *device = nullptr, *host = nullptr, *ordered = nullptr;
  int mine[100];
  ASSERT_EQ(api::hipMalloc(&device, 100), hipSuccess);
  ASSERT_EQ(api::hipHostMalloc(&host, 100, 0), hipSuccess);
  ASSERT_EQ(api::hipHostRegister(mine, sizeof mine, 0), hipSuccess);
  ASSERT_EQ(api::hipMallocAsync(&ordered, 100, nullptr), hipSuccess);
  EXPECT_EQ(actionsOf([&] { return api::hipFree(device); }), one);
  EXPECT_EQ(actionsOf([&] { return api::hipHostFree(host); }), all);
  EXPECT_EQ(actionsOf([&] { return api::hipHostUnregister(mine); }), all);
  EXPECT_EQ(actionsOf([&] { return api::hipFreeAsync(ordered, nullptr); }), std::vector<std::string>{})
      << "its pool keeps it";
  ASSERT_EQ(api::hipMalloc(&device, 100), hipSuccess);
  EXPECT_EQ(actionsOf([&] { return api::hipFreeAsync(device, nullptr); }), std::vector<std::string>{"release"})
      << "nobody waits for a free that is part of a stream";
}

TEST_F(Memory, PitchedShapes) {
  void* p = nullptr;
  std::size_t pitch = 0;
  ASSERT_EQ(api::hipMallocPitch(&p, &pitch, 100, 3), hipSuccess);
  EXPECT_EQ(pitch, 256u);
  hipDeviceptr_t base = nullptr;
  std::size_t size = 0;
  ASSERT_EQ(api::hipMemGetAddressRange(&base, &size, static_cast<char*>(p) + 300), hipSuccess);
  EXPECT_EQ(base, p);
  EXPECT_EQ(size, 768u);
  EXPECT_EQ(api::hipFree(p), hipSuccess);
  EXPECT_EQ(api::hipMallocPitch(&p, &pitch, ~std::size_t{0}, 3), hipErrorInvalidValue);
  EXPECT_EQ(api::hipMallocPitch(&p, &pitch, 3, ~std::size_t{0}), hipErrorOutOfMemory);
  hipPitchedPtr cube{};
  ASSERT_EQ(api::hipMalloc3D(&cube, {300, 4, 5}), hipSuccess);
  EXPECT_EQ(cube.pitch, 512u);
  EXPECT_EQ(cube.xsize, 300u);
  EXPECT_EQ(cube.ysize, 4u);
  EXPECT_EQ(api::hipFree(cube.ptr), hipSuccess);
  EXPECT_EQ(api::hipMemAllocPitch(&p, &pitch, 16, 4, 3), hipErrorInvalidValue);
}

TEST_F(Memory, HostFlags) {
  void* p = nullptr;
  EXPECT_EQ(api::hipHostAlloc(&p, 16, 0xff00), hipErrorInvalidValue);
  EXPECT_EQ(api::hipHostMalloc(&p, 16, hipHostMallocUncached | hipHostMallocCoherent), hipErrorInvalidValue);
  EXPECT_EQ(api::hipHostMalloc(&p, 16, hipHostMallocCoherent | hipHostMallocNonCoherent), hipErrorInvalidValue);
  ASSERT_EQ(api::hipHostMalloc(&p, 16, hipHostMallocMapped), hipSuccess);
  unsigned flags = 0;
  ASSERT_EQ(api::hipHostGetFlags(&flags, p), hipSuccess);
  EXPECT_EQ(flags, hipHostMallocMapped);
  int local = 0;
  EXPECT_EQ(api::hipHostGetFlags(&flags, &local), hipErrorInvalidValue);
  EXPECT_EQ(api::hipFreeHost(p), hipSuccess);
}

TEST_F(Memory, RegisterTwice) {
  static char own[4096];
  ASSERT_EQ(api::hipHostRegister(own + 100, 1000, 0), hipSuccess);
  EXPECT_EQ(api::hipHostRegister(own + 100, 1000, 0), hipSuccess) << "changes nothing";
  EXPECT_EQ(api::hipHostRegister(own + 50, 100, 0), hipErrorHostMemoryAlreadyRegistered);
  EXPECT_EQ(api::hipHostRegister(own, 4096, 0), hipErrorHostMemoryAlreadyRegistered) << "around it";
  EXPECT_EQ(api::hipHostUnregister(own + 101), hipErrorHostMemoryNotRegistered);
  EXPECT_EQ(api::hipFree(own + 100), hipErrorInvalidValue);
  EXPECT_EQ(api::hipHostUnregister(own + 100), hipSuccess);
  EXPECT_EQ(fake().live, 0);
  EXPECT_EQ(api::hipHostRegister(nullptr, 4, 0), hipErrorInvalidValue);
  EXPECT_EQ(api::hipHostRegister(own, 0, 0), hipErrorInvalidValue);
}

TEST_F(Memory, PointerAttributes) {
  void *device = nullptr, *host = nullptr, *managed = nullptr;
  ASSERT_EQ(api::hipSetDevice(1), hipSuccess);
  ASSERT_EQ(api::hipMalloc(&device, 100), hipSuccess);
  ASSERT_EQ(api::hipHostMalloc(&host, 100, hipHostMallocPortable), hipSuccess);
  ASSERT_EQ(api::hipMallocManaged(&managed, 100, hipMemAttachGlobal), hipSuccess);
  hipPointerAttribute_t a{};
  ASSERT_EQ(api::hipPointerGetAttributes(&a, static_cast<char*>(device) + 10), hipSuccess);
  EXPECT_EQ(a.type, hipMemoryTypeDevice);
  EXPECT_EQ(a.device, 1);
  EXPECT_EQ(a.devicePointer, static_cast<char*>(device) + 10);
  EXPECT_EQ(a.hostPointer, nullptr);
  ASSERT_EQ(api::hipPointerGetAttributes(&a, host), hipSuccess);
  EXPECT_EQ(a.type, hipMemoryTypeHost);
  EXPECT_EQ(a.hostPointer, host);
  EXPECT_EQ(a.allocationFlags, hipHostMallocPortable);
  ASSERT_EQ(api::hipPointerGetAttributes(&a, managed), hipSuccess);
  EXPECT_EQ(a.type, hipMemoryTypeManaged);
  EXPECT_EQ(a.isManaged, 1);
  EXPECT_EQ(a.allocationFlags, 0u);
  ASSERT_EQ(api::hipPointerGetAttributes(&a, &a), hipSuccess);
  EXPECT_EQ(a.type, hipMemoryTypeUnregistered);
  EXPECT_EQ(api::hipPointerGetAttributes(&a, nullptr), hipSuccess);
  EXPECT_EQ(api::hipPointerGetAttributes(nullptr, host), hipErrorInvalidValue);
  int ordinal = -1;
  ASSERT_EQ(api::hipPointerGetAttribute(&ordinal, HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL, device), hipSuccess);
  EXPECT_EQ(ordinal, 1);
  void* start = nullptr;
  ASSERT_EQ(api::hipPointerGetAttribute(&start, HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR, static_cast<char*>(device) + 9),
            hipSuccess);
  EXPECT_EQ(start, device);
  EXPECT_EQ(api::hipPointerGetAttribute(&start, HIP_POINTER_ATTRIBUTE_HOST_POINTER, device), hipErrorInvalidValue);
  EXPECT_EQ(api::hipPointerGetAttribute(&start, HIP_POINTER_ATTRIBUTE_CONTEXT, &a), hipErrorInvalidValue);
  hipDeviceptr_t base;
  EXPECT_EQ(api::hipMemGetAddressRange(&base, nullptr, &a), hipErrorNotFound);
  hipCtx_t context = nullptr, current = nullptr;
  ASSERT_EQ(api::hipPointerGetAttribute(&context, HIP_POINTER_ATTRIBUTE_CONTEXT, device), hipSuccess);
  ASSERT_EQ(api::hipCtxGetCurrent(&current), hipSuccess);
  EXPECT_EQ(context, current);
}

TEST_F(Memory, WhereMemoryIsAndWhoMayShareIt) {
  void *device = nullptr, *pooled = nullptr, *host = nullptr, *managed = nullptr;
  static char own[64];
  ASSERT_EQ(api::hipMalloc(&device, 100), hipSuccess);
  ASSERT_EQ(api::hipMallocAsync(&pooled, 100, nullptr), hipSuccess);
  ASSERT_EQ(api::hipHostMalloc(&host, 100, 0), hipSuccess);
  ASSERT_EQ(api::hipMallocManaged(&managed, 100, hipMemAttachGlobal), hipSuccess);
  ASSERT_EQ(api::hipHostRegister(own, sizeof own, 0), hipSuccess);
  struct {
    void* memory;
    hipMemoryType type;
    int canBeShared;
  } const cases[] = {{device, hipMemoryTypeDevice, 1},
                     {pooled, hipMemoryTypeDevice, 1},
                     {host, hipMemoryTypeHost, 0},
                     {managed, hipMemoryTypeHost, 0},
                     {own, hipMemoryTypeHost, 0}};
  constexpr auto kCanBeShared = HIP_POINTER_ATTRIBUTE_IS_LEGACY_HIP_IPC_CAPABLE;
  for (const auto& c : cases) {
    hipMemoryType type{};
    int canBeShared = -1;
    EXPECT_EQ(api::hipPointerGetAttribute(&type, HIP_POINTER_ATTRIBUTE_MEMORY_TYPE, c.memory), hipSuccess);
    EXPECT_EQ(type, c.type);
    EXPECT_EQ(api::hipPointerGetAttribute(&canBeShared, kCanBeShared, c.memory), hipSuccess);
    EXPECT_EQ(canBeShared, c.canBeShared);
  }
  int onStack = 7;
  EXPECT_EQ(api::hipPointerGetAttribute(&onStack, kCanBeShared, &onStack), hipErrorInvalidValue);
  EXPECT_EQ(onStack, 0);
  EXPECT_EQ(api::hipHostUnregister(own), hipSuccess);
}

TEST_F(Memory, AdviceIsReadBack) {
  void* p = nullptr;
  ASSERT_EQ(api::hipMallocManaged(&p, 8192, hipMemAttachGlobal), hipSuccess);
  char* second = static_cast<char*>(p) + 4096;
  int value = 5;
  const auto get = [&](hipMemRangeAttribute which, const void* at, std::size_t size) {
    EXPECT_EQ(api::hipMemRangeGetAttribute(&value, sizeof(value), which, at, size), hipSuccess);
    return value;
  };
  EXPECT_EQ(get(hipMemRangeAttributePreferredLocation, p, 8192), hipInvalidDeviceId);
  ASSERT_EQ(api::hipMemAdvise(p, 4096, hipMemAdviseSetReadMostly, 0), hipSuccess);
  EXPECT_EQ(get(hipMemRangeAttributeReadMostly, p, 4096), 1);
  EXPECT_EQ(get(hipMemRangeAttributeReadMostly, p, 8192), 0) << "only half of it";
  ASSERT_EQ(api::hipMemAdvise(p, 8192, hipMemAdviseSetPreferredLocation, 1), hipSuccess);
  EXPECT_EQ(get(hipMemRangeAttributePreferredLocation, p, 8192), 1);
  EXPECT_EQ(get(hipMemRangeAttributeReadMostly, p, 4096), 1) << "untouched by other advice";
  ASSERT_EQ(api::hipMemPrefetchAsync(second, 4096, hipCpuDeviceId, nullptr), hipSuccess);
  EXPECT_EQ(get(hipMemRangeAttributeLastPrefetchLocation, second, 4096), hipCpuDeviceId);
  EXPECT_EQ(get(hipMemRangeAttributeLastPrefetchLocation, p, 8192), hipInvalidDeviceId);
  ASSERT_EQ(api::hipMemAdvise(p, 8192, hipMemAdviseSetAccessedBy, 0), hipSuccess);
  int by[3] = {};
  ASSERT_EQ(api::hipMemRangeGetAttribute(by, sizeof(by), hipMemRangeAttributeAccessedBy, p, 8192), hipSuccess);
  EXPECT_EQ(by[0], 0);
  EXPECT_EQ(by[1], hipInvalidDeviceId);
  EXPECT_EQ(api::hipMemAdvise(p, 8193, hipMemAdviseSetReadMostly, 0), hipErrorInvalidValue);
  EXPECT_EQ(api::hipMemAdvise(p, 16, hipMemAdviseSetAccessedBy, 9), hipErrorInvalidDevice);
  EXPECT_EQ(api::hipMallocManaged(&p, 0, hipMemAttachGlobal), hipErrorInvalidValue);
  EXPECT_EQ(api::hipMallocManaged(&p, 16, 0), hipErrorInvalidValue);
}

TEST_F(Memory, StreamOrdered) {
  void* p = nullptr;
  ASSERT_EQ(api::hipMallocAsync(&p, 100, nullptr), hipSuccess);
  EXPECT_EQ(api::hipFreeAsync(p, nullptr), hipSuccess);
  EXPECT_EQ(api::hipFreeAsync(p, nullptr), hipErrorInvalidValue);
  EXPECT_EQ(api::hipFreeAsync(nullptr, nullptr), hipSuccess);
  EXPECT_EQ(api::hipDeviceSynchronize(), hipSuccess);
  EXPECT_EQ(fake().live, 0);
}

TEST_F(Memory, VirtualMemory) {
  hipMemAllocationProp prop{};
  prop.type = hipMemAllocationTypePinned;
  prop.location = {hipMemLocationTypeDevice, 1};
  std::size_t granularity = 0;
  ASSERT_EQ(api::hipMemGetAllocationGranularity(&granularity, &prop, hipMemAllocationGranularityMinimum), hipSuccess);
  void* range = nullptr;
  ASSERT_EQ(api::hipMemAddressReserve(&range, 2 * granularity, 0, nullptr, 0), hipSuccess);
  EXPECT_EQ(api::hipMemAddressReserve(&range, granularity + 1, 0, nullptr, 0), hipErrorInvalidValue);
  hipMemGenericAllocationHandle_t handle = nullptr;
  ASSERT_EQ(api::hipMemCreate(&handle, granularity, &prop, 0), hipSuccess);
  EXPECT_EQ(api::hipMemMap(&prop, granularity, 0, handle, 0), hipErrorInvalidValue) << "not reserved";
  ASSERT_EQ(api::hipMemMap(range, granularity, 0, handle, 0), hipSuccess);
  EXPECT_EQ(api::hipMemMap(range, granularity, 0, handle, 0), hipErrorInvalidValue) << "mapped already";
  const hipMemAccessDesc access{{hipMemLocationTypeDevice, 1}, hipMemAccessFlagsProtReadWrite};
  ASSERT_EQ(api::hipMemSetAccess(range, granularity, &access, 1), hipSuccess);
  EXPECT_EQ(api::hipMemSetAccess(range, 2 * granularity, &access, 1), hipErrorInvalidValue);
  unsigned long long flags = 0;
  ASSERT_EQ(api::hipMemGetAccess(&flags, &access.location, range), hipSuccess);
  EXPECT_EQ(flags, hipMemAccessFlagsProtReadWrite);
  EXPECT_EQ(api::hipMemset(range, 1, granularity), hipSuccess);
  EXPECT_EQ(api::hipFree(range), hipErrorInvalidValue);
  EXPECT_EQ(api::hipMemAddressFree(range, 2 * granularity), hipErrorInvalidValue) << "still mapped";
  EXPECT_EQ(api::hipMemUnmap(range, granularity), hipSuccess);
  EXPECT_EQ(api::hipMemset(range, 1, granularity), hipErrorInvalidValue);
  EXPECT_EQ(api::hipMemRelease(handle), hipSuccess);
  EXPECT_EQ(api::hipMemRelease(handle), hipErrorInvalidValue);
  EXPECT_EQ(api::hipMemAddressFree(range, 2 * granularity), hipSuccess);
}

}  // namespace
}  // namespace hipr

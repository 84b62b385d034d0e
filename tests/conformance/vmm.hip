// Virtual memory management: addresses, physical memory, and one mapped onto the other.
#include "support.h"

namespace {

hipMemAllocationProp properties(int device = 0) {
  hipMemAllocationProp prop{};
  prop.type = hipMemAllocationTypePinned;
  prop.location.type = hipMemLocationTypeDevice;
  prop.location.id = device;
  return prop;
}

bool supported() {
  constexpr auto kAttribute = static_cast<hipDeviceAttribute_t>(89);  // newer than the oldest headers
  int yes = 0;
  HIP(hipDeviceGetAttribute(&yes, kAttribute, 0));
  return yes != 0;
}

std::size_t granularity() {
  const hipMemAllocationProp prop = properties();
  std::size_t unit = 0;
  HIP(hipMemGetAllocationGranularity(&unit, &prop, hipMemAllocationGranularityMinimum));
  return unit;
}

// Physical memory of a device.
struct Physical {
  explicit Physical(std::size_t size, int device = 0) {
    const hipMemAllocationProp prop = properties(device);
    HIP(hipMemCreate(&handle, size, &prop, 0));
  }
  ~Physical() {
    if (handle != nullptr) (void)hipMemRelease(handle);
  }
  hipMemGenericAllocationHandle_t handle = nullptr;
};

void allow(void* at, std::size_t size, int device = 0) {
  hipMemAccessDesc access{};
  access.location.type = hipMemLocationTypeDevice;
  access.location.id = device;
  access.flags = hipMemAccessFlagsProtReadWrite;
  HIP(hipMemSetAccess(at, size, &access, 1));
}

__global__ void fillWith(int* to, int value) {
  to[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

std::vector<int> read(const void* from, std::size_t count) {
  std::vector<int> out(count);
  HIP(hipMemcpy(out.data(), from, count * sizeof(int), hipMemcpyDeviceToHost));
  return out;
}

}  // namespace

// A test that needs it does nothing where the attribute says that there is none; then the calls must say so as well.
#define NEEDS_VMM                                                                                                    \
  if (!supported()) {                                                                                                \
    const hipMemAllocationProp prop = properties();                                                                  \
    std::size_t unit = 0;                                                                                            \
    HIP_ERR(hipMemGetAllocationGranularity(&unit, &prop, hipMemAllocationGranularityMinimum), hipErrorNotSupported); \
    SKIP("this device has no virtual memory management");                                                            \
  }

TEST(map_use_and_unmap) {
  NEEDS_VMM
  const std::size_t unit = granularity(), size = 4 * unit, count = size / sizeof(int);
  void* range = nullptr;
  HIP(hipMemAddressReserve(&range, 2 * size, 0, nullptr, 0));
  Physical memory(size);
  HIP(hipMemMap(range, size, 0, memory.handle, 0));
  allow(range, size);
  int* p = static_cast<int*>(range);
  fillWith<<<blocksFor(count, 256), 256>>>(p, 42);
  EXPECT_VEC(read(p, count), std::vector<int>(count, 42));
  std::vector<int> in(count, 7);
  HIP(hipMemcpy(p, in.data(), size, hipMemcpyHostToDevice));
  HIP(hipMemset(p, 0, 4));
  in[0] = 0;
  EXPECT_VEC(read(p, count), in);
  check::result(read(p, 64));
  hipPointerAttribute_t attributes{};
  HIP(hipPointerGetAttributes(&attributes, p + 5));
  EXPECT_EQ(attributes.device, 0);
  unsigned long long flags = 0;
  hipMemLocation location{hipMemLocationTypeDevice, 0};
  HIP(hipMemGetAccess(&flags, &location, range));
  EXPECT_EQ(flags, (unsigned long long)(hipMemAccessFlagsProtReadWrite));
  HIP(hipMemUnmap(range, size));
  HIP_FAILS(hipPointerGetAttributes(&attributes, p));
  HIP(hipMemAddressFree(range, 2 * size));
}

TEST(contents_move_with_the_memory) {
  NEEDS_VMM
  const std::size_t unit = granularity(), count = unit / sizeof(int);
  void* range = nullptr;
  HIP(hipMemAddressReserve(&range, 4 * unit, 0, nullptr, 0));
  char* at = static_cast<char*>(range);
  Physical a(unit), b(unit);
  HIP(hipMemMap(at, unit, 0, a.handle, 0));
  HIP(hipMemMap(at + unit, unit, 0, b.handle, 0));
  allow(at, 2 * unit);  // both at once
  fillWith<<<blocksFor(2 * count, 256), 256>>>(reinterpret_cast<int*>(at), 5);
  HIP(hipMemset(at + unit, 1, unit));
  HIP(hipDeviceSynchronize());
  HIP(hipMemUnmap(at, unit));
  HIP(hipMemUnmap(at + unit, unit));
  HIP(hipMemMap(at, unit, 0, b.handle, 0));
  HIP(hipMemMap(at + 3 * unit, unit, 0, a.handle, 0));
  allow(at, unit);
  allow(at + 3 * unit, unit);
  EXPECT_VEC(read(at, count), std::vector<int>(count, 0x01010101));
  EXPECT_VEC(read(at + 3 * unit, count), std::vector<int>(count, 5));
  HIP(hipMemUnmap(at, unit));
  HIP(hipMemUnmap(at + 3 * unit, unit));
  HIP(hipMemAddressFree(range, 4 * unit));
}

// As of an array that grows: PyTorch's expandable segments and llama.cpp's pools are made of such.
TEST(copies_and_fills_run_over_the_borders_of_mappings) {
  NEEDS_VMM
  const std::size_t unit = granularity(), count = unit / sizeof(int);
  void* range = nullptr;
  HIP(hipMemAddressReserve(&range, 4 * unit, 0, nullptr, 0));
  char* at = static_cast<char*>(range);
  Physical parts[] = {Physical(unit), Physical(unit), Physical(unit)};
  for (std::size_t i = 0; i < 3; ++i) HIP(hipMemMap(at + i * unit, unit, 0, parts[i].handle, 0));
  allow(at, 3 * unit);
  HIP(hipMemset(at, 3, 3 * unit));
  EXPECT_VEC(read(at, 3 * count), std::vector<int>(3 * count, 0x03030303));
  std::vector<int> in(2 * count);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = int(i * 2654435761u);
  HIP(hipMemcpy(at + unit / 2, in.data(), 2 * unit, hipMemcpyHostToDevice));
  EXPECT_VEC(read(at + unit / 2, 2 * count), in);
  HIP(hipMemcpyAsync(at + unit / 2 + 64, at + unit / 2, 2 * unit - 64, hipMemcpyDeviceToDevice, nullptr));
  HIP(hipMemcpy2D(in.data(), 256, at + unit - 128, 256, 256, 4, hipMemcpyDeviceToHost));
  HIP(hipMemsetD32Async(at + unit - 64, 77, 32, nullptr));
  EXPECT_VEC(read(at + unit - 64, 32), std::vector<int>(32, 77));
  check::result(read(at + 2 * unit - 128, 64));
  HIP_ERR(hipMemset(at, 0, 3 * unit + 1), hipErrorInvalidValue);
  HIP(hipMemUnmap(at + unit, unit));
  HIP_ERR(hipMemset(at, 0, unit + 1), hipErrorInvalidValue);  // there is a gap now
  HIP_ERR(hipMemcpy(in.data(), at + unit - 4, 8, hipMemcpyDeviceToHost), hipErrorInvalidValue);
  HIP(hipMemUnmap(at, unit));
  HIP(hipMemUnmap(at + 2 * unit, unit));
  HIP(hipMemAddressFree(range, 4 * unit));
}

// A range made of whole mappings is unmapped in one call; of a part of one, or with a gap, nothing is.
TEST(several_mappings_are_unmapped_at_once) {
  NEEDS_VMM
  const std::size_t unit = granularity(), count = unit / sizeof(int);
  void* range = nullptr;
  HIP(hipMemAddressReserve(&range, 6 * unit, 0, nullptr, 0));
  char* at = static_cast<char*>(range);
  Physical parts[] = {Physical(unit), Physical(2 * unit), Physical(unit)};
  HIP(hipMemMap(at, unit, 0, parts[0].handle, 0));
  HIP(hipMemMap(at + unit, 2 * unit, 0, parts[1].handle, 0));
  HIP(hipMemMap(at + 4 * unit, unit, 0, parts[2].handle, 0));
  allow(at, 3 * unit);
  for (const std::size_t size : {std::size_t(0), unit / 2, 2 * unit, 4 * unit, 5 * unit})
    HIP_ERR(hipMemUnmap(at, size), hipErrorInvalidValue);
  HIP_ERR(hipMemUnmap(at + 2 * unit, unit), hipErrorInvalidValue);
  HIP(hipMemset(at, 5, 3 * unit));  // all of it is there
  EXPECT_VEC(read(at + 2 * unit, count), std::vector<int>(count, 0x05050505));
  HIP(hipMemUnmap(at, 3 * unit));
  HIP_ERR(hipMemset(at, 5, unit), hipErrorInvalidValue);
  HIP_ERR(hipMemset(at + unit, 5, unit), hipErrorInvalidValue);
  HIP_ERR(hipMemUnmap(at + unit, 2 * unit), hipErrorInvalidValue);
  HIP(hipMemMap(at, 2 * unit, 0, parts[1].handle, 0));  // what was there is in the memory
  allow(at, 2 * unit);
  EXPECT_VEC(read(at, count), std::vector<int>(count, 0x05050505));
  HIP(hipMemUnmap(at, 2 * unit));
  HIP(hipMemUnmap(at + 4 * unit, unit));
  HIP(hipMemAddressFree(range, 6 * unit));
}

TEST(memory_lives_while_it_is_mapped) {
  NEEDS_VMM
  const std::size_t unit = granularity(), count = unit / sizeof(int);
  void* range = nullptr;
  HIP(hipMemAddressReserve(&range, unit, 0, nullptr, 0));
  hipMemGenericAllocationHandle_t again = nullptr;
  {
    Physical memory(unit);
    HIP(hipMemMap(range, unit, 0, memory.handle, 0));
    hipMemAllocationProp prop{};
    HIP(hipMemGetAllocationPropertiesFromHandle(&prop, memory.handle));  // laid out as in 5.3, which 5.2's header is not
    HIP(hipMemRetainAllocationHandle(&again, static_cast<char*>(range) + 100));
    EXPECT_EQ(again, memory.handle);
  }
  HIP(hipMemRelease(again));
  HIP_ERR(hipMemRelease(again), hipErrorInvalidValue);
  allow(range, unit);
  fillWith<<<blocksFor(count, 256), 256>>>(static_cast<int*>(range), 9);
  EXPECT_VEC(read(range, count), std::vector<int>(count, 9));
  HIP(hipMemUnmap(range, unit));
  HIP(hipMemAddressFree(range, unit));
}

TEST(map_and_unmap_over_and_over) {
  NEEDS_VMM
  const std::size_t unit = granularity(), count = unit / sizeof(int);
  void* range = nullptr;
  HIP(hipMemAddressReserve(&range, unit, 0, nullptr, 0));
  Stream stream(hipStreamNonBlocking);
  for (int round = 0; round < 20; ++round) {
    Physical memory(unit);
    HIP(hipMemMap(range, unit, 0, memory.handle, 0));
    allow(range, unit);
    fillWith<<<blocksFor(count, 256), 256, 0, stream>>>(static_cast<int*>(range), round);
    HIP(hipStreamSynchronize(stream));
    EXPECT_VEC(read(range, 64), std::vector<int>(64, round));
    HIP(hipMemUnmap(range, unit));
  }
  HIP(hipMemAddressFree(range, unit));
}

TEST(a_peer_is_given_access) {
  NEEDS_VMM
  int devices = 0, can = 0;
  HIP(hipGetDeviceCount(&devices));
  if (devices < 2) SKIP("one device");
  HIP(hipDeviceCanAccessPeer(&can, 0, 1));
  if (can == 0) SKIP("no peers");
  const std::size_t unit = granularity(), count = unit / sizeof(int);
  void* range = nullptr;
  HIP(hipMemAddressReserve(&range, unit, 0, nullptr, 0));
  Physical memory(unit, 1);
  HIP(hipMemMap(range, unit, 0, memory.handle, 0));
  allow(range, unit, 1);
  allow(range, unit, 0);
  fillWith<<<blocksFor(count, 256), 256>>>(static_cast<int*>(range), 3);
  HIP(hipDeviceSynchronize());
  EXPECT_VEC(read(range, count), std::vector<int>(count, 3));
  HIP(hipMemUnmap(range, unit));
  HIP(hipMemAddressFree(range, unit));
}

TEST(alignment) {
  NEEDS_VMM
  const std::size_t unit = granularity();
  for (std::size_t alignment = unit; alignment <= unit << 6; alignment *= 4) {
    void* range = nullptr;
    HIP(hipMemAddressReserve(&range, 3 * unit, alignment, nullptr, 0));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(range) % alignment, std::uintptr_t(0));
    HIP(hipMemAddressFree(range, 3 * unit));
  }
}

TEST(wrong_arguments) {
  NEEDS_VMM
  const std::size_t unit = granularity();
  void* range = nullptr;
  HIP_ERR(hipMemAddressReserve(nullptr, unit, 0, nullptr, 0), hipErrorInvalidValue);
  HIP_ERR(hipMemAddressReserve(&range, 0, 0, nullptr, 0), hipErrorOutOfMemory);
  HIP_ERR(hipMemAddressReserve(&range, unit + 1, 0, nullptr, 0), hipErrorOutOfMemory);
  HIP_ERR(hipMemAddressReserve(&range, unit, 3, nullptr, 0), hipErrorOutOfMemory);
  hipMemGenericAllocationHandle_t handle = nullptr;
  hipMemAllocationProp prop = properties();
  HIP_ERR(hipMemCreate(nullptr, unit, &prop, 0), hipErrorInvalidValue);
  HIP_ERR(hipMemCreate(&handle, 0, &prop, 0), hipErrorInvalidValue);
  HIP_ERR(hipMemCreate(&handle, unit - 1, &prop, 0), hipErrorInvalidValue);
  prop.location.id = 99;
  HIP_ERR(hipMemCreate(&handle, unit, &prop, 0), hipErrorInvalidValue);
  HIP_ERR(hipMemRelease(nullptr), hipErrorInvalidValue);
  HIP_ERR(hipMemAddressFree(nullptr, unit), hipErrorInvalidValue);
  HIP(hipMemAddressReserve(&range, unit, 0, nullptr, 0));
  HIP_ERR(hipMemUnmap(range, unit), hipErrorInvalidValue);
  HIP_ERR(hipMemRetainAllocationHandle(&handle, range), hipErrorInvalidValue);
  {
    Physical memory(unit);
    HIP_ERR(hipMemMap(range, unit, unit, memory.handle, 0), hipErrorInvalidValue);
    HIP_ERR(hipMemMap(range, 2 * unit, 0, memory.handle, 0), hipErrorInvalidValue);
    HIP(hipMemMap(range, unit, 0, memory.handle, 0));
    HIP_ERR(hipMemMap(range, unit, 0, memory.handle, 0), hipErrorInvalidValue);
    HIP_ERR(hipMemAddressFree(range, unit), hipErrorInvalidValue);
    HIP(hipMemUnmap(range, unit));
  }
  HIP(hipMemAddressFree(range, unit));
  HIP_ERR(hipMemMapArrayAsync(nullptr, 0, nullptr), hipErrorInvalidValue);
}

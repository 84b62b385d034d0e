#include "backends/softgpu/vmm.h"

#include <sys/mman.h>

#include <random>
#include <thread>

#include "backends/softgpu/core_testing.h"
#include "backends/softgpu/state.h"

namespace hipr::softgpu::testing {
namespace {

constexpr std::size_t kUnit = Vmm::kGranularity;

hipMemAllocationProp onDevice(int device) {
  hipMemAllocationProp prop{};
  prop.type = hipMemAllocationTypePinned;
  prop.location = {hipMemLocationTypeDevice, device};
  return prop;
}

std::uint64_t create(std::size_t size, int device = 0) {
  platform();
  std::uint64_t handle = 0;
  EXPECT_EQ(core().memCreate(&handle, size, onDevice(device)), hipSuccess);
  return handle;
}

char* reserve(std::size_t size, void* hint = nullptr) {
  platform();
  void* address = nullptr;
  EXPECT_EQ(core().memAddressReserve(&address, size, 0, hint), hipSuccess);
  return static_cast<char*>(address);
}

hipError_t grant(void* address, std::size_t size, int device,
                 hipMemAccessFlags flags = hipMemAccessFlagsProtReadWrite) {
  const hipMemAccessDesc description{{hipMemLocationTypeDevice, device}, flags};
  return core().memSetAccess(address, size, &description, 1);
}

bool visible(int device, const void* address) {
  return state().regions.find(device, reinterpret_cast<std::uint64_t>(address)).end != 0;
}

TEST(Vmm, HonoursAHintWhereNothingIs) {
  char* wanted = reserve(4 * kUnit);
  ASSERT_EQ(core().memAddressFree(wanted, 4 * kUnit), hipSuccess);
  char* got = reserve(4 * kUnit, wanted);
  EXPECT_EQ(got, wanted);
  char* other = reserve(4 * kUnit, wanted);
  EXPECT_NE(other, wanted) << "it is taken now";
  EXPECT_EQ(core().memAddressFree(got, kUnit), hipErrorInvalidValue);
  EXPECT_EQ(core().memAddressFree(got, 4 * kUnit), hipSuccess);
  EXPECT_EQ(core().memAddressFree(other, 4 * kUnit), hipSuccess);
  void* aligned = nullptr;
  ASSERT_EQ(core().memAddressReserve(&aligned, kUnit, std::size_t{16} << 20, nullptr), hipSuccess);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(aligned) % (std::size_t{16} << 20), 0u);
  EXPECT_EQ(core().memAddressFree(aligned, kUnit), hipSuccess);
}

TEST(Vmm, KernelsSeeAMappingOnlyAfterAccessIsSet) {
  char* address = reserve(2 * kUnit);
  const std::uint64_t memory = create(2 * kUnit);
  ASSERT_EQ(core().memMap(address, 2 * kUnit, 0, memory), hipSuccess);
  EXPECT_FALSE(visible(0, address));
  ASSERT_EQ(grant(address, 2 * kUnit, 0), hipSuccess);
  EXPECT_TRUE(visible(0, address));
  EXPECT_FALSE(visible(1, address));
  ASSERT_EQ(grant(address, 2 * kUnit, 1), hipSuccess);
  EXPECT_TRUE(visible(0, address) && visible(1, address));
  ASSERT_EQ(grant(address, 2 * kUnit, 0, hipMemAccessFlagsProtNone), hipSuccess);
  EXPECT_FALSE(visible(0, address));
  EXPECT_EQ(address[2 * kUnit - 1], 0) << "fresh memory is zero";
  EXPECT_EQ(core().memAddressFree(address, 2 * kUnit), hipErrorInvalidValue) << "something is mapped there";
  EXPECT_EQ(core().memUnmap(address, kUnit), hipErrorInvalidValue) << "half a mapping";
  ASSERT_EQ(core().memUnmap(address, 2 * kUnit), hipSuccess);
  EXPECT_TRUE(soon([&] { return !visible(1, address); }));
  EXPECT_EQ(core().memRelease(memory), hipSuccess);
  EXPECT_EQ(core().memRelease(memory), hipErrorInvalidValue);
  EXPECT_EQ(core().memAddressFree(address, 2 * kUnit), hipSuccess);
}

TEST(Vmm, ContentsMoveWithTheirHandle) {
  char* address = reserve(8 * kUnit);
  const std::uint64_t memory = create(2 * kUnit);
  ASSERT_EQ(core().memMap(address, 2 * kUnit, 0, memory), hipSuccess);
  std::memset(address, 0x5a, 2 * kUnit);
  ASSERT_EQ(core().memUnmap(address, 2 * kUnit), hipSuccess);
  ASSERT_EQ(core().memMap(address + 4 * kUnit, 2 * kUnit, 0, memory), hipSuccess);
  EXPECT_EQ(address[4 * kUnit], 0x5a);
  EXPECT_EQ(address[6 * kUnit - 1], 0x5a);
  // A second mapping of the same memory, and one of a part of it.
  ASSERT_EQ(core().memMap(address, 2 * kUnit, 0, memory), hipSuccess);
  ASSERT_EQ(core().memMap(address + 2 * kUnit, kUnit, kUnit, memory), hipSuccess);
  EXPECT_EQ(address[0], 0x5a);
  address[kUnit + 1] = 7;
  EXPECT_EQ(address[5 * kUnit + 1], 7);
  EXPECT_EQ(address[2 * kUnit + 1], 7);
  ASSERT_EQ(core().memRelease(memory), hipSuccess);
  EXPECT_EQ(address[2 * kUnit + 1], 7) << "mappings keep it";
  EXPECT_EQ(core().memUnmap(address, 3 * kUnit), hipSuccess) << "two mappings side by side at once";
  EXPECT_EQ(core().memUnmap(address + 4 * kUnit, 2 * kUnit), hipSuccess);
  EXPECT_EQ(core().memAddressFree(address, 8 * kUnit), hipSuccess);
}

TEST(Vmm, WrongRequestsAreRefused) {
  char* address = reserve(4 * kUnit);
  const std::uint64_t memory = create(2 * kUnit);
  std::uint64_t handle;
  EXPECT_EQ(core().memCreate(&handle, kUnit + 1, onDevice(0)), hipErrorInvalidValue);
  EXPECT_EQ(core().memCreate(&handle, kUnit, onDevice(kDevices)), hipErrorInvalidValue);
  EXPECT_EQ(core().memCreate(&handle, 2 * kDeviceBytes, onDevice(0)), hipErrorOutOfMemory);
  EXPECT_EQ(core().memMap(address, 4 * kUnit, 0, memory), hipErrorInvalidValue) << "larger than the memory";
  EXPECT_EQ(core().memMap(address + 3 * kUnit, 2 * kUnit, 0, memory), hipErrorInvalidValue) << "past the reservation";
  EXPECT_EQ(core().memMap(address, kUnit, 0, memory + 1000), hipErrorInvalidValue);
  ASSERT_EQ(core().memMap(address, 2 * kUnit, 0, memory), hipSuccess);
  EXPECT_EQ(core().memMap(address + kUnit, 2 * kUnit, 0, memory), hipErrorInvalidValue) << "overlaps";
  EXPECT_EQ(grant(address + 2 * kUnit, kUnit, 0), hipErrorInvalidValue) << "nothing is mapped there";
  EXPECT_EQ(core().memUnmap(address, 2 * kUnit), hipSuccess);
  EXPECT_EQ(core().memRelease(memory), hipSuccess);
  EXPECT_EQ(core().memAddressFree(address, 4 * kUnit), hipSuccess);
}

TEST(Vmm, KernelsWorkAcrossNeighbouringMappings) {
  constexpr int kPieces = 4;
  char* address = reserve(kPieces * kUnit);
  for (int i = 0; i < kPieces; ++i) {
    const std::uint64_t memory = create(kUnit);
    ASSERT_EQ(core().memMap(address + i * kUnit, kUnit, 0, memory), hipSuccess);
    ASSERT_EQ(core().memRelease(memory), hipSuccess);
  }
  ASSERT_EQ(grant(address, kPieces * kUnit, 0), hipSuccess);
  TestStream stream;
  TestKernel add(0, kAddKernel);
  for (int i = 1; i < kPieces; ++i) ASSERT_EQ(add.launch(stream, address + i * kUnit - 4, 1), hipSuccess);
  stream.sync();
  EXPECT_EQ(*reinterpret_cast<std::uint32_t*>(address + kUnit - 4), 64u);
  EXPECT_EQ(core().memUnmap(address, kPieces * kUnit), hipSuccess);
  EXPECT_EQ(core().memAddressFree(address, kPieces * kUnit), hipSuccess);
}

TEST(Vmm, UnmappingWaitsForWorkInFlightWithoutHoldingTheCaller) {
  TestStream stream;
  char* address = reserve(kUnit);
  std::uint64_t memory = create(kUnit);
  ASSERT_EQ(core().memMap(address, kUnit, 0, memory), hipSuccess);
  ASSERT_EQ(grant(address, kUnit, 0), hipSuccess);
  ASSERT_EQ(core().memRelease(memory), hipSuccess);
  Gate gate(stream);
  ASSERT_EQ(fillWords(stream, address, kUnit / 4, 1), hipSuccess);
  ASSERT_EQ(core().memUnmap(address, kUnit), hipSuccess);
  address[0] = 3;  // the queued fill needs it: it is still there
  std::thread opener([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    gate.open();
  });
  memory = create(kUnit);
  ASSERT_EQ(core().memMap(address, kUnit, 0, memory), hipSuccess) << "waits for the old mapping to go";
  EXPECT_EQ(address[0], 0);
  opener.join();
  EXPECT_EQ(core().memUnmap(address, kUnit), hipSuccess);
  EXPECT_EQ(core().memRelease(memory), hipSuccess);
  EXPECT_EQ(core().memAddressFree(address, kUnit), hipSuccess);
}

// What a worker does for a client that allocates and frees: many blocks placed at chosen addresses of one large range.
TEST(Vmm, ThousandsOfMappingsInOneReservation) {
  constexpr std::size_t kSlots = 2000;
  std::size_t before = 0, total = 0;
  char* base = reserve(kSlots * 4 * kUnit);
  ASSERT_EQ(core().memoryInfo(0, &before, &total), hipSuccess);
  std::vector<std::size_t> live(kSlots, 0);
  std::mt19937 random(9);
  for (int step = 0; step < 6000; ++step) {
    const std::size_t slot = random() % kSlots;
    char* address = base + slot * 4 * kUnit;
    if (live[slot] == 0) {
      const std::size_t size = (1 + random() % 3) * kUnit;
      std::uint64_t memory = 0;
      const hipError_t made = core().memCreate(&memory, size, onDevice(0));
      if (made == hipErrorOutOfMemory) continue;  // 512 MiB are 8192 units
      ASSERT_EQ(made, hipSuccess);
      ASSERT_EQ(core().memMap(address, size, 0, memory), hipSuccess);
      ASSERT_EQ(grant(address, size, 0), hipSuccess);
      ASSERT_EQ(core().memRelease(memory), hipSuccess);
      ASSERT_EQ(address[size - 1], 0);
      address[size - 1] = static_cast<char>(slot);
      live[slot] = size;
    } else {
      ASSERT_EQ(address[live[slot] - 1], static_cast<char>(slot));
      ASSERT_EQ(core().memUnmap(address, live[slot]), hipSuccess);
      live[slot] = 0;
    }
  }
  for (std::size_t slot = 0; slot < kSlots; ++slot)
    if (live[slot] != 0) {
      ASSERT_EQ(core().memUnmap(base + slot * 4 * kUnit, live[slot]), hipSuccess);
    }
  std::size_t after = 0;
  ASSERT_EQ(core().memoryInfo(0, &after, &total), hipSuccess);
  EXPECT_EQ(after, before);
  EXPECT_EQ(core().memAddressFree(base, kSlots * 4 * kUnit), hipSuccess);
}

}  // namespace
}  // namespace hipr::softgpu::testing

// The core in discrete mode, with virtual memory management ("placed"); what differs without it runs in a child.
#include "backends/softgpu/discrete.h"

#include <atomic>
#include <cstdlib>

#include "backends/softgpu/core_testing.h"
#include "backends/softgpu/vmm.h"

namespace hipr::softgpu::testing {
namespace {

// Before main, as in core_testing.cpp.
const bool configured = setenv("HIP_REMOTE_SOFTGPU_DISCRETE", "placed", 1) == 0;

constexpr std::size_t kLarge = std::size_t{5} << 20;  // has a mapping of its own
constexpr auto kDeath = "";                           // a signal says nothing

int read(const volatile int* address) {
  return *address;
}

// Opens the core anew in a child of the test, as the variables now are.
const Platform* openAgain(const char* mode, const char* check) {
  core().forgetAfterFork();
  setenv("HIP_REMOTE_SOFTGPU_DISCRETE", mode, 1);
  setenv("HIP_REMOTE_SOFTGPU_CHECK", check, 1);
  const Platform* platform = nullptr;
  return core().open(&platform) == hipSuccess ? platform : nullptr;
}

TEST(Discrete, TheCpuCannotTouchDeviceMemory) {
  ASSERT_TRUE(configured);
  TestMemory small(100), large(kLarge);
  TestKernel kernel(0, kEmptyKernel);
  void* variable = nullptr;
  ASSERT_EQ(core().variable(kernel.module(), "counter", &variable), hipSuccess);
  EXPECT_EQ(small.host, nullptr);
  EXPECT_EQ(large.host, nullptr);
  EXPECT_DEATH(read(small.as<int>()), kDeath);
  EXPECT_DEATH(*small.as<volatile int>() = 1, kDeath);
  EXPECT_DEATH(read(large.as<int>() + kLarge / 4 - 1), kDeath);
  EXPECT_DEATH(read(static_cast<int*>(variable)), kDeath);
}

TEST(Discrete, HostMemoryStaysInReach) {
  TestMemory host(kLarge, MemoryKind::kHost), managed(100, MemoryKind::kManaged);
  for (const TestMemory* memory : {&host, &managed}) {
    EXPECT_EQ(memory->host, memory->devicePointer);
    *memory->as<int>() = 5;
  }
  TestStream stream;
  TestKernel add(0, kAddKernel);
  ASSERT_EQ(add.launch(stream, managed.devicePointer, 2), hipSuccess);
  stream.sync();
  EXPECT_EQ(*managed.as<int>(), 5 + 2 * 64);
}

TEST(Discrete, KernelsAndCopiesReachIt) {
  TestStream stream;
  TestKernel add(0, kAddKernel);
  TestMemory host(kLarge, MemoryKind::kHost);
  for (const std::size_t bytes : {std::size_t{4096}, kLarge}) {
    TestMemory memory(bytes), other(bytes, MemoryKind::kDevice, 1);
    auto* words = host.as<std::uint32_t>();
    ASSERT_EQ(fillWords(stream, memory.devicePointer, bytes / 4, 9), hipSuccess);
    ASSERT_EQ(add.launch(stream, memory.as<int>() + bytes / 4 - 1, 3), hipSuccess);
    ASSERT_EQ(copyBytes(stream, other.devicePointer, memory.devicePointer, bytes, MemoryKind::kDevice,
                        MemoryKind::kDevice, false),
              hipSuccess);
    ASSERT_EQ(copyBytes(stream, words, other.devicePointer, bytes, MemoryKind::kHost, MemoryKind::kDevice, true),
              hipSuccess);
    EXPECT_EQ(words[0], 9u);
    EXPECT_EQ(words[bytes / 4 - 2], 9u);
    EXPECT_EQ(words[bytes / 4 - 1], 9u + 3 * 64);
    // Over itself, one word on.
    ASSERT_EQ(copyBytes(stream, memory.as<int>() + 1, memory.devicePointer, bytes - 4, MemoryKind::kDevice,
                        MemoryKind::kDevice, false),
              hipSuccess);
    int last = 0;
    ASSERT_EQ(copyBytes(stream, &last, memory.as<int>() + bytes / 4 - 1, 4, MemoryKind::kPageable, MemoryKind::kDevice,
                        false),
              hipSuccess);
    EXPECT_EQ(last, 9);
  }
}

TEST(Discrete, PlacedMemoryIsOutOfReachToo) {
  platform();
  constexpr std::size_t kUnit = Vmm::kGranularity;
  hipMemAllocationProp prop{};
  prop.type = hipMemAllocationTypePinned;
  prop.location = {hipMemLocationTypeDevice, 0};
  const hipMemAccessDesc access{prop.location, hipMemAccessFlagsProtReadWrite};
  void* reserved = nullptr;
  std::uint64_t first = 0, second = 0;
  ASSERT_EQ(core().memAddressReserve(&reserved, 4 * kUnit, 0, nullptr), hipSuccess);
  auto* address = static_cast<char*>(reserved);
  ASSERT_EQ(core().memCreate(&first, kUnit, prop), hipSuccess);
  ASSERT_EQ(core().memCreate(&second, kUnit, prop), hipSuccess);
  ASSERT_EQ(core().memMap(address, kUnit, 0, first), hipSuccess);
  ASSERT_EQ(core().memMap(address + kUnit, kUnit, 0, second), hipSuccess);
  ASSERT_EQ(core().memSetAccess(address, 2 * kUnit, &access, 1), hipSuccess);
  EXPECT_DEATH(read(static_cast<int*>(reserved)), kDeath);

  TestStream stream;
  TestKernel add(0, kAddKernel);
  std::vector<int> words(2 * kUnit / 4);
  ASSERT_EQ(fillWords(stream, address, words.size(), 4), hipSuccess) << "across both mappings";
  ASSERT_EQ(add.launch(stream, address + kUnit, 1), hipSuccess);
  stream.sync();
  // Contents move with their handle.
  ASSERT_EQ(core().memUnmap(address + kUnit, kUnit), hipSuccess);
  ASSERT_EQ(core().memMap(address + 3 * kUnit, kUnit, 0, second), hipSuccess);
  ASSERT_EQ(copyBytes(stream, words.data(), address, kUnit, MemoryKind::kPageable, MemoryKind::kDevice, false),
            hipSuccess);
  ASSERT_EQ(copyBytes(stream, words.data() + kUnit / 4, address + 3 * kUnit, kUnit, MemoryKind::kPageable,
                      MemoryKind::kDevice, false),
            hipSuccess);
  EXPECT_EQ(words[0], 4);
  EXPECT_EQ(words[kUnit / 4], 4 + 64);
  EXPECT_EQ(words.back(), 4);
  EXPECT_DEATH(read(reinterpret_cast<int*>(address + 3 * kUnit)), kDeath);
  EXPECT_EQ(core().memUnmap(address, kUnit), hipSuccess);
  EXPECT_EQ(core().memUnmap(address + 3 * kUnit, kUnit), hipSuccess);
  EXPECT_EQ(core().memRelease(first), hipSuccess);
  EXPECT_EQ(core().memRelease(second), hipSuccess);
  EXPECT_EQ(core().memAddressFree(address, 4 * kUnit), hipSuccess);
}

TEST(Discrete, WithoutPlacementThereIsNoVirtualMemory) {
  const auto refused = [] {
    const Platform* platform = openAgain("1", "");
    void* address = nullptr;
    std::uint64_t memory = 0;
    hipMemAllocationProp prop{};
    prop.location = {hipMemLocationTypeDevice, 0};
    const bool right = platform != nullptr &&
                       platform->devices[0].attributes.get(hipDeviceAttributeVirtualMemoryManagementSupported) == 0 &&
                       core().memGranularity(0) == 0 &&
                       core().memAddressReserve(&address, Vmm::kGranularity, 0, nullptr) == hipErrorNotSupported &&
                       core().memCreate(&memory, Vmm::kGranularity, prop) == hipErrorNotSupported;
    std::_Exit(right ? 0 : 1);
  };
  EXPECT_EXIT(refused(), ::testing::ExitedWithCode(0), "");
}

TEST(Discrete, HostFunctionsShareOneThread) {
  struct Seen {
    std::atomic<int> inside{0}, calls{0}, together{0};
    std::mutex mutex;
    std::vector<std::thread::id> threads;
  } seen;
  const auto function = [](void* data) {
    auto& all = *static_cast<Seen*>(data);
    if (++all.inside > 1) ++all.together;
    {
      const std::lock_guard lock(all.mutex);
      all.threads.push_back(std::this_thread::get_id());
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ++all.calls;
    --all.inside;
  };
  TestStream first, second, third(1);
  for (int i = 0; i < 20; ++i)
    for (Stream* stream : {static_cast<Stream*>(&first), static_cast<Stream*>(&second), static_cast<Stream*>(&third)})
      ASSERT_EQ(hostFunction(*stream, function, &seen), hipSuccess);
  first.sync();
  second.sync();
  third.sync();
  EXPECT_EQ(seen.calls, 60);
  EXPECT_EQ(seen.together, 0);
  for (const std::thread::id& thread : seen.threads) EXPECT_EQ(thread, seen.threads.front());
}

TEST(Discrete, PageableCopiesWaitAndPinnedOnesDoNot) {
  TestStream stream;
  TestMemory memory(kLarge), pinned(kLarge, MemoryKind::kHost);
  std::vector<char> pageable(kLarge, 1);
  const auto throughAGate = [&](void* to, const void* from, MemoryKind toKind, MemoryKind fromKind) {
    Gate gate(stream);
    std::atomic<bool> opened{false};
    std::thread opener([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      opened = true;
      gate.open();
    });
    EXPECT_EQ(copyBytes(stream, to, from, kLarge, toKind, fromKind, false), hipSuccess);
    const bool waited = opened;
    opener.join();
    stream.sync();
    return waited;
  };
  void* device = memory.devicePointer;
  EXPECT_TRUE(throughAGate(device, pageable.data(), MemoryKind::kDevice, MemoryKind::kPageable));
  EXPECT_TRUE(throughAGate(pageable.data(), device, MemoryKind::kPageable, MemoryKind::kDevice));
  EXPECT_FALSE(throughAGate(device, pinned.host, MemoryKind::kDevice, MemoryKind::kHost));
  EXPECT_FALSE(throughAGate(pinned.host, device, MemoryKind::kHost, MemoryKind::kDevice));
}

// A child that gives one host function to a stream and waits for it.
void runChecked(hipHostFn_t function) {
  if (openAgain("1", "abort") == nullptr) std::_Exit(2);
  Stream stream;
  core().create(stream);
  hostFunction(stream, function, nullptr);
  core().synchronize(stream);
  std::_Exit(0);
}

TEST(Discrete, TheCheckerEndsAHostFunctionThatWaits) {
  const auto sleeps = [](void*) { std::this_thread::sleep_for(std::chrono::seconds(20)); };
  const auto spins = [](void*) {
    for (std::atomic<int> never{0}; never == 0;) {
    }
  };
  const auto works = [](void*) { std::this_thread::sleep_for(std::chrono::milliseconds(100)); };
  EXPECT_DEATH(runChecked(sleeps), "host functions must not wait.*has not returned for 500 ms");
  EXPECT_DEATH(runChecked(spins), "host functions must not wait.*has not returned for 500 ms");
  EXPECT_EXIT(runChecked(works), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace hipr::softgpu::testing

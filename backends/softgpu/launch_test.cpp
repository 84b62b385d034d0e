// Kernels through the core: results, faults, and the device after them.
#include <chrono>
#include <fstream>
#include <future>
#include <thread>

#include "backends/softgpu/core_testing.h"
#include "backends/softgpu/launch_pool.h"
#include "backends/softgpu/module.h"
#include "backends/softgpu/state.h"

namespace hipr::softgpu::testing {
namespace {

TEST(Launch, KernelsRunInStreamOrder) {
  for (int device = 0; device < kDevices; ++device) {
    TestStream stream(device);
    TestKernel add(device, kAddKernel);
    TestMemory memory(4096, MemoryKind::kDevice, device);
    ASSERT_EQ(fillWords(stream, memory.devicePointer, 1024, 5), hipSuccess);
    for (int i = 0; i < 50; ++i) ASSERT_EQ(add.launch(stream, memory.devicePointer, 2, 3, 128), hipSuccess);
    std::uint32_t result = 0;
    ASSERT_EQ(copyBytes(stream, &result, memory.devicePointer, 4, MemoryKind::kPageable, MemoryKind::kDevice, true),
              hipSuccess);
    EXPECT_EQ(result, 5u + 50 * 2 * 3 * 128);
  }
}

TEST(Launch, EventsAroundAKernel) {
  TestStream stream;
  TestKernel add(0, kAddKernel);
  TestMemory memory(4096);
  TestEvent start, stop;
  ASSERT_EQ(add.launch(stream, memory.devicePointer, 1, 1000, 256, &start, &stop), hipSuccess);
  ASSERT_EQ(core().synchronize(stop), hipSuccess);
  float milliseconds = -1;
  ASSERT_EQ(core().elapsed(start, stop, &milliseconds), hipSuccess);
  EXPECT_GT(milliseconds, 0.0f);
}

TEST(Launch, VariablesLieWhereTheCodeExpectsThem) {
  TestKernel kernel(0, kEmptyKernel);
  void* counter = nullptr;
  void* where = nullptr;
  ASSERT_EQ(core().variable(kernel.module(), "counter", &counter), hipSuccess);
  ASSERT_EQ(core().variable(kernel.module(), "where", &where), hipSuccess);
  EXPECT_EQ(*static_cast<std::uint32_t*>(counter), 7u);
  EXPECT_EQ(*static_cast<void**>(where), counter) << "relocated";
  TestStream stream;
  TestKernel add(0, kAddKernel);
  ASSERT_EQ(add.launch(stream, counter, 1), hipSuccess);
  stream.sync();
  EXPECT_EQ(*static_cast<std::uint32_t*>(counter), 71u);
}

TEST(Launch, FunctionPointersReachOtherModules) {
  TestStream stream(0);
  TestMemory memory(4096, MemoryKind::kDevice, 0);
  TestKernel callee(0, {
                           0xb0040005,  // s_movk_i32 s4, 5
                           0xbe801d08,  // s_setpc_b64 s[8:9]
                       });
  TestKernel caller(0, {
                           0xc0060080, 0x00000000,  // s_load_dwordx2 s[2:3], s[0:1], 0x0
                           0xbf8cc07f,              // s_waitcnt lgkmcnt(0)
                           0xc0060181, 0x00000008,  // s_load_dwordx2 s[6:7], s[2:3], 0x8
                           0xbf8cc07f,              // s_waitcnt lgkmcnt(0)
                           0xbe881e06,              // s_swappc_b64 s[8:9], s[6:7]
                           0x7e020280,              // v_mov_b32 v1, 0
                           0x7e040204,              // v_mov_b32 v2, s4
                           0xdd088000, 0x00020201,  // global_atomic_add v1, v2, s[2:3]
                           0xbf810000,              // s_endpgm
                       });
  LoadedModule& other = loadedOf(callee.module());
  memory.as<std::uint64_t>()[0] = 0;
  memory.as<std::uint64_t>()[1] = other.kernel(*other.object->findKernel("scale")).code.entry;
  ASSERT_EQ(caller.launch(stream, memory.devicePointer, 0), hipSuccess);
  stream.sync();
  EXPECT_EQ(memory.as<std::uint32_t>()[0], 64u * 5);
}

TEST(Launch, AnotherDevicesMemoryNeedsPeerAccess) {
  TestMemory memory(4096, MemoryKind::kDevice, 0);
  TestStream stream(1);
  {
    TestKernel add(1, kAddKernel);
    ASSERT_EQ(core().setPeerAccess(1, 0, true), hipSuccess);
    ASSERT_EQ(add.launch(stream, memory.devicePointer, 1), hipSuccess);
    stream.sync();
    ASSERT_EQ(core().setPeerAccess(1, 0, false), hipSuccess);
    ASSERT_EQ(add.launch(stream, memory.devicePointer, 1), hipSuccess);
    EXPECT_EQ(core().synchronize(stream), hipErrorIllegalAddress);
  }
  EXPECT_EQ(takeAsyncError().error, hipErrorIllegalAddress);
  EXPECT_EQ(core().reset(1, true), hipSuccess);
  stream.impl = nullptr;  // the reset dropped it
}

// Whatever a kernel does wrong: the error HIP has for it, nothing done after it, and a working device after a reset.
class Faults
    : public ::testing::TestWithParam<std::tuple<const char*, std::initializer_list<std::uint32_t>, hipError_t>> {};

TEST_P(Faults, EndTheDeviceUntilItIsReset) {
  const auto& [name, words, error] = GetParam();
  TestMemory other(4096, MemoryKind::kDevice, 0);
  {
    TestStream stream(1);
    TestMemory memory(4096, MemoryKind::kDevice, 1);
    TestKernel bad(1, words), add(1, kAddKernel);
    ASSERT_EQ(fillWords(stream, memory.devicePointer, 1, 1), hipSuccess);
    Gate gate(stream);
    ASSERT_EQ(bad.launch(stream, nullptr, 1), hipSuccess);
    ASSERT_EQ(add.launch(stream, memory.devicePointer, 1), hipSuccess);
    gate.open();
    EXPECT_EQ(core().synchronize(stream), error);
    EXPECT_EQ(memory.as<std::uint32_t>()[0], 1u) << "work behind the fault must not run";
    const AsyncError raised = takeAsyncError();
    EXPECT_EQ(raised.error, error);
    EXPECT_NE(raised.what.find("scale"), std::string::npos) << raised.what;
    EXPECT_EQ(add.launch(stream, memory.devicePointer, 1), error);
    ASSERT_EQ(core().reset(1, true), hipSuccess);
    stream.impl = nullptr;
    memory.devicePointer = nullptr;
    bad.module().impl = nullptr;
    add.module().impl = nullptr;
  }
  TestStream stream(1), untouched(0);
  TestMemory memory(4096, MemoryKind::kDevice, 1);
  TestKernel add(1, kAddKernel), addElsewhere(0, kAddKernel);
  ASSERT_EQ(fillWords(stream, memory.devicePointer, 1, 0), hipSuccess);
  ASSERT_EQ(add.launch(stream, memory.devicePointer, 1), hipSuccess);
  stream.sync();
  EXPECT_EQ(memory.as<std::uint32_t>()[0], 64u);
  ASSERT_EQ(fillWords(untouched, other.devicePointer, 1, 0), hipSuccess);
  ASSERT_EQ(addElsewhere.launch(untouched, other.devicePointer, 1), hipSuccess);
  untouched.sync();
  EXPECT_EQ(other.as<std::uint32_t>()[0], 64u) << "other devices never noticed";
}

INSTANTIATE_TEST_SUITE_P(Kinds, Faults,
                         ::testing::Values(std::tuple("address", kAddKernel, hipErrorIllegalAddress),
                                           std::tuple("trap", kTrapKernel, hipErrorLaunchFailure),
                                           std::tuple("instruction", kIllegalKernel, hipErrorLaunchFailure)),
                         [](const auto& info) { return std::get<0>(info.param); });

// It is memory of this machine that nobody has asked for, as much as the code object says for every work-item.
TEST(Launch, PrivateMemoryHasALimit) {
  TestKernel add(0, kAddKernel);
  LoadedModule& module = loadedOf(add.module());
  for (const bool ofCode : {false, true}) {
    Dispatch dispatch;
    dispatch.kernel = module.kernel(module.object->kernels()[0]).code;
    (ofCode ? dispatch.kernel.descriptor.privateSegmentBytes : dispatch.privateBytes) = 1 << 20;
    std::promise<std::optional<Fault>> ended;
    state().device(0).executor().submit(std::move(dispatch),
                                        [&](std::optional<Fault> fault) { ended.set_value(std::move(fault)); });
    const std::optional<Fault> fault = ended.get_future().get();
    ASSERT_TRUE(fault);
    EXPECT_EQ(fault->kind, FaultKind::kResources) << fault->text;
  }
}

// Launches that wait have their arguments already, and the code object says how large these are.
TEST(Launch, ArgumentsThatNobodyPassesHaveALimit) {
  TestStream stream(0);
  TestMemory memory(4096, MemoryKind::kDevice, 0);
  TestKernel usual(0, kAddKernel, 4096), greedy(0, kAddKernel, 60 << 20);
  EXPECT_EQ(usual.launch(stream, memory.devicePointer, 1), hipSuccess);
  EXPECT_EQ(greedy.launch(stream, memory.devicePointer, 1), hipErrorInvalidValue);
  stream.sync();
}

TEST(Launch, BuffersThatAreHardlyUsedTakeLittle) {
  const auto resident = [] {
    std::size_t all = 0, pages = 0;
    std::ifstream("/proc/self/statm") >> all >> pages;
    return pages * kPage;
  };
  LaunchPool& pool = *state().device(0).launches;
  const std::size_t before = resident();
  std::vector<LaunchPool::Block> blocks;
  for (int i = 0; i < 100; ++i) *blocks.emplace_back(pool.take(std::size_t{4} << 20)).begin() = std::byte{1};
  EXPECT_LT(resident(), before + (std::size_t{32} << 20));
}

TEST(Launch, FreedMemoryFaults) {
  TestStream stream(1);
  TestKernel add(1, kAddKernel);
  void* stale;
  {
    TestMemory memory(std::size_t{4} << 20, MemoryKind::kDevice, 1);
    stale = memory.devicePointer;
    ASSERT_EQ(add.launch(stream, stale, 1), hipSuccess);
    stream.sync();
  }
  ASSERT_EQ(add.launch(stream, stale, 1), hipSuccess);
  EXPECT_EQ(core().synchronize(stream), hipErrorIllegalAddress);
  EXPECT_EQ(takeAsyncError().error, hipErrorIllegalAddress);
  ASSERT_EQ(core().reset(1, true), hipSuccess);
  stream.impl = nullptr;
  add.module().impl = nullptr;
}

TEST(Launch, ResetEndsAnEndlessKernel) {
  TestStream stream(1);
  TestKernel endless(1, kEndlessKernel), add(1, kAddKernel);
  TestMemory memory(4096, MemoryKind::kDevice, 1);
  ASSERT_EQ(endless.launch(stream, nullptr, 0, 4, 256), hipSuccess);
  ASSERT_EQ(add.launch(stream, memory.devicePointer, 1), hipSuccess);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(core().query(stream), hipErrorNotReady);
  ASSERT_EQ(core().reset(1, true), hipSuccess);
  EXPECT_EQ(takeAsyncError().error, hipSuccess) << "a reset is not a failure";
  stream.impl = nullptr;
  memory.devicePointer = nullptr;
  endless.module().impl = nullptr;
  add.module().impl = nullptr;
}

TEST(Launch, ManyThreadsManyStreams) {
  constexpr int kThreads = 4, kLaunches = 200;
  TestMemory memory(4096);
  TestKernel add(0, kAddKernel);
  TestStream setup;
  ASSERT_EQ(fillWords(setup, memory.devicePointer, 1, 0), hipSuccess);
  setup.sync();
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&] {
      TestStream stream(0, Stream::Kind::kCreated, hipStreamNonBlocking);
      for (int i = 0; i < kLaunches; ++i) {
        EXPECT_EQ(add.launch(stream, memory.devicePointer, 1), hipSuccess);
        if (i % 50 == 0) stream.sync();
      }
      stream.sync();
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(memory.as<std::uint32_t>()[0], 64u * kThreads * kLaunches);
}

}  // namespace
}  // namespace hipr::softgpu::testing

// Graphs: on a runtime that has them and on one that has not, what they do is the same.
#include <algorithm>
#include <chrono>
#include <thread>

#include "worker/graphs_fixture.h"

namespace hipr::worker {
namespace {

INSTANTIATE_TEST_SUITE_P(Runtime, Graphs, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "HasGraphs" : "HasNone"; });

TEST_P(Graphs, StepsRunInTheirOrderAtEveryLaunch) {
  create(Steps()
             .add<Opcode::kFillMemory>(fillWith(0, {kA, 0, 0, 1}, 0x3f800000, 4))  // 1.0f
             .scale(kA, 3, {0})
             .scale(kA, 5, {1})
             .joint({1, 2})
             .add<Opcode::kDeviceCopy>(copyOf({kB, 0, 0, 4}, kA), {3})
             .scale(kB, 2, {4}));
  for (int i = 0; i < 3; ++i) {
    set(kB, 0.0f);
    launch();
    EXPECT_EQ(get<float>(kB), 30.0f);
  }
  EXPECT_EQ(s.fake.launches(), 9);
  EXPECT_EQ(s.fake.graphLaunches(), native() ? 3 : 0);
  expectNoFailure();
}

TEST_P(Graphs, ALaunchHasItsPlaceInItsStream) {
  create(Steps().scale(kA, 2));
  set(kA, 1.0f);
  s.fake.hold();
  launch();
  client().send<Opcode::kDeviceCopy>([] {
    wire::DeviceCopy copy = copyOf({kB, 0, 0, 4}, kA);
    copy.stream = kStream;
    return copy;
  }());
  launch();
  client().send<Opcode::kGraphDestroy>({kGraph});  // launches already sent are not concerned
  s.fake.release();
  EXPECT_EQ(get<float>(kB), 2.0f);
  EXPECT_EQ(get<float>(kA), 4.0f);
  expectNoFailure();
}

TEST_P(Graphs, RowsAndSlicesOfCopiesAndFills) {
  std::array<std::uint16_t, 64> expected{}, from{};
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::uint16_t>(i + 1);
  set(kA, from);
  set(kB, expected);
  // 2 slices of 2 rows of 3 halves: to rows 8 halves apart and slices 32 apart, from rows 4 and slices 16 apart
  const wire::Shape to{kB, 16, 64, 6, 2, 2}, filled{kB + 8, 16, 64, 2, 2, 2}, bytes{kB + 14, 16, 64, 1, 2, 2};
  create(Steps()
             .add<Opcode::kDeviceCopy>(copyOf(to, kA, 8, 32))
             .add<Opcode::kFillMemory>(fillWith(0, filled, 0xabcd, 2))
             .add<Opcode::kFillMemory>(fillWith(0, bytes, 0x77, 1), {0, 1}));
  launch();
  for (std::size_t z = 0; z < 2; ++z) {
    for (std::size_t y = 0; y < 2; ++y) {
      std::uint16_t* row = &expected[z * 32 + y * 8];
      for (std::size_t x = 0; x < 3; ++x) row[x] = from[z * 16 + y * 4 + x];
      row[4] = row[5] = 0xabcd;
      row[7] = 0x77;
    }
  }
  EXPECT_EQ((get<std::array<std::uint16_t, 64>>(kB)), expected);
  EXPECT_EQ(s.fake.graphLaunches(), native() ? 1 : 0);
  expectNoFailure();
}

TEST_P(Graphs, WhatTheRuntimeCannotExpressIsGivenToTheStream) {
  wire::Shape rows{kB, 4, 0, 1, 300, 1};  // more rows of halves than nodes are worth
  create(Steps().scale(kA, 2).add<Opcode::kFillMemory>(fillWith(0, rows, 7, 2), {0}));
  set(kA, 1.0f);
  launch();
  EXPECT_EQ(get<float>(kA), 2.0f);
  EXPECT_EQ(get<std::uint16_t>(kB + 299 * 4), 7);
  EXPECT_EQ(s.fake.graphLaunches(), 0);
  s.fake.failNext("hipGraphInstantiate");
  create(Steps().scale(kA, 3), kOther);
  launch(kOther);
  EXPECT_EQ(get<float>(kA), 6.0f);
  expectNoFailure();
}

TEST_P(Graphs, AChangeCountsFromTheNextLaunchOn) {
  create(Steps().scale(kA, 2).scale(kB, 2).add<Opcode::kFillMemory>(fillWith(0, {kA + 64, 0, 0, 4}, 1, 1)));
  set(kA, 1.0f);
  set(kB, 1.0f);
  launch();
  update({0, 2}, Steps().scale(kA, 10).add<Opcode::kFillMemory>(fillWith(0, {kA + 64, 0, 0, 8}, 2, 1)));
  launch();
  EXPECT_EQ(get<float>(kA), 20.0f);
  EXPECT_EQ(get<float>(kB), 4.0f);
  EXPECT_EQ(get<std::uint64_t>(kA + 64), 0x0202020202020202u);
  // Something else altogether, and a runtime that will not change what it has.
  update({0}, Steps().add<Opcode::kFillMemory>(fillWith(0, {kA, 0, 0, 1}, 0, 4)));
  launch();
  EXPECT_EQ(get<float>(kA), 0.0f);
  EXPECT_EQ(get<float>(kB), 8.0f);
  s.fake.failNext("hipGraphExecKernelNodeSetParams");
  update({1}, Steps().scale(kB, 0.5f));
  launch();
  EXPECT_EQ(get<float>(kB), 4.0f);
  EXPECT_EQ(s.fake.graphLaunches(), native() ? 4 : 0);
  expectNoFailure();
}

TEST_P(Graphs, LaunchesThatAreHeldKeepWhatTheyWereLaunchedWith) {
  create(Steps().scale(kA, 2));
  set(kA, 1.0f);
  client().send<Opcode::kHostFunction>({kStream, 7});
  launch();
  update({0}, Steps().scale(kA, 3));
  launch();
  update({0}, Steps().scale(kA, 7));
  launch();
  client().send<Opcode::kGraphDestroy>({kGraph});
  EXPECT_EQ(client().expectPush<wire::RunHostFunction>(Opcode::kRunHostFunction)->id, 7u);
  EXPECT_EQ(s.fake.launches(), 0);
  client().send<Opcode::kHostFunctionDone>({7});
  EXPECT_EQ(get<float>(kA), 42.0f);
  EXPECT_EQ(s.fake.graphLaunches(), native() ? 3 : 0);
  expectNoFailure();
}

TEST_P(Graphs, MemoryAndModulesAreLookedForAtEveryLaunch) {
  client().send<Opcode::kMapMemory>({0, kTestDeviceBase + kMiB, kMiB});
  create(Steps().scale(kA, 2).add<Opcode::kDeviceCopy>(copyOf({kTestDeviceBase + kMiB, 0, 0, 4}, kA), {0}));
  set(kA, 1.0f);
  launch();
  EXPECT_EQ(get<float>(kTestDeviceBase + kMiB), 2.0f);
  expectNoFailure();
  client().send<Opcode::kUnmapMemory>({kTestDeviceBase + kMiB});
  launch();
  EXPECT_EQ(failure(), hipErrorInvalidDevicePointer);
  EXPECT_EQ(get<float>(kA), 2.0f) << "nothing of it ran";
  client().send<Opcode::kMapMemory>({0, kTestDeviceBase + kMiB, kMiB});
  launch();
  EXPECT_EQ(get<float>(kTestDeviceBase + kMiB), 4.0f);
  expectNoFailure();
  client().send<Opcode::kModuleUnload>({kModule});
  launch();
  EXPECT_EQ(failure(), hipErrorInvalidDevicePointer);
}

TEST_P(Graphs, PhysicalMemoryIsLookedForAtEveryLaunch) {
  client().send<Opcode::kCreatePhysical>({7, 0, kMiB});
  client().send<Opcode::kMapPhysical>({7, kTestDeviceBase + kMiB, kMiB});
  client().send<Opcode::kSetMemoryAccess>({kTestDeviceBase + kMiB, kMiB, {0}, {3}});
  create(Steps().add<Opcode::kFillMemory>(fillWith(0, {kTestDeviceBase + kMiB, 0, 0, 4}, 5, 1)));
  launch();
  EXPECT_EQ(get<std::uint32_t>(kTestDeviceBase + kMiB), 0x05050505u);
  client().send<Opcode::kUnmapPhysical>({kTestDeviceBase + kMiB});
  launch();
  EXPECT_EQ(failure(), hipErrorInvalidDevicePointer);
}

TEST_P(Graphs, AKernelWithTooFewArgumentsFailsWhenItIsLaunched) {
  wire::LaunchKernel kernel = scaleLaunch(0, {kA, 2});
  std::array<std::byte, 4> few{};
  kernel.arguments = few;
  create(Steps().add<Opcode::kLaunchKernel>(kernel));
  launch();
  EXPECT_EQ(failure(), hipErrorInvalidValue);
  update({0}, Steps().scale(kA, 2));
  set(kA, 4.0f);
  launch();
  EXPECT_EQ(get<float>(kA), 8.0f);
  EXPECT_EQ(s.fake.launches(), 1);
}

// Neither does a runtime that is to change a graph of its own hear of it.
TEST_P(Graphs, AStepThatIsChangedToWhatCannotBeDoneFailsWhenItIsLaunched) {
  create(Steps().scale(kA, 2));
  set(kA, 1.0f);
  launch();
  EXPECT_EQ(get<float>(kA), 2.0f);
  client().send<Opcode::kFunctionGet>({kOther, kModule, "a kernel that nobody wrote"});
  EXPECT_EQ(failure(), hipErrorNotFound);
  const ScaleArguments arguments{kA, 2};
  wire::LaunchKernel nothing = scaleLaunch(0, arguments);
  nothing.function = kOther;
  update({0}, Steps().add<Opcode::kLaunchKernel>(nothing));
  launch();
  EXPECT_EQ(failure(), hipErrorInvalidDeviceFunction);
  update({0}, Steps().scale(kA, 4));
  launch();
  EXPECT_EQ(get<float>(kA), 8.0f);
}

TEST_P(Graphs, AreGivenBack) {
  EXPECT_EQ(client().ask<Opcode::kDeviceSynchronize>({0}), hipSuccess);
  const int before = s.fake.liveObjects();
  for (int i = 0; i < 5; ++i) {
    create(Steps().scale(kA, 2).scale(kA, 2, {0}));
    launch();
    client().send<Opcode::kGraphDestroy>({kGraph});
  }
  EXPECT_EQ(client().ask<Opcode::kDeviceSynchronize>({0}), hipSuccess);
  EXPECT_EQ(client().ask<Opcode::kDeviceSynchronize>({0}), hipSuccess);
  // Another thread gives them back when everything is done.
  for (int i = 0; i < 2000 && s.fake.liveObjects() > before + 1; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_LE(s.fake.liveObjects(), before + 1);  // an event may be kept for later
  create(Steps().scale(kA, 2));
  s.end();
  EXPECT_EQ(s.fake.liveObjects(), 0) << s.fake.leaks();
}

TEST_P(Graphs, ResettingTheDeviceForgetsThem) {
  create(Steps().scale(kA, 2));
  launch();
  EXPECT_EQ(client().ask<Opcode::kDeviceReset>({0}), hipSuccess);
  client().send<Opcode::kGraphLaunch>({wire::kNullStream, kGraph});
  EXPECT_NE(refusal().find("does not exist"), std::string::npos);
}

// A step of many nodes after a step of many: a node stands for each of them.
TEST_P(Graphs, StepsOfManyNodesHaveFewEdges) {
  const wire::Shape planes{kA, 2, 5, 1, 2, 200};
  const std::size_t before = FakeHip::graphEdges();
  Steps steps;
  for (std::uint32_t i = 0; i < 4; ++i)
    steps.add<Opcode::kFillMemory>(fillWith(0, planes, 7 + i, 1),
                                   i == 0 ? std::vector<std::uint32_t>{} : std::vector<std::uint32_t>{i - 1});
  steps.add<Opcode::kDeviceCopy>(copyOf({kB, 2, 5, 1, 2, 200}, kA, 2, 5), {0, 1, 2, 3});
  create(steps);
  launch();
  EXPECT_EQ(get<std::uint8_t>(kB + 199 * 5 + 2), 10);
  EXPECT_EQ(get<std::uint8_t>(kB + 199 * 5 + 1), 0);
  EXPECT_LT(FakeHip::graphEdges() - before, 3000u);
  EXPECT_EQ(s.fake.graphLaunches(), native() ? 1 : 0);
  expectNoFailure();
}

}  // namespace
}  // namespace hipr::worker

// Graphs: on a runtime that has them and on one that has not, what they do is the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

#include "worker/session_fixture.h"

namespace hipr::worker {
namespace {

using wire::Opcode;

constexpr std::uint64_t kStream = wire::kFirstObject + 1, kGraph = wire::kFirstObject + 2,
                        kOther = wire::kFirstObject + 5;
constexpr std::uint64_t kA = kTestDeviceBase, kB = kTestDeviceBase + 4096;
constexpr std::uint64_t kMiB = 1 << 20;

// Steps, and the bytes they refer to.
class Steps {
 public:
  template <Opcode kOp>
  Steps& add(const typename wire::MessageOf<kOp>::Type& message, std::vector<std::uint32_t> after = {},
             int device = 0) {
    auto& bytes = *bytes_.emplace_back(std::make_unique<std::vector<std::byte>>());
    wire::Writer(bytes).put(message);
    list.push_back({static_cast<std::uint16_t>(kOp), device, std::move(after), bytes});
    return *this;
  }
  Steps& joint(std::vector<std::uint32_t> after) {
    list.push_back({0, 0, std::move(after), {}});
    return *this;
  }
  Steps& scale(std::uint64_t data, float factor, std::vector<std::uint32_t> after = {}) {
    const ScaleArguments arguments{data, factor};
    return add<Opcode::kLaunchKernel>(scaleLaunch(0, arguments), std::move(after));
  }
  std::vector<wire::GraphStep> list;

 private:
  std::vector<std::unique_ptr<std::vector<std::byte>>> bytes_;
};

wire::DeviceCopy copyOf(const wire::Shape& to, std::uint64_t from, std::uint64_t pitch = 0, std::uint64_t slice = 0) {
  wire::DeviceCopy copy;
  copy.to = to;
  copy.from = from;
  copy.fromPitch = pitch;
  copy.fromSlice = slice;
  return copy;
}

class Graphs : public ::testing::TestWithParam<bool> {
 protected:
  explicit Graphs(const Limits& limits = {})
      : s({.cpuReachesMemory = false, .graphs = GetParam()}, std::uint64_t{1} << 30, limits) {}
  void SetUp() override {
    client().hello();
    loadScale(client());
    client().send<Opcode::kMapMemory>({0, kTestDeviceBase, kMiB});
    client().send<Opcode::kStreamCreate>({.stream = kStream, .device = 0, .flags = hipStreamNonBlocking});
  }
  TestClient& client() { return *s.client; }
  bool native() const { return GetParam(); }

  void create(const Steps& steps, std::uint64_t graph = kGraph) {
    client().send<Opcode::kGraphCreate>({graph, 0, steps.list});
  }
  void update(std::vector<std::uint32_t> numbers, const Steps& steps) {
    client().send<Opcode::kGraphUpdate>({kGraph, std::move(numbers), steps.list});
  }
  void launch(std::uint64_t graph = kGraph) { client().send<Opcode::kGraphLaunch>({kStream, graph}); }
  template <class T>
  void set(std::uint64_t address, const T& value) {
    client().send<Opcode::kUpload>(uploadHere(kStream, {address, 0, 0, sizeof value}, bytesOf(value)));
  }
  template <class T>
  T get(std::uint64_t address) {
    T value{};
    EXPECT_EQ(client().ask<Opcode::kDownload>({kStream, {address, 0, 0, sizeof value}, ++transfer_}), hipSuccess);
    const std::vector<std::byte>& bytes = client().received[transfer_];
    EXPECT_EQ(bytes.size(), sizeof value);
    if (bytes.size() == sizeof value) std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }
  hipError_t failure() {
    const auto push = client().expectPush<wire::AsyncFailure>(Opcode::kAsyncFailure);
    return push ? static_cast<hipError_t>(push->status) : hipSuccess;
  }
  void expectNoFailure() {
    EXPECT_EQ(client().ask<Opcode::kDeviceSynchronize>({0}), hipSuccess);
    EXPECT_FALSE(client().sawPush(Opcode::kAsyncFailure));
  }
  std::string refusal() {
    const auto refused = client().expectPush<wire::Refused>(Opcode::kRefused);
    return refused ? refused->text : "";
  }

  SessionOnFake s;

 private:
  std::uint64_t transfer_ = 100;
};
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

// --- how much of the worker's memory graphs may take

class GraphsMetered : public Graphs {
 protected:
  GraphsMetered() : Graphs(limits()) {}
  static Limits limits() {
    Limits limits;
    limits.set(Quota::kCodeBytes, 4 * kMiB);
    limits.set(Quota::kOperations, 1000);
    return limits;
  }
  // A kernel with as many bytes of arguments as it may have.
  Steps large(float factor) {
    std::memcpy(arguments_.data(), &kA, sizeof kA);
    std::memcpy(arguments_.data() + 8, &factor, sizeof factor);
    wire::LaunchKernel kernel = scaleLaunch(0, {});
    kernel.arguments = arguments_;
    return std::move(Steps().add<Opcode::kLaunchKernel>(kernel));
  }
  std::size_t outOfMemory() {
    EXPECT_EQ(client().ask<Opcode::kPing>({}), hipSuccess);
    const auto said = [](const Frame& frame) {
      return frame.opcode() == Opcode::kAsyncFailure &&
             TestClient::decode<wire::AsyncFailure>(frame).status == hipErrorOutOfMemory;
    };
    const auto count = std::ranges::count_if(client().seen, said);
    std::erase_if(client().seen, said);
    return static_cast<std::size_t>(count);
  }

 private:
  std::vector<std::byte> arguments_ = std::vector<std::byte>(wire::kMostInline);
};
INSTANTIATE_TEST_SUITE_P(Runtime, GraphsMetered, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "HasGraphs" : "HasNone"; });

TEST_P(GraphsMetered, ByWhatTheyKeep) {
  create(large(2));
  EXPECT_EQ(outOfMemory(), 0u);
  for (std::uint64_t i = 0; i < 100; ++i) create(large(2), kOther + i);
  EXPECT_GT(outOfMemory(), 30u);
  set(kA, 1.0f);
  launch();
  launch(kOther + 99);  // there was no room for it
  EXPECT_EQ(failure(), hipErrorOutOfMemory);
  EXPECT_EQ(get<float>(kA), 2.0f);
}

// Launches that are held, or a GPU that is busy, keep what the client has given up.
TEST_P(GraphsMetered, UntilTheyAreReallyGone) {
  client().send<Opcode::kHostFunction>({kStream, 7});
  client().expectPush<wire::RunHostFunction>(Opcode::kRunHostFunction);
  for (int i = 0; i < 100; ++i) {
    create(large(1));
    launch();
    client().send<Opcode::kGraphDestroy>({kGraph});
  }
  EXPECT_GT(outOfMemory(), 30u);
  client().send<Opcode::kHostFunctionDone>({7});
  EXPECT_EQ(client().ask<Opcode::kDeviceSynchronize>({0}), hipSuccess);
  std::size_t without = 1;
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);  // another thread gives them back
  while (without && std::chrono::steady_clock::now() < until) {
    create(large(1), kOther);
    without = outOfMemory();
    client().send<Opcode::kGraphDestroy>({kOther});
  }
  EXPECT_EQ(without, 0u);
}

TEST_P(GraphsMetered, AlsoWhatChangesKeep) {
  create(large(1));
  client().send<Opcode::kHostFunction>({kStream, 7});
  for (int i = 0; i < 100; ++i) {
    launch();
    update({0}, large(1));
  }
  EXPECT_GT(outOfMemory(), 30u);
}

TEST_P(GraphsMetered, LaunchesAreAsManyOperationsAsTheyHaveSteps) {
  Steps steps;
  for (std::uint32_t i = 0; i < 300; ++i)
    steps.scale(kA, i == 0 ? 2 : 1, i == 0 ? std::vector<std::uint32_t>{} : std::vector<std::uint32_t>{i - 1});
  create(steps);
  set(kA, 1.0f);
  EXPECT_EQ(client().ask<Opcode::kStreamSynchronize>({kStream}), hipSuccess);
  s.fake.hold();
  const int before = s.fake.commands();
  for (int i = 0; i < 10; ++i) launch();
  EXPECT_EQ(client().ask<Opcode::kPing>({}), hipSuccess);
  EXPECT_LT(s.fake.commands() - before, 1000);
  s.fake.release();
  EXPECT_EQ(get<float>(kA), 1024.0f);
  expectNoFailure();
}

// --- what a hostile client might send

class GraphsRefuse : public Graphs {};
INSTANTIATE_TEST_SUITE_P(Runtime, GraphsRefuse, ::testing::Values(true),
                         [](const auto&) { return std::string("HasGraphs"); });

TEST_P(GraphsRefuse, AStepAfterItselfOrALaterOne) {
  create(Steps().scale(kA, 2, {0}));
  EXPECT_NE(refusal().find("comes after a later one"), std::string::npos);
}

TEST_P(GraphsRefuse, AStepThatNamesOneTwice) {
  create(Steps().scale(kA, 2).scale(kA, 2, {0, 0}));
  EXPECT_NE(refusal().find("comes after a later one"), std::string::npos);
}

TEST_P(GraphsRefuse, AStepThatIsNoWork) {
  create(Steps().add<Opcode::kStreamDestroy>({kStream}));
  EXPECT_NE(refusal().find("malformed step"), std::string::npos);
}

TEST_P(GraphsRefuse, AStepWithAStreamOfItsOwn) {
  create(Steps().add<Opcode::kLaunchKernel>(scaleLaunch(kStream, {kA, 2})));
  EXPECT_NE(refusal().find("malformed step"), std::string::npos);
}

TEST_P(GraphsRefuse, AStepThatIsCutShort) {
  Steps steps;
  steps.scale(kA, 2);
  steps.list[0].work = steps.list[0].work.first(steps.list[0].work.size() - 1);
  create(steps);
  EXPECT_NE(refusal().find("malformed step"), std::string::npos);
}

TEST_P(GraphsRefuse, AFunctionThatDoesNotExist) {
  const ScaleArguments arguments{kA, 2};
  wire::LaunchKernel kernel = scaleLaunch(0, arguments);
  kernel.function = kOther;
  create(Steps().add<Opcode::kLaunchKernel>(kernel));
  EXPECT_NE(refusal().find("does not exist"), std::string::npos);
}

TEST_P(GraphsRefuse, ADeviceThatDoesNotExist) {
  create(Steps().add<Opcode::kLaunchKernel>(scaleLaunch(0, {kA, 2}), {}, 3));
  EXPECT_NE(refusal().find("device 3 does not exist"), std::string::npos);
}

TEST_P(GraphsRefuse, TooManySteps) {
  Steps steps;
  for (std::size_t i = 0; i <= wire::kMostGraphSteps; ++i) steps.joint({});
  create(steps);
  EXPECT_NE(refusal().find("cannot be made"), std::string::npos);
}

TEST_P(GraphsRefuse, TooManyStepsInAllGraphs) {
  Steps steps;
  for (std::size_t i = 0; i < wire::kMostGraphSteps; ++i) steps.joint({});
  for (std::uint64_t i = 0; i < 65; ++i) create(steps, kGraph + 10 + i);
  EXPECT_NE(refusal().find("steps of graphs"), std::string::npos);
}

TEST_P(GraphsRefuse, ANumberThatIsTaken) {
  create(Steps().scale(kA, 2));
  create(Steps().scale(kA, 2));
  EXPECT_NE(refusal().find("cannot be made"), std::string::npos);
}

TEST_P(GraphsRefuse, AnUpdateOfAStepThatDoesNotExist) {
  create(Steps().scale(kA, 2));
  update({1}, Steps().scale(kA, 2));
  EXPECT_NE(refusal().find("does not have"), std::string::npos);
}

TEST_P(GraphsRefuse, AnUpdateWithFewerStepsThanNumbers) {
  create(Steps().scale(kA, 2).scale(kA, 2));
  update({0, 1}, Steps().scale(kA, 2));
  EXPECT_NE(refusal().find("does not have"), std::string::npos);
}

TEST_P(GraphsRefuse, AnUpdateOfTheOrder) {
  create(Steps().scale(kA, 2).scale(kA, 2));
  update({1}, Steps().scale(kA, 2, {0}));
  EXPECT_NE(refusal().find("comes after"), std::string::npos);
}

TEST_P(GraphsRefuse, AGraphThatDoesNotExist) {
  launch();
  EXPECT_NE(refusal().find("graph"), std::string::npos);
}

}  // namespace
}  // namespace hipr::worker

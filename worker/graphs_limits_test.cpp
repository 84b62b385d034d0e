// What graphs may take of the worker's memory, and what is refused of a client that is none of ours.
#include <algorithm>

#include "worker/graphs_fixture.h"

namespace hipr::worker {
namespace {

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

#include "client/graph_parts.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace hipr::client {
namespace {

using Place = PartInput::Place;

struct Step {
  char kind;  // 't'here, 'h'ere, 'j'oint
  std::vector<std::uint32_t> after;
};

std::vector<GraphPart> partsOf(const std::vector<Step>& steps, std::size_t most = 1000) {
  std::vector<PartInput> inputs;
  for (const Step& step : steps) {
    const Place place = step.kind == 't' ? Place::kThere : step.kind == 'h' ? Place::kHere : Place::kAnywhere;
    inputs.push_back({place, step.after});
  }
  return divide(inputs, most);
}

// "t012 h3 t4": what is in each part.
std::string text(const std::vector<GraphPart>& parts) {
  std::string out;
  for (const GraphPart& part : parts) {
    if (!out.empty()) out += ' ';
    out += part.there ? 't' : 'h';
    for (const std::uint32_t step : part.steps) out += std::to_string(step);
  }
  return out;
}

TEST(GraphParts, AGraphOfKernelsIsOnePart) {
  EXPECT_EQ(text(partsOf({{'t', {}}, {'t', {0}}, {'t', {0}}, {'j', {1, 2}}, {'t', {3}}})), "t01234");
  EXPECT_EQ(text(partsOf({})), "");
}

TEST(GraphParts, AStepThatNeedsThisProcessStandsBetweenTwoParts) {
  EXPECT_EQ(text(partsOf({{'t', {}}, {'h', {0}}, {'t', {1}}})), "t0 h1 t2");
}

TEST(GraphParts, WhatDoesNotWaitForThatStepIsInTheFirstPart) {
  // 0 → h1 → 2 and, beside it, 3 → 4
  EXPECT_EQ(text(partsOf({{'t', {}}, {'h', {0}}, {'t', {1}}, {'t', {}}, {'t', {3}}})), "t034 h1 t2");
}

TEST(GraphParts, StepsOfThisProcessAreTakenTogetherWhenNothingElseIsReady) {
  // two functions that both come after 0, and 3 after both
  EXPECT_EQ(text(partsOf({{'t', {}}, {'h', {0}}, {'h', {0}}, {'t', {1, 2}}})), "t0 h1 h2 t3");
  // a function that must wait for a kernel behind another function
  EXPECT_EQ(text(partsOf({{'h', {}}, {'t', {0}}, {'h', {1}}, {'h', {}}})), "h0 t1 h2 h3");
}

TEST(GraphParts, PlacesWhereStepsMeetMakeNoPartOfTheirOwn) {
  EXPECT_EQ(text(partsOf({{'j', {}}, {'h', {0}}, {'j', {1}}, {'h', {2}}, {'j', {3}}})), "h1 h3");
  EXPECT_EQ(text(partsOf({{'j', {}}})), "");
}

TEST(GraphParts, NoPartIsTooLarge) {
  std::vector<Step> steps;
  for (int i = 0; i < 10; ++i) steps.push_back({'t', {}});
  EXPECT_EQ(text(partsOf(steps, 4)), "t0123 t4567 t89");
}

TEST(GraphParts, AStepThatIsNamedTwiceCountsOnce) {
  EXPECT_EQ(text(partsOf({{'t', {}}, {'h', {0, 0}}, {'t', {1, 1, 0}}})), "t0 h1 t2");
}

TEST(GraphParts, EveryStepComesOnceAndAfterWhatItFollows) {
  std::mt19937 random(11);
  for (int round = 0; round < 300; ++round) {
    std::vector<Step> steps(1 + random() % 40);
    for (std::uint32_t i = 0; i < steps.size(); ++i) {
      steps[i].kind = "ttthj"[random() % 5];
      for (std::uint32_t before = 0; before < i; ++before) {
        if (random() % 6 == 0) steps[i].after.push_back(before);
      }
    }
    const std::size_t most = 1 + random() % 20;
    std::vector<int> part(steps.size(), -1);
    int number = 0;
    for (const GraphPart& p : partsOf(steps, most)) {
      ASSERT_LE(p.steps.size(), p.there ? most : 1);
      ASSERT_TRUE(std::is_sorted(p.steps.begin(), p.steps.end()));
      for (const std::uint32_t step : p.steps) {
        ASSERT_EQ(part[step], -1);
        ASSERT_EQ(p.there, steps[step].kind != 'h');
        part[step] = number;
      }
      ++number;
    }
    // A step that is in no part does nothing; whoever follows it follows what it followed.
    std::vector<int> earliest(steps.size(), -1);
    for (std::uint32_t i = 0; i < steps.size(); ++i) {
      for (const std::uint32_t before : steps[i].after) earliest[i] = std::max(earliest[i], earliest[before]);
      if (part[i] < 0) {
        ASSERT_EQ(steps[i].kind, 'j');
        continue;
      }
      ASSERT_GE(part[i], earliest[i]);
      if (steps[i].kind == 'h') {
        for (const std::uint32_t before : steps[i].after) ASSERT_NE(part[before], part[i]);
      }
      earliest[i] = part[i];
    }
  }
}

}  // namespace
}  // namespace hipr::client

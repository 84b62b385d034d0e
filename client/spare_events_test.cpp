#include "client/spare_events.h"

#include <gtest/gtest.h>

namespace hipr::client {
namespace {

struct Numbered : CoreObject {
  explicit Numbered(int n) : number(n) {}
  const int number;
};

class SpareEventsTest : public ::testing::Test {
 protected:
  bool keep(int device, unsigned flags, int number) {
    std::unique_ptr<CoreObject> object = std::make_unique<Numbered>(number);
    const bool kept = spares_.keep(device, flags, object);
    EXPECT_EQ(kept, object == nullptr);  // otherwise it is still the caller's
    return kept;
  }
  int take(int device, unsigned flags) {  // 0: there was none
    const auto object = spares_.take(device, flags);
    return object ? static_cast<Numbered&>(*object).number : 0;
  }

  SpareEvents spares_;
};

TEST_F(SpareEventsTest, GivesTheLastOneOfTheSameKind) {
  keep(0, 0, 1);
  keep(0, 2, 2);
  keep(1, 0, 3);
  keep(0, 0, 4);
  EXPECT_EQ(take(0, 1), 0);
  EXPECT_EQ(take(0, 0), 4);
  EXPECT_EQ(take(0, 0), 1);
  EXPECT_EQ(take(0, 0), 0);
  EXPECT_EQ(take(1, 0), 3);
  EXPECT_EQ(take(0, 2), 2);
}

TEST_F(SpareEventsTest, KeepsOnlySome) {
  int kept = 0;
  while (kept < 1000 && keep(0, 0, kept + 1)) ++kept;
  EXPECT_GT(kept, 8);
  EXPECT_LT(kept, 1000);
  EXPECT_EQ(spares_.takeAll().size(), static_cast<std::size_t>(kept));
  EXPECT_TRUE(keep(0, 0, 1));
}

TEST_F(SpareEventsTest, ForgetsThoseOfADevice) {
  keep(0, 0, 1);
  keep(1, 0, 2);
  spares_.forget(0);
  EXPECT_EQ(take(0, 0), 0);
  EXPECT_EQ(take(1, 0), 2);
}

}  // namespace
}  // namespace hipr::client

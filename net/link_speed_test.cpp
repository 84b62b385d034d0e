#include "net/link_speed.h"

#include <gtest/gtest.h>

namespace hipr::net {
namespace {

constexpr std::uint64_t kMiB = 1 << 20;

TEST(LinkSpeed, IsWhatTheWorkerAcknowledges) {
  using namespace std::chrono_literals;
  LinkSpeed speed;
  const LinkSpeed::Clock::time_point start{};
  speed.sending(start, 0, 8 * kMiB);  // into buffers, at once
  EXPECT_FALSE(speed.bytesPerSecond());
  speed.acknowledged(start + 20ms, 2 * kMiB);
  EXPECT_NEAR(*speed.bytesPerSecond(), 2 * kMiB / 0.02, 1);
  // A pause is not the line's, once everything has arrived.
  speed.acknowledged(start + 80ms, 8 * kMiB);
  const double before = *speed.bytesPerSecond();
  speed.sending(start + 5s, 8 * kMiB, 12 * kMiB);
  speed.acknowledged(start + 5s + 20ms, 10 * kMiB);
  EXPECT_NEAR(*speed.bytesPerSecond(), before, before * 0.2);
}

}  // namespace
}  // namespace hipr::net

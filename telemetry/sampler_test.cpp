#include "telemetry/sampler.h"

#include <gtest/gtest.h>

namespace hipr::telemetry {
namespace {

using std::chrono::milliseconds;

// Counts how often it is read, and tells it in its readings.
class CountingSource : public Source {
 public:
  std::string_view kind() const override { return "counting"; }
  std::string libraryVersion() const override { return "1"; }
  const std::vector<Gpu>& gpus() const override { return gpus_; }
  const std::vector<Link>& links() const override { return links_; }
  std::vector<Reading> read() override {
    std::vector<Reading> out(shortAnswer ? 0 : gpus_.size());
    for (Reading& reading : out) reading.memoryUsedBytes = ++reads;
    return out;
  }
  std::vector<Process> processes() override { return {}; }

  std::uint64_t reads = 0;
  bool shortAnswer = false;

 private:
  std::vector<Gpu> gpus_ = std::vector<Gpu>(1);
  std::vector<Link> links_;
};

TEST(Sampler, ReadsOncePerIntervalHoweverManyAsk) {
  CountingSource source;
  Sampler sampler(source, milliseconds(100));
  EXPECT_EQ(source.reads, 0u);  // nobody has asked
  const auto start = Sampler::Clock::now();
  for (int i = 0; i < 1000; ++i)
    EXPECT_EQ(*sampler.sample(start + milliseconds(i % 100)).readings[0].memoryUsedBytes, 1u);
  EXPECT_EQ(source.reads, 1u);
  EXPECT_EQ(*sampler.sample(start + milliseconds(100)).readings[0].memoryUsedBytes, 2u);
  EXPECT_EQ(*sampler.sample(start + milliseconds(199)).readings[0].memoryUsedBytes, 2u);
  EXPECT_EQ(*sampler.sample(start + milliseconds(10000)).readings[0].memoryUsedBytes, 3u);
  EXPECT_EQ(sampler.number(), 3u);
}

TEST(Sampler, ASourceThatSaysTooLittleStillGivesAReadingPerGpu) {
  CountingSource source;
  source.shortAnswer = true;
  Sampler sampler(source, milliseconds(100));
  ASSERT_EQ(sampler.sample().readings.size(), 1u);
  EXPECT_FALSE(sampler.sample().readings[0].memoryUsedBytes);
}

}  // namespace
}  // namespace hipr::telemetry

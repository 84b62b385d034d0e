// The file a trace leaves, and its summary.
#include "base/trace.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include <gtest/gtest.h>

#include "base/trace_summary.h"

namespace hipr::trace {
namespace {

std::string contents(const std::filesystem::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

TEST(Trace, IsAnArrayOfEvents) {
  const auto file =
      std::filesystem::temp_directory_path() / ("hip-remote-trace-test-" + std::to_string(std::random_device()()));
  start(file.string(), 1);
  enterCall("hipMemcpy");
  wait({.name = currentCall(), .begin = 1'500, .end = 2'500, .thread = 7}, "/usr/lib/\"odd\".so", 10, 20);
  enterCall(nullptr);
  EXPECT_EQ(currentCall(), nullptr);
  call({.name = "hipMemcpy", .begin = 1'000, .end = 3'000, .thread = 7});
  clockKnownWithin(12'345);
  kernel({.name = "scale", .device = 0, .queue = 3, .launched = 900, .begin = 1'600, .end = 2'400});
  finish();
  EXPECT_FALSE(enabled());
  call({.name = "later", .begin = 1, .end = 2, .thread = 7});
  const std::string text = contents(file);
  std::filesystem::remove(file);
  EXPECT_TRUE(text.starts_with("[\n{"));
  EXPECT_TRUE(text.ends_with("}\n]\n"));
  EXPECT_NE(text.find(R"("name":"hipMemcpy","ts":1.000,"dur":2.000)"), std::string::npos);
  EXPECT_NE(text.find(R"("module":"/usr/lib/\"odd\".so")"), std::string::npos);
  EXPECT_NE(text.find(R"("sent":10,"received":20)"), std::string::npos);
  EXPECT_NE(text.find(R"("name":"scale","ts":1.600,"dur":0.800,"args":{"queued_us":0.700})"), std::string::npos);
  EXPECT_NE(text.find("known within 12.345 us"), std::string::npos);
  EXPECT_EQ(text.find("later"), std::string::npos);
}

TEST(Trace, WithoutEventsThereIsNoFile) {
  const auto file =
      std::filesystem::temp_directory_path() / ("hip-remote-no-trace-" + std::to_string(std::random_device()()));
  start(file.string(), 1);
  finish();
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST(TraceSummary, SaysWhatHoldsItUp) {
  constexpr std::uint64_t kMs = 1'000'000;
  Summary asksOften;
  for (int i = 0; i < 1000; ++i) asksOften.wait("hipStreamSynchronize", "/app/libengine.so", kMs);
  asksOften.call("hipStreamSynchronize", 1000 * kMs);
  asksOften.span(1, 1200 * kMs);
  EXPECT_NE(asksOften.text().find("833 a second"), std::string::npos) << asksOften.text();
  EXPECT_NE(asksOften.text().find("hipStreamSynchronize called from libengine.so"), std::string::npos);
  EXPECT_NE(asksOften.text().find("ask less often"), std::string::npos);

  Summary busy;
  busy.kernel("gemm", 900 * kMs, 0);
  busy.span(1, 1000 * kMs);
  EXPECT_NE(busy.text().find("the GPU is busy"), std::string::npos);

  Summary idle;
  idle.call("hipMalloc", kMs);
  idle.span(1, 1000 * kMs);
  EXPECT_NE(idle.text().find("the program itself"), std::string::npos);
}

}  // namespace
}  // namespace hipr::trace

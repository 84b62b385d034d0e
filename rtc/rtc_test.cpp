#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "rtc/cache.h"
#include "rtc/codec.h"

namespace hipr::rtc {
namespace {

Request sample() {
  return {.source = "extern \"C\" __global__ void twice(float* x) { x[threadIdx.x] *= 2; }",
          .name = "twice.hip",
          .headers = {{"a.h", "#define A 1"}, {"b.h", "#define B 2"}},
          .options = {"--offload-arch=gfx90a", "-DX=1"},
          .expressions = {"twice"}};
}

TEST(Codec, RequestsAndResultsComeBackAsTheyWere) {
  const Request before = sample();
  Request after;
  ASSERT_TRUE(decode(encode(before), after));
  EXPECT_EQ(encode(after), encode(before));
  EXPECT_EQ(after.headers, before.headers);
  const Result result{
      .status = HIPRTC_SUCCESS, .log = "w", .code = std::string("\0x", 2), .bitcode = "", .lowered = {"t"}};
  Result again;
  ASSERT_TRUE(decode(encode(result), again));
  EXPECT_EQ(again.code, result.code);
  EXPECT_EQ(again.lowered, result.lowered);
}

TEST(Codec, NothingElseIsTaken) {
  const std::string good = encode(sample());
  Request r;
  for (std::size_t n = 0; n < good.size(); ++n) EXPECT_FALSE(decode(good.substr(0, n), r)) << n;
  EXPECT_FALSE(decode(good + "x", r));
  for (std::size_t n = 0; n < good.size(); ++n) {  // any byte wrong: refused or another request, never trouble
    std::string bad = good;
    bad[n] = static_cast<char>(bad[n] ^ 0xff);
    (void)decode(bad, r);
  }
}

class CacheTest : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/rtc-cache-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    folder = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder); }
  std::string folder;
};

TEST_F(CacheTest, ResultsByContent) {
  const Cache cache(folder);
  Result result{.status = HIPRTC_SUCCESS, .log = "", .code = "code", .bitcode = "", .lowered = {"twice"}}, found;
  EXPECT_FALSE(cache.find(sample(), "one", found));
  cache.keep(sample(), "one", result);
  ASSERT_TRUE(cache.find(sample(), "one", found));
  EXPECT_EQ(found.code, "code");
  EXPECT_FALSE(cache.find(sample(), "another compiler", found));
  Request other = sample();
  other.options[1] = "-DX=2";
  EXPECT_FALSE(cache.find(other, "one", found));
  result.status = HIPRTC_ERROR_COMPILATION;
  cache.keep(other, "one", result);
  EXPECT_FALSE(cache.find(other, "one", found));
}

// Whoever asks the compiler to tell more hears it each time.
TEST_F(CacheTest, NotOfOptionsThatTellMore) {
  const Cache cache(folder);
  const Result result{.status = HIPRTC_SUCCESS, .log = "", .code = "code", .bitcode = "", .lowered = {"twice"}};
  for (const char* option : {"-print-after=constmerge", "-mllvm=-print-after-all", "-v", "-save-temps"}) {
    Request request = sample();
    request.options = {"-mllvm", option};
    cache.keep(request, "one", result);
    Result found;
    EXPECT_FALSE(cache.find(request, "one", found)) << option;
  }
}

TEST_F(CacheTest, DamagedFilesAreCompiledAgain) {
  const Cache cache(folder);
  const Result result{.status = HIPRTC_SUCCESS, .log = "", .code = "code", .bitcode = "", .lowered = {"twice"}};
  cache.keep(sample(), "one", result);
  for (const auto& entry : std::filesystem::directory_iterator(folder)) std::filesystem::resize_file(entry, 7);
  Result found;
  EXPECT_FALSE(cache.find(sample(), "one", found));
  EXPECT_TRUE(std::filesystem::is_empty(folder));
}

TEST_F(CacheTest, Bounded) {
  const Cache cache(folder, 10000);
  Request request = sample();
  for (int i = 0; i < 20; ++i) {
    request.name = std::to_string(i);
    cache.keep(request, "one",
               {.status = HIPRTC_SUCCESS, .log = "", .code = std::string(1000, 'x'), .bitcode = "", .lowered = {"t"}});
  }
  std::uintmax_t sum = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) sum += entry.file_size();
  EXPECT_LE(sum, 10000u);
  EXPECT_GT(sum, 5000u);
}

}  // namespace
}  // namespace hipr::rtc

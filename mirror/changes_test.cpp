#include "mirror/changes.h"

#include <gtest/gtest.h>

#include <cstring>

#include "tests/fuzz/mutate.h"

namespace hipr::mirror {
namespace {

struct Plain {
  std::uint64_t region, offset;
  std::string bytes;
  bool operator==(const Plain&) const = default;
};

std::vector<Plain> read(const wire::HostBytes& message, bool* ok) {
  std::vector<Plain> out;
  ChangeReader reader(message);
  for (ChangeReader::Run run; reader.next(run);) {
    out.push_back(
        {run.region, run.offset, std::string(reinterpret_cast<const char*>(run.bytes.data()), run.bytes.size())});
  }
  *ok = reader.ok();
  return out;
}

void put(ChangeWriter& writer, const Plain& run) {
  writer.put(run.region, run.offset, run.bytes.data(), run.bytes.size());
}

TEST(Changes, RunsComeBackAsTheyWere) {
  const std::vector<Plain> runs{{7, 0, "a"},    {7, 2, "bc"}, {7, 1ull << 40, "far"},
                                {7, 5, "back"}, {8, 5, "x"},  {7, 5, "y"}};
  ChangeWriter writer;
  for (const Plain& run : runs) put(writer, run);
  bool ok = false;
  EXPECT_EQ(read(writer.message(), &ok), runs);
  EXPECT_TRUE(ok);
}

TEST(Changes, NeighboursBecomeOneRun) {
  ChangeWriter writer;
  put(writer, {3, 10, "ab"});
  put(writer, {3, 12, "cd"});
  bool ok = false;
  EXPECT_EQ(read(writer.message(), &ok), (std::vector<Plain>{{3, 10, "abcd"}}));
}

TEST(Changes, AFlagCostsFourBytesAndItsValue) {
  ChangeWriter writer;
  put(writer, {3, 20, "1"});
  const wire::HostBytes message = writer.message();
  EXPECT_EQ(message.runs.size() + message.bytes.size(), 5u);
}

TEST(Changes, RandomRunsComeBack) {
  fuzz::Random random(5);
  for (int i = 0; i < 2000; ++i) {
    ChangeWriter writer;
    std::vector<Plain> runs;
    for (std::uint64_t k = random.next() % 20; k > 0; --k) {
      const Plain run{random.next() % 3, random.next() >> (16 + random.next() % 48),
                      std::string(1 + random.next() % 9, 'x')};
      put(writer, run);
      if (!runs.empty() && runs.back().region == run.region &&
          runs.back().offset + runs.back().bytes.size() == run.offset) {
        runs.back().bytes += run.bytes;
      } else {
        runs.push_back(run);
      }
    }
    bool ok = false;
    ASSERT_EQ(read(writer.message(), &ok), runs);
    ASSERT_TRUE(ok);
  }
}

bool understood(std::vector<int> numbers, std::size_t values) {
  std::vector<std::byte> runs, bytes(values);
  for (const int n : numbers) runs.push_back(static_cast<std::byte>(n));
  bool ok = false;
  read({runs, bytes}, &ok);
  return ok;
}

TEST(Changes, NonsenseIsNoticed) {
  EXPECT_TRUE(understood({}, 0));
  EXPECT_TRUE(understood({0, 1, 2, 6}, 2));
  EXPECT_FALSE(understood({2, 6}, 2)) << "of no region";
  EXPECT_FALSE(understood({0, 1, 2, 6}, 1)) << "fewer values than it says";
  EXPECT_FALSE(understood({0, 1, 2, 6}, 3)) << "values left over";
  EXPECT_FALSE(understood({0, 1}, 0)) << "a region without a run";
  EXPECT_FALSE(understood({0, 1, 2}, 2)) << "a run without a place";
  EXPECT_FALSE(understood({0, 1, 2, 1}, 2)) << "in front of the region";
  EXPECT_FALSE(understood({0, 1, 2, 0x80}, 2)) << "a number that does not end";
  EXPECT_FALSE(understood({0, 1, 2, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1}, 2)) << "a huge number";
}

}  // namespace
}  // namespace hipr::mirror

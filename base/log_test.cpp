#include "base/log.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <string>

namespace hipr {
namespace {

// What a line of the log looks like.
std::string logged(const std::string& foreign) {
  std::FILE* const file = std::tmpfile();
  setLogFile(file);
  logError("kernel %s failed", foreign.c_str());
  setLogFile(nullptr);
  std::rewind(file);
  std::string out(8192, 0);
  out.resize(std::fread(out.data(), 1, out.size(), file));
  std::fclose(file);
  return out;
}

TEST(Log, WritesNamesAsTheyAre) {
  EXPECT_EQ(logged("saxpy"), "[hip-remote] kernel saxpy failed\n");
  EXPECT_EQ(logged("gr\xc3\xb6\xc3\x9f"
                   "er\t\xe2\x82\xac"),
            "[hip-remote] kernel gr\xc3\xb6\xc3\x9f"
            "er\t\xe2\x82\xac failed\n");
}

TEST(Log, NamesSayNothingToATerminal) {
  EXPECT_EQ(logged("a\x1b]0;title\a\x1b[2Jb\r\x7f"), "[hip-remote] kernel a?]0;title??[2Jb?? failed\n");
  EXPECT_EQ(logged("a\xc2\x9b"
                   "2Jb"),
            "[hip-remote] kernel a?2Jb failed\n");
}

TEST(Log, NamesCannotPassForLines) {
  EXPECT_EQ(logged("a\n[hip-remote] all is well"), "[hip-remote] kernel a\n    [hip-remote] all is well failed\n");
}

TEST(Log, LongLinesEnd) {
  for (const char c : {'a', '\n'}) {
    const std::string line = logged(std::string(10'000, c));
    EXPECT_LE(line.size(), 4096u);
    EXPECT_EQ(line.back(), '\n');
  }
}

}  // namespace
}  // namespace hipr

#include "backends/softgpu/services/printf_format.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <limits>

#include "backends/softgpu/services/test_host.h"

namespace hipr::softgpu {
namespace {

std::string format(const char* text, const WordWriter& w) {
  PrintfArgs args(std::as_bytes(std::span(w.words())));
  return formatPrintf(text, args);
}

// The C library is the oracle: the same format and value must give the same text.
template <class T>
std::string reference(const char* text, T value) {
  char buffer[4096];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  std::snprintf(buffer, sizeof buffer, text, value);
#pragma GCC diagnostic pop
  return buffer;
}

TEST(PrintfFormat, IntegersAsTheCLibrary) {
  for (int v : {0, 1, -1, 42, -12345, std::numeric_limits<int>::min(), std::numeric_limits<int>::max()}) {
    // Kernels widen an int with zeros.
    const WordWriter w = WordWriter().word(static_cast<std::uint32_t>(v));
    for (const char* f : {"%d",   "%i",  "%u",  "%x",  "%X",   "%o",  "%5d",  "%-8d|",  "%+d",    "% d", "%08d",
                          "%.5d", "%#x", "%#o", "%hd", "%hhd", "%hu", "%hhu", "%12.7d", "%-+6d|", "%c"}) {
      if (std::string_view(f) == "%c" && (v & 0xff) == 0) continue;  // snprintf's text would end there
      EXPECT_EQ(format(f, w), reference(f, v)) << f << " " << v;
    }
  }
  for (long v : {0l, -1l, std::numeric_limits<long>::min(), 1l << 40}) {
    const WordWriter w = WordWriter().word(static_cast<std::uint64_t>(v));
    for (const char* f : {"%ld", "%lld", "%lu", "%lx", "%zd", "%jd", "%td", "%20ld", "%-20lx|"}) {
      EXPECT_EQ(format(f, w), reference(f, v)) << f << " " << v;
    }
  }
}

TEST(PrintfFormat, RealsAsTheCLibrary) {
  for (double v : {0.0, -0.0, 1.5, -2.25e-10, 1e300, 3.14159265358979, std::nan(""), double(INFINITY), 5e-324}) {
    for (const char* f : {"%f", "%e", "%g", "%a", "%E", "%G", "%A", "%.2f", "%10.3f", "%-12.4e|", "%+g", "%#g",
                          "%010.2f", "%.0f", "%lf"}) {
      EXPECT_EQ(format(f, WordWriter().real(v)), reference(f, v)) << f << " " << v;
    }
  }
}

TEST(PrintfFormat, PointersAsTheCLibrary) {
  for (std::uintptr_t v : {std::uintptr_t{0}, std::uintptr_t{0x7f0012345678}}) {
    for (const char* f : {"%p", "%20p|", "%-20p|"}) {
      EXPECT_EQ(format(f, WordWriter().word(v)), reference(f, reinterpret_cast<void*>(v)));
    }
  }
}

TEST(PrintfFormat, Strings) {
  for (const char* s : {"", "a", "1234567", "12345678", "a rather long string, longer than two words"}) {
    for (const char* f : {"%s", "[%10s]", "[%-10s]", "[%.3s]", "[%10.3s]"}) {
      EXPECT_EQ(format(f, WordWriter().text(s)), reference(f, s)) << f;
    }
    // Padding is skipped: the next argument is found.
    EXPECT_EQ(format("%s|%d", WordWriter().text(s).word(7)), std::string(s) + "|7");
  }
}

TEST(PrintfFormat, StarsTakeArguments) {
  EXPECT_EQ(format("[%*d]", WordWriter().word(6).word(42)), "[    42]");
  EXPECT_EQ(format("[%*d]", WordWriter().word(static_cast<std::uint32_t>(-6)).word(42)), "[42    ]");
  EXPECT_EQ(format("[%.*f]", WordWriter().word(2).real(1.005)), "[1.00]");
  EXPECT_EQ(format("[%.*f]", WordWriter().word(static_cast<std::uint32_t>(-1)).real(1.5)), "[1.500000]");
  EXPECT_EQ(format("[%*.*s]", WordWriter().word(5).word(2).text("abc")), "[   ab]");
}

TEST(PrintfFormat, OddFormats) {
  EXPECT_EQ(format("100%% sure\n", {}), "100% sure\n");
  EXPECT_EQ(format("%n%d", WordWriter().word(1).word(2)), "2");
  EXPECT_EQ(format("%y %d", WordWriter().word(3)), "%y 3");
  EXPECT_EQ(format("end %", {}), "end %");
  EXPECT_EQ(format("end %-5.", {}), "end %-5.");
  EXPECT_EQ(format("%d %s %f|", {}), "0  0.000000|");  // missing arguments
  EXPECT_EQ(format("%99999999999d", WordWriter().word(1)).size(), std::size_t{1} << 16);
  std::string many;
  for (int i = 0; i < 10000; ++i) many += "%65536d";
  EXPECT_LT(format(many.c_str(), {}).size(), std::size_t{17} << 20);
}

}  // namespace
}  // namespace hipr::softgpu

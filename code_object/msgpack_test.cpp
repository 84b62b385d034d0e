#include "code_object/msgpack.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace hipr::code {
namespace {

MsgpackReader reader(const std::string& bytes) {
  static std::string kept;
  kept = bytes;
  return MsgpackReader(asBytes(kept));
}

template <std::size_t N>
std::string raw(const char (&text)[N]) {
  return std::string(text, N - 1);
}

TEST(Msgpack, Integers) {
  EXPECT_EQ(reader("\x7f").unsignedInt(), 127u);
  EXPECT_EQ(reader("\xcc\xff").unsignedInt(), 255u);
  EXPECT_EQ(reader("\xcd\x12\x34").unsignedInt(), 0x1234u);
  EXPECT_EQ(reader("\xce\x12\x34\x56\x78").unsignedInt(), 0x12345678u);
  EXPECT_EQ(reader("\xcf\x12\x34\x56\x78\x9a\xbc\xde\xf0").unsignedInt(), 0x123456789abcdef0u);
  EXPECT_EQ(reader("\xd1\x12\x34").unsignedInt(), 0x1234u);
  EXPECT_FALSE(reader("\xd1\x92\x34").unsignedInt());  // negative
  EXPECT_FALSE(reader("\xff").unsignedInt());
}

TEST(Msgpack, Strings) {
  EXPECT_EQ(reader("\xa3"
                   "abc")
                .string(),
            "abc");
  EXPECT_EQ(reader("\xd9\x03"
                   "abc")
                .string(),
            "abc");
  EXPECT_EQ(reader(raw("\xda\x00\x03"
                       "abc"))
                .string(),
            "abc");
  EXPECT_EQ(reader(raw("\xdb\x00\x00\x00\x03"
                       "abc"))
                .string(),
            "abc");
  EXPECT_FALSE(reader("\xa4"
                      "abc")
                   .string());
  EXPECT_FALSE(reader("\xdb\xff\xff\xff\xff"
                      "abc")
                   .string());
}

TEST(Msgpack, ErrorsAreSticky) {
  MsgpackReader in = reader("\x01\xa1x");
  EXPECT_FALSE(in.string());
  EXPECT_FALSE(in.ok());
  EXPECT_FALSE(in.string());
  EXPECT_FALSE(in.skip());
  EXPECT_TRUE(in.atEnd());
}

TEST(Msgpack, SkipsEverything) {
  const std::vector<std::string> values = {"\xc0",
                                           "\xc2",
                                           "\x05",
                                           "\xff",
                                           "\xd0\x80",
                                           raw("\xca\0\0\0\0"),
                                           raw("\xcb\0\0\0\0\0\0\0\0"),
                                           "\xa1x",
                                           "\xc4\x02xx",
                                           "\x92\x01\x02",
                                           "\x81\xa1k\x92\x01\x02",
                                           "\xd4\x01x",
                                           "\xd8\x01"
                                           "0123456789abcdef",
                                           "\xc7\x03\x01xyz",
                                           raw("\xdc\x00\x01\x07"),
                                           raw("\xde\x00\x01\x07\x08")};
  for (const std::string& v : values) {
    MsgpackReader in = reader(v + "\x2a");
    EXPECT_TRUE(in.skip()) << ::testing::PrintToString(v);
    EXPECT_EQ(in.unsignedInt(), 42u) << ::testing::PrintToString(v);
    EXPECT_TRUE(in.ok() && in.atEnd());
  }
}

TEST(Msgpack, HostileInputs) {
  EXPECT_FALSE(reader("").skip());
  EXPECT_FALSE(reader("\xc1").skip());
  EXPECT_FALSE(reader("\xdf\xff\xff\xff\xff\x01").skip());       // four billion pairs, one byte
  EXPECT_FALSE(reader(std::string(100000, '\x91')).skip());      // nested too deep
  EXPECT_TRUE(reader(std::string(31, '\x91') + "\x01").skip());  // within the limit
}

}  // namespace
}  // namespace hipr::code

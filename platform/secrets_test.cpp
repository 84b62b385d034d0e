#include "platform/secrets.h"

#include <gtest/gtest.h>

#include <string>

namespace hipr::platform {
namespace {

std::span<const unsigned char> bytes(const std::string& text) {
  return {reinterpret_cast<const unsigned char*>(text.data()), text.size()};
}

std::string hex(const Hash256& hash) {
  std::string out;
  char two[3];
  for (const unsigned char byte : hash) {
    std::snprintf(two, sizeof two, "%02x", byte);
    out += two;
  }
  return out;
}

// RFC 4231, test cases 2 and 6.
TEST(Secrets, HashesAsTheStandardSays) {
  EXPECT_EQ(hex(hmacSha256("Jefe", {bytes("what do ya "), bytes("want for nothing?")})),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(
      hex(hmacSha256(std::string(131, '\xaa'), {bytes("Test Using Larger Than Block-Size Key - Hash Key First")})),
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST(Secrets, RandomNumbersDiffer) {
  Hash256 a{}, b{};
  randomBytes(a);
  randomBytes(b);
  EXPECT_FALSE(equalSecrets(a, b));
  b = a;
  EXPECT_TRUE(equalSecrets(a, b));
  b[31] ^= 1;
  EXPECT_FALSE(equalSecrets(a, b));
}

}  // namespace
}  // namespace hipr::platform

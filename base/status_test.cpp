#include "base/status.h"

#include <gtest/gtest.h>

namespace hipr {

TEST(Status, KeepsItsCodeWhenContextIsAdded) {
  const Status inner = Status::invalid("truncated ELF header");
  const Status outer = inner.within("reading foo.co");
  EXPECT_EQ(outer.code(), Code::kInvalid);
  EXPECT_EQ(outer.message(), "reading foo.co: truncated ELF header");
}

TEST(Status, SuccessStaysSuccess) {
  EXPECT_TRUE(Status().within("anything").ok());
}

}  // namespace hipr

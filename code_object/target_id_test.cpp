#include "code_object/target_id.h"

#include <gtest/gtest.h>

#include <vector>

namespace hipr::code {
namespace {

TargetId target(const char* text) {
  TargetId t;
  const Status s = parseTargetId(text, t);
  EXPECT_TRUE(s.ok()) << s.message();
  return t;
}

TEST(TargetId, ParsesAndPrintsCanonically) {
  EXPECT_EQ(target("gfx90a:xnack-:sramecc+").text(), "gfx90a:sramecc+:xnack-");
  EXPECT_EQ(target("gfx1030").text(), "gfx1030");
  EXPECT_EQ(target("gfx11-generic").text(), "gfx11-generic");
}

TEST(TargetId, RejectsNonsense) {
  TargetId t;
  for (const char* bad : {"", "gfx", "sm_90", "gfx90a:", "gfx90a:xnack", "gfx90a:xnack+:xnack-", "gfx90a:tgsplit+",
                          "gfx90a::xnack+", "GFX90A", "gfx90a:+"}) {
    EXPECT_EQ(parseTargetId(bad, t).code(), Code::kInvalid) << bad;
  }
}

TEST(TargetId, BundleIds) {
  BundleId id;
  ASSERT_TRUE(parseBundleId("hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-", id).ok());
  EXPECT_EQ(id.kind, "hipv4");
  EXPECT_EQ(id.triple, "amdgcn-amd-amdhsa-");
  ASSERT_TRUE(id.target);
  EXPECT_EQ(id.target->text(), "gfx90a:xnack-");

  for (const char* host : {"host-x86_64-unknown-linux--", "host-x86_64-unknown-linux-gnu-", "host-x86_64-unknown-linux",
                           "hip-spirv64-amd-amdhsa--amdgcnspirv"}) {
    ASSERT_TRUE(parseBundleId(host, id).ok()) << host;
    EXPECT_FALSE(id.target) << host;
  }
  ASSERT_TRUE(parseBundleId("hip-amdgcn-amd-amdhsa--gfx9-4-generic:xnack+", id).ok());
  EXPECT_EQ(id.target->text(), "gfx9-4-generic:xnack+");
  ASSERT_TRUE(parseBundleId("hip-amdgcn-amd-amdhsa-gfx906", id).ok());
  EXPECT_EQ(id.target->text(), "gfx906");
  for (const char* bad : {"", "host", "-x", "hipv4-amdgcn-amd-amdhsa--", "hipv4-amdgcn-amd-amdhsa--sm_70"}) {
    EXPECT_FALSE(parseBundleId(bad, id).ok()) << bad;
  }
}

TEST(TargetId, ElfFlags) {
  TargetId t;
  ASSERT_TRUE(targetFromElfFlags(0x53f, t).ok());
  EXPECT_EQ(t.text(), "gfx90a");
  ASSERT_TRUE(targetFromElfFlags(0x63f, t).ok());
  EXPECT_EQ(t.text(), "gfx90a:xnack-");
  ASSERT_TRUE(targetFromElfFlags(0xb4c, t).ok());
  EXPECT_EQ(t.text(), "gfx942:sramecc-:xnack+");
  ASSERT_TRUE(targetFromElfFlags(0x01000054, t).ok());  // version 6 carries a generic version in the top byte
  EXPECT_EQ(t.text(), "gfx11-generic");
  EXPECT_EQ(targetFromElfFlags(0xff, t).code(), Code::kUnsupported);
}

TEST(TargetId, AbsentFeatureMeansAny) {
  const TargetId device = target("gfx90a:sramecc+:xnack-");
  EXPECT_TRUE(matchRank(target("gfx90a"), device));
  EXPECT_TRUE(matchRank(target("gfx90a:xnack-"), device));
  EXPECT_FALSE(matchRank(target("gfx90a:xnack+"), device));
  EXPECT_FALSE(matchRank(target("gfx908"), device));
  EXPECT_FALSE(matchRank(target("gfx90a:xnack-"), target("gfx90a")));  // the device does not say it is off
}

TEST(TargetId, BestMatchPrefersTheMoreSpecific) {
  const TargetId device = target("gfx90a:sramecc+:xnack-");
  std::vector<TargetId> all = {target("gfx908"), target("gfx90a"), target("gfx90a:xnack+"), target("gfx90a:xnack-")};
  EXPECT_EQ(bestMatch(all, device), 3u);
  all.pop_back();
  EXPECT_EQ(bestMatch(all, device), 1u);
  EXPECT_EQ(bestMatch(std::vector{target("gfx11-generic"), target("gfx1100")}, target("gfx1100")), 1u);
  EXPECT_EQ(bestMatch(std::vector{target("gfx11-generic"), target("gfx1100")}, target("gfx1151")), 0u);
  EXPECT_EQ(bestMatch({}, device), std::nullopt);
}

}  // namespace
}  // namespace hipr::code

// What the supervisor prepares for sessions: folders of their own, and what becomes of them.
#include "worker/session_homes.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

#include "worker/cache_folder.h"

namespace hipr::worker {
namespace {

namespace fs = std::filesystem;

class Homes : public ::testing::Test {
 protected:
  Homes() {
    fs::create_directories(cache_);
    setenv("HIP_REMOTE_SOFTGPU_USAGE", (folder_ / "usage").c_str(), 1);
    options_.sandbox = SandboxMode::kStrict;
    options_.cacheFolder = cache_;
    homes_.emplace(options_, "/usr/lib/libamdhip64.so.7", true);
  }
  ~Homes() override {
    unsetenv("HIP_REMOTE_SOFTGPU_USAGE");
    fs::remove_all(folder_);
  }
  SandboxPlan prepared(const std::string& identity) {
    const SandboxPlan plan = homes_->plan(0, identity);
    homes_->prepare(plan, identity);
    return plan;
  }
  static mode_t modeOf(const fs::path& path) {
    struct stat info{};
    EXPECT_EQ(stat(path.c_str(), &info), 0) << path;
    return info.st_mode & 07777;
  }

  const fs::path folder_ = ::testing::TempDir() + "hipr-homes-" + std::to_string(getpid());
  const fs::path cache_ = folder_ / "cache";
  Options options_;
  std::optional<SessionHomes> homes_;
};

// It may be a great deal, and the supervisor has others to serve.
TEST_F(Homes, WhatASessionHasLeftIsRemovedByAProcessOfItsOwn) {
  const SandboxPlan plan = prepared("");
  ASSERT_TRUE(fs::is_directory(plan.temporary));
  fs::create_directories(plan.temporary + "/some/folders");
  std::ofstream(plan.temporary + "/some/file") << "left\n";
  homes_->clear(0, getpid());
  EXPECT_FALSE(fs::exists(plan.temporary));
  EXPECT_GT(waitpid(-1, nullptr, 0), 0);
  EXPECT_TRUE(fs::is_empty(homes_->folder()));
}

TEST_F(Homes, ASessionReachesTheCacheOfItsIdentityAlone) {
  const auto reaches = [](const SandboxPlan& plan, const std::string& path) {
    return std::ranges::count(plan.writable, path) == 1;
  };
  const std::string all = homes_->cacheFolder();
  const std::string hers = CacheFolder::ofIdentity(all, "alice"), his = CacheFolder::ofIdentity(all, "bob");
  const SandboxPlan plan = prepared("alice");
  EXPECT_TRUE(reaches(plan, hers));
  EXPECT_FALSE(reaches(plan, his));
  EXPECT_FALSE(reaches(plan, all));
  EXPECT_EQ(modeOf(hers), 02770u);
  EXPECT_FALSE(fs::exists(his));
}

TEST_F(Homes, AFolderThatIsALinkIsLeftAlone) {
  const fs::path elsewhere = folder_ / "elsewhere";
  fs::create_directories(elsewhere);
  chmod(elsewhere.c_str(), 0700);
  fs::create_directory_symlink(elsewhere, CacheFolder::ofIdentity(homes_->cacheFolder(), "alice"));
  prepared("alice");
  EXPECT_EQ(modeOf(elsewhere), 0700u);
}

}  // namespace
}  // namespace hipr::worker

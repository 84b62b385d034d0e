#include "access/kept_token.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace hipr::access {
namespace {

namespace fs = std::filesystem;

std::string readAll(std::istream& file) {
  return {std::istreambuf_iterator<char>(file), {}};
}

class KeptToken : public ::testing::Test {
 protected:
  KeptToken() {
    fs::remove_all(home_);
    fs::create_directories(home_);
    setenv("XDG_CONFIG_HOME", home_.c_str(), 1);
  }
  ~KeptToken() override {
    unsetenv("XDG_CONFIG_HOME");
    fs::remove_all(home_);
  }
  const fs::path home_ = ::testing::TempDir() + "hipr_kept_token";
  const net::Endpoint worker_{"gpu-box", 18515};
};

TEST_F(KeptToken, IsForItsOwnerAlone) {
  for (const char* token : {"the first token", "the next one"}) {
    std::string path;
    ASSERT_TRUE(keepToken(worker_, token, path).ok());
    EXPECT_EQ(path, keptTokenFile(worker_));
    std::ifstream file(path);
    EXPECT_EQ(readAll(file), std::string(token) + "\n");
    EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_read | fs::perms::owner_write);
    EXPECT_EQ(std::distance(fs::directory_iterator(fs::path(path).parent_path()), {}), 1) << "nothing is left behind";
  }
}

// Whoever can open a file while it may be read by all can read what is written to it later.
TEST_F(KeptToken, IsNotWrittenIntoAFileThatSomebodyHasOpen) {
  const fs::path path = keptTokenFile(worker_), before = path.string() + ".new";
  fs::create_directories(path.parent_path());
  std::ofstream(before).close();
  std::ifstream open(before);
  ASSERT_TRUE(open.is_open());
  std::string kept;
  ASSERT_TRUE(keepToken(worker_, "a token of some length", kept).ok());
  EXPECT_EQ(readAll(open), "");
}

TEST_F(KeptToken, ThatCannotBeWrittenIsAnError) {
  std::ofstream(home_ / "hip-remote").close();  // where a folder should be
  std::string path;
  EXPECT_FALSE(keepToken(worker_, "a token of some length", path).ok());
}

}  // namespace
}  // namespace hipr::access

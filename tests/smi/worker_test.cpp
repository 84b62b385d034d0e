// The finished libraries against a real worker: the small one by its own test program, each libamd_smi by the calls of
// amd-smi, and amd-smi itself where it is installed.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "testing/busy_program.h"
#include "testing/worker_process.h"

namespace {

std::string beside(const char* name) {
  return (std::filesystem::read_symlink("/proc/self/exe").parent_path() / name).string();
}

class WithWorker : public ::testing::Test {
 protected:
  void SetUp() override {
    setenv("HIP_REMOTE_SOFTGPU", "gfx90ax2", 1);
    char name[] = "/tmp/hip-remote-amdsmi-XXXXXX";  // nobody else's memory counts
    ASSERT_NE(mkdtemp(name), nullptr);
    folder_ = name;
    setenv("HIP_REMOTE_SOFTGPU_USAGE", name, 1);
    worker_.emplace();
    worker_->use();
  }
  void TearDown() override {
    worker_.reset();
    std::filesystem::remove_all(folder_);
  }
  static int run(const std::string& command) { return std::system(command.c_str()); }
  std::string folder_;
  std::optional<hipr::testing::WorkerProcess> worker_;
};

TEST_F(WithWorker, TheSmallLibraryPassesItsTest) {
  EXPECT_EQ(run(beside("test_smi_basic")), 0);
}

TEST_F(WithWorker, TheSmallLibraryNoticesThatNobodyIsThere) {
  worker_->terminate();
  EXPECT_NE(run("TF_CONNECT_TIMEOUT=2 " + beside("test_smi_basic")), 0);
}

#ifdef PYTHON
class WithPython : public WithWorker, public ::testing::WithParamInterface<const char*> {};

TEST_P(WithPython, TheLibraryAnswersTheCallsOfAmdSmi) {
  const std::string soname = std::string("libamd_smi.so.") + GetParam();
  EXPECT_EQ(run(std::string(PYTHON " " SOURCE_FOLDER "/calls.py ") + beside("../lib/") + soname +
                " " SOURCE_FOLDER "/" + soname + ".txt 2"),
            0);
}
INSTANTIATE_TEST_SUITE_P(Sonames, WithPython, ::testing::Values("24", "26", "27"));

TEST_F(WithWorker, AmdSmiShowsTheWorkersGpus) {
  const hipr::testing::BusyProgram program(*worker_, 96 << 20);
  const int status = run(PYTHON " " SOURCE_FOLDER "/amd_smi.py " + beside("hip-remote") + " " + beside("smi-remote"));
  if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
    GTEST_SKIP() << "no amd-smi is installed that we have a library for";
  EXPECT_EQ(status, 0);
}

TEST_F(WithWorker, AnAmdSmiThatWeHaveNoLibraryForIsRefused) {
  std::ofstream(folder_ + "/amdsmi_cli.py") << "raise SystemExit('started')\n";
  std::filesystem::create_symlink("amdsmi_cli.py", folder_ + "/amd-smi");
  for (const char* version : {"24.4.1", "24.7.1+unknown", "25.5.1", "0.1", "unknown"}) {
    std::ofstream(folder_ + "/_version.py") << "__version__ = \"" << version << "\"\n";
    const int status = run("PATH=" + folder_ + ":$PATH " + beside("hip-remote") + " smi -- list");
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 3) << version;
  }
}

TEST_F(WithWorker, AmdSmiIsKeptFromChangingThisMachine) {
  EXPECT_NE(run(beside("hip-remote") + " smi -- reset --gpureset"), 0);
}
#endif

}  // namespace

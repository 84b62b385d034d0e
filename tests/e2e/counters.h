// What the library of a program counted about itself (HIP_REMOTE_STATS).
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

namespace hipr {

class Counters {
 public:
  // Runs it in a process of its own.
  static Counters of(const std::function<void()>& program) {
    char file[] = "/tmp/hip-remote-counters-XXXXXX";
    close(mkstemp(file));
    const pid_t child = fork();
    if (child == 0) {
      setenv("HIP_REMOTE_STATS", file, 1);
      setenv("HIP_REMOTE_DATA_CACHE", "off", 0);  // whether data is named first depends on how fast the line seems
      program();
      std::exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "the child failed";
    Counters out;
    std::ifstream in(file);
    std::getline(in, out.line_);
    std::filesystem::remove(file);
    return out;
  }

  long operator[](const std::string& name) const {
    const std::size_t at = line_.find(" " + name + "=");
    EXPECT_NE(at, std::string::npos) << name << " in \"" << line_ << "\"";
    return at == std::string::npos ? -1 : std::atol(line_.c_str() + at + name.size() + 2);
  }

 private:
  std::string line_;
};

}  // namespace hipr

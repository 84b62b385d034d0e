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
#include <vector>

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
    for (std::string line; std::getline(in, line);) out.lines_.push_back(" " + line);
    std::filesystem::remove(file);
    return out;
  }

  // Of all its sessions together.
  long operator[](const std::string& name) const {
    EXPECT_FALSE(lines_.empty()) << "it has counted nothing";
    long sum = 0;
    for (const std::string& line : lines_) {
      const std::size_t at = line.find(" " + name + "=");
      EXPECT_NE(at, std::string::npos) << name << " in \"" << line << "\"";
      if (at != std::string::npos) sum += std::atol(line.c_str() + at + name.size() + 2);
    }
    return sum;
  }

  // Of its first session.
  std::string text(const std::string& name) const {
    const std::string line = lines_.empty() ? "" : lines_[0];
    const std::size_t at = line.find(" " + name + "=");
    EXPECT_NE(at, std::string::npos) << name << " in \"" << line << "\"";
    if (at == std::string::npos) return "";
    const std::size_t begin = at + name.size() + 2;
    return line.substr(begin, line.find(' ', begin) - begin);
  }

 private:
  std::vector<std::string> lines_;
};

}  // namespace hipr

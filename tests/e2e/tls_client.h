// A program that uses a GPU through a worker, in a process of its own, and what came of it.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "testing/hip.h"

namespace hipr::testing {

struct Outcome {
  int code = 0;  // 0: what was copied there came back; else the hipError_t
  std::string said, stats;
};

inline std::string contentOf(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

inline constexpr char kPlainText[] = "this is what a listener would like to read; ";

// Uploads a text of a megabyte, has a kernel run, and downloads the text.
inline int useGpu() {
  worker::HipTable api;
  if (!loadHip(remoteLibrary(), api).ok()) return 99;
  if (const hipError_t error = api.hipInit(0); error != hipSuccess) return error;
  Hip hip;
  if (!hip.load(remoteLibrary()).ok()) return 99;
  std::string text, back;
  while (text.size() < 1 << 20) text += kPlainText;
  back.resize(text.size());
  void* memory = nullptr;
  HIPR_CHECK(hip, hipMalloc(&memory, text.size()));
  HIPR_CHECK(hip, hipMemcpy(memory, text.data(), text.size(), hipMemcpyHostToDevice));
  int zero = 0;
  void* arguments[] = {&zero};
  hip.launch(hip.empty, 1, 64, arguments);
  HIPR_CHECK(hip, hipMemcpy(back.data(), memory, text.size(), hipMemcpyDeviceToHost));
  return back == text ? 0 : 98;
}

inline Outcome runClient(const std::map<std::string, std::string>& environment) {
  const std::string scratch = ::testing::TempDir() + "hipr-" + std::to_string(getpid());
  const std::string errors = scratch + "-errors", stats = scratch + "-stats";
  std::filesystem::remove(stats);
  const pid_t child = fork();
  if (child == 0) {
    if (!std::freopen(errors.c_str(), "w", stderr)) _exit(99);
    setenv("HIP_REMOTE_STATS", stats.c_str(), 1);
    for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
    std::exit(useGpu());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, contentOf(errors), contentOf(stats)};
}

}  // namespace hipr::testing

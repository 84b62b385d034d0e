// What is to be compiled, and what came of it. Plain data.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "hip_remote/hip.h"

namespace hipr::rtc {

struct Request {
  std::string source, name;
  std::vector<std::pair<std::string, std::string>> headers;  // their names and texts
  std::vector<std::string> options;                          // one of them names the target
  std::vector<std::string> expressions;                      // whose names in the code are wanted
};

struct Result {
  hiprtcResult status = HIPRTC_ERROR_INTERNAL_ERROR;
  std::string log;
  std::string code, bitcode;         // one of them, on success
  std::vector<std::string> lowered;  // for each expression; empty for one that is none
};

}  // namespace hipr::rtc

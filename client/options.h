// What the environment says about the worker to use.
#pragma once

#include <string>

#include "base/status.h"
#include "net/socket.h"

namespace hipr::client {

struct Options {
  net::Endpoint worker;
  int connectTimeout = 30;  // seconds
  int ioTimeout = 60;
  std::string statsFile;  // HIP_REMOTE_STATS: one line of counters is appended here at exit
};

Status readOptions(Options& out);

}  // namespace hipr::client

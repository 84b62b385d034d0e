// OutputRelay: what kernels print belongs to the client. HIP runtimes write it to stdout and stderr of the process they
// run in, so a session takes both over and passes on what comes.
#pragma once

#include <array>
#include <memory>
#include <mutex>

#include "worker/outbox.h"

namespace hipr::worker {

class OutputRelay {
 public:
  // Takes over stdout and stderr of this process; log lines keep the old stderr. Null when pipes cannot be had.
  static std::unique_ptr<OutputRelay> capture();

  void forwardTo(
      Outbox& outbox);  // starts a thread that passes on what nobody drains. REQUIRES: outbox outlives the process
  void drain();         // everything printed so far is posted when this returns. Thread-safe.

 private:
  OutputRelay() = default;
  void forwardAll();
  void forward(int stream);

  std::mutex mutex_;
  std::array<int, 2> pipes_{-1, -1};  // read ends: stdout, stderr
  Outbox* outbox_ = nullptr;
};

}  // namespace hipr::worker

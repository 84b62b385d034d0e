// A program of its own that holds memory of GPU 0 through a worker and keeps that GPU busy, until the object goes.
#pragma once

#include <sys/types.h>

#include <cstddef>

#include "testing/worker_process.h"

namespace hipr::testing {

class BusyProgram {
 public:
  // Returns once the memory is there.
  BusyProgram(const WorkerProcess& worker, std::size_t bytes);
  ~BusyProgram();
  pid_t pid() const { return child_; }

 private:
  pid_t child_ = -1;
};

}  // namespace hipr::testing

#include "testing/busy_program.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "testing/hip.h"

namespace hipr::testing {
namespace {

[[noreturn]] void work(const WorkerProcess& worker, std::size_t bytes, int ready) {
  worker.use();
  Hip hip;
  void* memory = nullptr;
  if (!hip.load(remoteLibrary()).ok()) _exit(3);
  HIPR_CHECK(hip, hipMalloc(&memory, bytes));
  HIPR_CHECK(hip, hipDeviceSynchronize());
  (void)!write(ready, "r", 1);
  int rounds = 20000;
  void* arguments[] = {&memory, &rounds};
  for (;;) {
    for (int i = 0; i < 8; ++i) hip.launch(hip.work, 64, 64, arguments);
    HIPR_CHECK(hip, hipDeviceSynchronize());
  }
}

}  // namespace

BusyProgram::BusyProgram(const WorkerProcess& worker, std::size_t bytes) {
  int ready[2];
  if (pipe(ready) != 0) std::abort();
  child_ = fork();
  if (child_ == 0) work(worker, bytes, ready[1]);
  close(ready[1]);
  char c = 0;
  if (read(ready[0], &c, 1) != 1) {
    std::fprintf(stderr, "the busy program ended before it had its memory\n");
    std::abort();
  }
  close(ready[0]);
}

BusyProgram::~BusyProgram() {
  kill(child_, SIGKILL);
  waitpid(child_, nullptr, 0);
}

}  // namespace hipr::testing

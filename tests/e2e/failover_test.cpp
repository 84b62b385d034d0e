// TF_WORKER_HOST names several workers: a program gets the first that answers and has room.
#include <gtest/gtest.h>

#include <fstream>

#include "net/socket.h"
#include "testing/worker_process.h"
#include "tests/e2e/checked_program.h"

namespace hipr {
namespace {

using testing::WorkerProcess;

std::string at(const WorkerProcess& worker) {
  return "127.0.0.1:" + std::to_string(worker.port());
}

// Uses the workers of the list and says how many sessions `where` had meanwhile; -1: something was wrong.
int sessionsDuringAProgram(const std::string& list, const WorkerProcess& where) {
  return inChild([&] {
    setenv("TF_WORKER_HOST", list.c_str(), 1);
    CheckedProgram program;
    return program.round(5) ? static_cast<int>(where.sessions().size()) : 100;
  });
}

TEST(Failover, ADeadWorkerIsPassedOver) {
  const WorkerProcess first, second;
  EXPECT_EQ(sessionsDuringAProgram(at(first) + "," + at(second), first), 1);
  EXPECT_EQ(sessionsDuringAProgram(at(first) + "," + at(second), second), 0);
  EXPECT_EQ(sessionsDuringAProgram("127.0.0.1:1," + at(second), second), 1);
  EXPECT_EQ(sessionsDuringAProgram("no.such.name.invalid," + at(second), second), 1);
}

TEST(Failover, AFullWorkerSaysSoAndTheNextServes) {
  const WorkerProcess full({"--runtime", "softgpu", "--grace", "1", "--max-sessions", "1"}), free;
  EXPECT_EQ(inChild([&] {
              setenv("TF_WORKER_HOST", at(full).c_str(), 1);
              CheckedProgram program;  // has the only place
              if (!program.round(1)) return 1;
              if (sessionsDuringAProgram(at(full) + "," + at(free), free) != 1) return 2;
              if (full.sessions().size() != 1) return 3;  // nothing was started for the one that was refused
              return program.round(2) ? 0 : 4;
            }),
            0);
}

TEST(Failover, ASessionWhoseWorkerDiedReportsIt) {
  WorkerProcess first;
  const WorkerProcess second;
  EXPECT_EQ(inChild([&] {
              setenv("TF_WORKER_HOST", (at(first) + "," + at(second)).c_str(), 1);
              setenv("TF_IO_TIMEOUT", "3", 1);
              testing::Hip hip;
              void* memory = nullptr;
              if (!hip.load(testing::remoteLibrary()).ok() || hip.api.hipMalloc(&memory, 4096) != hipSuccess) return 1;
              for (const pid_t session : first.sessions()) kill(session, SIGKILL);
              kill(first.pid(), SIGKILL);
              if (hip.api.hipDeviceSynchronize() == hipSuccess) return 2;
              // A reset begins anew, and finds the worker that is left.
              if (hip.api.hipDeviceReset() != hipSuccess) return 3;
              if (hip.api.hipMalloc(&memory, 4096) != hipSuccess) return 4;
              return second.sessions().size() == 1 ? 0 : 5;
            }),
            0);
}

}  // namespace
}  // namespace hipr

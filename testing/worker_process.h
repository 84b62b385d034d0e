// A hip-worker on a free loopback port, for the lifetime of this object.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace hipr::testing {

class WorkerProcess {
 public:
  explicit WorkerProcess(const std::vector<std::string>& arguments = {"--runtime", "softgpu", "--grace", "1"},
                         std::string program = "");  // empty: the one beside this test
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  int port() const { return port_; }
  int metricsPort() const { return metricsPort_; }  // with --metrics 0
  pid_t pid() const { return process_; }
  void kill();      // SIGKILL, at once
  int terminate();  // SIGTERM; waits, returns the exit code (or -signal)

  // Its session processes, and the descriptors it has open.
  std::vector<pid_t> sessions() const;
  int openDescriptors() const;

  void use() const;  // points TF_WORKER_HOST and TF_WORKER_PORT of this process at it

 private:
  int end(int signal);
  pid_t process_ = -1;
  int port_ = 0, metricsPort_ = 0;
  int output_ = -1;
};

}  // namespace hipr::testing

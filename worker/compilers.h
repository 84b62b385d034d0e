// Compilers: the compile process (compile_process.h) that each session has at the moment, if any. It belongs to the
// supervisor. Used by one thread.
#pragma once

#include <sys/types.h>

#include <map>
#include <string>

#include "worker/pass_descriptor.h"
#include "worker/sandbox.h"

namespace hipr::worker {

struct HandedState;

class Compilers {
 public:
  // The socket to talk to it; empty when there is none to be had. One at a time: an earlier one is over.
  Descriptor start(int account, const SandboxPlan& plan);
  void end(int account);       // with whatever it has started
  void reaped(pid_t process);  // which may be one of them

  // hand_over.h
  void handOver(HandedState& state) const;
  void inherit(const HandedState& state);  // those that are children of this process

 private:
  struct Compiler {
    pid_t process;
    std::string folder;  // of its own, unless the session has one anyway
  };
  static void kill(const Compiler& compiler);
  std::map<int, Compiler> running_;  // by account
};

}  // namespace hipr::worker

// The sandbox of a session: what its process may still do once the runtime is loaded and before the client's first
// message is read. A client that takes a session over is then in a box of its own (docs/security.md). The telemetry
// service is in one of the same kind.
//
// It comes in two steps, because a GPU's runtime opens devices and starts threads when it is first used: confine()
// while the process has one thread, sealCalls() when the runtime is open.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "base/status.h"
#include "worker/pass_descriptor.h"

namespace hipr::worker {

enum class SandboxMode : std::uint8_t {
  kOff,
  kStrict,  // for softgpu: memory, threads, its socket, a few files
  kGpu,     // what a GPU's runtime and driver want besides
};

struct SandboxPlan {
  SandboxMode mode = SandboxMode::kOff;
  std::uint32_t user = 0, group = 0;  // of its own; 0: those of the worker
  std::string temporary;              // its own folder for passing files; empty: none
  std::vector<std::string> readable;  // where the runtime and what it loads lie
  std::vector<std::string> writable;  // besides `temporary`
  bool accepts = false;               // connections, at a socket it already has
  bool connects = false;              // to whom it likes: a bridge to UCX (ucx_process.h)
  static auto fields(auto& m) {
    return std::tie(m.mode, m.user, m.group, m.temporary, m.readable, m.writable, m.accepts, m.connects);
  }
};

// What is in force, and what this machine cannot do and why, in words.
struct SandboxReport {
  std::vector<std::string> inForce, missing;
  void add(const std::string& what, const Status& status);
  std::string text() const;
};

// REQUIRES: the process has one thread. A failure means that the session must not be served.
Status confine(const SandboxPlan& plan, SandboxReport& report);
void sealCalls(const SandboxPlan& plan, SandboxReport& report);

// In the supervisor, once: a child tries all of it.
std::string trySandbox(const SandboxPlan& plan);

// --- the parts
// Landlock; sandbox_files.cpp. Which files: said by the worker's user, who can reach all of them; then it becomes law.
Status chooseFiles(const SandboxPlan& plan, Descriptor& chosen);
Status restrictFiles(const Descriptor& chosen);
Status restrictCalls(const SandboxPlan& plan);  // seccomp, all threads; sandbox_calls.cpp
Status withoutNetwork();  // the same for a process that may start others, and talk to nobody by itself

Status withoutPrograms();  // for one that talks to whom it likes: it starts none, and looks into nobody

bool canChangeUsers();  // a container's root often cannot

// Whether the numbers from `first` on exist here: a container may have a few only.
bool userNumbersExist(std::uint32_t first, std::uint32_t count);

}  // namespace hipr::worker

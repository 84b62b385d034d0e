// What the supervisor prepares for the sandboxes of its sessions (sandbox.h): which user each is, its folder for
// passing files, the folders that sessions share. Used by one thread.
#pragma once

#include <unistd.h>

#include <string>

#include "worker/options.h"
#include "worker/sandbox.h"

namespace hipr::worker {

class SessionHomes {
 public:
  // `software`: the runtime is softgpu. `folder`: of an earlier supervisor, whose sessions go on; empty: none.
  SessionHomes(const Options& options, const std::string& runtime, bool software, const std::string& folder = "");
  ~SessionHomes();
  SessionHomes(const SessionHomes&) = delete;
  SessionHomes& operator=(const SessionHomes&) = delete;

  SandboxPlan plan(int account, const std::string& identity) const;
  SandboxPlan telemetryPlan() const;
  SandboxPlan ucxPlan(int account) const;  // of the bridge of a session (ucx_process.h)
  void prepare(const SandboxPlan& plan, const std::string& identity) const;  // before the session starts
  void clear(int account, pid_t process) const;                              // when it has ended
  const std::string& folder() const { return folder_; }                      // of all the temporary ones
  const std::string& cacheFolder() const { return cacheFolder_; }
  const std::string& dataFolder() const { return dataFolder_; }
  const std::string& usageFolder() const { return usageFolder_; }  // of softgpu's; empty: where it always is
  std::string describe() const;                                    // one line for the log

 private:
  std::string temporary(int account) const;
  std::vector<std::string> caches(const std::string& identity) const;
  void makeTemporary(const SandboxPlan& plan) const;
  void discard(const std::string& path) const;  // a session's folder; waits for nothing
  std::uint32_t telemetryGroup() const;
  void share(std::string& cache) const;                     // among sessions; empty when that cannot be
  bool open(const std::string& folder, mode_t mode) const;  // to sessions

  SandboxMode mode_;
  // The group of all sessions and the user of the telemetry service; those that follow are the sessions' own.
  // 0: all have the worker's.
  std::uint32_t firstUser_ = 0;
  std::string folder_;
  std::string cacheFolder_, dataFolder_, usageFolder_;
  std::vector<std::string> readable_;
  const pid_t owner_ = getpid();
};

}  // namespace hipr::worker

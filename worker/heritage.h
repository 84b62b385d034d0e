// Heritage: the descriptors that a supervisor leaves to the one that follows it, each under a name. The follower is
// this process with a new program (`become`), or a process that systemd starts later and gives what it has kept for us
// meanwhile (`store`). Used by one thread.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/status.h"
#include "net/socket.h"

namespace hipr::worker {

std::vector<std::string> commandLine();  // of this process

// Descriptors are kept as sockets, which own them, whatever they are.
class Heritage {
 public:
  // --- the follower's
  static Heritage found();  // and the environment no longer speaks of it
  bool has(const std::string& name) const { return items_.contains(name); }
  net::Socket take(const std::string& name);  // a closed one if there is none
  // Nobody else keeps it from now on: what we close is closed. To be said once everything is in its place.
  void accepted() const;

  // --- the leaver's
  void add(const std::string& name, int descriptor);  // another one of the same
  // Replaces the program of this process. Returns when that fails; nothing has changed then.
  Status become(const std::string& program);
  Status store() const;  // to systemd

 private:
  std::map<std::string, net::Socket> items_;
  std::vector<std::string> stored_;  // names in systemd's store
};

}  // namespace hipr::worker

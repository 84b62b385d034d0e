// Shares: memory that sessions let each other have. The supervisor keeps a descriptor of it for the session that shares
// it, under a secret that it makes up, and gives it to any session of the same identity that knows the secret. It goes
// when its session takes it back or ends; who has it by then keeps it. Used by one thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "worker/supervisor_link.h"

namespace hipr::worker {

struct HandedState;
class Heritage;

class Shares {
 public:
  static constexpr std::size_t kMostOfSession = 1024;
  // Fewer where this process cannot have so many descriptors for each of its sessions.
  explicit Shares(int sessions);

  // False: it has as many as it may.
  bool keep(int account, const std::string& identity, std::uint64_t bytes, Descriptor descriptor, wire::Secret& secret);
  struct Share {
    int account;
    std::string identity;
    std::uint64_t bytes;
    Descriptor descriptor;
  };
  const Share* find(const wire::Secret& secret, const std::string& identity) const;
  void drop(int account, const wire::Secret& secret);
  void close(int account);  // all of them

  // hand_over.h
  void handOver(HandedState& state, Heritage& heritage) const;
  void inherit(const HandedState& state, Heritage& heritage);

 private:
  const std::size_t most_;
  std::map<wire::Secret, Share> shares_;
  std::map<int, std::size_t> counts_;  // by account
};

// A session's own, by what it calls them.
class SharedMemory {
 public:
  explicit SharedMemory(SupervisorLink& supervisor) : supervisor_(supervisor) {}
  bool keep(std::uint64_t bytes, int descriptor, wire::Secret& secret);
  Descriptor fetch(const wire::Secret& secret, std::uint64_t& bytes);
  void drop(const wire::Secret& secret);

 private:
  SupervisorLink& supervisor_;
};

}  // namespace hipr::worker

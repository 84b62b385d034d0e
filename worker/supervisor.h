// Supervisor: accepts clients and gives each a process of its own. Single-threaded, and it never loads a GPU library.
#pragma once

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

#include "net/socket.h"
#include "worker/ledger.h"
#include "worker/options.h"

namespace hipr::worker {

// What a session needs when it starts.
struct SessionSeat {
  net::Socket socket;
  std::string peer;
  int account = 0;
};

class Supervisor {
 public:
  Supervisor(const Options& options, net::Socket listener, Ledger& ledger);
  ~Supervisor();

  // Serves until SIGTERM or SIGINT; true then. In the process of a new session it returns false, with its seat.
  bool run(SessionSeat& seat);

 private:
  struct Child {
    std::string peer;
    int account;
  };

  bool accept(SessionSeat& seat);  // true in the child
  void refuse(net::Socket socket, const std::string& why);
  void reap();
  void drain();
  int freeAccount() const;  // -1 when all are taken

  const Options& options_;
  net::Socket listener_;
  Ledger& ledger_;
  int signals_ = -1;
  std::map<pid_t, Child> children_;
};

}  // namespace hipr::worker

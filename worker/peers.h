// Peers: the other workers that this one connects to, because its owner has said so (--peers). Clients say where their
// copies are to go; without this list they could make a worker knock at any door that its machine reaches.
#pragma once

#include <set>
#include <string>

#include "base/status.h"
#include "worker/pass_descriptor.h"

namespace hipr::worker {

class Peers {
 public:
  // "HOST[:PORT],..."; names are looked up now. "*": whatever a client asks for.
  Status allow(const std::string& list);
  bool any() const { return everybody_ || !allowed_.empty(); }

  // A connection to "ADDRESS:PORT" that is being made. Nothing here waits, nor asks for names. Empty: it may not be, or
  // cannot.
  Descriptor connect(const std::string& worker) const;

 private:
  bool everybody_ = false;
  std::set<std::string> allowed_;  // "ADDRESS:PORT", as the system writes them
};

}  // namespace hipr::worker

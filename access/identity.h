// Identity: who a connection belongs to, and what it may have. A value.
#pragma once

#include <string>

namespace hipr::access {

struct Identity {
  std::string name;         // empty: somebody who knows the one token, or anybody where nothing is asked for
  int sessions = 0;         // at a time; 0: as many as the worker has room for
  bool standsBack = false;  // its sessions leave the processor to others
};

}  // namespace hipr::access

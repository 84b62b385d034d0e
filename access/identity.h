// Identity: who a connection belongs to, and what it may have. A value.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hipr::access {

struct Identity {
  std::string name;          // empty: somebody who knows the one token, or anybody where nothing is asked for
  std::uint64_t memory = 0;  // bytes of each device, for all its sessions together; 0: what the worker gives
  int sessions = 0;          // at a time; 0: as many as the worker has room for
  bool standsBack = false;   // its sessions leave the processor to others
  std::vector<std::int32_t> devices{};  // that it sees, by their numbers on the worker, as 0, 1, …; empty: all
};

}  // namespace hipr::access

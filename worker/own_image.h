// A process that is this same program, started anew: it has an address layout that nobody else has, and of its
// supervisor nothing but the descriptors it is given and a ticket that says the rest.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <vector>

#include "base/status.h"
#include "wire/stream.h"

namespace hipr::worker {

inline constexpr int kFirstFile =
    4;  // of those it is given, in the new process; before it are standard streams, ticket

// In the supervisor. `option`: what the new process is for. `files`: their order stays; -1 is nothing.
Status startImage(const char* option, const std::vector<std::byte>& ticket, std::vector<int> files, pid_t& process);

// In the new process.
bool isImage(int argc, char** argv, const char* option);
bool readTicket(std::vector<std::byte>& bytes);  // once; it is closed then

template <class Ticket>
std::vector<std::byte> written(const Ticket& ticket) {
  std::vector<std::byte> bytes;
  wire::Writer(bytes).put(ticket);
  return bytes;
}

// Spans in the ticket point into `bytes`.
template <class Ticket>
bool takeTicket(std::vector<std::byte>& bytes, Ticket& out) {
  if (!readTicket(bytes)) return false;
  wire::Reader reader(bytes);
  reader.get(out);
  return reader.ok() && reader.atEnd();
}

}  // namespace hipr::worker

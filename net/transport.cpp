#include "net/transport.h"

namespace hipr::net {

Status Transport::receiveAll(Room room) {
  while (!room.empty()) {
    std::size_t got = 0;
    if (Status status = receive({&room, 1}, Patience::kWait, &got); !status.ok()) return status;
    if (got == 0) return Status::unavailable("receiving: the peer did not respond in time");
    room = room.subspan(got);
  }
  return {};
}

}  // namespace hipr::net

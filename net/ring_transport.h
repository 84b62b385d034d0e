// A Transport through memory that both processes have: a ring for each direction. Beneath it lies a connection between
// the two processes. It carries only single bytes that wake the side that sleeps, and each side learns from it when the
// other has ended.
#pragma once

#include "net/transport.h"
#include "platform/shared_memory.h"

namespace hipr::net {

std::size_t ringMemorySize();

// Memory for two rings. The side that makes it is the first; it passes the memory on and then writes.
Status makeRingMemory(platform::SharedMemory& out);

enum class RingSide { kFirst, kSecond };
// REQUIRES: memory of ringMemorySize(). Waiting to send fails after so many seconds without progress.
Status overRing(TransportPtr below, platform::SharedMemory memory, RingSide side, int ioTimeoutSeconds,
                TransportPtr& out);

}  // namespace hipr::net

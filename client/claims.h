// Checks of what a worker says. A worker may be broken, or not the one we think, and its answers become addresses and
// sizes in somebody else's program. So each statement is believed only where it can be true.
#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"
#include "hip_remote/hip.h"
#include "types/platform.h"
#include "wire/messages.h"

namespace hipr::client {

// The answer to this Hello and the devices it describes. REQUIRES: reply.status is hipSuccess.
Status checkGreeting(const wire::Hello& hello, const wire::HelloReply& reply, const Platform& platform);

// [address, address + size) can be memory that the worker's runtime has placed: not in a range that is ours to place.
bool plausibleAddress(std::uint64_t address, std::uint64_t size, std::uint64_t ourBase, std::uint64_t ourSize);

hipError_t errorFrom(std::int32_t status);  // hipErrorUnknown for a number that is no error of HIP

}  // namespace hipr::client

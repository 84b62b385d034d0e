// The snapshot of all devices that the first exchange returns, so that no later query touches the network.
#pragma once

#include <cstddef>
#include <vector>

#include "types/platform.h"
#include "wire/stream.h"

namespace hipr::wire {

void encodePlatform(const Platform& platform, std::vector<std::byte>& out);
bool decodePlatform(Bytes in, Platform& platform);  // false when malformed

}  // namespace hipr::wire

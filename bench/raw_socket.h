// Plain TCP over loopback between two processes: what the machine itself can do.
#pragma once

#include <cstddef>

namespace hipr::bench {

// Seconds for `size` bytes there and back, one at a time.
double rawPingPong(std::size_t size, int batches, int count);

// Bytes per second streaming `total` bytes in one direction, as received.
double rawStreaming(std::size_t total);

}  // namespace hipr::bench

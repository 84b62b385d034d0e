// Which stream a handle means.
#pragma once

#include "runtime/process.h"

namespace hipr {

// Null and hipStreamLegacy mean the current device's null stream (null means the thread's own one inside _spt calls),
// hipStreamPerThread the thread's own one. hipErrorContextIsDestroyed for anything that is not a live stream.
hipError_t findStream(Process& p, hipStream_t handle, Stream*& out);

// A stream as a program asks for it. An empty mask: all units of the device.
hipError_t createStream(Process& p, Device& device, hipStream_t* out, unsigned flags, int priority,
                        std::vector<std::uint32_t> cuMask);

hipError_t nullStream(Process& p, Device& device, Stream*& out);

void destroyStream(Process& p, Stream* stream);

// The usual beginning of a call on a stream: opens, finds, and reports a fault of earlier work.
hipError_t streamForWork(hipStream_t handle, Process*& p, Stream*& out);

}  // namespace hipr

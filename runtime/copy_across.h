// Copies between device memory of two cores, and work on memory of one core for a stream of another. A courier
// (across.h) does them when the streams concerned have come there and nothing else is left to wait for.
#pragma once

#include "runtime/across.h"

namespace hipr {

// One core has to do with it: submits it there and waits. REQUIRES: on the courier's thread, as for the next.
hipError_t doAlone(Process& p, Courier& courier, Device& device, const Operation& operation);

// From one core to the other by themselves, where they can and it pays. Otherwise through this process: bytes come from
// one core piece by piece, and while one piece goes to the other core the next one is on its way here.
hipError_t copyAcross(Process& p, Courier& courier, const Copy& copy);

}  // namespace hipr

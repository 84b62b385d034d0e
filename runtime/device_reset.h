// hipDeviceReset: a device forgets everything a program made on it.
#pragma once

#include "runtime/process.h"

namespace hipr {

hipError_t resetDevice(Process& p, Device& device);

}  // namespace hipr

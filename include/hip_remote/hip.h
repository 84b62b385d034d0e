// The HIP 7 C API as this project knows it, written from facts about the published ABI: it builds with no ROCm present.
// Never include it together with ROCm's own headers.
#pragma once

#include "hip_remote/flags.h"
#include "hip_remote/functions.h"

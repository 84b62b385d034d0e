// Every enumeration of the HIP 7 C API, with its values. Older runtimes differ in a few (abi/translate.h).
#pragma once

#include "hip_remote/enums/compile.h"
#include "hip_remote/enums/device.h"
#include "hip_remote/enums/error.h"
#include "hip_remote/enums/graph.h"
#include "hip_remote/enums/interop.h"
#include "hip_remote/enums/launch.h"
#include "hip_remote/enums/memory.h"
#include "hip_remote/enums/stream.h"
#include "hip_remote/enums/texture.h"

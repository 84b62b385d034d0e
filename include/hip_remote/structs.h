// Every structure of the HIP 7 C API. HIP 7 is the reference version; abi/translate.h holds what older ones had
// instead.
#pragma once

#include "hip_remote/structs/device.h"
#include "hip_remote/structs/graph.h"
#include "hip_remote/structs/interop.h"
#include "hip_remote/structs/launch.h"
#include "hip_remote/structs/memory.h"
#include "hip_remote/structs/names.h"
#include "hip_remote/structs/stream.h"
#include "hip_remote/structs/texture.h"

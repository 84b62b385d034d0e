// Every function that any supported libamdhip64 exports, as HIP 7 declares it. Names are linker symbols.
#pragma once

#include "hip_remote/functions/context.h"
#include "hip_remote/functions/device.h"
#include "hip_remote/functions/error.h"
#include "hip_remote/functions/graph.h"
#include "hip_remote/functions/hiprtc.h"
#include "hip_remote/functions/interop.h"
#include "hip_remote/functions/memory.h"
#include "hip_remote/functions/module.h"
#include "hip_remote/functions/other.h"
#include "hip_remote/functions/pool.h"
#include "hip_remote/functions/stream.h"
#include "hip_remote/functions/texture.h"

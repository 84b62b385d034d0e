// Every HIP entry point as an ordinary function: hipr::api::hipMalloc has the signature of ::hipMalloc. It returns the
// error and touches no last-error slot; the exported wrapper does that by the rules of its soname.
// Rows with verb Todo are declared too and never defined; _spt rows are their base call under PerThreadDefault
// (runtime/thread_state.h).
#pragma once

#include "hip_remote/hip.h"

namespace hipr::api {

#define HIP_API(name, node, abis, verb, arity) decltype(::name) name;
#define HIP_API_CXX(name, symbol, node, abis, verb, arity) decltype(::name) name;
#include "api/hip.def"

}  // namespace hipr::api

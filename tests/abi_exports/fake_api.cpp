#include "tests/abi_exports/fake_api.h"

#include "abi/arity.h"
#include "abi/signature.h"
#include "api/verbs.h"
#include "runtime/api.h"
#include "runtime/profiler.h"

namespace hipr::api {

#define HIPR_FAKE(name, arity)                                               \
  abi::Signature<decltype(&::name)>::Result name(HIPR_PARAMS(arity, name)) { \
    if (fake::hook<&::name>) return fake::hook<&::name>(HIPR_ARGS(arity));   \
    return abi::Signature<decltype(&::name)>::Result();                      \
  }
#define HIP_API(name, node, abis, verb, arity) HIPR_BUILT_##verb(HIPR_FAKE(name, arity))
#define HIP_API_SPT(name, base, node, abis, verb, arity)
#include "api/hip.def"
HIPR_FAKE(hipLaunchKernelGGLImpl, 6)  // whose row has only its C++ name

}  // namespace hipr::api

namespace hipr {

void ProfiledCall::begin(const char*) {}
void ProfiledCall::end() {}

}  // namespace hipr

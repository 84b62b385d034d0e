// The exported functions, made from the rows and compiled once for each soname (HIPR_ABI). What differs between sonames
// is in abi/edges_*.h; what every call does on its way out, in abi/answer.h.
#include "abi/answer.h"
#include "abi/arity.h"
#include "abi/edge.h"
#include "abi/edges_device.h"
#include "abi/edges_graph.h"
#include "abi/edges_memory.h"
#include "abi/exported_rows.h"
#include "api/verbs.h"
#include "platform/compiler.h"
#include "runtime/api.h"

#define HIPR_RESULT(name) hipr::abi::Signature<decltype(&::name)>::Result
#define HIPR_PUBLIC extern "C" HIPR_EXPORTED

// `body` answers the exported function `symbol`, whose types are those of `name`.
#define HIPR_DEFINE(symbol, name, arity, body)                                                                  \
  static_assert(hipr::abi::Signature<decltype(&::name)>::kArity == arity, #name ": the row has another arity"); \
  HIPR_PUBLIC HIPR_RESULT(name) symbol(HIPR_PARAMS(arity, name)) {                                              \
    return hipr::abi::answer<&::name, HIPR_ABI>(#name, [&]() -> HIPR_RESULT(name) { body });                    \
  }

// By verb: the exported `name` is answered by hipr::api::base, or refused.
#define HIPR_CALL(base, arity) \
  return hipr::abi::Edge<&::base, HIPR_ABI>::template call<&hipr::api::base>(HIPR_ARGS(arity));
#define HIPR_REFUSE(name)    \
  static hipr::LogOnce once; \
  return hipr::abi::notSupported<HIPR_RESULT(name)>(once, #name);
#define HIPR_BODY(name, base, verb, arity) \
  HIPR_BUILT_##verb(HIPR_CALL(base, arity)) HIPR_MISSING_##verb(HIPR_REFUSE(name))

#define HIP_API(name, node, abis, verb, arity) \
  HIPR_IN_##abis(HIPR_DEFINE(name, name, arity, HIPR_BODY(name, name, verb, arity)))

#define HIP_API_SPT(name, base, node, abis, verb, arity) \
  HIPR_IN_##abis(HIPR_DEFINE(name, name, arity, const hipr::PerThreadDefault scope; HIPR_BODY(name, base, verb, arity)))

#ifdef HIPR_SAME_EXPORTS  // Windows exports no C++ names
#define HIP_API_CXX(name, symbol, node, abis, verb, arity)
#else
#define HIP_API_CXX(name, symbol, node, abis, verb, arity)                                        \
  HIPR_IN_##abis(HIPR_PUBLIC HIPR_RESULT(name)                                                    \
                     hiprCxx_##name(HIPR_PARAMS(arity, name)) __asm__(HIPR_SYMBOL_PREFIX symbol); \
                 HIPR_DEFINE(hiprCxx_##name, name, arity, HIPR_BODY(name, name, verb, arity)))
#endif

#include "api/hip.def"

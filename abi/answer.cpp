#include "abi/answer.h"

#include <cxxabi.h>

#include <exception>
#include <new>

#include "base/log.h"

namespace hipr::abi {

hipError_t refusedInHostFunction(const char* call) {
  constexpr char kLine[] =
      "%s: called by a host function (hipLaunchHostFunc, hipStreamAddCallback), which must not call HIP";
  if (threadState().hostFunction == HostFunctionRule::kAbort) logAndAbort(kLine, call);
  logError(kLine, call);
  return hipErrorNotSupported;  // HIP has no code for "not permitted"
}

hipError_t errorOfException(const char* call) {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    logError("%s: out of host memory", call);
    return hipErrorOutOfMemory;
  } catch (const std::exception& e) {
    logError("%s: internal error: %s", call, e.what());
    return hipErrorUnknown;
#ifdef __GLIBCXX__
  } catch (const ::abi::__forced_unwind&) {
    throw;
#endif
  } catch (...) {
    logError("%s: internal error", call);
    return hipErrorUnknown;
  }
}

}  // namespace hipr::abi

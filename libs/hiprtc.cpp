// libhiprtc: a door to the hiprtc functions in the libamdhip64 of the same version, which know the worker and its GPU.
// Compiled once for each soname (HIPR_ABI).
#include <cstdio>
#include <string>

#include "abi/arity.h"
#include "abi/signature.h"
#include "hip_remote/hip.h"
#include "platform/library.h"
#include "rtc/marker.h"

#define HIPR_TEXT_OF(x) #x
#define HIPR_TEXT(x) HIPR_TEXT_OF(x)

namespace {

// Tells us from AMD's library (rtc/installed.cpp).
[[gnu::used, gnu::retain]] const char* const marker = hipr::rtc::kMarker;

const hipr::platform::Library& runtime() {
  static const auto library = [] {
    std::string why;
    const auto found = hipr::platform::Library::open("libamdhip64.so." HIPR_TEXT(HIPR_ABI), &why);
    if (!found) std::fprintf(stderr, "[hip-remote] libhiprtc: %s\n", why.c_str());
    return found;
  }();
  return library;
}

// Up to version 6 libamdhip64 exports them; from 7 on it only knows them by name.
void* find(const char* name) {
  if (!runtime()) return nullptr;
  if (HIPR_ABI < 7) return runtime().symbol(name);
  const auto byName = runtime().function<decltype(&::hipGetProcAddress)>("hipGetProcAddress");
  void* function = nullptr;
  constexpr int kAnyVersion = 99999;
  if (byName != nullptr) byName(name, &function, kAnyVersion, 0, nullptr);
  return function;
}

template <class Result>
Result none() {
  if constexpr (requires { static_cast<Result>(HIPRTC_ERROR_INTERNAL_ERROR); }) return HIPRTC_ERROR_INTERNAL_ERROR;
  return Result();
}

}  // namespace

#define HIP_API(name, node, abis, verb, arity)                                                                         \
  extern "C" [[gnu::visibility("default")]] hipr::abi::Signature<decltype(&::name)>::Result name(                      \
      HIPR_PARAMS(arity, name)) {                                                                                      \
    static const auto function = reinterpret_cast<decltype(&::name)>(find(#name));                                     \
    return function != nullptr ? function(HIPR_ARGS(arity)) : none<hipr::abi::Signature<decltype(&::name)>::Result>(); \
  }
#include "api/hip/hiprtc.def"

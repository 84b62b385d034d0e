// AMD's hiprtc, where it is installed. It is found by path, since its name alone may find our own library.
#pragma once

#include <string>

#include "rtc/request.h"

namespace hipr::rtc {

// The functions of AMD's library; one that it does not have is null.
struct Installed {
#define HIP_API(name, node, abis, verb, arity) decltype(&::name) name = nullptr;
#include "api/hip/hiprtc.def"
#undef HIP_API
  std::string place;  // where it was found; empty: nowhere
};

// Looked for once. `ours` is the address of a hiprtc function of ours, which is not to be taken for AMD's.
const Installed& installed(const void* ours = nullptr);

// REQUIRES: installed().place is not empty.
Result compileInstalled(const Request& request);

}  // namespace hipr::rtc

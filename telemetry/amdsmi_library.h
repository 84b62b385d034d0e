// AMD's libamd_smi as a table of functions. A function this version lacks answers "not supported", so readers need no
// cases for it.
#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"
#include "telemetry/amdsmi_layout.h"

namespace hipr::telemetry::amdsmi {

using Handle = void*;
using Code = std::uint32_t;
inline constexpr Code kSuccess = 0, kNotSupported = 2, kOutOfResources = 15;

template <class... A>
class Function {
 public:
  Code operator()(A... arguments) const { return pointer_ ? pointer_(arguments...) : kNotSupported; }
  void set(void* symbol) { pointer_ = reinterpret_cast<Code (*)(A...)>(symbol); }

 private:
  Code (*pointer_)(A...) = nullptr;
};

struct Library {
#define AMDSMI_FUNCTION(name, ...) Function<__VA_ARGS__> name;
#include "telemetry/amdsmi_functions.def"

  Version version;
  Layout layout;
};

// Opens the library at `path` and starts it for GPUs only. It is never unloaded: it has threads and exit handlers.
Status load(const std::string& path, Library& library);

// The names and folders a ROCm installation has it under; the message names each one tried.
Status loadAny(Library& library);

}  // namespace hipr::telemetry::amdsmi

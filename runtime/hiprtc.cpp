// hiprtc, which libamdhip64 exports up to version 6. Compiling takes a CPU and no GPU, and AMD's library does it: calls
// are passed on to the one installed where the program runs, libhiprtc or, before there was one, AMD's
// libamdhip64.so.5. We add only the GPU to compile for, which that library would look for in the program's machine.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "platform/library.h"
#include "runtime/api.h"
#include "runtime/proc_address.h"
#include "runtime/process.h"

namespace hipr::api {

namespace {

// By path where the name alone could find ourselves.
constexpr const char* kPlaces[] = {
    "libhiprtc.so.6",
    "/opt/rocm/lib/libhiprtc.so.6",
    "libhiprtc.so.5",
    "/opt/rocm/lib/libhiprtc.so.5",
    "/usr/lib/x86_64-linux-gnu/libamdhip64.so.5",
    "/opt/rocm/lib/libamdhip64.so.5",
};

// The functions of AMD's library; one it does not have is null.
struct Compiler {
#define HIP_API(name, node, abis, verb, arity) decltype(&::name) name = nullptr;
#include "api/hip/hiprtc.def"
#undef HIP_API
};

Compiler findCompiler() {
  for (const char* place : kPlaces) {
    const platform::Library library = platform::Library::open(place);
    if (!library) continue;
    if (library.symbol("hiprtcCreateProgram") == exportedSymbol("hiprtcCreateProgram", false))
      continue;  // we ourselves
    Compiler found;
#define HIP_API(name, node, abis, verb, arity) found.name = library.function<decltype(&::name)>(#name);
#include "api/hip/hiprtc.def"
#undef HIP_API
    logDebug("hiprtc: compiling with %s", place);
    return found;
  }
  logError("hiprtc: no libhiprtc.so.6 or .5 is installed here; programs that compile kernels at run time need AMD's");
  return {};
}

const Compiler& compiler() {
  static const Compiler found = findCompiler();
  return found;
}

template <auto Function, typename... Args>
hiprtcResult pass(Args... args) {
  const auto function = compiler().*Function;
  return function != nullptr ? function(args...) : HIPRTC_ERROR_INTERNAL_ERROR;
}

bool namesTarget(const char* option) {
  constexpr std::string_view kNames[] = {"--offload-arch", "--gpu-architecture", "-arch"};
  return option != nullptr && std::any_of(std::begin(kNames), std::end(kNames), [&](std::string_view name) {
           return std::string_view(option).starts_with(name);
         });
}

}  // namespace

hiprtcResult hiprtcCompileProgram(hiprtcProgram prog, int numOptions, const char* const* options) {
  if (numOptions < 0 || (numOptions > 0 && options == nullptr)) return HIPRTC_ERROR_INVALID_INPUT;
  std::vector<const char*> all(options, options + numOptions);
  std::string target;
  Process* p;
  Device* device;
  // Without a worker the library decides.
  if (std::none_of(all.begin(), all.end(), namesTarget) && currentDevice(p, device) == hipSuccess) {
    target = std::string("--offload-arch=") + device->info->props.gcnArchName;
    all.push_back(target.c_str());
  }
  return pass<&Compiler::hiprtcCompileProgram>(prog, static_cast<int>(all.size()), all.data());
}

const char* hiprtcGetErrorString(hiprtcResult result) {
  const auto function = compiler().hiprtcGetErrorString;
  return function != nullptr ? function(result) : "hiprtc is not installed";
}

hiprtcResult hiprtcAddNameExpression(hiprtcProgram prog, const char* name_expression) {
  return pass<&Compiler::hiprtcAddNameExpression>(prog, name_expression);
}

hiprtcResult hiprtcCreateProgram(hiprtcProgram* prog, const char* src, const char* name, int numHeaders,
                                 const char* const* headers, const char* const* includeNames) {
  return pass<&Compiler::hiprtcCreateProgram>(prog, src, name, numHeaders, headers, includeNames);
}

hiprtcResult hiprtcDestroyProgram(hiprtcProgram* prog) {
  return pass<&Compiler::hiprtcDestroyProgram>(prog);
}

hiprtcResult hiprtcGetBitcode(hiprtcProgram prog, char* bitcode) {
  return pass<&Compiler::hiprtcGetBitcode>(prog, bitcode);
}

hiprtcResult hiprtcGetBitcodeSize(hiprtcProgram prog, size_t* bitcode_size) {
  return pass<&Compiler::hiprtcGetBitcodeSize>(prog, bitcode_size);
}

hiprtcResult hiprtcGetCode(hiprtcProgram prog, char* code) {
  return pass<&Compiler::hiprtcGetCode>(prog, code);
}

hiprtcResult hiprtcGetCodeSize(hiprtcProgram prog, size_t* codeSizeRet) {
  return pass<&Compiler::hiprtcGetCodeSize>(prog, codeSizeRet);
}

hiprtcResult hiprtcGetLoweredName(hiprtcProgram prog, const char* name_expression, const char** lowered_name) {
  return pass<&Compiler::hiprtcGetLoweredName>(prog, name_expression, lowered_name);
}

hiprtcResult hiprtcGetProgramLog(hiprtcProgram prog, char* log) {
  return pass<&Compiler::hiprtcGetProgramLog>(prog, log);
}

hiprtcResult hiprtcGetProgramLogSize(hiprtcProgram prog, size_t* logSizeRet) {
  return pass<&Compiler::hiprtcGetProgramLogSize>(prog, logSizeRet);
}

hiprtcResult hiprtcLinkAddData(hiprtcLinkState state, hipJitInputType type, void* image, size_t size, const char* name,
                               unsigned int num_options, hipJitOption* options, void** values) {
  return pass<&Compiler::hiprtcLinkAddData>(state, type, image, size, name, num_options, options, values);
}

hiprtcResult hiprtcLinkAddFile(hiprtcLinkState state, hipJitInputType type, const char* path, unsigned int num_options,
                               hipJitOption* options, void** values) {
  return pass<&Compiler::hiprtcLinkAddFile>(state, type, path, num_options, options, values);
}

hiprtcResult hiprtcLinkComplete(hiprtcLinkState state, void** bin_out, size_t* size_out) {
  return pass<&Compiler::hiprtcLinkComplete>(state, bin_out, size_out);
}

hiprtcResult hiprtcLinkCreate(unsigned int num_options, hipJitOption* options, void** values, hiprtcLinkState* state) {
  return pass<&Compiler::hiprtcLinkCreate>(num_options, options, values, state);
}

hiprtcResult hiprtcLinkDestroy(hiprtcLinkState state) {
  return pass<&Compiler::hiprtcLinkDestroy>(state);
}

hiprtcResult hiprtcVersion(int* major, int* minor) {
  return pass<&Compiler::hiprtcVersion>(major, minor);
}

}  // namespace hipr::api

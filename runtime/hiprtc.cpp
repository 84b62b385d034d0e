// hiprtc: kernels compiled at run time, for libamdhip64 up to version 6 and for libhiprtc. A program and its results
// are kept here; the compiler is AMD's, installed where the program runs or, where it is not, on the worker
// (rtc/README.md).
#include <algorithm>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/env.h"
#include "base/log.h"
#include "base/text.h"
#include "platform/progress_line.h"
#include "rtc/cache.h"
#include "rtc/installed.h"
#include "runtime/api.h"
#include "runtime/proc_address.h"
#include "runtime/process.h"

namespace hipr::api {

namespace {

struct Program {
  std::mutex mutex;
  rtc::Request request;
  rtc::Result result;
};

// Not of the process: compiling needs no device. Never destroyed: programs are, some of them very late.
HandlePool<Program>& programs() {
  static auto* pool = new HandlePool<Program>(1 << 16);
  return *pool;
}

const rtc::Installed& installed() {
  return rtc::installed(exportedSymbol("hiprtcCreateProgram", false));
}

// Which compiler may be used: HIP_REMOTE_COMPILER is "installed", "worker" or, by default, the first that there is.
bool mayUse(std::string_view which) {
  static const std::string chosen = envText("HIP_REMOTE_COMPILER").value_or("");
  return chosen.empty() || chosen == which;
}

bool namesTarget(const std::string& option) {
  constexpr std::string_view kNames[] = {"--offload-arch", "--gpu-architecture", "-arch"};
  return std::any_of(std::begin(kNames), std::end(kNames),
                     [&](std::string_view name) { return option.starts_with(name); });
}

// The GPU to compile for, unless the program names one: that of the current device. A compiler would look for it in
// this machine.
void addTarget(rtc::Request& request) {
  Process* p;
  Device* device;
  if (std::any_of(request.options.begin(), request.options.end(), namesTarget)) return;
  if (currentDevice(p, device) != hipSuccess) return;  // without a worker the compiler decides
  request.options.push_back(std::string("--offload-arch=") + device->info->props.gcnArchName);
}

hipError_t compileOnWorker(const rtc::Request& request, rtc::Result& result) {
  Process* p;
  Device* device;
  Core* core;
  HIPR_TRY(currentDevice(p, device));
  HIPR_TRY(device->reach(core));
  return core->compile(request, result);
}

rtc::Result compile(const rtc::Request& request) {
  static const rtc::Cache cache(rtc::defaultCacheFolder());
  const bool here = mayUse("installed") && !installed().place.empty();
  const std::string_view compiler = here ? std::string_view(installed().place) : "worker";
  rtc::Result result;
  if (cache.find(request, compiler, result)) return result;
  const platform::ProgressLine line("compiling " + (request.name.empty() ? "a kernel" : printable(request.name)) +
                                    (here ? "" : " on the worker"));
  if (here) {
    result = rtc::compileInstalled(request);
  } else if (!mayUse("worker") || compileOnWorker(request, result) != hipSuccess) {
    result.status = HIPRTC_ERROR_COMPILATION;
    result.log =
        "hiprtc: no compiler. Install AMD's libhiprtc where the program runs, or let the worker compile "
        "(hip-worker --compile).\n";
    logError("%s", result.log.c_str());
  }
  cache.keep(request, compiler, result);
  return result;
}

// Calls use(Program&) on a program that exists.
template <class Use>
hiprtcResult with(hiprtcProgram handle, Use use) {
  Program* program = programs().find(handle);
  if (program == nullptr) return HIPRTC_ERROR_INVALID_PROGRAM;
  std::lock_guard lock(program->mutex);
  return use(*program);
}

// Calls use(Result&) for a call that puts a part of it to `to`, which AMD's library looks at before the program.
template <class Use>
hiprtcResult withResult(hiprtcProgram handle, const void* to, Use use) {
  if (to == nullptr) return HIPRTC_ERROR_INVALID_INPUT;
  return with(handle, [&](Program& p) { return use(p.result); });
}
hiprtcResult give(const std::string& bytes, char* to) {
  std::copy(bytes.begin(), bytes.end(), to);
  return HIPRTC_SUCCESS;
}
hiprtcResult giveSize(const std::string& bytes, std::size_t* to) {
  *to = bytes.size();
  return HIPRTC_SUCCESS;
}

// Linking bitcode is passed on as it is: what AMD's library calls a linker state is its own.
template <auto Function, typename... Args>
hiprtcResult pass(Args... args) {
  const auto function = installed().*Function;
  if (function != nullptr) return function(args...);
  static LogOnce once;
  once.error("hiprtc: linking needs AMD's libhiprtc, which is not installed here");
  return HIPRTC_ERROR_INTERNAL_ERROR;
}

}  // namespace

hiprtcResult hiprtcCreateProgram(hiprtcProgram* prog, const char* src, const char* name, int numHeaders,
                                 const char* const* headers, const char* const* includeNames) {
  if (prog == nullptr) return HIPRTC_ERROR_INVALID_PROGRAM;
  if (src == nullptr || *src == 0 || numHeaders < 0) return HIPRTC_ERROR_INVALID_INPUT;
  if (numHeaders > 0 && (headers == nullptr || includeNames == nullptr)) return HIPRTC_ERROR_INVALID_INPUT;
  rtc::Request request{
      .source = src, .name = name != nullptr ? name : "", .headers = {}, .options = {}, .expressions = {}};
  for (int i = 0; i < numHeaders; ++i) {
    if (headers[i] == nullptr || includeNames[i] == nullptr) return HIPRTC_ERROR_INVALID_INPUT;
    request.headers.emplace_back(includeNames[i], headers[i]);
  }
  Program* program = programs().create();
  if (program == nullptr) return HIPRTC_ERROR_OUT_OF_MEMORY;
  program->request = std::move(request);
  *prog = reinterpret_cast<hiprtcProgram>(program);
  return HIPRTC_SUCCESS;
}

hiprtcResult hiprtcDestroyProgram(hiprtcProgram* prog) {
  if (prog == nullptr) return HIPRTC_ERROR_INVALID_INPUT;
  Program* program = programs().take(*prog);
  if (program == nullptr) return HIPRTC_ERROR_INVALID_PROGRAM;
  programs().recycle(program);
  return HIPRTC_SUCCESS;
}

hiprtcResult hiprtcAddNameExpression(hiprtcProgram prog, const char* name_expression) {
  if (name_expression == nullptr || *name_expression == 0) return HIPRTC_ERROR_INVALID_INPUT;
  return with(prog, [&](Program& p) {
    p.request.expressions.emplace_back(name_expression);
    return HIPRTC_SUCCESS;
  });
}

hiprtcResult hiprtcCompileProgram(hiprtcProgram prog, int numOptions, const char* const* options) {
  if (numOptions < 0 || (numOptions > 0 && options == nullptr)) return HIPRTC_ERROR_INVALID_INPUT;
  return with(prog, [&](Program& p) {
    rtc::Request request = p.request;
    for (int i = 0; i < numOptions; ++i)
      if (options[i] != nullptr) request.options.emplace_back(options[i]);
    addTarget(request);
    p.result = compile(request);
    return p.result.status;
  });
}

hiprtcResult hiprtcGetLoweredName(hiprtcProgram prog, const char* name_expression, const char** lowered_name) {
  if (name_expression == nullptr || lowered_name == nullptr) return HIPRTC_ERROR_INVALID_INPUT;
  return with(prog, [&](Program& p) {
    const auto& all = p.request.expressions;
    const auto at = static_cast<std::size_t>(std::find(all.begin(), all.end(), name_expression) - all.begin());
    if (at >= p.result.lowered.size() || p.result.lowered[at].empty()) return HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
    *lowered_name = p.result.lowered[at].c_str();
    return HIPRTC_SUCCESS;
  });
}

hiprtcResult hiprtcGetCode(hiprtcProgram prog, char* code) {
  return withResult(prog, code, [&](rtc::Result& r) { return give(r.code, code); });
}
hiprtcResult hiprtcGetCodeSize(hiprtcProgram prog, size_t* codeSizeRet) {
  return withResult(prog, codeSizeRet, [&](rtc::Result& r) { return giveSize(r.code, codeSizeRet); });
}
hiprtcResult hiprtcGetProgramLog(hiprtcProgram prog, char* log) {
  return withResult(prog, log, [&](rtc::Result& r) { return give(r.log, log); });
}
hiprtcResult hiprtcGetProgramLogSize(hiprtcProgram prog, size_t* logSizeRet) {
  return withResult(prog, logSizeRet, [&](rtc::Result& r) { return giveSize(r.log, logSizeRet); });
}
// Only of a program compiled with -fgpu-rdc.
hiprtcResult hiprtcGetBitcode(hiprtcProgram prog, char* bitcode) {
  return withResult(prog, bitcode, [&](rtc::Result& r) {
    return r.bitcode.empty() ? HIPRTC_ERROR_INVALID_PROGRAM : give(r.bitcode, bitcode);
  });
}
hiprtcResult hiprtcGetBitcodeSize(hiprtcProgram prog, size_t* bitcode_size) {
  return withResult(prog, bitcode_size, [&](rtc::Result& r) {
    return r.bitcode.empty() ? HIPRTC_ERROR_INVALID_PROGRAM : giveSize(r.bitcode, bitcode_size);
  });
}

hiprtcResult hiprtcVersion(int* major, int* minor) {
  if (major == nullptr || minor == nullptr) return HIPRTC_ERROR_INVALID_INPUT;
  *major = 9;  // what AMD's library says, in every release
  *minor = 0;
  return HIPRTC_SUCCESS;
}

const char* hiprtcGetErrorString(hiprtcResult result) {
  switch (result) {
#define CODE(name) \
  case name:       \
    return #name
    CODE(HIPRTC_SUCCESS);
    CODE(HIPRTC_ERROR_OUT_OF_MEMORY);
    CODE(HIPRTC_ERROR_PROGRAM_CREATION_FAILURE);
    CODE(HIPRTC_ERROR_INVALID_INPUT);
    CODE(HIPRTC_ERROR_INVALID_PROGRAM);
    CODE(HIPRTC_ERROR_INVALID_OPTION);
    CODE(HIPRTC_ERROR_COMPILATION);
    CODE(HIPRTC_ERROR_BUILTIN_OPERATION_FAILURE);
    CODE(HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION);
    CODE(HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION);
    CODE(HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID);
    CODE(HIPRTC_ERROR_INTERNAL_ERROR);
    CODE(HIPRTC_ERROR_LINKING);
#undef CODE
  }
  return nullptr;
}

hiprtcResult hiprtcLinkCreate(unsigned int num_options, hipJitOption* options, void** values, hiprtcLinkState* state) {
  return pass<&rtc::Installed::hiprtcLinkCreate>(num_options, options, values, state);
}
hiprtcResult hiprtcLinkAddData(hiprtcLinkState state, hipJitInputType type, void* image, size_t size, const char* name,
                               unsigned int num_options, hipJitOption* options, void** values) {
  return pass<&rtc::Installed::hiprtcLinkAddData>(state, type, image, size, name, num_options, options, values);
}
hiprtcResult hiprtcLinkAddFile(hiprtcLinkState state, hipJitInputType type, const char* path, unsigned int num_options,
                               hipJitOption* options, void** values) {
  return pass<&rtc::Installed::hiprtcLinkAddFile>(state, type, path, num_options, options, values);
}
hiprtcResult hiprtcLinkComplete(hiprtcLinkState state, void** bin_out, size_t* size_out) {
  return pass<&rtc::Installed::hiprtcLinkComplete>(state, bin_out, size_out);
}
hiprtcResult hiprtcLinkDestroy(hiprtcLinkState state) {
  return pass<&rtc::Installed::hiprtcLinkDestroy>(state);
}

}  // namespace hipr::api

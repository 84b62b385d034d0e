#include "rtc/installed.h"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "base/log.h"
#include "platform/library.h"
#include "rtc/marker.h"

namespace hipr::rtc {

namespace {

// AMD's names on Linux. Elsewhere a program compiles on its worker.
constexpr const char* kFolders[] = {"", "/opt/rocm/lib/", "/usr/lib/x86_64-linux-gnu/", "/usr/lib64/", "/usr/lib/"};
constexpr const char* kNames[] = {"libhiprtc.so.7", "libhiprtc.so.6", "libhiprtc.so.5", "libamdhip64.so.5"};

// Our own libhiprtc has AMD's name and functions, and says what it is.
bool isOurs(const platform::Library& library) {
  const void* function = library.symbol("hiprtcVersion");
  if (function == nullptr) return false;
  std::ifstream file(platform::Library::fileOf(function), std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(file), {}};
  return content.find(kMarker) != std::string::npos;
}

Installed find(const void* ours) {
  for (const char* name : kNames)
    for (const char* folder : kFolders) {
      if (*folder == 0 && std::string_view(name).starts_with("libamdhip64")) continue;  // could be ourselves
      const std::string place = std::string(folder) + name;
      const platform::Library library = platform::Library::open(place);
      if (!library) continue;
      const void* create = library.symbol("hiprtcCreateProgram");
      if (create == nullptr || create == ours || isOurs(library)) continue;
      Installed found;
#define HIP_API(name, node, abis, verb, arity) found.name = library.function<decltype(&::name)>(#name);
#include "api/hip/hiprtc.def"
#undef HIP_API
      found.place = place;
      logDebug("hiprtc: compiling with %s", place.c_str());
      return found;
    }
  return {};
}

// A program of AMD's library, for the length of one compilation.
class Program {
 public:
  Program(const Installed& rtc, const Request& r) : rtc_(rtc) {
    std::vector<const char*> texts, names;
    for (const auto& [name, text] : r.headers) {
      names.push_back(name.c_str());
      texts.push_back(text.c_str());
    }
    status_ = rtc_.hiprtcCreateProgram(&program_, r.source.c_str(), r.name.c_str(), static_cast<int>(texts.size()),
                                       texts.data(), names.data());
  }
  ~Program() {
    if (program_ != nullptr) rtc_.hiprtcDestroyProgram(&program_);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  hiprtcResult status() const { return status_; }
  operator hiprtcProgram() const { return program_; }

  // What one of its pairs of functions gives, or nothing.
  std::string take(decltype(&::hiprtcGetCodeSize) size, decltype(&::hiprtcGetCode) get) const {
    std::size_t bytes = 0;
    if (size == nullptr || get == nullptr || size(program_, &bytes) != HIPRTC_SUCCESS) return {};
    std::string out(bytes, '\0');
    return bytes != 0 && get(program_, out.data()) == HIPRTC_SUCCESS ? out : std::string();
  }

 private:
  const Installed& rtc_;
  hiprtcProgram program_ = nullptr;
  hiprtcResult status_;
};

}  // namespace

const Installed& installed(const void* ours) {
  static const Installed found = find(ours);
  return found;
}

Result compileInstalled(const Request& request) {
  const Installed& rtc = installed();
  Result result;
  const Program program(rtc, request);
  result.status = program.status();
  if (result.status != HIPRTC_SUCCESS) return result;
  for (const std::string& expression : request.expressions) rtc.hiprtcAddNameExpression(program, expression.c_str());
  std::vector<const char*> options;
  for (const std::string& option : request.options) options.push_back(option.c_str());
  result.status = rtc.hiprtcCompileProgram(program, static_cast<int>(options.size()), options.data());
  result.log = program.take(rtc.hiprtcGetProgramLogSize, rtc.hiprtcGetProgramLog);
  if (result.status != HIPRTC_SUCCESS) return result;
  const auto& all = request.options;
  if (std::find(all.begin(), all.end(), "-fgpu-rdc") != all.end()) {
    result.bitcode = program.take(rtc.hiprtcGetBitcodeSize, rtc.hiprtcGetBitcode);
  } else {
    result.code = program.take(rtc.hiprtcGetCodeSize, rtc.hiprtcGetCode);
  }
  for (const std::string& expression : request.expressions) {
    const char* lowered = nullptr;
    const bool known = rtc.hiprtcGetLoweredName(program, expression.c_str(), &lowered) == HIPRTC_SUCCESS;
    result.lowered.emplace_back(known && lowered != nullptr ? lowered : "");
  }
  return result;
}

}  // namespace hipr::rtc

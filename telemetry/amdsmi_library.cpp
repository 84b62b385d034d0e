#include "telemetry/amdsmi_library.h"

#include <vector>

#include "base/env.h"
#include "platform/library.h"

namespace hipr::telemetry::amdsmi {
namespace {

constexpr Code kNotInitialized = 32;
constexpr std::uint64_t kInitGpus = 2;  // with CPUs included, a machine without their driver would fail as a whole

// Our own drop-in says so in the text behind its version. A worker that used it would be asking itself.
bool isOurs(const Answer& answer) {
  const auto* build = reinterpret_cast<const char*>(answer.raw({16, 8}));
  return build && std::string(build).find("hip-remote") != std::string::npos;
}

Status readVersion(Library& library) {
  Answer answer;
  Code code = library.get_lib_version(answer.data());
  if (code == kNotInitialized) {  // up to ROCm 6.3 it has to be started to say so
    library.init(0);
    answer.clear();
    code = library.get_lib_version(answer.data());
    library.shut_down();
  }
  if (code != kSuccess) return Status::unsupported("it does not tell its version");
  if (isOurs(answer)) return Status::invalid("this is the library of a client, which asks a worker");
  library.version = versionFrom(answer);
  if (library.version.major < 23) return Status::unsupported("version " + library.version.text() + " is too old");
  library.layout = layoutOf(library.version);
  return {};
}

}  // namespace

Status load(const std::string& path, Library& library) {
  std::string why;
  const platform::Library image = platform::Library::open(path, &why);
  if (!image) return Status::notFound(why);
#define AMDSMI_FUNCTION(name, ...) library.name.set(image.symbol("amdsmi_" #name));
#include "telemetry/amdsmi_functions.def"
  if (Status status = readVersion(library); !status.ok()) return status.within(path);
  if (const Code code = library.init(kInitGpus); code != kSuccess)
    return Status::unavailable(path + " does not start (AMDSMI status " + std::to_string(code) +
                               "): is the amdgpu driver loaded?");
  return {};
}

Status loadAny(Library& library) {
  std::vector<std::string> folders = {""};
  if (const auto rocm = envText("ROCM_PATH")) folders.push_back(*rocm + "/lib/");
  folders.push_back("/opt/rocm/lib/");
  std::string tried;
  for (const std::string& folder : folders) {
    for (const char* suffix : {"", ".27", ".26", ".25", ".24", ".23", ".0"}) {
      const std::string path = folder + "libamd_smi.so" + suffix;
      const Status status = load(path, library);
      if (status.ok() || status.code() == hipr::Code::kUnavailable) return status;
      tried += (tried.empty() ? "" : ", ") + path;
    }
  }
  return Status::notFound("AMD's SMI library is not here; tried " + tried);
}

}  // namespace hipr::telemetry::amdsmi

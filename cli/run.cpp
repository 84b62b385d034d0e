#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/doctor/checks.h"
#include "cli/names.h"
#include "cli/surroundings.h"
#include "platform/library.h"
#include "platform/process.h"

namespace hipr::cli {
namespace {

// A program that carries its own libamdhip64 and makes sure that it gets it (by an RPATH, in a Python wheel) still gets
// ours when ours is loaded before it: a library of a name is loaded once.
void putOursInFront(const char* name, const std::string& folder) {
  const auto text = [](const char* variable) -> std::string {
    const char* value = std::getenv(variable);
    return value ? value : "";
  };
  const auto program = doctor::interpreterOf(doctor::findProgram(name));
  std::string preload = text("LD_PRELOAD");
  for (const doctor::OwnCopy& copy : doctor::copiesCarriedBy(program, {preload, text("LD_LIBRARY_PATH")}, folder)) {
    const std::string ours = copy.cure.string();
    if (ours.empty() || preload.find(ours) != std::string::npos) continue;
    std::fprintf(stderr, "hip-remote run: the program carries %s (%s); putting ours in front with LD_PRELOAD\n",
                 copy.file.string().c_str(), copy.how.c_str());
    preload = preload.empty() ? ours : ours + ":" + preload;
  }
  if (!preload.empty()) platform::setEnvironment("LD_PRELOAD", preload);
}

int start(const char* command, const Target& target, Arguments arguments) {
  if (arguments.empty()) {
    std::fprintf(stderr, "hip-remote %s: which program?\n", command);
    return 2;
  }
  if (!applyTarget(target)) return 1;
  const std::string folder = libraryFolder(target);
  putOursInFront(arguments[0], folder);
  surround(target, doctor::interpreterOf(doctor::findProgram(arguments[0])).string(), folder);
  const std::string why = platform::becomeProgram({arguments.begin(), arguments.end()});
  std::fprintf(stderr, "hip-remote %s: cannot start %s: %s\n", command, arguments[0], why.c_str());
  return 127;
}

}  // namespace

int run(Arguments arguments) {
  Target target;
  if (!takeInFront("run", targetOptions(target), arguments)) return 2;
  return start("run", target, arguments);
}

int trace(Arguments arguments) {
  Target target;
  std::string file = "hip-remote-trace.json";
  std::vector<Option> options = targetOptions(target);
  options.push_back({"output", 'o', "FILE", text(file), nullptr});
  if (!takeInFront("trace", options, arguments)) return 2;
  std::error_code error;
  const std::filesystem::path whole = std::filesystem::absolute(file, error);  // the program may change its folder
  platform::setEnvironment("HIP_REMOTE_TRACE", error ? file : whole.string());
  return start("trace", target, arguments);
}

int env(Arguments arguments) {
  Target target;
  if (!takeNothingElse("env", targetOptions(target), arguments) || !applyTarget(target)) return 2;
  for (const char* name :
       {platform::kLibraryPathVariable, "TF_WORKER_HOST", "TF_WORKER_PORT", "HIP_REMOTE_TOKEN_FILE"}) {
    if (const char* value = std::getenv(name)) std::printf(kSetVariable, name, value);
  }
  return 0;
}

}  // namespace hipr::cli

// Which libamdhip64 a program will load: ours, unless it brings its own and makes sure that it gets it.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <sstream>

#include "cli/doctor/checks.h"
#include "platform/capture.h"
#include "platform/library.h"

namespace hipr::doctor {
namespace fs = std::filesystem;
namespace {

constexpr int kMostVisited = 20000, kDeepest = 4;  // of a folder of packages

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

// Our library for the version that a copy has; empty when we have none.
fs::path ourFor(const std::string& name, const fs::path& file, const fs::path& folder) {
  std::string asked = name;
  if (const auto copy = readProgramFile(file); copy && !copy->soname.empty()) asked = copy->soname;
  const std::size_t at = asked.find(".so.");
  const std::string major = at == std::string::npos ? "7" : asked.substr(at + 4, asked.find('.', at + 4) - at - 4);
  const fs::path ours = folder / ("libamdhip64.so." + major);
  std::error_code error;
  return fs::exists(ours, error) ? ours : fs::path();
}

std::string howFound(const LoadedLibrary& library) {
  const std::string by = library.neededBy.string();
  switch (library.place) {
    case Place::kPreload:
      return "LD_PRELOAD names it";
    case Place::kRpath:
      return "the RPATH of " + by + " or of who loads it comes before LD_LIBRARY_PATH";
    case Place::kLibraryPath:
      return "LD_LIBRARY_PATH has it before ours";
    case Place::kRunpath:
      return "the RUNPATH of " + by;
    default:
      return by + " asks for it by a name that ours does not have";
  }
}

bool within(const fs::path& file, const fs::path& folder) {
  std::error_code error;
  return fs::weakly_canonical(file, error).parent_path() == fs::weakly_canonical(folder, error);
}

// The first library next to a copy, or in a folder beside, that needs it under its name.
std::optional<ProgramFile> userOf(const fs::path& copy) {
  std::error_code error;
  int visited = 0;
  for (const fs::path& folder : {copy.parent_path(), copy.parent_path().parent_path()}) {
    for (auto it = fs::recursive_directory_iterator(folder, error); !error && it != fs::recursive_directory_iterator();
         it.increment(error)) {
      if (++visited > 2000) return std::nullopt;
      if (it->path() == copy || it->path().filename().string().find(".so") == std::string::npos) continue;
      const auto file = readProgramFile(it->path());
      if (file && std::ranges::find(file->needed, copy.filename().string()) != file->needed.end()) return file;
    }
  }
  return std::nullopt;
}

std::vector<OwnCopy> ownCopies(const Loaded& loaded, const fs::path& folder) {
  std::vector<OwnCopy> out;
  for (const LoadedLibrary& library : loaded.hip)
    if (!library.file.empty() && !within(library.file, folder))
      out.push_back({library.file, library.name, howFound(library), ourFor(library.name, library.file, folder)});
  return out;
}

std::vector<fs::path> findInPackages(const fs::path& interpreter) {
  std::vector<fs::path> out;
  if (interpreter.filename().string().find("python") == std::string::npos) return out;
  const auto said = platform::captureProgram(
      {interpreter.string(), "-c", "import sys; [print(folder) for folder in sys.path if 'packages' in folder]"}, 20);
  std::istringstream lines(said.output);
  std::error_code error;
  for (std::string packages; std::getline(lines, packages);) {
    int visited = 0;
    for (auto it = fs::recursive_directory_iterator(packages, error);
         !error && it != fs::recursive_directory_iterator() && ++visited < kMostVisited; it.increment(error)) {
      if (it->is_directory(error)) {
        const std::string name = it->path().filename().string();
        if (it.depth() >= kDeepest || name == "__pycache__" || name == "hip_remote") it.disable_recursion_pending();
      } else if (const std::string name = it->path().filename().string();
                 name.starts_with("lib") && name.find(".so") != std::string::npos) {
        out.push_back(it->path());
      }
    }
  }
  return out;
}

// Copies that libraries of Python packages would load. One that nobody names may still be opened by its path.
std::vector<OwnCopy> copiesOfPackages(const fs::path& interpreter, const LoaderSettings& settings,
                                      const fs::path& folder) {
  std::vector<OwnCopy> out;
  for (const fs::path& copy : librariesInPackages(interpreter)) {
    if (!isHipLibrary(copy.filename().string())) continue;
    const auto user = userOf(copy);
    if (user) {
      for (OwnCopy& own : ownCopies(loadedBy(*user, settings), folder)) out.push_back(std::move(own));
    } else {
      const std::string name = copy.filename().string();
      out.push_back({copy, name, "a Python package that may open it by its path", ourFor(name, copy, folder)});
    }
  }
  return out;
}

}  // namespace

const std::vector<fs::path>& librariesInPackages(const fs::path& interpreter) {
  static std::map<fs::path, std::vector<fs::path>> known;  // it takes a process and a walk
  const auto found = known.find(interpreter);
  return found != known.end() ? found->second : known[interpreter] = findInPackages(interpreter);
}

std::vector<OwnCopy> copiesCarriedBy(const fs::path& program, const LoaderSettings& settings, const fs::path& folder) {
  const auto file = readProgramFile(program);
  if (!file) return {};
  std::vector<OwnCopy> out = ownCopies(loadedBy(*file, settings), folder);
  for (OwnCopy& own : copiesOfPackages(program, settings, folder)) out.push_back(std::move(own));
  return out;
}

bool checkProgram(Patient& patient, Report& report) {
  const fs::path found = findProgram(patient.command[0]);
  if (found.empty()) {
    report.problem("program", "no-such-program", patient.command[0] + " is not there, or not on the PATH",
                   "give its path, for example ./" + fs::path(patient.command[0]).filename().string());
    return false;
  }
  const fs::path interpreter = interpreterOf(found);
  const auto program = readProgramFile(interpreter);
  if (!program) {
    report.note("program", "not-elf",
                interpreter.string() + " is not a program for 64-bit Linux; its libraries were not looked at", "");
    return true;
  }
  const std::string before = environment("LD_LIBRARY_PATH");
  const LoaderSettings settings{environment("LD_PRELOAD"), patient.folder + (before.empty() ? "" : ":" + before)};
  patient.loaded = loadedBy(*program, settings);
  for (const LoadedLibrary& library : patient.loaded.hip) {
    if (!library.file.empty()) continue;
    report.problem("program", "library-missing",
                   library.neededBy.string() + " needs " + library.name + ", which is not in " + patient.folder,
                   "install the package hip-remote-client again, or build it: ninja -C build demo");
    return false;
  }
  const std::vector<OwnCopy> copies = copiesCarriedBy(interpreter, settings, patient.folder);
  for (const OwnCopy& copy : copies) {
    if (copy.cure.empty()) {
      report.problem("program", "unknown-version",
                     "it loads " + copy.file.string() + ", a version of HIP that we have no library for",
                     "use a build of the program for ROCm 5, 6 or 7");
      return false;
    }
    report.note("program", "own-copy", "it would load " + copy.file.string() + " instead of ours: " + copy.how,
                "`hip-remote run` puts ours in front; without it: LD_PRELOAD=" + copy.cure.string());
  }
  if (copies.empty()) {
    report.ok("program",
              patient.loaded.hip.empty()
                  ? interpreter.string() + " does not name libamdhip64; if it opens it later, it will find ours"
                  : "it will load our " + patient.loaded.hip[0].name);
  }
  return true;
}

}  // namespace hipr::doctor

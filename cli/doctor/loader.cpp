#include "cli/doctor/loader.h"

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <set>
#include <sstream>

#include "platform/library.h"

namespace hipr::doctor {
namespace fs = std::filesystem;
namespace {

std::vector<std::string> split(const std::string& list, const char* separators) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t end = std::min(list.find_first_of(separators, at), list.size());
    if (end > at) out.push_back(list.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

void addConfigured(const fs::path& file, std::vector<std::string>& out) {
  std::ifstream stream(file);
  std::error_code error;
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with("include ")) {  // the only pattern in use is FOLDER/*.conf
      for (const auto& entry : fs::directory_iterator(fs::path(line.substr(8)).parent_path(), error))
        if (entry.path().extension() == ".conf") addConfigured(entry.path(), out);
    } else if (line.starts_with("/")) {
      out.push_back(line);
    }
  }
}

const std::vector<std::string>& systemFolders() {
  static const std::vector<std::string> folders = [] {
    std::vector<std::string> out;
    addConfigured("/etc/ld.so.conf", out);
    for (const char* folder : {"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib/aarch64-linux-gnu",
                               "/usr/lib/aarch64-linux-gnu", "/lib64", "/usr/lib64", "/lib", "/usr/lib"})
      out.push_back(folder);
    return out;
  }();
  return folders;
}

// An object that is loaded, and whoever needed it.
struct Node {
  ProgramFile file;
  const Node* parent = nullptr;
};

class Search {
 public:
  explicit Search(const LoaderSettings& settings) : libraryPath_(split(settings.libraryPath, ":;")) {}

  // The library as `by` gets it.
  std::optional<ProgramFile> find(const std::string& name, const Node& by, Place& place) const {
    const std::uint16_t machine = by.file.machine;
    if (name.find('/') != std::string::npos) {
      place = Place::kSystem;
      return readProgramFile(name);
    }
    if (by.file.runpath.empty())
      for (const Node* node = &by; node; node = node->parent)
        if (auto found = among(node->file.rpath, name, machine)) return place = Place::kRpath, found;
    if (auto found = among(libraryPath_, name, machine)) return place = Place::kLibraryPath, found;
    if (auto found = among(by.file.runpath, name, machine)) return place = Place::kRunpath, found;
    if (auto found = among(systemFolders(), name, machine)) return place = Place::kSystem, found;
    place = Place::kNowhere;
    return std::nullopt;
  }

 private:
  static std::optional<ProgramFile> among(const std::vector<std::string>& folders, const std::string& name,
                                          std::uint16_t machine) {
    for (const std::string& folder : folders)
      if (auto found = inFolder(folder, name, machine)) return found;
    return std::nullopt;
  }

  std::vector<std::string> libraryPath_;
};

}  // namespace

bool isHipLibrary(const std::string& fileName) {
  return fileName.starts_with("libamdhip64") && fileName.find(".so") != std::string::npos;
}

std::optional<ProgramFile> inFolder(const fs::path& folder, const std::string& name, std::uint16_t machine) {
  std::error_code error;
  if (!fs::is_regular_file(folder / name, error)) return std::nullopt;
  auto file = readProgramFile(folder / name);
  if (file && file->machine != machine) file.reset();
  return file;
}

Loaded loadedBy(const ProgramFile& program, const LoaderSettings& settings) {
  Loaded out;
  const Search search(settings);
  std::deque<Node> nodes{{program, nullptr}};  // a deque: nodes are pointed to
  std::set<std::string> known;                 // by the names that are asked for
  const auto take = [&](const std::string& name, std::optional<ProgramFile> file, const Node* by, Place place) {
    if (isHipLibrary(fs::path(name).filename().string()))
      out.hip.push_back({fs::path(name).filename().string(), file ? file->path : fs::path(), by->file.path, place});
    if (!file) return;
    if (!file->soname.empty()) known.insert(file->soname);
    nodes.push_back({std::move(*file), by});
  };
  for (const std::string& name : split(settings.preload, ": ")) {
    Place place;
    take(name, search.find(name, nodes.front(), place), &nodes.front(), Place::kPreload);
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Node& node = nodes[i];
    for (const std::string& name : node.file.needed) {
      if (!known.insert(name).second) continue;
      Place place;
      auto file = search.find(name, node, place);
      take(name, std::move(file), &node, place);
    }
  }
  for (Node& node : nodes) out.files.push_back(std::move(node.file));
  return out;
}

bool onSystem(const std::string& name, const std::string& libraryPath, std::uint16_t machine) {
  const auto has = [&](const std::string& folder) {  // in the second AMD's packages have what they took from others
    return inFolder(folder, name, machine) || inFolder(folder + "/rocm_sysdeps/lib", name, machine);
  };
  return std::ranges::any_of(split(libraryPath, ":;"), has) || std::ranges::any_of(systemFolders(), has);
}

fs::path findProgram(const std::string& name) {
  std::error_code error;
  if (name.find('/') != std::string::npos) return fs::exists(name, error) ? fs::path(name) : fs::path();
  std::istringstream path(std::getenv("PATH") ? std::getenv("PATH") : "");
  for (std::string folder; std::getline(path, folder, platform::kPathSeparator);) {
    const fs::path candidate = fs::path(folder) / name;
    if (fs::is_regular_file(candidate, error)) return candidate;
  }
  return {};
}

fs::path interpreterOf(const fs::path& program) {
  std::ifstream file(program);
  std::string line;
  if (!std::getline(file, line) || !line.starts_with("#!")) return program;
  const std::vector<std::string> words = split(line.substr(2), " \t\r");
  if (words.empty()) return program;
  const bool byName = fs::path(words[0]).filename() == "env";
  for (std::size_t i = 1; byName && i < words.size(); ++i)
    if (!words[i].starts_with("-")) return findProgram(words[i]);
  return words[0];
}

}  // namespace hipr::doctor

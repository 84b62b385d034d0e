// Which libamdhip64 a program will load, found out as the dynamic loader of Linux finds it: LD_PRELOAD, then for each
// library that something needs the RPATH of whoever needs it (and of those that needed that), LD_LIBRARY_PATH, its
// RUNPATH, and the system's folders.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/doctor/program_file.h"

namespace hipr::doctor {

enum class Place { kPreload, kRpath, kLibraryPath, kRunpath, kSystem, kNowhere };

struct LoadedLibrary {
  std::string name;                // as it is asked for: "libamdhip64.so.6"
  std::filesystem::path file;      // empty when it is found nowhere
  std::filesystem::path neededBy;  // the program, or a library of its
  Place place = Place::kNowhere;
};

struct Loaded {
  std::vector<ProgramFile> files;  // the program first, then what it brings along, as far as it can be found
  std::vector<LoadedLibrary> hip;  // every libamdhip64 among them
};

struct LoaderSettings {
  std::string preload, libraryPath;  // LD_PRELOAD, LD_LIBRARY_PATH
};

Loaded loadedBy(const ProgramFile& program, const LoaderSettings& settings);

// "libamdhip64.so.6", also under the names that Python's packagers give a copy: "libamdhip64-1f2e3d4c.so.6.4".
bool isHipLibrary(const std::string& fileName);

// The library somebody asks for is in a folder, with the right kind of code.
std::optional<ProgramFile> inFolder(const std::filesystem::path& folder, const std::string& name,
                                    std::uint16_t machine);

// The loader finds it in these folders (LD_LIBRARY_PATH) or in those of the system.
bool onSystem(const std::string& name, const std::string& libraryPath, std::uint16_t machine);

// A program as a shell finds it; empty when it is not there.
std::filesystem::path findProgram(const std::string& name);
// The program that runs it: itself, or what the first line of a script names.
std::filesystem::path interpreterOf(const std::filesystem::path& program);

}  // namespace hipr::doctor

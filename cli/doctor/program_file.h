// A Linux program or library as its loader sees it: what it needs, where it looks first, and the GPU code in it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "code_object/target_id.h"

namespace hipr::doctor {

struct ProgramFile {
  std::filesystem::path path;
  std::string soname;
  std::vector<std::string> needed;
  std::vector<std::string> rpath;    // searched before LD_LIBRARY_PATH; $ORIGIN is filled in
  std::vector<std::string> runpath;  // searched after it
  std::uint16_t machine = 0;
};

// Nothing when it is not a 64-bit ELF file.
std::optional<ProgramFile> readProgramFile(const std::filesystem::path& path);

// What its GPU code is for, each target once; empty when there is none, `why` when it could not be read.
std::vector<code::TargetId> gpuTargets(const std::filesystem::path& path, std::string& why);

}  // namespace hipr::doctor

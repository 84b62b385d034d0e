// What LLVM's tools say about a code object, in the same shape as our own parser's answers, for comparison in tests.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "code_object/metadata.h"

namespace hipr::code::testing {

// Runs a shell command and returns what it printed; fails the current test when it does not exit with 0.
std::string shell(const std::string& command);

// Kernels as `llvm-readelf --notes` lists them (only the fields it prints).
std::vector<KernelMetadata> kernelsFromReadelf(const std::filesystem::path& file);

// Directives of every kernel descriptor as `llvm-objdump` prints them: [kernel]["user_sgpr_count"] without ".amdhsa_".
std::map<std::string, std::map<std::string, long>> descriptorsFromObjdump(const std::filesystem::path& file);

struct DynamicSymbol {
  std::uint64_t address, size;
  std::string type;  // "FUNC", "OBJECT"
};
std::map<std::string, DynamicSymbol> symbolsFromReadelf(const std::filesystem::path& file);

}  // namespace hipr::code::testing

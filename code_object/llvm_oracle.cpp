#include "code_object/llvm_oracle.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <sstream>

namespace hipr::code::testing {
namespace {

struct YamlLine {
  std::size_t indent = 0;  // of the key, with "- " counted as indentation
  bool startsItem = false;
  std::string key, value;
};

bool parseLine(const std::string& line, YamlLine& out) {
  out.indent = line.find_first_not_of(' ');
  if (out.indent == std::string::npos) return false;
  out.startsItem = line.compare(out.indent, 2, "- ") == 0;
  if (out.startsItem) out.indent += 2;
  const std::size_t colon = line.find(':', out.indent);
  if (colon == std::string::npos) return false;
  out.key = line.substr(out.indent, colon - out.indent);
  const std::size_t value = line.find_first_not_of(" '", colon + 1);
  out.value = value == std::string::npos ? "" : line.substr(value);
  while (!out.value.empty() && out.value.back() == '\'') out.value.pop_back();
  return true;
}

void setKernelField(KernelMetadata& k, const std::string& key, const std::string& value) {
  const auto number = [&] { return static_cast<std::uint32_t>(std::stoul(value)); };
  if (key == ".name") k.name = value;
  if (key == ".symbol") k.symbol = value;
  if (key == ".kernarg_segment_size") k.kernargSize = number();
  if (key == ".kernarg_segment_align") k.kernargAlign = number();
  if (key == ".group_segment_fixed_size") k.groupFixedSize = number();
  if (key == ".private_segment_fixed_size") k.privateFixedSize = number();
  if (key == ".wavefront_size") k.wavefrontSize = number();
  if (key == ".max_flat_workgroup_size") k.maxFlatWorkgroupSize = number();
  if (key == ".sgpr_count") k.sgprCount = number();
  if (key == ".vgpr_count") k.vgprCount = number();
  if (key == ".agpr_count") k.agprCount = number();
  if (key == ".uses_dynamic_stack") k.usesDynamicStack = value == "true";
  if (key == ".uniform_work_group_size") k.uniformWorkgroupSize = value == "1";
  if (key == ".workgroup_processor_mode") k.workgroupProcessorMode = value == "1";
}

void setArgField(KernelArg& a, const std::string& key, const std::string& value) {
  if (key == ".offset") a.offset = static_cast<std::uint32_t>(std::stoul(value));
  if (key == ".size") a.size = static_cast<std::uint32_t>(std::stoul(value));
  if (key == ".value_kind") a.kind = argKindFromName(value);
  if (key == ".address_space" && value == "global") a.addressSpace = AddressSpace::kGlobal;
  if (key == ".name") a.name = value;
}

}  // namespace

std::string shell(const std::string& command) {
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (!pipe) {
    ADD_FAILURE() << "cannot start: " << command;
    return {};
  }
  std::string text;
  char chunk[4096];
  while (std::size_t n = std::fread(chunk, 1, sizeof chunk, pipe)) text.append(chunk, n);
  if (pclose(pipe) != 0) ADD_FAILURE() << command << "\n" << text;
  return text;
}

std::vector<KernelMetadata> kernelsFromReadelf(const std::filesystem::path& file) {
  // Kernels are items whose keys start in column 4, their arguments items whose keys start in column 8.
  std::istringstream text(shell("llvm-readelf-19 --notes " + file.string()));
  std::vector<KernelMetadata> kernels;
  bool inKernels = false, inArgs = false;
  for (std::string line; std::getline(text, line);) {
    YamlLine y;
    if (!parseLine(line, y)) continue;
    if (y.indent == 0) inKernels = y.key == "amdhsa.kernels";
    if (!inKernels) continue;
    if (y.indent == 4) {
      if (y.startsItem) kernels.emplace_back();
      inArgs = y.key == ".args";
      setKernelField(kernels.back(), y.key, y.value);
    } else if (y.indent == 8 && inArgs) {
      if (y.startsItem) kernels.back().args.emplace_back();
      setArgField(kernels.back().args.back(), y.key, y.value);
    }
  }
  return kernels;
}

std::map<std::string, std::map<std::string, long>> descriptorsFromObjdump(const std::filesystem::path& file) {
  std::istringstream text(shell("llvm-objdump-19 -D --section=.rodata " + file.string()));
  std::map<std::string, std::map<std::string, long>> all;
  std::map<std::string, long>* current = nullptr;
  for (std::string line; std::getline(text, line);) {
    std::istringstream words(line);
    std::string directive, value;
    words >> directive >> value;
    if (directive == ".amdhsa_kernel") current = &all[value];
    if (directive == ".end_amdhsa_kernel") current = nullptr;
    const std::string prefix = ".amdhsa_";
    if (current && directive.starts_with(prefix) && directive != ".amdhsa_kernel") {
      (*current)[directive.substr(prefix.size())] = std::stol(value);
    }
  }
  return all;
}

std::map<std::string, DynamicSymbol> symbolsFromReadelf(const std::filesystem::path& file) {
  std::istringstream text(shell("llvm-readelf-19 --dyn-syms --wide " + file.string()));
  std::map<std::string, DynamicSymbol> all;
  for (std::string line; std::getline(text, line);) {
    std::istringstream words(line);
    std::string number, value, size, type, bind, visibility, section, name;
    words >> number >> value >> size >> type >> bind >> visibility >> section >> name;
    if (name.empty() || section == "UND" || number == "Num:") continue;
    all[name] = {std::stoull(value, nullptr, 16), std::stoull(size, nullptr, 0), type};
  }
  return all;
}

}  // namespace hipr::code::testing

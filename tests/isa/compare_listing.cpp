// compare_listing gfx90a|gfx942 < LISTING: every instruction of llvm-objdump's listing, decoded and printed by us, must
// read the same. Differences go to stdout, the first of each mnemonic; the last line counts.
#include <cstdio>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "backends/softgpu/isa/print.h"

namespace {

std::string squeezed(const std::string& text) {
  std::istringstream words(text);
  std::string result, word;
  while (words >> word) result += (result.empty() ? "" : " ") + word;
  return result;
}

// "\tv_add_f32_e32 v0, s0, v0   // 000000001000: 02000000 <label>": the text and its words.
bool parse(const std::string& line, std::string& text, std::vector<std::uint32_t>& code) {
  std::size_t comment = line.find("// ");
  if (line.empty() || line[0] != '\t' || comment == std::string::npos) return false;
  text = squeezed(line.substr(0, comment));
  std::istringstream words(line.substr(line.find(": ", comment) + 2));
  std::string word;
  code.clear();
  while (words >> word && word.size() == 8 && word[0] != '<')
    code.push_back(static_cast<std::uint32_t>(std::stoul(word, nullptr, 16)));
  return !code.empty() && !text.starts_with(".") && !text.starts_with("v_illegal");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: compare_listing gfx90a|gfx942 < LISTING\n");
    return 2;
  }
  auto gpu = std::string(argv[1]) == "gfx942" ? hipr::softgpu::Gpu::kGfx942 : hipr::softgpu::Gpu::kGfx90a;
  unsigned long instructions = 0, different = 0;
  std::map<std::string, unsigned> mnemonics, shown;
  std::string line, text;
  std::vector<std::uint32_t> code;
  while (std::getline(std::cin, line)) {
    if (!parse(line, text, code)) continue;
    ++instructions;
    std::string name = text.substr(0, text.find(' '));
    ++mnemonics[name];
    std::string ours = hipr::softgpu::printInstruction(code.data(), static_cast<unsigned>(code.size()), gpu);
    if (ours == text) continue;
    ++different;
    if (shown[name]++ == 0) std::printf("%08x: LLVM %s\n          ours %s\n", code[0], text.c_str(), ours.c_str());
  }
  std::printf("%s: %lu instructions, %zu mnemonics, %lu different\n", argv[1], instructions, mnemonics.size(),
              different);
  return different == 0 && instructions > 0 ? 0 : 1;
}

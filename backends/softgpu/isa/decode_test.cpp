// The decoder against LLVM: random words have the same length and mnemonic. Operands and real code:
// tests/isa/objdump.sh.
#include <gtest/gtest.h>

#include <unistd.h>
#include <cstdio>
#include <fstream>
#include <sstream>

#include "backends/softgpu/isa/decode.h"
#include "backends/softgpu/isa/print.h"
#include "backends/softgpu/isa/test_wave.h"

namespace hipr::softgpu {
namespace {

std::string readCommand(const std::string& command) {
  std::string text;
  FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) return text;
  char buffer[4096];
  while (std::size_t n = std::fread(buffer, 1, sizeof buffer, pipe)) text.append(buffer, n);
  pclose(pipe);
  return text;
}

// Random words: whatever both accept must agree in name; this catches fields read at the wrong place.
TEST(Decode, RandomWordsMatchLlvmMc) {
  NEEDS_ASSEMBLER;
  std::string base = "/tmp/softgpu_words_" + std::to_string(getpid());
  std::uint64_t state = 88172645463325252ull;
  auto next = [&] {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return static_cast<std::uint32_t>(state >> 16);
  };
  std::vector<std::array<std::uint32_t, 2>> words(6000);
  std::ofstream out(base);
  for (auto& pair : words) {
    pair = {next(), next()};
    char text[64];
    int at = 0;
    for (std::uint32_t word : pair)
      for (int b = 0; b < 4; ++b) at += std::snprintf(text + at, sizeof text - at, "0x%02x ", word >> (8 * b) & 255);
    out << text << "\n";
  }
  out.close();
  // One line of input is one decode; llvm-mc prints the instruction with its encoding, or a warning with the line
  // number.
  std::string listing = readCommand("llvm-mc-19 -disassemble -triple=amdgcn-amd-amdhsa -mcpu=gfx90a -show-encoding " +
                                    base + " 2>/dev/null");
  std::remove(base.c_str());
  ASSERT_FALSE(listing.empty());
  std::istringstream lines(listing);
  std::string line;
  unsigned compared = 0;
  while (std::getline(lines, line)) {
    std::size_t encoding = line.find("encoding: [");
    if (encoding == std::string::npos || line.find("Invalid register") != std::string::npos) continue;
    std::string name;
    std::istringstream(line) >> name;
    std::vector<std::uint32_t> code;
    std::istringstream bytes(line.substr(encoding + 11));
    std::string byte;
    for (unsigned n = 0; std::getline(bytes, byte, ',') && byte.starts_with("0x"); ++n) {
      if (n % 4 == 0) code.push_back(0);
      code.back() |= static_cast<std::uint32_t>(std::stoul(byte, nullptr, 16)) << (8 * (n % 4));
    }
    Inst inst = decode(code.data(), static_cast<unsigned>(code.size()), Gpu::kGfx90a);
    std::string ours = printInstruction(code.data(), static_cast<unsigned>(code.size()), Gpu::kGfx90a);
    EXPECT_EQ(ours.substr(0, ours.find(' ')), name) << line;
    EXPECT_EQ(inst.words, code.size()) << line;
    ++compared;
  }
  EXPECT_GT(compared, 2000u);
}

// llvm-mc takes these as they are, and llvm-objdump prints them so: an address as its first register.
TEST(Decode, ImagesReadAsWritten) {
  NEEDS_ASSEMBLER;
  const std::vector<std::string> lines = {"image_load v[4:7], v1, s[8:15] dmask:0xf unorm",
                                          "image_load v5, v1, s[8:15] dmask:0x8 unorm glc slc scc a16 lwe da d16",
                                          "image_load_mip a[4:5], v1, s[92:99] dmask:0x6",
                                          "image_load_pck_sgn v4, v255, s[8:15] dmask:0x1 unorm",
                                          "image_store v[4:6], v1, s[8:15] dmask:0xe unorm da",
                                          "image_store v[4:5], v1, s[8:15] dmask:0xe unorm d16",
                                          "image_get_resinfo v[4:7], v1, s[8:15] dmask:0xf",
                                          "image_atomic_add v4, v1, s[8:15] dmask:0x1 unorm glc",
                                          "image_atomic_cmpswap a[4:5], v1, s[8:15] dmask:0x3 unorm",
                                          "image_sample v[4:5], v1, s[0:7], s[96:99] dmask:0xf unorm a16 da d16",
                                          "image_sample v4, v1, s[0:7], s[8:11] dmask:0x4"};
  std::string source;
  for (const std::string& line : lines) source += line + "\n";
  std::vector<std::uint32_t> code = assemble(source);
  ASSERT_EQ(code.size(), 2 * lines.size() + 1);
  for (std::size_t k = 0; k < lines.size(); ++k) {
    EXPECT_EQ(printInstruction(&code[2 * k], 2, Gpu::kGfx90a), lines[k]);
    EXPECT_EQ(printInstruction(&code[2 * k], 2, Gpu::kGfx942), "(illegal)") << "CDNA3 has no images";
  }
}

}  // namespace
}  // namespace hipr::softgpu

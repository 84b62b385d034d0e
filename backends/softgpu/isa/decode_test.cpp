// The decoder against llvm-objdump-19: every instruction of code compiled on the spot has the same length and mnemonic.
#include <gtest/gtest.h>

#include <unistd.h>
#include <cstdio>
#include <fstream>
#include <sstream>

#include "backends/softgpu/isa/decode.h"

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

std::string withoutSuffix(std::string name) {
  for (const char* suffix : {"_e32", "_e64"})
    if (name.ends_with(suffix)) name.resize(name.size() - 4);
  return name;
}

// Lines look like "\tv_add_f32_e32 v0, s0, v0   // 000000001000: 02000000" with one or more words.
void compare(const std::string& listing, Gpu gpu, unsigned atLeast) {
  std::istringstream lines(listing);
  std::string line;
  unsigned instructions = 0;
  while (std::getline(lines, line)) {
    std::size_t comment = line.find(" // ");
    if (line.empty() || line[0] != '\t' || comment == std::string::npos) continue;
    std::string name;
    std::istringstream(line) >> name;
    std::istringstream words(line.substr(line.find(": ", comment) + 2));
    std::vector<std::uint32_t> code;
    std::string word;
    while (words >> word && word.size() == 8) code.push_back(static_cast<std::uint32_t>(std::stoul(word, nullptr, 16)));
    if (name == "v_illegal" || name.starts_with(".")) continue;
    Inst inst = decode(code.data(), static_cast<unsigned>(code.size()), gpu);
    EXPECT_EQ(mnemonic(inst), withoutSuffix(name)) << line;
    EXPECT_EQ(inst.words, code.size()) << line;
    ++instructions;
  }
  EXPECT_GE(instructions, atLeast);
}

std::string compileAndList(const std::string& source, const std::string& cpu, const std::string& options) {
  std::string base = "/tmp/softgpu_decode_" + std::to_string(getpid());
  std::ofstream(base + ".hip") << source;
  std::string command = "clang++-19 -w -x hip --offload-arch=" + cpu +
                        " --rocm-path=/usr --rocm-device-lib-path=/usr/lib/x86_64-linux-gnu/amdgcn/bitcode " + options +
                        " --cuda-device-only --no-gpu-bundle-output " + base + ".hip -o " + base +
                        ".o && llvm-objdump-19 -d " + base + ".o";
  std::string listing = readCommand(command);
  std::remove((base + ".hip").c_str());
  std::remove((base + ".o").c_str());
  return listing;
}

constexpr const char* kSource = R"(
#include <hip/hip_runtime.h>
#include <hip/hip_fp16.h>
__global__ void mixed(float* f, double* d, int* n, __half* h, unsigned long long* u) {
  __shared__ float s[256];
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  s[threadIdx.x] = sinf(f[i]) + expf(f[i + 1]) * tanhf(f[i + 2]);
  __syncthreads();
  d[i] = pow(d[i], 1.5) / (sin(d[i]) + s[255 - threadIdx.x]);
  n[i] = n[i] / (n[i + 1] | 1) + __popc(n[i]) + __clz(n[i]) + __ffs(n[i]);
  h[i] = __hadd(h[i], __hmul(h[i + 1], __float2half(f[i])));
  for (int k = 0; k < n[0]; ++k) atomicAdd(&u[k & 7], (unsigned long long)i);
  atomicMax(&n[3], i); atomicCAS(&n[4], i, 7); atomicAdd(&f[9], 1.0f);
  n[i + 9] = __shfl_xor(n[i], 5) + __ballot(n[i] > 3) + (signed char)n[i] * (short)n[i + 7];
}
struct Node { __device__ virtual int f(int) const; int v; Node* next; };
int __device__ __noinline__ walk(const Node* n, int k) { return n ? n->f(k) + walk(n->next, k + 1) : k; }
__global__ void calls(const Node* n, int* out) { out[threadIdx.x] = walk(n, threadIdx.x); }
__device__ int Node::f(int k) const { return v * k; }
)";

TEST(Decode, CompiledCodeMatchesObjdump) {
  for (const char* options : {"-O3", "-O0", "-O2 -g0 -ffast-math"}) {
    std::string listing = compileAndList(kSource, "gfx90a", options);
    if (listing.empty()) GTEST_SKIP() << "no HIP compiler here";
    compare(listing, Gpu::kGfx90a, 500);
  }
}

// Random words: whatever both accept must agree in name; this catches fields read at the wrong place.
TEST(Decode, RandomWordsMatchLlvmMc) {
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
  if (listing.empty()) GTEST_SKIP() << "no llvm-mc-19 here";
  std::istringstream lines(listing);
  std::string line;
  unsigned compared = 0;
  while (std::getline(lines, line)) {
    std::size_t encoding = line.find("encoding: [");
    if (encoding == std::string::npos || line.find("Invalid register") != std::string::npos) continue;
    if (line.find("image_") != std::string::npos) continue;  // llvm-mc knows them; no gfx90a or gfx942 has image memory
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
    EXPECT_EQ(mnemonic(inst), withoutSuffix(name)) << line;
    EXPECT_EQ(inst.words, code.size()) << line;
    ++compared;
  }
  EXPECT_GT(compared, 2000u);
}

}  // namespace
}  // namespace hipr::softgpu

// Arbitrary bytes as a program: whatever they are, the wave ends, faults or uses up its instructions, and touches
// nothing but the memory it was given. The first byte chooses the GPU; half of the words are bent towards existing
// instructions, as almost nothing else would run past its first word.
#include <cstddef>
#include <cstdint>

#include "backends/softgpu/isa/table.h"
#include "backends/softgpu/isa/test_image.h"
#include "backends/softgpu/isa/test_wave.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace hipr::softgpu;

// A quarter of the short vector instructions have a second dword: SDWA or DPP.
std::uint32_t withForm(std::uint32_t word, std::uint32_t bits) {
  constexpr std::uint32_t kSdwa = 249, kDpp = 250;
  std::uint32_t choice = bits >> 29;
  return choice > 1 ? word : (word & ~0x1ffu) | (choice ? kSdwa : kDpp);
}

// The fixed bits of each encoding and where its opcode goes.
std::uint32_t shaped(const Row& row, std::uint32_t bits) {
  std::uint32_t op = row.opcode;
  switch (row.encoding) {
    case Encoding::SOP2:
      return 0x80000000 | op << 23 | (bits & 0x7fffff);
    case Encoding::SOPK:
      return 0xb0000000 | op << 23 | (bits & 0x7fffff);
    case Encoding::SOP1:
      return 0xbe800000 | op << 8 | (bits & 0x7f00ff);
    case Encoding::SOPC:
      return 0xbf000000 | op << 16 | (bits & 0xffff);
    case Encoding::SOPP:
      return 0xbf800000 | op << 16 | (bits & 0xffff);
    case Encoding::SMEM:
      return 0xc0000000 | op << 18 | (bits & 0x3ffff);
    case Encoding::VOP2:
      return withForm(op << 25 | (bits & 0x1ffffff), bits);
    case Encoding::VOP1:
      return withForm(0x7e000000 | op << 9 | (bits & 0x1fe01ff), bits);
    case Encoding::VOPC:
      return withForm(0x7c000000 | op << 17 | (bits & 0x1ffff), bits);
    case Encoding::VOP3:
      return 0xd0000000 | op << 16 | (bits & 0xffff);
    case Encoding::VOP3P:
      return 0xd3800000 | op << 16 | (bits & 0xffff);
    case Encoding::DS:
      return 0xd8000000 | op << 17 | (bits & 0x201ffff);
    case Encoding::FLAT:
      return 0xdc000000 | op << 18 | (bits & 0x33fff);
    case Encoding::SCRATCH:
      return 0xdc004000 | op << 18 | (bits & 0x33fff);
    case Encoding::GLOBAL:
      return 0xdc008000 | op << 18 | (bits & 0x33fff);
    case Encoding::MUBUF:
      return 0xe0000000 | op << 18 | (bits & 0x3ffff);
    case Encoding::MTBUF:
      return 0xe8000000 | op << 15 | (bits & 0x3f87fff);
    case Encoding::MIMG:
      return 0xf0000000 | op << 18 | (bits & 0x203ff80);
    case Encoding::kCount:
      break;
  }
  return bits;
}

}  // namespace

// Programs of random words, long enough to get somewhere.
std::vector<hipr::fuzz::Input> hipr::fuzz::seeds() {
  std::vector<Input> inputs;
  std::uint64_t state = 0x9e3779b97f4a7c15;
  for (int k = 0; k < 64; ++k) {
    Input input(513);
    for (std::uint8_t& byte : input) {
      state ^= state << 13, state ^= state >> 7, state ^= state << 17;
      byte = static_cast<std::uint8_t>(state >> 24);
    }
    inputs.push_back(std::move(input));
  }
  return inputs;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 8) return 0;
  Gpu gpu = data[0] & 1 ? Gpu::kGfx942 : Gpu::kGfx90a;
  std::vector<std::uint32_t> code((size - 1) / 4);
  std::memcpy(code.data(), data + 1, code.size() * 4);
  auto rows = allRows();
  for (std::size_t k = 0; k + 1 < code.size(); k += 2)
    code[k] = shaped(rows[(code[k] ^ code[k] >> 16) % rows.size()], code[k]);
  TestWave wave(code, gpu, 1024, TestWave::Memory::kClosed);
  for (unsigned l = 0; l < kLanes; ++l) wave.v(0, l) = l;
  // Registers point at the buffer, so that some accesses reach it.
  for (unsigned k = 0; k < 100; k += 4)
    wave->setPair(k, wave.buffer()), wave->s[k + 2] = 4096, wave->s[k + 3] = 0x00027000;
  // And some of them make images of it, with samplers.
  for (unsigned k = 32; k < 96; k += 16) {
    TestImage image;
    image.type = 8 + k / 16 % 6, image.width = image.height = image.depth = 4, image.pitch = 4;
    image.data = data[1] % 15, image.number = data[2] % 8;
    image.put(&wave->s[k], (wave.buffer() + 255) / 256 * 256);
    TestSampler{.clamp = {data[3] % 8u, data[4] % 8u, data[5] % 8u}, .linear = (data[6] & 1) != 0}.put(&wave->s[k + 8]);
  }
  // A fault ends a dispatch, but here the wave goes on behind it: one input tries many instructions.
  for (int turn = 0; turn < 64; ++turn) wave.run(50);
  return 0;
}

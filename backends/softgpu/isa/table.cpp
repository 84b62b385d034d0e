#include "backends/softgpu/isa/table.h"

#include <vector>

namespace hipr::softgpu {
namespace {

constexpr Row kRows[] = {
#define INST(encoding, opcode, name, gpus, flags) {Encoding::encoding, opcode, #name, gpus, flags, true},
#define TODO(encoding, opcode, name, gpus, flags) {Encoding::encoding, opcode, #name, gpus, flags, false},
#include "backends/softgpu/isa/all.inc"
#undef INST
#undef TODO
};

constexpr unsigned kMaxOpcode = 1024;  // VOP3's ten bits are the widest

using Index = std::vector<std::int16_t>;  // [encoding][opcode]

Index buildIndex(std::uint8_t gpu) {
  Index index(static_cast<unsigned>(Encoding::kCount) * kMaxOpcode, -1);
  for (std::size_t i = 0; i < std::size(kRows); ++i) {
    if (!(kRows[i].gpus & gpu)) continue;
    index[static_cast<unsigned>(kRows[i].encoding) * kMaxOpcode + kRows[i].opcode] = static_cast<std::int16_t>(i);
  }
  return index;
}

}  // namespace

std::span<const Row> allRows() {
  return kRows;
}

int findRow(Encoding encoding, unsigned opcode, Gpu gpu) {
  static const Index k90a = buildIndex(kOnly90a);
  static const Index k942 = buildIndex(kOnly942);
  bool vop3 = encoding == Encoding::VOP3;
  if (vop3 && opcode < 0x1c0) {
    encoding = opcode < 0x100 ? Encoding::VOPC : opcode < 0x140 ? Encoding::VOP2 : Encoding::VOP1;
    opcode -= opcode < 0x100 ? 0 : opcode < 0x140 ? 0x100 : 0x140;
  }
  if (opcode >= kMaxOpcode) return -1;
  const Index& index = gpu == Gpu::kGfx90a ? k90a : k942;
  int row = index[static_cast<unsigned>(encoding) * kMaxOpcode + opcode];
  return row >= 0 && vop3 && (kRows[row].flags & kNoVop3) ? -1 : row;
}

const char* encodingName(Encoding encoding) {
  constexpr const char* kNames[] = {"SOP2", "SOPK",  "SOP1", "SOPC", "SOPP",   "SMEM",    "VOP2",  "VOP1",  "VOPC",
                                    "VOP3", "VOP3P", "DS",   "FLAT", "GLOBAL", "SCRATCH", "MUBUF", "MTBUF", "MIMG"};
  return kNames[static_cast<unsigned>(encoding)];
}

}  // namespace hipr::softgpu

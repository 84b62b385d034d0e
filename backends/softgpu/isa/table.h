// The instruction table: one row per instruction, in the *.inc files, one file per group of encodings.
//
//   INST(encoding, opcode, mnemonic, gpus, flags)   built: `mnemonic` names its Impl (level.h), the linker insists on
//   it
//   TODO(encoding, opcode, mnemonic, gpus, flags)   known and decoded; running it ends the dispatch and names it
//
// VOP1, VOP2 and VOPC rows also stand for their VOP3, SDWA and DPP forms.
#pragma once

#include <cstdint>
#include <span>

#include "backends/softgpu/isa/execute.h"

namespace hipr::softgpu {

enum class Encoding : std::uint8_t {
  SOP2,
  SOPK,
  SOP1,
  SOPC,
  SOPP,
  SMEM,
  VOP2,
  VOP1,
  VOPC,
  VOP3,
  VOP3P,
  DS,
  FLAT,
  GLOBAL,
  SCRATCH,
  MUBUF,
  MTBUF,
  MIMG,
  kCount
};

inline constexpr std::uint8_t kOnly90a = 1;
inline constexpr std::uint8_t kOnly942 = 2;
inline constexpr std::uint8_t kAllGpus = kOnly90a | kOnly942;

// How an instruction's operands differ from its encoding's plain shape.
inline constexpr std::uint16_t kReadsDst = 1;  // the old destination is one more source, after the encoded ones
inline constexpr std::uint16_t kMulK = 2;  // a literal follows and is source 1; the encoded source 1 becomes source 2
inline constexpr std::uint16_t kAddK = 4;  // a literal follows and is source 2
inline constexpr std::uint16_t kCarryOut = 8;      // writes a lane mask: VCC, or SDST of the VOP3B form
inline constexpr std::uint16_t kMaskIn = 16;       // the last source is a lane mask: VCC, or the one VOP3 names
inline constexpr std::uint16_t kCmpx = 32;         // a compare that also writes EXEC
inline constexpr std::uint16_t kMatrix = 64;       // VOP3P fields read as the matrix (MAI) shape
inline constexpr std::uint16_t kNoVop3 = 128;      // exists in its short encoding only
inline constexpr std::uint16_t kRawSources = 512;  // denormal sources stay, whatever MODE says
inline constexpr std::uint16_t kKeepsHalf = 256;   // a 16-bit result leaves the other half of the register alone

struct Row {
  Encoding encoding;
  std::uint16_t opcode;
  const char* name;
  std::uint8_t gpus;
  std::uint16_t flags;
  bool built;
};

std::span<const Row> allRows();

// Index into allRows(), or -1. VOP3 opcodes below 0x1c0 find the VOPC, VOP2 or VOP1 row they stand for.
int findRow(Encoding encoding, unsigned opcode, Gpu gpu);

const char* encodingName(Encoding encoding);

}  // namespace hipr::softgpu

// One decoded instruction: what to call and its fields, resolved so that handlers never look at instruction words.
#pragma once

#include <cstdint>

namespace hipr::softgpu {

struct Wave;
struct Inst;
using Handler = void(Wave&, const Inst&);

// Operand codes: 0-255 are the scalar operands of the manual (SGPRs, special registers, constants, 255 = literal),
// then come vector registers. `code - kVgpr` is the register number; accumulation registers have their own range.
inline constexpr std::uint16_t kVgpr = 256;
inline constexpr std::uint16_t kAgpr = 512;
inline constexpr std::uint16_t kFlatScratchLo = 102;
inline constexpr std::uint16_t kXnackLo = 104;
inline constexpr std::uint16_t kVccLo = 106;
inline constexpr std::uint16_t kM0 = 124;
inline constexpr std::uint16_t kExecLo = 126;
inline constexpr std::uint16_t kLiteral = 255;
inline constexpr std::uint16_t kNoOperand = 0xffff;

// Of MIMG, in Inst::ext.
inline constexpr std::uint32_t kImageMask = 15;  // DMASK
inline constexpr std::uint32_t kImageUnnormalized = 1 << 4;
inline constexpr std::uint32_t kImageArray = 1 << 5;  // DA: there is a layer among the coordinates
inline constexpr std::uint32_t kImageA16 = 1 << 6;    // coordinates have 16 bits, data may have 32
inline constexpr std::uint32_t kImageD16 = 1 << 7;    // and the other way round

enum class Form : std::uint8_t { kPlain, kVop3, kSdwa, kDpp };
// Where a vector instruction's sources are, lane masks aside: all in vector registers (or there are none), the first
// one an SGPR, a constant or the literal, or anywhere.
enum class Mix : std::uint8_t { kRegisters, kScalarFirst, kAny };

struct alignas(64) Inst {
  Handler* run;
  std::uint32_t offset;  // in dwords from the start of the code region
  std::uint16_t row;     // in allRows()
  std::uint8_t words;    // length; 0 for the markers at the end of a decoded page
  std::uint8_t step;     // to the next instruction that does something
  Form form;
  std::uint16_t dst;      // vector or scalar destination, as an operand code
  std::uint16_t sdst;     // lane mask destination (VOPC, carry out); memory: first SGPR of the base or descriptor
  std::uint16_t src[4];   // sources in order; memory: address, data, second data (kNoOperand when there is none),
                          // MIMG: first SGPR of the sampler
  std::uint32_t literal;  // the literal; SOPP/SOPK: the immediate, sign-extended; memory: the offset, sign-extended
  std::uint32_t ext;      // SDWA or DPP dword; MTBUF: format; MIMG: DMASK and the bits above
  std::uint16_t flags;    // of the row
  Mix mix;
  std::uint8_t sources;  // how many src[] are used
  bool onlySigns;        // the only modifiers are abs and neg
  bool nearby;           // of a branch: the target is on the same page
  // VOP3 and VOP3P
  std::uint8_t abs;    // VOP3P: neg_hi; MFMA: CBSZ
  std::uint8_t neg;    // MFMA: BLGP
  std::uint8_t opSel;  // MFMA: ABID
  std::uint8_t opSelHi;
  std::uint8_t omod;
  bool clamp;
  // Memory
  bool glc;    // atomics return the old value; GWS: unused
  bool lds;    // data goes to LDS instead of registers; DS: the gds bit
  bool offen;  // SMEM: an offset register is used (src[0])
  bool idxen;
  std::uint8_t offset0;  // DS
  std::uint8_t offset1;
};
static_assert(sizeof(Inst) == 64);  // a cache line

}  // namespace hipr::softgpu

// Vector instructions take different ways for all lanes and for some; every one must do to the lanes of EXEC what it
// does to them when all lanes are on, and nothing to the others.
#include <gtest/gtest.h>

#include <random>
#include <string_view>

#include "backends/softgpu/isa/table.h"
#include "backends/softgpu/isa/test_wave.h"

namespace hipr::softgpu {
namespace {

constexpr unsigned kRegisters = 32;
constexpr std::uint64_t kExecs[] = {0x5555555555555555, 0xffff0000ffff0000, 1ull << 63, 0x00ffffffffffffff, 0};
constexpr std::uint32_t kSgpr = 20, kConstant = 242, kVgpr0 = 256;  // s20, 1.0, v0

// What reads other lanes or EXEC itself, or ignores EXEC.
bool laneWise(const Row& row) {
  std::string_view name = row.name;
  for (std::string_view other : {"readlane", "readfirstlane", "writelane", "_movrel", "accvgpr"})
    if (name.find(other) != name.npos) return false;
  bool vector = row.encoding == Encoding::VOP1 || row.encoding == Encoding::VOP2 || row.encoding == Encoding::VOPC ||
                row.encoding == Encoding::VOP3 || row.encoding == Encoding::VOP3P;
  return vector && row.built && !(row.flags & (kMatrix | kCmpx)) && (row.gpus & kOnly90a);
}

using Words = std::vector<std::uint32_t>;

// The 64-bit encoding, with result in v[24:] or s[30:31] and masks in VCC.
Words longForm(const Row& row, std::uint32_t src0, std::uint32_t src1, std::uint32_t src2, std::uint32_t neg) {
  std::uint32_t op = row.opcode, sources = src0 | src1 << 9 | src2 << 18 | neg << 29;
  if (row.encoding == Encoding::VOP3P) return {0xd3800000 | op << 16 | 24, sources};
  op += row.encoding == Encoding::VOP2 ? 0x100 : row.encoding == Encoding::VOP1 ? 0x140 : 0;
  std::uint32_t dst = row.encoding == Encoding::VOPC ? 30 : 24;
  if (row.flags & kCarryOut) dst |= 30 << 8;
  return {0xd0000000 | op << 16 | dst, sources};
}

std::vector<Words> forms(const Row& row) {
  std::uint32_t last = row.flags & kMaskIn ? kVccLo : kVgpr0 + 12;
  std::vector<Words> all;
  if (row.encoding == Encoding::VOP1) all.push_back({0x7e000000 | 24 << 17 | row.opcode * (1u << 9) | (kVgpr0 + 4)});
  if (row.encoding == Encoding::VOP2) {
    all.push_back({row.opcode * (1u << 25) | 24 << 17 | 8 << 9 | (kVgpr0 + 4)});
    if (row.flags & (kMulK | kAddK)) all.back().push_back(0x3fc00000);  // the constant
  }
  if (row.flags & kNoVop3) return all;
  all.push_back(longForm(row, kVgpr0 + 4, kVgpr0 + 8, last, 0));
  all.push_back(longForm(row, kSgpr, kVgpr0 + 8, last, 0));
  all.push_back(longForm(row, kVgpr0 + 4, kConstant, last, 0));
  all.push_back(longForm(row, kVgpr0 + 4, kVgpr0 + 8, last, 1));
  return all;
}

struct State {
  Words v = Words(kRegisters * kLanes), s = Words(128);
};

State run(const Words& code, std::uint64_t exec, std::string& fault) {
  Words program = code;
  program.push_back(0xbf810000);  // s_endpgm
  TestWave wave(program);
  // No NaNs in any format: which of two is the result is up to the host.
  std::mt19937 engine(3);
  auto random = [&] { return static_cast<std::uint32_t>(engine()) & 0xbfffbfff; };
  for (unsigned reg = 0; reg < kRegisters; ++reg)
    for (unsigned l = 0; l < kLanes; ++l) wave.v(reg, l) = random();
  for (unsigned k = 0; k < 64; ++k) wave->s[k] = random();
  wave->setPair(kVccLo, 0x123456789abcdef0);
  wave->setPair(kExecLo, exec);
  fault = wave.run();
  State state;
  for (unsigned k = 0; k < kRegisters * kLanes; ++k) state.v[k] = wave.v(0, k);
  for (unsigned k = 0; k < kExecLo; ++k) state.s[k] = wave->s[k];
  return state;
}

// `tried` tells whether the instruction has this form at all; what was compared is right then.
void check(const Words& code, bool& tried) {
  std::string fault;
  const State before = run({0xbf800000}, ~0ull, fault);  // s_nop
  ASSERT_EQ(fault, "");
  const State all = run(code, ~0ull, fault);
  tried = fault.empty();
  if (!tried) {
    ASSERT_NE(fault.find("illegal instruction"), fault.npos) << fault;
    return;
  }
  for (std::uint64_t exec : kExecs) {
    const State some = run(code, exec, fault);
    ASSERT_EQ(fault, "");
    for (unsigned k = 0; k < all.v.size(); ++k)
      ASSERT_EQ(some.v[k], (exec >> k % kLanes) & 1 ? all.v[k] : before.v[k])
          << "v" << k / kLanes << " lane " << k % kLanes << " exec " << std::hex << exec;
    // A mask that was written has no bits but those of active lanes.
    for (unsigned k : {30u, 31u, unsigned{kVccLo}, kVccLo + 1u}) {
      bool written = all.s[k] != before.s[k];
      auto lanes = static_cast<std::uint32_t>(exec >> 32 * (k % 2));
      ASSERT_EQ(some.s[k], written ? all.s[k] & lanes : before.s[k]) << "s" << k << " exec " << std::hex << exec;
    }
  }
}

TEST(PartialExec, TouchesActiveLanesOnly) {
  unsigned tried = 0;
  std::string never;
  for (const Row& row : allRows()) {
    if (!laneWise(row)) continue;
    unsigned formsTried = 0;
    for (const Words& code : forms(row)) {
      SCOPED_TRACE(std::string(row.name) + (code.size() == 1 ? "" : ", sources " + std::to_string(code[1])));
      bool hasForm = false;
      ASSERT_NO_FATAL_FAILURE(check(code, hasForm));
      formsTried += hasForm;
    }
    if (formsTried == 0) never += std::string(" ") + row.name;
    tried += formsTried;
  }
  EXPECT_EQ(never, "") << "no form of these runs";
  EXPECT_GT(tried, 1000u);
}

}  // namespace
}  // namespace hipr::softgpu

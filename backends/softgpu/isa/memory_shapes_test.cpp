// Loads and stores take different ways for lanes side by side, in rows of 16, at one place, or anywhere, under any
// EXEC; all must do what a loop over the lanes does. So must they when the bytes are not where the addresses say.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <random>
#include <span>

#include "backends/softgpu/isa/test_wave.h"

namespace hipr::softgpu {
namespace {

constexpr unsigned kWords = 16384;  // of memory, as much as LDS has

struct Access {
  const char* text;
  unsigned dwords;
  bool store = false;
  bool lds = false;
  unsigned second = 0;  // byte offset of a second place
};

constexpr Access kAccesses[] = {
    {"global_load_dword v10, v1, s[2:3]", 1},
    {"global_load_dwordx2 v[10:11], v1, s[2:3]", 2},
    {"global_load_dwordx3 v[10:12], v1, s[2:3]", 3},
    {"global_load_dwordx4 v[10:13], v1, s[2:3]", 4},
    {"global_load_dword v1, v1, s[2:3]", 1},
    {"global_load_dwordx2 v[10:11], v[6:7], off", 2},
    {"flat_load_dwordx4 v[10:13], v[6:7]", 4},
    {"buffer_load_dword v10, v1, s[4:7], 0 offen", 1},
    {"buffer_load_dwordx4 v[10:13], v1, s[4:7], 0 offen", 4},
    {"ds_read_b32 v10, v1", 1, false, true},
    {"ds_read_b64 v[10:11], v1", 2, false, true},
    {"ds_read_b128 v[10:13], v1", 4, false, true},
    {"ds_read2_b32 v[10:11], v1 offset1:3", 1, false, true, 12},
    {"ds_read2_b64 v[10:13], v1 offset1:2", 2, false, true, 16},
    {"global_store_dword v1, v20, s[2:3]", 1, true},
    {"global_store_dwordx2 v1, v[20:21], s[2:3]", 2, true},
    {"global_store_dwordx3 v1, v[20:22], s[2:3]", 3, true},
    {"global_store_dwordx4 v1, v[20:23], s[2:3]", 4, true},
    {"flat_store_dword v[6:7], v20", 1, true},
    {"global_store_dwordx4 v[6:7], v[20:23], off", 4, true},
    {"buffer_store_dwordx2 v[20:21], v1, s[4:7], 0 offen", 2, true},
    {"ds_write_b32 v1, v20", 1, true, true},
    {"ds_write_b64 v1, v[20:21]", 2, true, true},
    {"ds_write_b128 v1, v[20:23]", 4, true, true},
    {"ds_write2_b32 v1, v20, v24 offset1:3", 1, true, true, 12},
};

using Shape = std::function<unsigned(unsigned lane, unsigned bytes)>;  // a lane's byte offset

std::vector<Shape> shapes() {
  auto random = std::make_shared<std::vector<unsigned>>();
  std::mt19937 engine(1);
  for (unsigned l = 0; l < 64; ++l) random->push_back(l);
  std::shuffle(random->begin(), random->end(), engine);
  return {[](unsigned l, unsigned bytes) { return 64 + l * bytes; },
          [](unsigned l, unsigned bytes) { return l / 16 * 4096 + l % 16 * bytes; },
          [](unsigned l, unsigned) { return l / 16 * 64; },
          [](unsigned l, unsigned bytes) { return l < 32 ? l * bytes : 8192 + (l - 32) * 64; },
          [](unsigned, unsigned) { return 128u; },
          [random](unsigned l, unsigned) { return (*random)[l] * 64; }};
}

constexpr std::uint64_t kExecs[] = {~0ull, 0x5555555555555555, 0xffff0000ffff0000, 1ull << 63, 0x00ffffffffffffff};

struct alignas(ShiftedMemory::kPage) Words {
  std::uint32_t at[kWords];
};

void check(const Access& access, const std::vector<std::uint32_t>& code, const Shape& shape, std::uint64_t exec,
           TestWave::Memory where) {
  TestWave wave(code, Gpu::kGfx90a, 65536, where);
  const auto words = std::make_unique<Words>();
  const std::span<std::uint32_t> memory(words->at);
  std::mt19937 random(2);
  for (std::uint32_t& word : memory) word = static_cast<std::uint32_t>(random());
  auto base = reinterpret_cast<std::uint64_t>(memory.data());
  if (where != TestWave::Memory::kOpen) base += ShiftedMemory::kShift;
  if (access.lds) std::memcpy(reinterpret_cast<void*>(wave->lds.begin), memory.data(), kWords * 4);
  for (unsigned reg = 10; reg < 25; ++reg)
    for (unsigned l = 0; l < 64; ++l) wave.v(reg, l) = static_cast<std::uint32_t>(random());
  std::vector<unsigned> offsets;
  for (unsigned l = 0; l < 64; ++l) {
    bool active = (exec >> l) & 1;
    offsets.push_back(shape(l, access.dwords * 4));
    std::uint64_t address = active ? base + offsets[l] : 8;
    wave.v(1, l) = active ? offsets[l] : 0xfffffff0;  // what inactive lanes hold is no address
    wave.v(6, l) = static_cast<std::uint32_t>(address);
    wave.v(7, l) = static_cast<std::uint32_t>(address >> 32);
  }
  wave->setPair(2, base);
  wave->setPair(4, base);
  wave->s[6] = kWords * 4;
  wave->s[7] = 0x24000;
  wave->setPair(kExecLo, exec);

  std::vector<std::uint32_t> expected(memory.begin(), memory.end());
  std::vector<std::uint32_t> results;  // of loads, register after register
  const bool inPlace = std::string(access.text).starts_with("global_load_dword v1,");
  const unsigned first = inPlace ? 1 : 10, places = access.second ? 2 : 1;
  for (unsigned place = 0; place < places; ++place) {
    for (unsigned l = 0; l < 64; ++l) {
      for (unsigned k = 0; k < access.dwords && access.store && ((exec >> l) & 1); ++k)
        expected[(offsets[l] + place * access.second) / 4 + k] = wave.v(20 + 4 * place + k, l);
    }
    for (unsigned k = 0; k < access.dwords && !access.store; ++k) {
      for (unsigned l = 0; l < 64; ++l) {
        bool active = (exec >> l) & 1;
        results.push_back(active ? memory[(offsets[l] + place * access.second) / 4 + k]
                                 : wave.v(first + place * access.dwords + k, l));
      }
    }
  }
  ASSERT_EQ(wave.run(), "");
  for (std::size_t n = 0; n < results.size(); ++n)
    ASSERT_EQ(wave.v(first + static_cast<unsigned>(n / 64), n % 64), results[n])
        << "dword " << n / 64 << " lane " << n % 64;
  if (access.lds) std::memcpy(memory.data(), reinterpret_cast<const void*>(wave->lds.begin), kWords * 4);
  ASSERT_TRUE(std::equal(memory.begin(), memory.end(), expected.begin()));
}

TEST(MemoryShapes, AllWaysGiveTheSame) {
  NEEDS_ASSEMBLER;
  for (const Access& access : kAccesses) {
    std::vector<std::uint32_t> code = assemble(access.text);
    unsigned number = 0;
    for (const Shape& shape : shapes()) {
      for (std::uint64_t exec : kExecs) {
        for (auto where : {TestWave::Memory::kOpen, TestWave::Memory::kShifted, TestWave::Memory::kShiftedPages}) {
          SCOPED_TRACE(std::string(access.text) + ", shape " + std::to_string(number) + ", exec " +
                       std::to_string(exec) + ", memory " + std::to_string(static_cast<int>(where)));
          ASSERT_NO_FATAL_FAILURE(check(access, code, shape, exec, where));
        }
      }
      ++number;
    }
  }
}

// What the shapes above do not touch: parts of a dword, atomics, scalars and what ends in LDS.
TEST(MemoryShapes, OtherAccessesFindBytesThatAreElsewhere) {
  struct Other {
    const char* text;
    std::uint32_t memory, result;  // of word 1; result: v10 or s10
  };
  constexpr std::uint32_t kBefore = 0x8899aabb, kData = 0x10203041;
  const Other others[] = {
      {"global_load_ubyte v10, v1, s[2:3]", kBefore, 0xbb},
      {"flat_load_sshort v10, v[6:7]", kBefore, 0xffffaabb},
      {"buffer_load_ushort v10, v1, s[4:7], 0 offen", kBefore, 0xaabb},
      {"global_store_byte v1, v20, s[2:3]", 0x8899aa41, 0},
      {"buffer_store_short v20, v1, s[4:7], 0 offen", 0x88993041, 0},
      {"global_atomic_add v10, v1, v20, s[2:3] glc", kBefore + kData, kBefore},
      {"flat_atomic_swap v10, v[6:7], v20 glc", kData, kBefore},
      {"buffer_atomic_or v20, v1, s[4:7], 0 offen", kBefore | kData, 0},
      {"s_load_dword s10, s[2:3], 0x4", kBefore, kBefore},
      {"s_buffer_load_dword s10, s[4:7], 0x4", kBefore, kBefore},
      {"s_store_dword s11, s[2:3], 0x4", kData, 0},
      {"s_atomic_add s11, s[2:3], 0x4", kBefore + kData, 0},
  };
  for (const Other& other : others) {
    std::vector<std::uint32_t> code = assemble(other.text);
    if (code.empty()) GTEST_SKIP() << "llvm-mc-19 is not installed";
    for (auto where : {TestWave::Memory::kOpen, TestWave::Memory::kShifted, TestWave::Memory::kShiftedPages}) {
      SCOPED_TRACE(other.text);
      const auto words = std::make_unique<Words>();
      words->at[1] = kBefore;
      std::uint64_t base = reinterpret_cast<std::uint64_t>(words->at);
      if (where != TestWave::Memory::kOpen) base += ShiftedMemory::kShift;
      TestWave wave(code, Gpu::kGfx90a, 65536, where);
      wave->setPair(kExecLo, 2);  // one lane, so that an atomic happens once
      wave.v(1, 1) = 4;
      wave.v(6, 1) = static_cast<std::uint32_t>(base + 4);
      wave.v(7, 1) = static_cast<std::uint32_t>(base >> 32);
      wave.v(20, 1) = wave->s[11] = kData;
      wave->setPair(2, base);
      wave->setPair(4, base);
      wave->s[6] = kWords * 4;
      wave->s[7] = 0x24000;
      ASSERT_EQ(wave.run(), "");
      EXPECT_EQ(words->at[1], other.memory);
      if (other.result != 0) {
        EXPECT_EQ(other.text[0] == 's' ? wave->s[10] : wave.v(10, 1), other.result);
      }
    }
  }
}

}  // namespace
}  // namespace hipr::softgpu

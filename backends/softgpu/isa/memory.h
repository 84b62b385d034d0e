// Vector memory: from 64 lane addresses to checked loads, stores and atomics.
#pragma once

#include "backends/softgpu/isa/atomic.h"
#include "backends/softgpu/isa/scalar.h"

namespace hipr::softgpu::HIPR_LEVEL {

// One address per lane: the kernel's, until checkAll() makes them this process's. Inactive lanes repeat an active one,
// so loops may read for all lanes and write for some.
struct Addresses {
  alignas(64) std::uint64_t at[kLanes];
  std::uint64_t active;
  bool checked = false;  // known to be inside the memory they are meant for
};

enum class Part : std::uint8_t { kByte, kSignedByte, kShort, kSignedShort };
// Where a 16-bit part goes: all of the register, or one half with the other cleared.
enum class Place : std::uint8_t { kWhole, kLow, kHigh };

void repeatActive(Addresses& a);

// All lanes' [at, at + bytes) may be touched, and `at` is now where the bytes are; raises a memory fault naming the
// first lane that may not. Every function below that takes addresses does this first, so it takes each of them once.
bool checkAll(Wave& w, const Inst& i, Addresses& a, unsigned bytes);

// The first active lane whose address is not a multiple of `bytes`, a power of two, or -1.
HIPR_INLINE int firstMisaligned(const Addresses& a, unsigned bytes) {
  std::uint64_t bits = 0;
  for (std::uint64_t at : a.at) bits |= at;  // inactive lanes repeat an active one
  if (bits % bytes == 0) [[likely]]
    return -1;
  for (std::uint64_t left = a.active;; left &= left - 1)
    if (int l = std::countr_zero(left); a.at[l] % bytes) return l;
}

// Registers <- memory. Dwords of one lane lie `stride` bytes apart.
void loadDwords(Wave& w, const Inst& i, Addresses& a, unsigned dwords, std::uint32_t* row, unsigned stride = 4);
void loadPart(Wave& w, const Inst& i, Addresses& a, Part part, Place place, std::uint32_t* row);
// Memory <- registers.
void storeDwords(Wave& w, const Inst& i, Addresses& a, unsigned dwords, Rows row, unsigned stride = 4);
void storePart(Wave& w, const Inst& i, Addresses& a, unsigned bytes, bool high, Rows row);
// LDS <- memory, lane after lane from M0's base. Active lanes that `a` leaves out get zero, as registers would.
void loadToLds(Wave& w, const Inst& i, Addresses& a, unsigned bytes, bool sign);
void storeToLds(Wave& w, const Inst& i, Rows values);

// EXEC holds `lanes` while in scope: the memory functions write results under it.
class ExecScope {
 public:
  ExecScope(Wave& w, std::uint64_t lanes) : wave_(w), saved_(w.exec()) { w.setPair(kExecLo, lanes); }
  ~ExecScope() { wave_.setPair(kExecLo, saved_); }

 private:
  Wave& wave_;
  std::uint64_t saved_;
};

// A lane's register after a part was loaded. Both GPUs have ECC on (sramecc+), where loads write all of a register and
// clear the half that is not theirs: compilers keep nothing in it, and Tensile counts on the zeros.
HIPR_INLINE std::uint32_t placePart(std::uint32_t value, Place place) {
  return place == Place::kWhole ? value : place == Place::kLow ? value & 0xffff : value << 16;
}

template <class T>
HIPR_INLINE T laneValue(Rows row, int lane) {
  if constexpr (sizeof(T) == 8)
    return row[lane] | std::uint64_t{row[lane + kLanes]} << 32;
  else
    return row[lane];
}

// CDNA2 adds floats in memory without denormals, whatever MODE says; so LLVM has it.
HIPR_INLINE bool addsDenormals(const Wave& w) {
  return w.shared->gpu != Gpu::kGfx90a;
}

// `data` holds the operand and, for cmpswap, the comparand in the registers after it.
template <class Op, class T>
void runAtomic(Wave& w, const Inst& i, Addresses& a, Rows data, bool hasCompare, std::uint32_t* result) {
  if (int l = firstMisaligned(a, sizeof(T)); l >= 0)
    return raise(w, i, FaultKind::kMemory, "misaligned atomic", l, a.at[l]);
  if (!checkAll(w, i, a, sizeof(T))) return;
  for (std::uint64_t left = a.active; left; left &= left - 1) {
    int l = std::countr_zero(left);
    T value = laneValue<T>(data, l);
    T compare = hasCompare ? laneValue<T>(data + kLanes * (sizeof(T) / 4), l) : T{};
    T old = atomic::atomically<Op, T>(reinterpret_cast<T*>(a.at[l]), value, compare);
    if (!result) continue;
    result[l] = static_cast<std::uint32_t>(old);
    if constexpr (sizeof(T) == 8) result[l + kLanes] = static_cast<std::uint32_t>(old >> 32);
  }
}

}  // namespace hipr::softgpu::HIPR_LEVEL

// Scalar memory: loads, stores and atomics of SGPRs, and the clocks.
#include <chrono>

#include "backends/softgpu/isa/atomic.h"
#include "backends/softgpu/isa/clock.h"
#include "backends/softgpu/isa/scalar.h"

namespace hipr::softgpu::HIPR_LEVEL {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

U64 offsetOf(const Wave& w, const Inst& i) {
  U64 offset = static_cast<U64>(std::int64_t{static_cast<std::int32_t>(i.literal)});
  return i.offen ? offset + w.s[i.src[0]] : offset;
}

bool registersExist(Wave& w, const Inst& i, unsigned dwords) {
  if (i.dst + dwords <= 128) return true;
  raise(w, i, FaultKind::kIllegalInstruction, "scalar register out of range");
  return false;
}

// Where the bytes are, or null and the wave has ended.
void* reach(Wave& w, const Inst& i, U64 address, unsigned bytes) {
  if (const Region* region = reachable(w, address, bytes)) return reinterpret_cast<void*>(address + region->shift);
  raise(w, i, FaultKind::kMemory, "scalar memory access fault", -1, address);
  return nullptr;
}

void transfer(Wave& w, const Inst& i, U64 address, unsigned dwords, bool store) {
  address &= ~3ull;
  if (!registersExist(w, i, dwords)) return;
  void* memory = reach(w, i, address, dwords * 4);
  if (!memory) return;
  if (store) {
    std::memcpy(memory, &w.s[i.dst], dwords * 4);
  } else {
    std::memcpy(&w.s[i.dst], memory, dwords * 4);
  }
}

void plain(Wave& w, const Inst& i, unsigned dwords, bool store) {
  transfer(w, i, w.pair(i.sdst) + offsetOf(w, i), dwords, store);
}

// Through a buffer descriptor: dwords past its end read as zero and are not written.
void buffer(Wave& w, const Inst& i, unsigned dwords, bool store) {
  if (i.sdst > 124 || !registersExist(w, i, dwords))
    return raise(w, i, FaultKind::kIllegalInstruction, "bad descriptor");
  const U32* d = &w.s[i.sdst];
  U64 base = d[0] | U64{d[1] & 0xffff} << 32;
  U64 stride = d[1] >> 16 & 0x3fff;
  U64 size = stride ? U64{d[2]} * stride : d[2];
  U64 offset = offsetOf(w, i) & 0xffffffff & ~3ull;
  U32 values[16] = {};
  for (unsigned k = 0; k < dwords; ++k, offset += 4) {
    if (offset + 4 > size) continue;
    void* memory = reach(w, i, base + offset, 4);
    if (!memory) return;
    if (store) {
      std::memcpy(memory, &w.s[i.dst + k], 4);
    } else {
      std::memcpy(&values[k], memory, 4);
    }
  }
  if (!store) std::memcpy(&w.s[i.dst], values, dwords * 4);
}

template <class Op, class T, bool kCompare>
void modify(Wave& w, const Inst& i, U64 base) {
  U64 address = base + offsetOf(w, i);
  constexpr unsigned kDwords = sizeof(T) / 4;
  if (!registersExist(w, i, kDwords * (kCompare ? 2 : 1))) return;
  void* memory = reach(w, i, address, sizeof(T));
  if (!memory) return;
  if (address % sizeof(T)) return raise(w, i, FaultKind::kMemory, "misaligned scalar atomic", -1, address);
  T data, compare{};
  std::memcpy(&data, &w.s[i.dst], sizeof data);
  if (kCompare) std::memcpy(&compare, &w.s[i.dst + kDwords], sizeof compare);
  T old = atomic::atomically<Op, T>(static_cast<T*>(memory), data, compare);
  if (i.glc) std::memcpy(&w.s[i.dst], &old, sizeof old);
}

U64 bufferBase(const Wave& w, const Inst& i) {
  return w.pair(i.sdst) & 0xffffffffffff;
}

void nothing(Wave&, const Inst&) {}
void order(Wave&, const Inst&) {
  std::atomic_thread_fence(std::memory_order_acq_rel);
}

}  // namespace

#define TRANSFER(name, dwords)   \
  RUN(s_load_##name) {           \
    plain(w, i, dwords, false);  \
  }                              \
  RUN(s_buffer_load_##name) {    \
    buffer(w, i, dwords, false); \
  }
TRANSFER(dword, 1)
TRANSFER(dwordx2, 2)
TRANSFER(dwordx4, 4)
TRANSFER(dwordx8, 8)
TRANSFER(dwordx16, 16)
#define TRANSFER_STORE(name, dwords) \
  RUN(s_store_##name) {              \
    plain(w, i, dwords, true);       \
  }                                  \
  RUN(s_buffer_store_##name) {       \
    buffer(w, i, dwords, true);      \
  }
TRANSFER_STORE(dword, 1)
TRANSFER_STORE(dwordx2, 2)
TRANSFER_STORE(dwordx4, 4)

// Scalar scratch: the base is the wave's, offsets count bytes that no lane's interleaving touches.
#define SCRATCH(name, dwords)   \
  RUN(s_scratch_load_##name) {  \
    plain(w, i, dwords, false); \
  }                             \
  RUN(s_scratch_store_##name) { \
    plain(w, i, dwords, true);  \
  }
SCRATCH(dword, 1)
SCRATCH(dwordx2, 2)
SCRATCH(dwordx4, 4)

#define ATOMICS(name, op, compare)                            \
  RUN(s_atomic_##name) {                                      \
    modify<atomic::op, U32, compare>(w, i, w.pair(i.sdst));   \
  }                                                           \
  RUN(s_atomic_##name##_x2) {                                 \
    modify<atomic::op, U64, compare>(w, i, w.pair(i.sdst));   \
  }                                                           \
  RUN(s_buffer_atomic_##name) {                               \
    modify<atomic::op, U32, compare>(w, i, bufferBase(w, i)); \
  }                                                           \
  RUN(s_buffer_atomic_##name##_x2) {                          \
    modify<atomic::op, U64, compare>(w, i, bufferBase(w, i)); \
  }
INTEGER_ATOMICS(ATOMICS)

// There are no caches to look after.
const Impl s_dcache_inv{order, order};
const Impl s_dcache_wb{order, order};
const Impl s_dcache_inv_vol{order, order};
const Impl s_dcache_wb_vol{order, order};
const Impl s_dcache_discard{nothing, nothing};
const Impl s_dcache_discard_x2{nothing, nothing};
const Impl s_atc_probe{nothing, nothing};
const Impl s_atc_probe_buffer{nothing, nothing};

RUN(s_memtime) {
  constexpr U64 kMillisecond = 1000000;  // in nanoseconds; multiplied apart, as the product has no room in 64 bits
  const U64 now = static_cast<U64>(std::chrono::steady_clock::now().time_since_epoch().count());
  const U64 ticks = static_cast<U64>(shaderClockKhz(w.shared->gpu));
  w.setPair(i.dst, now / kMillisecond * ticks + now % kMillisecond * ticks / kMillisecond);
}
RUN(s_memrealtime) {
  w.setPair(i.dst, w.shared->services->realtime());
}

}  // namespace hipr::softgpu::HIPR_LEVEL

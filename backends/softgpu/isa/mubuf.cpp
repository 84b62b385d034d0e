// Untyped buffer loads, stores and atomics.
#include "backends/softgpu/isa/buffer.h"
#include "backends/softgpu/isa/span.h"

namespace hipr::softgpu::HIPR_LEVEL {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

void toLds(Wave& w, const Inst& i, const BufferDescriptor& d, unsigned bytes, bool sign) {
  Addresses a;
  if (!bufferAddresses(w, i, d, 0, bytes, a)) return;
  loadToLds(w, i, a, bytes, sign);
}

void load(Wave& w, const Inst& i, unsigned dwords) {
  BufferDescriptor d;
  if (!w.exec() || !BufferDescriptor::read(w, i, d)) return;
  if (i.lds) return toLds(w, i, d, 4, false);
  if (std::uint64_t at = bufferSpan(w, i, d, dwords)) return loadSpan(w, at, dwords, w.row(i.dst));
  if (std::uint64_t at = stackSpan(w, i, d, dwords)) return loadPrivate(w, at, dwords, w.row(i.dst));
  Window window;
  if (bufferWindow(w, i, d, dwords, window)) return loadWindow(w, window, dwords, w.row(i.dst));
  Addresses a;
  if (!bufferAddresses(w, i, d, 0, dwords * 4, a)) return;
  std::uint32_t* row = w.row(i.dst);
  if (straddles(d, a, 4)) {
    Element values{};
    if (loadElements(w, i, d, dwords * 4, values)) storeMasked(w, row, values[0], dwords);
    return;
  }
  if (a.active == w.exec() && (dwords == 1 || !d.swizzle)) return loadDwords(w, i, a, dwords, row);
  // Dword by dword: each is swizzled and checked on its own. The address registers may be among the results.
  std::uint32_t values[4 * kLanes] = {};
  for (unsigned k = 0; k < dwords; ++k) {
    if (!bufferAddresses(w, i, d, 4 * k, 4, a)) return;
    ExecScope inside(w, a.active);
    loadDwords(w, i, a, 1, values + k * kLanes);
  }
  storeMasked(w, row, values, dwords);
}

void store(Wave& w, const Inst& i, unsigned dwords) {
  BufferDescriptor d;
  if (!w.exec() || !BufferDescriptor::read(w, i, d)) return;
  if (std::uint64_t at = bufferSpan(w, i, d, dwords)) return storeSpan(w, at, dwords, w.row(i.src[1]));
  if (std::uint64_t at = stackSpan(w, i, d, dwords)) return storePrivate(w, at, dwords, w.row(i.src[1]));
  Window window;
  if (bufferWindow(w, i, d, dwords, window)) return storeWindow(w, window, dwords, w.row(i.src[1]));
  Addresses a;
  if (!bufferAddresses(w, i, d, 0, dwords * 4, a)) return;
  if (straddles(d, a, 4)) {
    Element values;
    std::memcpy(values, w.row(i.src[1]), dwords * sizeof values[0]);
    storeElements(w, i, d, dwords * 4, values);
    return;
  }
  if (a.active == w.exec() && (dwords == 1 || !d.swizzle)) return storeDwords(w, i, a, dwords, w.row(i.src[1]));
  for (unsigned k = 0; k < dwords; ++k) {
    if (!bufferAddresses(w, i, d, 4 * k, 4, a)) return;
    storeDwords(w, i, a, 1, w.row(i.src[1]) + k * kLanes);
  }
}

void loadPart(Wave& w, const Inst& i, unsigned bytes, Part part, Place place) {
  BufferDescriptor d;
  if (!w.exec() || !BufferDescriptor::read(w, i, d)) return;
  if (i.lds) return toLds(w, i, d, bytes, part == Part::kSignedByte || part == Part::kSignedShort);
  Addresses a;
  if (!bufferAddresses(w, i, d, 0, bytes, a)) return;
  std::uint32_t* row = w.row(i.dst);
  if (straddles(d, a, bytes)) {  // two bytes
    Element values{};
    if (!loadElements(w, i, d, bytes, values)) return;
    bool sign = part == Part::kSignedShort;
    for (int l = 0; l < kLanes; ++l)
      values[0][l] = placePart(sign ? static_cast<U32>(static_cast<std::int16_t>(values[0][l])) : values[0][l], place);
    return storeMasked(w, row, values[0], 1);
  }
  for (std::uint64_t left = w.exec() & ~a.active; left; left &= left - 1) {
    int l = std::countr_zero(left);
    row[l] = 0;
  }
  ExecScope inside(w, a.active);
  loadPart(w, i, a, part, place, row);
}

void storePart(Wave& w, const Inst& i, unsigned bytes, bool high) {
  BufferDescriptor d;
  if (!w.exec() || !BufferDescriptor::read(w, i, d)) return;
  Addresses a;
  if (!bufferAddresses(w, i, d, 0, bytes, a)) return;
  if (straddles(d, a, bytes)) {
    Element values;
    for (int l = 0; l < kLanes; ++l) values[0][l] = w.row(i.src[1])[l] >> (high ? 16 : 0);
    storeElements(w, i, d, bytes, values);
    return;
  }
  storePart(w, i, a, bytes, high, w.row(i.src[1]));
}

template <class Op, class T, bool kCompare>
void modify(Wave& w, const Inst& i) {
  BufferDescriptor d;
  if (!w.exec() || !BufferDescriptor::read(w, i, d)) return;
  Addresses a;
  if (!bufferAddresses(w, i, d, 0, sizeof(T), a)) return;
  std::uint32_t* data = w.row(i.src[1]);
  if (a.active) runAtomic<Op, T>(w, i, a, data, kCompare, i.glc ? data : nullptr);
  if (i.glc) zeroOutside(w, a.active, data, sizeof(T) / 4);
}

void order(Wave&, const Inst&) {
  std::atomic_thread_fence(std::memory_order_acq_rel);
}

}  // namespace

RUN(buffer_load_dword) {
  load(w, i, 1);
}
RUN(buffer_load_dwordx2) {
  load(w, i, 2);
}
RUN(buffer_load_dwordx3) {
  load(w, i, 3);
}
RUN(buffer_load_dwordx4) {
  load(w, i, 4);
}
RUN(buffer_store_dword) {
  store(w, i, 1);
}
RUN(buffer_store_dwordx2) {
  store(w, i, 2);
}
RUN(buffer_store_dwordx3) {
  store(w, i, 3);
}
RUN(buffer_store_dwordx4) {
  store(w, i, 4);
}

RUN(buffer_load_ubyte) {
  loadPart(w, i, 1, Part::kByte, Place::kWhole);
}
RUN(buffer_load_sbyte) {
  loadPart(w, i, 1, Part::kSignedByte, Place::kWhole);
}
RUN(buffer_load_ushort) {
  loadPart(w, i, 2, Part::kShort, Place::kWhole);
}
RUN(buffer_load_sshort) {
  loadPart(w, i, 2, Part::kSignedShort, Place::kWhole);
}
RUN(buffer_load_ubyte_d16) {
  loadPart(w, i, 1, Part::kByte, Place::kLow);
}
RUN(buffer_load_ubyte_d16_hi) {
  loadPart(w, i, 1, Part::kByte, Place::kHigh);
}
RUN(buffer_load_sbyte_d16) {
  loadPart(w, i, 1, Part::kSignedByte, Place::kLow);
}
RUN(buffer_load_sbyte_d16_hi) {
  loadPart(w, i, 1, Part::kSignedByte, Place::kHigh);
}
RUN(buffer_load_short_d16) {
  loadPart(w, i, 2, Part::kShort, Place::kLow);
}
RUN(buffer_load_short_d16_hi) {
  loadPart(w, i, 2, Part::kShort, Place::kHigh);
}
RUN(buffer_store_byte) {
  storePart(w, i, 1, false);
}
RUN(buffer_store_byte_d16_hi) {
  storePart(w, i, 1, true);
}
RUN(buffer_store_short) {
  storePart(w, i, 2, false);
}
RUN(buffer_store_short_d16_hi) {
  storePart(w, i, 2, true);
}

#define ATOMIC(name, op, type, compare)      \
  RUN(buffer_atomic_##name) {                \
    modify<atomic::op, type, compare>(w, i); \
  }
#define INTEGER(name, op, compare) \
  ATOMIC(name, op, U32, compare)   \
  ATOMIC(name##_x2, op, U64, compare)
INTEGER_ATOMICS(INTEGER)
RUN(buffer_atomic_add_f32) {
  addsDenormals(w) ? modify<atomic::AddFloat, U32, false>(w, i) : modify<atomic::AddFloatFlushed, U32, false>(w, i);
}
ATOMIC(pk_add_f16, AddPackedHalf, U32, false)
ATOMIC(add_f64, AddFloat, U64, false)
ATOMIC(min_f64, MinFloat, U64, false)
ATOMIC(max_f64, MaxFloat, U64, false)

// There are no caches to look after, only this CPU's own view of memory.
const Impl buffer_wbl2{order, order};
const Impl buffer_invl2{order, order};
const Impl buffer_inv{order, order};
const Impl buffer_wbinvl1{order, order};
const Impl buffer_wbinvl1_vol{order, order};

}  // namespace hipr::softgpu::HIPR_LEVEL

// LDS reads and writes, lane permutations, counters; atomics are in ds_atomic.cpp, the global barrier in gws.cpp.
#include "backends/softgpu/isa/forms.h"
#include "backends/softgpu/isa/lds.h"
#include "backends/softgpu/isa/window.h"

namespace hipr::softgpu::HIPR_LEVEL {

void placeInLds(Wave& w, unsigned bytes, Addresses& a) {
  std::uint64_t size = w.lds.end - w.lds.begin, highest = 0;
  repeatActive(a);
  for (int l = 0; l < kLanes; ++l) highest = a.at[l] > highest ? a.at[l] : highest;
  if (highest + bytes > size) {
    std::memset(w.group->beyondLds, 0, sizeof w.group->beyondLds);
    for (int l = 0; l < kLanes; ++l)
      if (a.at[l] + bytes > size) a.at[l] = reinterpret_cast<std::uint64_t>(w.group->beyondLds[l]) - w.lds.begin;
  }
  for (int l = 0; l < kLanes; ++l) a.at[l] += w.lds.begin;
  a.checked = true;
}

bool ldsAddresses(Wave& w, const Inst& i, Rows base, std::uint32_t offset, unsigned bytes, Addresses& a) {
  a.active = w.exec();
  if (!a.active) return false;
  if (i.lds) {
    raise(w, i, FaultKind::kIllegalInstruction, "GDS does not exist");
    return false;
  }
  for (int l = 0; l < kLanes; ++l) a.at[l] = base[l] + offset;  // wraps at 32 bits: compilers use negative bases
  placeInLds(w, bytes, a);
  return true;
}

namespace {

using U32 = std::uint32_t;

void read(Wave& w, const Inst& i, unsigned dwords) {
  if (std::uint64_t at = ldsSpan(w, i, i.literal, dwords * 4)) return loadSpan(w, at, dwords, w.row(i.dst));
  Window window;
  if (ldsWindow(w, i, i.literal, dwords * 4, window)) return loadWindow(w, window, dwords, w.row(i.dst));
  Addresses a;
  if (ldsAddresses(w, i, w.row(i.src[0]), i.literal, dwords * 4, a)) loadDwords(w, i, a, dwords, w.row(i.dst));
}

void readPart(Wave& w, const Inst& i, Part part, Place place) {
  Addresses a;
  if (ldsAddresses(w, i, w.row(i.src[0]), i.literal, part >= Part::kShort ? 2 : 1, a))
    loadPart(w, i, a, part, place, w.row(i.dst));
}

void write(Wave& w, const Inst& i, unsigned dwords) {
  if (std::uint64_t at = ldsSpan(w, i, i.literal, dwords * 4)) return storeSpan(w, at, dwords, w.row(i.src[1]));
  Window window;
  if (ldsWindow(w, i, i.literal, dwords * 4, window)) return storeWindow(w, window, dwords, w.row(i.src[1]));
  Addresses a;
  if (ldsAddresses(w, i, w.row(i.src[0]), i.literal, dwords * 4, a)) storeDwords(w, i, a, dwords, w.row(i.src[1]));
}

void writePart(Wave& w, const Inst& i, unsigned bytes, bool high) {
  Addresses a;
  if (ldsAddresses(w, i, w.row(i.src[0]), i.literal, bytes, a)) storePart(w, i, a, bytes, high, w.row(i.src[1]));
}

// Two places of `dwords` each, their offsets counted in `unit` bytes. Both are read before anything is written.
void read2(Wave& w, const Inst& i, unsigned dwords, unsigned unit) {
  std::uint64_t one = ldsSpan(w, i, i.offset0 * unit, dwords * 4);
  std::uint64_t two = one ? ldsSpan(w, i, i.offset1 * unit, dwords * 4) : 0;
  if (two) {
    loadSpan(w, one, dwords, w.row(i.dst));
    return loadSpan(w, two, dwords, w.row(i.dst) + dwords * kLanes);
  }
  Window here, there;
  if (ldsWindow(w, i, i.offset0 * unit, dwords * 4, here) && ldsWindow(w, i, i.offset1 * unit, dwords * 4, there)) {
    alignas(64) U32 values[4 * kLanes];
    loadWindow(w, here, dwords, values);
    loadWindow(w, there, dwords, values + dwords * kLanes);
    return storeMasked(w, w.row(i.dst), values, 2 * dwords);
  }
  Addresses first, second;
  Rows base = w.row(i.src[0]);
  if (!ldsAddresses(w, i, base, i.offset0 * unit, dwords * 4, first)) return;
  if (!ldsAddresses(w, i, base, i.offset1 * unit, dwords * 4, second)) return;
  loadDwords(w, i, first, dwords, w.row(i.dst));
  loadDwords(w, i, second, dwords, w.row(i.dst) + dwords * kLanes);
}

void write2(Wave& w, const Inst& i, unsigned dwords, unsigned unit) {
  std::uint64_t one = ldsSpan(w, i, i.offset0 * unit, dwords * 4);
  std::uint64_t two = one ? ldsSpan(w, i, i.offset1 * unit, dwords * 4) : 0;
  if (two) {
    storeSpan(w, one, dwords, w.row(i.src[1]));
    return storeSpan(w, two, dwords, w.row(i.src[2]));
  }
  Window here, there;
  if (ldsWindow(w, i, i.offset0 * unit, dwords * 4, here) && ldsWindow(w, i, i.offset1 * unit, dwords * 4, there)) {
    storeWindow(w, here, dwords, w.row(i.src[1]));
    return storeWindow(w, there, dwords, w.row(i.src[2]));
  }
  Addresses first, second;
  Rows base = w.row(i.src[0]);
  if (!ldsAddresses(w, i, base, i.offset0 * unit, dwords * 4, first)) return;
  if (!ldsAddresses(w, i, base, i.offset1 * unit, dwords * 4, second)) return;
  storeDwords(w, i, first, dwords, w.row(i.src[1]));
  storeDwords(w, i, second, dwords, w.row(i.src[2]));
}

// Addresses for the forms that count lanes from M0.
bool lanesFromM0(Wave& w, const Inst& i, Addresses& a) {
  U32 base[kLanes];
  for (unsigned l = 0; l < kLanes; ++l) base[l] = (w.s[kM0] & 0xffff) + 4 * l;
  return ldsAddresses(w, i, base, i.literal, 4, a);
}

// ds_append and ds_consume: one counter for the wave, moved by the number of active lanes.
void count(Wave& w, const Inst& i, bool up) {
  U32 base[kLanes];
  for (U32& b : base) b = w.s[kM0] & 0xffff;
  Addresses a;
  if (!ldsAddresses(w, i, base, i.literal, 4, a)) return;
  U32 old, lanes = static_cast<U32>(std::popcount(w.exec()));
  std::memcpy(&old, reinterpret_cast<const void*>(a.at[0]), 4);
  U32 next = up ? old + lanes : old - lanes;
  std::memcpy(reinterpret_cast<void*>(a.at[0]), &next, 4);
  U32 values[kLanes];
  for (U32& v : values) v = old;
  storeMasked(w, w.row(i.dst), values, 1);
}

// Lane l gets the value of lane source(l) % 64, or 0 from an inactive one.
template <class Source>
void pull(Wave& w, const Inst& i, Rows data, Source source) {
  alignas(64) U32 from[kLanes], values[kLanes];
  for (U32 l = 0; l < kLanes; ++l) from[l] = source(l);
  pullLanes(data, from, values);
  if (std::uint64_t exec = w.exec(); exec != ~0ull) {
    alignas(64) U32 on[kLanes], kept[kLanes];
    expandMask(exec, on);
    pullLanes(on, from, kept);
    for (int l = 0; l < kLanes; ++l) values[l] &= kept[l];
  }
  storeMasked(w, w.row(i.dst), values, 1);
}

// The pattern works on groups of 32 lanes, or 4 in quad mode.
void swizzle(Wave& w, const Inst& i, Rows data) {
  U32 pattern = i.literal;
  if ((pattern & 0xc000) == 0xc000) {  // rotate by bits 9:5 among the lanes that differ in the bits outside 4:0
    U32 keep = pattern & 31, by = (pattern >> 10 & 1) ? 0u - (pattern >> 5 & 31) : pattern >> 5 & 31;
    pull(w, i, data, [=](U32 l) { return (l & ~31u) | (l & keep) | ((l + by) & ~keep & 31); });
  } else if (pattern & 0x8000) {
    pull(w, i, data, [=](U32 l) { return (l & ~3u) | (pattern >> (2 * (l & 3)) & 3); });
  } else {
    U32 keep = pattern & 31, set = pattern >> 5 & 31, flip = pattern >> 10 & 31;
    pull(w, i, data, [=](U32 l) { return (l & ~31u) | (((l & keep) | set) ^ flip); });
  }
}

}  // namespace

RUN(ds_nop) {}

RUN(ds_read_b32) {
  read(w, i, 1);
}
RUN(ds_read_b64) {
  read(w, i, 2);
}
RUN(ds_read_b96) {
  read(w, i, 3);
}
RUN(ds_read_b128) {
  read(w, i, 4);
}
RUN(ds_read2_b32) {
  read2(w, i, 1, 4);
}
RUN(ds_read2st64_b32) {
  read2(w, i, 1, 256);
}
RUN(ds_read2_b64) {
  read2(w, i, 2, 8);
}
RUN(ds_read2st64_b64) {
  read2(w, i, 2, 512);
}
RUN(ds_read_i8) {
  readPart(w, i, Part::kSignedByte, Place::kWhole);
}
RUN(ds_read_u8) {
  readPart(w, i, Part::kByte, Place::kWhole);
}
RUN(ds_read_i16) {
  readPart(w, i, Part::kSignedShort, Place::kWhole);
}
RUN(ds_read_u16) {
  readPart(w, i, Part::kShort, Place::kWhole);
}
RUN(ds_read_u8_d16) {
  readPart(w, i, Part::kByte, Place::kLow);
}
RUN(ds_read_u8_d16_hi) {
  readPart(w, i, Part::kByte, Place::kHigh);
}
RUN(ds_read_i8_d16) {
  readPart(w, i, Part::kSignedByte, Place::kLow);
}
RUN(ds_read_i8_d16_hi) {
  readPart(w, i, Part::kSignedByte, Place::kHigh);
}
RUN(ds_read_u16_d16) {
  readPart(w, i, Part::kShort, Place::kLow);
}
RUN(ds_read_u16_d16_hi) {
  readPart(w, i, Part::kShort, Place::kHigh);
}

RUN(ds_write_b32) {
  write(w, i, 1);
}
RUN(ds_write_b64) {
  write(w, i, 2);
}
RUN(ds_write_b96) {
  write(w, i, 3);
}
RUN(ds_write_b128) {
  write(w, i, 4);
}
RUN(ds_write2_b32) {
  write2(w, i, 1, 4);
}
RUN(ds_write2st64_b32) {
  write2(w, i, 1, 256);
}
RUN(ds_write2_b64) {
  write2(w, i, 2, 8);
}
RUN(ds_write2st64_b64) {
  write2(w, i, 2, 512);
}
RUN(ds_write_b8) {
  writePart(w, i, 1, false);
}
RUN(ds_write_b16) {
  writePart(w, i, 2, false);
}
RUN(ds_write_b8_d16_hi) {
  writePart(w, i, 1, true);
}
RUN(ds_write_b16_d16_hi) {
  writePart(w, i, 2, true);
}

RUN(ds_read_addtid_b32) {
  Addresses a;
  if (lanesFromM0(w, i, a)) loadDwords(w, i, a, 1, w.row(i.dst));
}
RUN(ds_write_addtid_b32) {
  Addresses a;
  if (lanesFromM0(w, i, a)) storeDwords(w, i, a, 1, w.row(i.src[1]));
}
RUN(ds_append) {
  count(w, i, true);
}
RUN(ds_consume) {
  count(w, i, false);
}

RUN(ds_swizzle_b32) {
  if (i.literal >= 0xe000) return raise(w, i, FaultKind::kIllegalInstruction, "FFT swizzle is not implemented");
  swizzle(w, i, w.row(i.src[0]));
}
RUN(ds_bpermute_b32) {
  Rows address = w.row(i.src[0]);
  pull(w, i, w.row(i.src[1]), [&](U32 l) { return (address[l] + i.literal) / 4; });
}
RUN(ds_permute_b32) {
  Rows address = w.row(i.src[0]), data = w.row(i.src[1]);
  U32 values[kLanes] = {};
  for (std::uint64_t left = w.exec(); left; left &= left - 1) {
    int l = std::countr_zero(left);
    values[(address[l] + i.literal) / 4 % kLanes] = data[l];
  }
  storeMasked(w, w.row(i.dst), values, 1);
}

}  // namespace hipr::softgpu::HIPR_LEVEL

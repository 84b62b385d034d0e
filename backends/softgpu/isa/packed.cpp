#include "backends/softgpu/isa/packed.h"

namespace hipr::softgpu::HIPR_LEVEL {

Rows source32(const Wave& w, const Inst& i, unsigned k, Kind kind, std::uint32_t* buffer) {
  if (i.src[k] >= kVgpr) return w.row(i.src[k]);
  splat(w, i, i.src[k], kind, buffer);
  return buffer;
}

Rows sourceDwords(const Wave& w, const Inst& i, unsigned k, Kind kind, bool high, std::uint32_t* buffer) {
  bool upper = ((high ? i.opSelHi : i.opSel) >> k) & 1;
  bool negate = kind == Kind::kF32 && (((high ? i.abs : i.neg) >> k) & 1);
  bool flush = !keepsDenormals(w.mode, kind, 1);
  Rows in;
  if (i.src[k] >= kVgpr) {
    in = w.row(i.src[k]) + (upper ? kLanes : 0);
  } else {
    unsigned code = i.src[k];
    std::uint32_t value = code < 128 ? w.s[(code & ~1u) + upper] : upper && code >= 240 ? 0 : w.s[code];
    for (int l = 0; l < kLanes; ++l) buffer[l] = value;
    in = buffer;
  }
  if (!negate && !flush) return in;
  std::uint32_t sign = negate ? 0x80000000 : 0;
  for (int l = 0; l < kLanes; ++l) buffer[l] = in[l] ^ sign;
  if (flush) flushDenormals(buffer, kind);
  return buffer;
}

namespace {

// Does `change` to the halves of a packed row, as rows of one half.
template <class Change>
void eachHalf(std::uint32_t* row, Change change) {
  alignas(64) std::uint32_t low[kLanes], high[kLanes];
  for (int l = 0; l < kLanes; ++l) low[l] = row[l] & 0xffff;
  for (int l = 0; l < kLanes; ++l) high[l] = row[l] >> 16;
  change(low);
  change(high);
  for (int l = 0; l < kLanes; ++l) row[l] = low[l] | high[l] << 16;
}

}  // namespace

Rows sourceHalves(const Wave& w, const Inst& i, unsigned k, Kind kind, std::uint32_t* buffer) {
  bool isHalf = kind == Kind::kF16;
  // Integer constants fill the whole dword; floating point ones are 16-bit values for f16 and 32-bit ones otherwise.
  Rows in = source32(w, i, k, isHalf ? Kind::kF16 : Kind::kU32, buffer);
  unsigned low = (i.opSel >> k) & 1, high = (i.opSelHi >> k) & 1;
  std::uint32_t flip = isHalf ? ((i.neg >> k) & 1 ? 0x8000 : 0) | ((i.abs >> k) & 1 ? 0x80000000 : 0) : 0;
  bool flush = !keepsDenormals(w.mode, kind, 1);
  if (!low && high && !flip && !flush) return in;
#pragma GCC ivdep
  for (int l = 0; l < kLanes; ++l) buffer[l] = (((in[l] >> (16 * low)) & 0xffff) | (in[l] >> (16 * high)) << 16) ^ flip;
  if (flush) eachHalf(buffer, [&](std::uint32_t* row) { flushDenormals(row, kind); });
  return buffer;
}

void runHalves(Wave& w, const Inst& i, const Shape& shape, HalvesLoop* loop) {
  alignas(64) std::uint32_t buffers[3][kLanes];
  alignas(64) std::uint32_t out[kLanes];
  Rows rows[4] = {};
  for (unsigned k = 0; k < 3 && shape.sources[k] != Kind::kNone && shape.sources[k] != Kind::kLane; ++k)
    rows[k] = sourceHalves(w, i, k, shape.sources[k], buffers[k]);
  bool flush = !keepsDenormals(w.mode, shape.result, 2), clamp = i.clamp && isFloat(shape.result);
  HostRounding rounding(w.mode, shape.result);
  if (w.exec() == ~0ull && !flush && !clamp) return loop(rows, w.row(i.dst), w.mode);
  loop(rows, out, w.mode);
  if (flush || clamp) {
    eachHalf(out, [&](std::uint32_t* row) {
      modifyResult(row, shape.result, 0, clamp, w.mode);
      if (flush) flushDenormals(row, shape.result);
    });
  }
  storeMasked(w, w.row(i.dst), out, 1);
}

void runDwords(Wave& w, const Inst& i, const Shape& shape, Loop* loop) {
  alignas(64) std::uint32_t buffers[3][kLanes];
  alignas(64) std::uint32_t out[2 * kLanes];
  HostRounding rounding(w.mode, shape.result);
  for (int high = 0; high < 2; ++high) {
    Rows rows[4] = {};
    std::uint32_t* to = out + high * kLanes;
    for (unsigned k = 0; k < 3 && shape.sources[k] != Kind::kNone; ++k)
      rows[k] = sourceDwords(w, i, k, shape.sources[k], high, buffers[k]);
    loop(rows, to, w.mode, kAllLanes);
    modifyResult(to, shape.result, 0, i.clamp, w.mode);
    if (!keepsDenormals(w.mode, shape.result, 2)) flushDenormals(to, shape.result);
  }
  storeMasked(w, w.row(i.dst), out, 2);
}

}  // namespace hipr::softgpu::HIPR_LEVEL

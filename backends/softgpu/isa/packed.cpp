#include "backends/softgpu/isa/packed.h"

namespace hipr::softgpu::HIPR_LEVEL {

Rows source32(const Wave& w, const Inst& i, unsigned k, Kind kind, std::uint32_t* buffer) {
  if (i.src[k] >= kVgpr) return w.row(i.src[k]);
  splat(w, i, i.src[k], kind, buffer);
  return buffer;
}

void sourceHalves(const Wave& w, const Inst& i, unsigned k, Kind kind, bool high, std::uint32_t* out) {
  // Integer constants fill the whole dword; floating point ones are 16-bit values for f16 and 32-bit ones otherwise.
  Rows in = source32(w, i, k, kind == Kind::kF16 ? Kind::kF16 : Kind::kU32, out);
  unsigned shift = ((high ? i.opSelHi : i.opSel) >> k) & 1 ? 16 : 0;
  bool negate = kind == Kind::kF16 && (((high ? i.abs : i.neg) >> k) & 1);
  std::uint32_t sign = negate ? 0x8000 : 0;
  for (int l = 0; l < kLanes; ++l) out[l] = ((in[l] >> shift) & 0xffff) ^ sign;
  if (!keepsDenormals(w.mode, kind, 1)) flushDenormals(out, kind);
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

void runHalves(Wave& w, const Inst& i, const Shape& shape, Loop* loop) {
  alignas(64) std::uint32_t buffers[3][kLanes];
  alignas(64) std::uint32_t out[2][kLanes];
  Rows rows[4] = {buffers[0], buffers[1], buffers[2], nullptr};
  for (int high = 0; high < 2; ++high) {
    for (unsigned k = 0; k < 3 && shape.sources[k] != Kind::kNone && shape.sources[k] != Kind::kLane; ++k)
      sourceHalves(w, i, k, shape.sources[k], high, buffers[k]);
    loop(rows, out[high], w.mode);
    modifyResult(out[high], shape.result, 0, i.clamp, w.mode);
    if (!keepsDenormals(w.mode, shape.result, 2)) flushDenormals(out[high], shape.result);
  }
  for (int l = 0; l < kLanes; ++l) out[0][l] |= out[1][l] << 16;
  storeMasked(w, w.row(i.dst), out[0], 1);
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
    loop(rows, to, w.mode);
    modifyResult(to, shape.result, 0, i.clamp, w.mode);
    if (!keepsDenormals(w.mode, shape.result, 2)) flushDenormals(to, shape.result);
  }
  storeMasked(w, w.row(i.dst), out, 2);
}

}  // namespace hipr::softgpu::HIPR_LEVEL

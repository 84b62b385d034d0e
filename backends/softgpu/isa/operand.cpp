#include "backends/softgpu/isa/operand.h"

#include <cfenv>

#include "backends/softgpu/isa/forms.h"

namespace hipr::softgpu::HIPR_LEVEL {
namespace {

// Inline floating point constants 240-248: 0.5, -0.5, 1, -1, 2, -2, 4, -4, 1/(2 pi).
constexpr double kFloats64[] = {0.5, -0.5, 1, -1, 2, -2, 4, -4, 0x1.45f306dc9c882p-3};
constexpr std::uint16_t kFloats16[] = {0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000, 0xc000, 0x4400, 0xc400, 0x3118};

// vccz, execz, scc: the operands that are not storage.
std::uint32_t statusOperand(const Wave& w, unsigned code) {
  if (code == 251) return w.vcc() == 0;
  if (code == 252) return w.exec() == 0;
  if (code == 253) return w.scc;
  return 0;
}

std::uint64_t signExtend32(std::uint32_t x) {
  return static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(x)});
}

constexpr std::uint32_t kDx10Clamp = 1u << 8;
constexpr std::uint32_t kIeee = 1u << 9;

template <class T>
HIPR_INLINE T multiplied(T x, T factor) {
  T product = x * factor;
  return product == T(0) ? T(0) : product;  // -0 becomes +0
}
template <class T>
HIPR_INLINE T clamped(T x, bool clampNan) {
  T inside = x > T(0) ? (x < T(1) ? x : T(1)) : T(0);
  return clampNan || x == x ? inside : x;
}

// Halves are computed with as floats.
template <class T, class F>
void changeLanes(std::uint32_t* rows, F change) {
  for (int l = 0; l < kLanes; ++l) {
    if constexpr (std::is_same_v<T, Half>)
      store(rows, l, toHalf(change(toFloat(load<Half>(rows, l, 0)))));
    else
      store(rows, l, change(load<T>(rows, l, 0)));
  }
}

template <class T>
void modifyLanes(std::uint32_t* rows, unsigned omod, bool clamp, bool clampNan) {
  float factor = omod == 1 ? 2.0f : omod == 2 ? 4.0f : 0.5f;
  if (omod) changeLanes<T>(rows, [=](auto x) { return multiplied<decltype(x)>(x, factor); });
  if (clamp && clampNan) changeLanes<T>(rows, [](auto x) { return clamped(x, true); });
  if (clamp && !clampNan) changeLanes<T>(rows, [](auto x) { return clamped(x, false); });
}

}  // namespace

Rows applySign(Rows in, Kind kind, bool abs, bool neg, std::uint32_t* out) {
  if (!abs && !neg) return in;
  std::uint32_t sign = kind == Kind::kF16 ? 0x8000 : 0x80000000;
  std::uint32_t keep = abs ? ~sign : ~0u, flip = neg ? sign : 0;
  unsigned top = isWide(kind) ? kLanes : 0;
  if (top && in != out) std::memcpy(out, in, kLanes * sizeof *out);
#pragma GCC ivdep
  for (int l = 0; l < kLanes; ++l) out[top + l] = (in[top + l] & keep) ^ flip;
  return out;
}

// MODE: rounding in bits 0-1 for f32 and 2-3 for f16 and f64, denormals in bits 4-5 and 6-7 (1: keep sources, 2: keep
// results), DX10_CLAMP in bit 8, IEEE in bit 9.
bool keepsDenormals(std::uint32_t mode, Kind kind, unsigned which) {
  return !isFloat(kind) || ((mode >> (kind == Kind::kF32 ? 4 : 6)) & which);
}

void flushDenormals(std::uint32_t* row, Kind kind) {
  std::uint32_t* high = kind == Kind::kF64 ? row + kLanes : row;
  std::uint32_t exponent = kind == Kind::kF16 ? 0x7c00 : kind == Kind::kF32 ? 0x7f800000 : 0x7ff00000;
  std::uint32_t sign = kind == Kind::kF16 ? 0x8000 : 0x80000000;
  for (int l = 0; l < kLanes; ++l) {
    bool keep = high[l] & exponent;
    if (kind == Kind::kF64) row[l] = keep ? row[l] : 0;
    high[l] = keep ? high[l] : high[l] & sign;
  }
}

void modifyResult(std::uint32_t* rows, Kind kind, unsigned omod, bool clamp, std::uint32_t mode) {
  // The hardware has no OMOD where results may be denormal or IEEE rules hold.
  if ((mode & kIeee) || keepsDenormals(mode, kind, 2)) omod = 0;
  if (!omod && !clamp) return;
  bool nan = mode & kDx10Clamp;
  if (kind == Kind::kF32) modifyLanes<float>(rows, omod, clamp, nan);
  if (kind == Kind::kF64) modifyLanes<double>(rows, omod, clamp, nan);
  if (kind == Kind::kF16) modifyLanes<Half>(rows, omod, clamp, nan);
}

HostRounding::HostRounding(std::uint32_t mode, Kind result)
    : mode_(result == Kind::kF32 ? mode & 3
            : isFloat(result)    ? (mode >> 2) & 3
                                 : 0) {
  constexpr int kModes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
  if (mode_) std::fesetround(kModes[mode_]);
}
HostRounding::~HostRounding() {
  if (mode_) std::fesetround(FE_TONEAREST);
}

std::uint64_t scalarOperand(const Wave& w, const Inst& i, unsigned code, Kind kind) {
  if (code == kLiteral) {
    if (kind == Kind::kF64) return std::uint64_t{i.literal} << 32;
    return kind == Kind::kI64 ? signExtend32(i.literal) : i.literal;
  }
  if (code >= 249) return statusOperand(w, code);
  // Of 64-bit integers too: `s_mov_b64 s[0:1], 1.0` makes a double.
  if (code >= 240 && isWide(kind)) return std::bit_cast<std::uint64_t>(kFloats64[code - 240]);
  if (code >= 240 && isShort(kind)) return kFloats16[code - 240];
  if (!isWide(kind) && kind != Kind::kMask) return w.s[code];
  if (code >= 240) return w.s[code];
  if (code >= 235 && code < 239) return std::uint64_t{w.s[code]} << 32;  // an aperture as a 64-bit address
  return code >= 128 ? signExtend32(w.s[code]) : w.pair(code);
}

void splat(const Wave& w, const Inst& i, unsigned code, Kind kind, std::uint32_t* buffer) {
  std::uint64_t value =
      code < 240 && !isWide(kind) && kind != Kind::kMask ? w.s[code] : scalarOperand(w, i, code, kind);
  if (kind == Kind::kMask) return expandMask(value, buffer);
  for (int l = 0; l < kLanes; ++l) buffer[l] = static_cast<std::uint32_t>(value);
  if (!isWide(kind)) return;
  for (int l = 0; l < kLanes; ++l) buffer[l + kLanes] = static_cast<std::uint32_t>(value >> 32);
}

#ifndef __AVX512DQ__
void expandMask(std::uint64_t mask, std::uint32_t* row) {
  auto low = static_cast<std::uint32_t>(mask), high = static_cast<std::uint32_t>(mask >> 32);
  for (unsigned l = 0; l < 32; ++l) row[l] = 0u - ((low >> l) & 1);
  for (unsigned l = 0; l < 32; ++l) row[l + 32] = 0u - ((high >> l) & 1);
}
#endif

namespace {

// Source k as the operation sees it; `through` loses the lanes DPP keeps from the destination.
Rows modified(Wave& w, const Inst& i, unsigned k, Kind kind, std::uint32_t* buffer, std::uint64_t& through) {
  Rows rows = anyRow(w, i, k, kind, buffer);
  if (kind == Kind::kMask) return rows;
  if (i.form == Form::kSdwa && k < 2)
    rows = select(rows, (i.ext >> (16 + 8 * k)) & 7, (i.ext >> (19 + 8 * k)) & 1, buffer);
  if (i.form == Form::kDpp && k == 0) {
    through = movedByDpp(w, i.ext, rows, buffer, isWide(kind));
    rows = buffer;
  }
  if (i.form == Form::kVop3 && isShort(kind) && ((i.opSel >> k) & 1)) rows = select(rows, 5, false, buffer);
  rows = applySign(rows, kind, (i.abs >> k) & 1, (i.neg >> k) & 1, buffer);
  if (!keepsDenormals(w.mode, kind, 1) && !(i.flags & kRawSources)) {
    if (rows != buffer) std::memcpy(buffer, rows, kLanes * (isWide(kind) ? 2 : 1) * sizeof *buffer);
    flushDenormals(buffer, kind);
    rows = buffer;
  }
  return rows;
}

// The part of the destination that a result goes to, as SDWA says it; 6 << 8 is all of it.
std::uint32_t placeOf(const Inst& i, Kind result) {
  if (i.form == Form::kSdwa) return i.ext;
  if (isShort(result) && ((i.opSel & 8) || (i.flags & kKeepsHalf))) return (i.opSel & 8 ? 5u : 4u) << 8 | 2u << 11;
  return 6 << 8;
}

}  // namespace

void runGeneral(Wave& w, const Inst& i, const Shape& shape, Loop* loop) {
  alignas(64) std::uint32_t buffers[4][kWideRows];
  alignas(64) std::uint32_t out[kWideRows];
  Rows rows[4] = {};
  std::uint64_t through = ~0ull;
  for (unsigned k = 0; k < 4 && shape.sources[k] != Kind::kNone; ++k) {
    if (shape.sources[k] != Kind::kLane) rows[k] = modified(w, i, k, shape.sources[k], buffers[k], through);
  }
  std::uint64_t lanes = w.exec() & through;
  bool isMask = shape.result == Kind::kMask;
  bool flush = !keepsDenormals(w.mode, shape.result, 2);
  std::uint32_t place = placeOf(i, shape.result);
  bool direct = !i.clamp && !i.omod && !flush && ((place >> 8) & 7) > 5;
  std::uint32_t* dst = isMask ? nullptr : w.row(i.dst);
  std::uint64_t mask = 0;
  {
    HostRounding rounding(w.mode, shape.result);
    mask = direct && !isMask ? loop(rows, dst, w.mode, laneSet(w, lanes)) : loop(rows, out, w.mode, kAllLanes);
    if (!isMask && !direct) modifyResult(out, shape.result, i.omod, i.clamp, w.mode);
  }
  if (!isMask && !direct) {
    if (flush) flushDenormals(out, shape.result);
    insert(out, dst, place);
    storeLanes(w, lanes, dst, out, isWide(shape.result) ? 2 : 1);
  }
  if (!isMask && !shape.carry) return;
  mask &= lanes;
  w.setPair(i.sdst, mask);
  if (i.flags & kCmpx) w.setPair(kExecLo, mask);
}

}  // namespace hipr::softgpu::HIPR_LEVEL

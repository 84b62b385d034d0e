#include "backends/softgpu/isa/operand.h"

#include <cfenv>

#ifdef __AVX2__
#include <immintrin.h>
#endif

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

void applySign(std::uint32_t* rows, Kind kind, bool abs, bool neg) {
  if (!abs && !neg) return;
  std::uint32_t* row = isWide(kind) ? rows + kLanes : rows;
  std::uint32_t sign = kind == Kind::kF16 ? 0x8000 : 0x80000000;
  for (int l = 0; l < kLanes; ++l) row[l] = (abs ? row[l] & ~sign : row[l]) ^ (neg ? sign : 0);
}

// SDWA selects: 0-3 a byte, 4-5 a word, 6 the whole dword.
void select(std::uint32_t* row, unsigned sel, bool sext) {
  if (sel > 5) return;
  unsigned shift = sel < 4 ? sel * 8 : (sel - 4) * 16;
  unsigned width = sel < 4 ? 8 : 16;
  for (int l = 0; l < kLanes; ++l) {
    std::uint32_t field = row[l] << (32 - width - shift);
    row[l] =
        sext ? static_cast<std::uint32_t>(static_cast<std::int32_t>(field) >> (32 - width)) : field >> (32 - width);
  }
}

// Where DPP takes lane `l` from, or -1 when there is no such lane.
int dppSource(unsigned ctrl, int l) {
  int row = l & ~15, n = l & 15;
  if (ctrl < 0x100) return (l & ~3) | static_cast<int>((ctrl >> (2 * (l & 3))) & 3);
  int amount = static_cast<int>(ctrl & 15);
  switch (ctrl & 0x1f0) {
    case 0x100:
      return n + amount < 16 ? l + amount : -1;  // row_shl
    case 0x110:
      return n - amount >= 0 ? l - amount : -1;  // row_shr
    case 0x120:
      return row | ((n - amount) & 15);  // row_ror
    case 0x150:
      return row | amount;  // row_newbcast (gfx90a)
  }
  switch (ctrl) {
    case 0x130:
      return l + 1 < kLanes ? l + 1 : -1;  // wave_shl
    case 0x134:
      return (l + 1) & 63;  // wave_rol
    case 0x138:
      return l - 1;  // wave_shr
    case 0x13c:
      return (l - 1) & 63;  // wave_ror
    case 0x140:
      return row | (15 - n);  // row_mirror
    case 0x141:
      return (l & ~7) | (7 - (l & 7));  // row_half_mirror
    case 0x142:
      return row >= 16 ? row - 1 : -1;  // row_bcast15
    case 0x143:
      return l >= 32 ? 31 : -1;  // row_bcast31
  }
  return -1;
}

// Permutes source 0; returns the lanes DPP lets through to the destination.
std::uint64_t applyDpp(const Wave& w, std::uint32_t ext, std::uint32_t* rows, bool wide) {
  unsigned ctrl = (ext >> 8) & 0x1ff;
  bool zeroInvalid = (ext >> 19) & 1;
  std::uint32_t old[kWideRows];
  std::memcpy(old, rows, sizeof old);
  std::uint64_t enabled = 0;
  for (int l = 0; l < kLanes; ++l) {
    bool masked = !((ext >> (28 + l / 16)) & 1) || !((ext >> (24 + (l / 4) % 4)) & 1);
    int from = dppSource(ctrl, l);
    bool valid = from >= 0 && ((w.exec() >> from) & 1);
    if (!masked && (valid || zeroInvalid)) enabled |= 1ull << l;
    rows[l] = valid ? old[from] : 0;
    if (wide) rows[l + kLanes] = valid ? old[from + kLanes] : 0;
  }
  return enabled;
}

constexpr std::uint32_t kDx10Clamp = 1u << 8;
constexpr std::uint32_t kIeee = 1u << 9;

template <class F>
F outputModifiers(F x, unsigned omod, bool clamp, bool clampNan) {
  if (omod) x = x * (omod == 1 ? F(2) : omod == 2 ? F(4) : F(0.5)) + F(0);  // -0 becomes +0
  if (clamp && (x == x || clampNan)) x = x > F(0) ? (x < F(1) ? x : F(1)) : F(0);
  return x;
}

// Puts a result into the part of the destination SDWA names: 0 pads with zeros, 1 sign-extends, 2 keeps the old bits.
void insertSdwa(std::uint32_t* out, Rows old, std::uint32_t ext) {
  unsigned sel = (ext >> 8) & 7, unused = (ext >> 11) & 3;
  if (sel > 5) return;
  unsigned shift = sel < 4 ? sel * 8 : (sel - 4) * 16;
  unsigned width = sel < 4 ? 8 : 16;
  std::uint32_t mask = ((1u << width) - 1) << shift;
  for (int l = 0; l < kLanes; ++l) {
    std::uint32_t field = (out[l] << shift) & mask;
    bool negative = (field >> (shift + width - 1)) & 1;
    std::uint32_t above = negative && shift + width < 32 ? ~0u << (shift + width) : 0;
    out[l] = field | (unused == 2 ? old[l] & ~mask : unused == 1 ? above : 0);
  }
}

}  // namespace

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
  for (int l = 0; l < kLanes; ++l) {
    if (kind == Kind::kF32) store(rows, l, outputModifiers(load<float>(rows, l, 0), omod, clamp, nan));
    if (kind == Kind::kF64) store(rows, l, outputModifiers(load<double>(rows, l, 0), omod, clamp, nan));
    if (kind == Kind::kF16) store(rows, l, toHalf(outputModifiers(toFloat(load<Half>(rows, l, 0)), omod, clamp, nan)));
  }
}

HostRounding::HostRounding(std::uint32_t mode, Kind result)
    : mode_(result == Kind::kF32   ? mode & 3
            : result == Kind::kF64 ? (mode >> 2) & 3
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

void expandMask(std::uint64_t mask, std::uint32_t* row) {
#ifdef __AVX512DQ__
  for (int k = 0; k < 4; ++k)
    _mm512_storeu_si512(row + 16 * k, _mm512_movm_epi32(static_cast<__mmask16>(mask >> (16 * k))));
#else
  auto low = static_cast<std::uint32_t>(mask), high = static_cast<std::uint32_t>(mask >> 32);
  for (unsigned l = 0; l < 32; ++l) row[l] = 0u - ((low >> l) & 1);
  for (unsigned l = 0; l < 32; ++l) row[l + 32] = 0u - ((high >> l) & 1);
#endif
}

std::uint64_t packMask(Rows row) {
  std::uint64_t mask = 0;
#if defined(__AVX512F__)
  for (int k = 0; k < 4; ++k) {
    __m512i x = _mm512_loadu_si512(row + 16 * k);
    mask |= std::uint64_t{_mm512_test_epi32_mask(x, x)} << (16 * k);
  }
#elif defined(__AVX2__)
  for (int k = 0; k < 8; ++k) {
    __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(row + 8 * k));
    auto zero = static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(x, __m256i{}))));
    mask |= std::uint64_t{~zero & 0xff} << (8 * k);
  }
#else
  for (int l = 0; l < kLanes; ++l) mask |= std::uint64_t{row[l] != 0} << l;
#endif
  return mask;
}

void storeMasked(Wave& w, std::uint32_t* row, Rows values, unsigned rows) {
  std::uint64_t exec = w.exec();
  if (w.laneMaskOf != exec) {
    expandMask(exec, w.laneMask);
    w.laneMaskOf = exec;
  }
  const std::uint32_t* mask = w.laneMask;
  for (unsigned r = 0; r < rows; ++r, row += kLanes, values += kLanes) {
#pragma GCC ivdep
    for (int l = 0; l < kLanes; ++l) row[l] = (values[l] & mask[l]) | (row[l] & ~mask[l]);
  }
}

void writeMask(Wave& w, const Inst& i, std::uint64_t mask) {
  mask &= w.exec();
  w.setPair(i.sdst, mask);
  if (i.flags & kCmpx) w.setPair(kExecLo, mask);
}

void runGeneral(Wave& w, const Inst& i, const Shape& shape, Loop* loop) {
  alignas(64) std::uint32_t buffers[4][kWideRows];
  alignas(64) std::uint32_t out[3 * kLanes];
  Rows rows[4] = {buffers[0], buffers[1], buffers[2], buffers[3]};
  std::uint64_t saved = w.exec(), enabled = ~0ull;
  for (unsigned k = 0; k < 4 && shape.sources[k] != Kind::kNone; ++k) {
    Kind kind = shape.sources[k];
    if (kind == Kind::kLane) continue;
    unsigned code = i.src[k];
    if (code >= kVgpr) {
      std::memcpy(buffers[k], w.row(code), sizeof(std::uint32_t) * kLanes * (isWide(kind) ? 2 : 1));
    } else {
      splat(w, i, code, kind, buffers[k]);
    }
    if (kind == Kind::kMask) continue;
    if (i.form == Form::kSdwa && k < 2) select(buffers[k], (i.ext >> (16 + 8 * k)) & 7, (i.ext >> (19 + 8 * k)) & 1);
    if (i.form == Form::kDpp && k == 0) enabled = applyDpp(w, i.ext, buffers[k], isWide(kind));
    if (i.form == Form::kVop3 && isShort(kind) && ((i.opSel >> k) & 1)) select(buffers[k], 5, false);
    applySign(buffers[k], kind, (i.abs >> k) & 1, (i.neg >> k) & 1);
    if (!keepsDenormals(w.mode, kind, 1)) flushDenormals(buffers[k], kind);
  }
  {
    HostRounding rounding(w.mode, shape.result);
    loop(rows, out, w.mode);
  }
  if (enabled != ~0ull) w.setPair(kExecLo, saved & enabled);
  if (shape.result == Kind::kMask) {
    writeMask(w, i, packMask(out));
  } else {
    modifyResult(out, shape.result, i.omod, i.clamp, w.mode);
    if (!keepsDenormals(w.mode, shape.result, 2)) flushDenormals(out, shape.result);
    std::uint32_t* dst = w.row(i.dst);
    if (i.form == Form::kSdwa)
      insertSdwa(out, dst, i.ext);
    else if (isShort(shape.result) && ((i.opSel & 8) || (i.flags & kKeepsHalf)))
      insertSdwa(out, dst, (i.opSel & 8 ? 5u : 4u) << 8 | 2u << 11);
    unsigned wide = isWide(shape.result) ? 2 : 1;
    storeMasked(w, dst, out, wide);
    if (shape.carry) writeMask(w, i, packMask(out + wide * kLanes));
  }
  if (enabled != ~0ull && !(i.flags & kCmpx)) w.setPair(kExecLo, saved);
}

}  // namespace hipr::softgpu::HIPR_LEVEL

#include "backends/softgpu/isa/forms.h"

namespace hipr::softgpu::HIPR_LEVEL {
namespace {

// Where DPP takes lane `l` from, or -1 when there is no such lane.
constexpr int dppSource(unsigned ctrl, int l) {
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

// A control as a permutation: a lane without a source is its own.
struct Move {
  std::uint8_t from[kLanes];
  std::uint64_t valid;
  bool inRows;  // every lane takes from its own row of 16, each row alike
};

Move makeMove(unsigned ctrl) {
  Move move{};
  move.inRows = true;
  for (int l = 0; l < kLanes; ++l) {
    int from = dppSource(ctrl, l);
    if (from >= 0) move.valid |= 1ull << l;
    move.from[l] = static_cast<std::uint8_t>(from < 0 ? l : from);
    move.inRows = move.inRows && move.from[l] == (l & ~15) + move.from[l & 15];
  }
  return move;
}

struct Moves {
  Move of[0x200];
  Moves() {
    for (unsigned ctrl = 0; ctrl < 0x200; ++ctrl) of[ctrl] = makeMove(ctrl);
  }
};

void permute(const Move& move, Rows in, std::uint32_t* out) {
#if defined(__AVX512F__)
  if (move.inRows) {
    __m512i from = _mm512_maskz_cvtepu8_epi32(0xffff, _mm_loadu_si128(reinterpret_cast<const __m128i*>(move.from)));
    for (int row = 0; row < kLanes; row += 16)
      _mm512_storeu_si512(out + row, _mm512_maskz_permutexvar_epi32(0xffff, from, _mm512_loadu_si512(in + row)));
    return;
  }
#elif defined(__AVX2__)
  if (move.inRows) {
    auto load = [](const std::uint32_t* p) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)); };
    for (int half = 0; half < 16; half += 8) {
      __m256i from = _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(move.from + half)));
      __m256i high = _mm256_cmpgt_epi32(from, _mm256_set1_epi32(7));
      for (int row = 0; row < kLanes; row += 16) {
        __m256i a = _mm256_permutevar8x32_epi32(load(in + row), from);
        __m256i b = _mm256_permutevar8x32_epi32(load(in + row + 8), from);
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + row + half), _mm256_blendv_epi8(a, b, high));
      }
    }
    return;
  }
#endif
  for (int l = 0; l < kLanes; ++l) out[l] = in[move.from[l]];
}

// The sources' EXEC bits, where the lanes take them from.
std::uint64_t validLanes(const Move& move, std::uint64_t exec) {
  if (exec == ~0ull) return move.valid;
  alignas(64) std::uint32_t on[kLanes], moved[kLanes];
  expandMask(exec, on);
  permute(move, on, moved);
  std::uint64_t valid = 0;
  for (int part = 0; part < kLanes; part += kVectorLanes) valid |= signBits(moved + part) << part;
  return valid & move.valid;
}

// Lanes in the rows (of 16) and banks (of 4 in each row) that are switched on.
std::uint64_t maskedIn(std::uint32_t ext) {
  std::uint64_t rows = ext >> 28, banks = (ext >> 24) & 15;
  if (rows == 15 && banks == 15) return ~0ull;
  std::uint64_t lanes = 0;
  for (unsigned bank = 0; bank < 16; ++bank)
    if ((rows >> (bank / 4)) & (banks >> (bank % 4)) & 1) lanes |= 0xfull << (4 * bank);
  return lanes;
}

struct Field {
  unsigned shift, width;
  explicit Field(unsigned sel) : shift(sel < 4 ? sel * 8 : (sel - 4) * 16), width(sel < 4 ? 8 : 16) {}
};

}  // namespace

Rows select(Rows in, unsigned sel, bool sext, std::uint32_t* out) {
  if (sel > 5) return in;
  Field field(sel);
  unsigned up = 32 - field.width - field.shift, down = 32 - field.width;
  if (sext) {
#pragma GCC ivdep
    for (int l = 0; l < kLanes; ++l)
      out[l] = static_cast<std::uint32_t>(static_cast<std::int32_t>(in[l] << up) >> down);
  } else {
#pragma GCC ivdep
    for (int l = 0; l < kLanes; ++l) out[l] = in[l] << up >> down;
  }
  return out;
}

void insert(std::uint32_t* out, Rows old, std::uint32_t ext) {
  unsigned sel = (ext >> 8) & 7, unused = (ext >> 11) & 3;
  if (sel > 5) return;
  Field field(sel);
  unsigned shift = field.shift;
  std::uint32_t mask = ((1u << field.width) - 1) << shift;
  if (unused == 1) {
    unsigned up = 32 - field.width, down = up - shift;
#pragma GCC ivdep
    for (int l = 0; l < kLanes; ++l)
      out[l] = static_cast<std::uint32_t>(static_cast<std::int32_t>(out[l] << up) >> down) & ~((1u << shift) - 1);
    return;
  }
  std::uint32_t keep = unused == 2 ? ~mask : 0;
#pragma GCC ivdep
  for (int l = 0; l < kLanes; ++l) out[l] = ((out[l] << shift) & mask) | (old[l] & keep);
}

void pullLanes(Rows in, Rows from, std::uint32_t* out) {
#ifdef __AVX512F__
  const __m512i upper = _mm512_set1_epi32(32);  // the lanes that come from the second half
  __m512i in0 = _mm512_loadu_si512(in), in1 = _mm512_loadu_si512(in + 16);
  __m512i in2 = _mm512_loadu_si512(in + 32), in3 = _mm512_loadu_si512(in + 48);
  for (int part = 0; part < kLanes; part += kVectorLanes) {
    __m512i index = _mm512_loadu_si512(from + part);
    __m512i low = _mm512_permutex2var_epi32(in0, index, in1), high = _mm512_permutex2var_epi32(in2, index, in3);
    _mm512_storeu_si512(out + part, _mm512_mask_mov_epi32(low, _mm512_test_epi32_mask(index, upper), high));
  }
#else
  for (int l = 0; l < kLanes; ++l) out[l] = in[from[l] % kLanes];
#endif
}

std::uint64_t movedByDpp(Wave& w, std::uint32_t ext, Rows in, std::uint32_t* out, bool wide) {
  static const Moves moves;
  const Move& move = moves.of[(ext >> 8) & 0x1ff];
  std::uint64_t valid = validLanes(move, w.exec());
  permute(move, in, out);
  if (wide) permute(move, in + kLanes, out + kLanes);
  bool zeroInvalid = (ext >> 19) & 1;
  if (zeroInvalid && valid != ~0ull) {
    alignas(64) constexpr std::uint32_t kZeros[kWideRows] = {};
    storeLanes(w, ~valid, out, kZeros, wide ? 2 : 1);
  }
  return maskedIn(ext) & (zeroInvalid ? ~0ull : valid);
}

}  // namespace hipr::softgpu::HIPR_LEVEL

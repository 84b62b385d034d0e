// Dense matrix instructions (MFMA) and the moves to and from accumulation registers. EXEC and MODE play no part.
//
// Every element is one chain of fused multiply-adds in order of K; the hardware's order is not documented. The loops
// run over lanes, which are the columns of B and D.
#include "backends/softgpu/isa/matrix.h"
#include "backends/softgpu/isa/wide_rows.h"

namespace hipr::softgpu::HIPR_LEVEL {
namespace {

// BLGP moves groups of lanes of B: 1-2 broadcast half a wave, 3 rotates by 16 lanes, 4-7 broadcast 16 lanes.
int laneOfB(int lane, unsigned pattern) {
  if (pattern == 1) return lane % 32;
  if (pattern == 2) return 32 + lane % 32;
  if (pattern == 3) return (lane + 16) % kLanes;
  if (pattern >= 4) return 16 * static_cast<int>(pattern - 4) + lane % 16;
  return lane;
}

template <class Value>
HIPR_INLINE void negate(Value (*rows)[kLanes], bool negative) {
  if (!negative) return;
  for (int l = 0; l < kLanes; ++l) rows[0][l] = -rows[0][l];
}

// Part of a row of D: C's plus a value of A's row times a part of a row of B at a time, few enough columns for the
// vector registers.
template <class Value, int kColumns, int kSteps>
HIPR_INLINE void multiplyRow(const Value* const* a, const Value* const* b, int row, int column, Value* sums) {
#pragma GCC unroll 16
  for (int k = 0; k < kSteps; ++k) {
    Value x = a[k][row];
    for (int j = 0; j < kColumns; ++j) sums[j] = multiplyAdd(x, b[k][column + j], sums[j]);
  }
}

// C where it lies, or in `copy`: a constant, or registers that D overwrites in another order. `step` leads from row to
// row.
template <class Value>
Rows rowsOfC(const Wave& w, const Inst& i, unsigned results, std::uint32_t* copy, unsigned& step) {
  constexpr unsigned kRow = sizeof(Value) / 4 * kLanes;
  step = kRow;
  if (i.src[2] < kVgpr) {
    splat(w, i, i.src[2], sizeof(Value) == 8 ? Kind::kF64 : Kind::kU32, copy);
    step = 0;
    return copy;
  }
  Rows c = w.row(i.src[2]);
  const std::uint32_t* d = w.row(i.dst);
  if (c == d || c + results * kRow <= d || d + results * kRow <= c) return c;
  std::memcpy(copy, c, results * kRow * sizeof *copy);
  return copy;
}

// kSize 64-bit lanes from `first` on, in the order join() gives them where they are whole vectors; B and D share it.
template <int kSize, class Value>
HIPR_INLINE void loadColumns(Rows rows, int first, Value* out) {
  if constexpr (sizeof(Value) == 8 && kSize % kVectorLanes == 0) {
    alignas(64) std::uint64_t joined[kSize];
    for (int j = 0; j < kSize; j += kVectorLanes) join(rows + first + j, rows + first + j + kLanes, joined + j);
    for (int j = 0; j < kSize; ++j) out[j] = std::bit_cast<Value>(joined[j]);
  } else {
    for (int j = 0; j < kSize; ++j) out[j] = load<Value>(rows, first + j, 0);
  }
}
template <int kSize>
HIPR_INLINE void loadB(Rows rows, double* out) {
  for (int first = 0; first < kLanes; first += kSize) loadColumns<kSize>(rows, first, out + first);
}
template <int kSize, class Value>
HIPR_INLINE void storeColumns(const Value* in, int first, std::uint32_t* rows) {
  if constexpr (sizeof(Value) == 8 && kSize % kVectorLanes == 0) {
    alignas(64) std::uint64_t joined[kSize];
    for (int j = 0; j < kSize; ++j) joined[j] = std::bit_cast<std::uint64_t>(in[j]);
    for (int j = 0; j < kSize; j += kVectorLanes) {
      lowDwords(joined + j, rows + first + j);
      highDwords(joined + j, rows + first + j + kLanes);
    }
  } else {
    for (int j = 0; j < kSize; ++j) store(rows, first + j, in[j]);
  }
}

template <class A, class B, int kSize, int kBlocks, int kPer>
void mfma(Wave& w, const Inst& i) {
  using Value = typename A::Value;
  using T = Tile<Value, kSize, kBlocks>;
  constexpr int kSteps = T::kGroups / kBlocks * kPer;
  constexpr bool kDouble = sizeof(Value) == 8;
  constexpr int kColumns = kSize < 2 * kVectorLanes ? kSize : 2 * kVectorLanes;
  bool flush = A::kPerRow == 2 && w.shared->gpu == Gpu::kGfx90a;
  alignas(64) Value a[kPer][kLanes], b[kPer][kLanes];
  alignas(64) std::uint32_t copy[T::kResults * sizeof(Value) / 4 * kLanes];
  gather<A, kPer>(w, i.src[0], flush, a);
  if constexpr (kDouble)
    loadB<kColumns>(w.row(i.src[1]), b[0]);
  else
    gather<B, kPer>(w, i.src[1], flush, b);
  unsigned step = 0;
  Rows c = rowsOfC<Value>(w, i, T::kResults, copy, step);
  unsigned blgp = i.neg, cbsz = i.abs, abid = i.opSel;
  if constexpr (kDouble) {
    negate(a, blgp & 1);
    negate(b, blgp & 2);
  } else if (blgp) {
    for (int n = 0; n < kPer; ++n) {
      Value old[kLanes];
      std::memcpy(old, b[n], sizeof old);
      for (int l = 0; l < kLanes; ++l) b[n][l] = old[laneOfB(l, blgp)];
    }
  }
  const Value* columns[kBlocks][kSteps];
  const Value* rows[kBlocks][kSteps];
  for (int block = 0; block < kBlocks; ++block) {
    // CBSZ: groups of 2^CBSZ blocks share the one of them that ABID names.
    int mask = cbsz && !kDouble ? (1 << cbsz) - 1 : 0;
    int from = ((block & ~mask) | (static_cast<int>(abid) & mask)) % kBlocks;
    for (int k = 0; k < kSteps; ++k) {
      columns[block][k] = a[k % kPer] + (k / kPer * kBlocks + from) * kSize;
      rows[block][k] = b[k % kPer] + (k / kPer * kBlocks + block) * kSize;
    }
  }
  bool negateC = kDouble && (blgp & 4);
  std::uint32_t* out = w.row(i.dst);
  for (int r = 0; r < T::kResults; ++r, c += step, out += sizeof(Value) / 4 * kLanes)
    for (int g = 0; g < T::kGroups; ++g) {
      int block = T::blockOf(r, g);
      for (int column = 0; column < kSize; column += kColumns) {
        Value sums[kColumns];
        loadColumns<kColumns>(c, g * kSize + column, sums);
        if (negateC)
          for (int j = 0; j < kColumns; ++j) sums[j] = -sums[j];
        multiplyRow<Value, kColumns, kSteps>(columns[block], rows[block], T::rowOf(r, g), column, sums);
        for (int j = 0; j < kColumns; ++j) sums[j] = leave(sums[j], flush);
        storeColumns<kColumns>(sums, g * kSize + column, out);
      }
    }
}

template <class A, class B, int kSize, int kBlocks, int kPer>
constexpr Impl kMfma{mfma<A, B, kSize, kBlocks, kPer>, mfma<A, B, kSize, kBlocks, kPer>};

}  // namespace

// The encoding's ACC bits mean nothing here: one side is an accumulation register by definition.
RUN(v_accvgpr_read_b32) {
  storeMasked(w, w.row((i.dst & 0xffu) | kVgpr), w.row((i.src[0] & 0xffu) | kAgpr), 1);
}
RUN(v_accvgpr_write_b32) {
  std::uint32_t buffer[kLanes];
  Rows from = buffer;
  if (i.src[0] >= kVgpr)
    from = w.row((i.src[0] & 0xffu) | kVgpr);
  else
    splat(w, i, i.src[0], Kind::kU32, buffer);
  storeMasked(w, w.row((i.dst & 0xffu) | kAgpr), from, 1);
}

// Format of A and B, size, blocks, values per lane.
#define MFMA(name90a, name942, format, ...)                         \
  const Impl v_mfma_##name90a = kMfma<format, format, __VA_ARGS__>; \
  const Impl v_mfma_##name942 = kMfma<format, format, __VA_ARGS__>;
#define MFMA_ONE(name, format, ...) const Impl v_mfma_##name = kMfma<format, format, __VA_ARGS__>;
#define MFMA_TWO(name, ...) const Impl v_mfma_##name = kMfma<__VA_ARGS__>;

MFMA(f32_32x32x1f32, f32_32x32x1_2b_f32, InF32, 32, 2, 1)
MFMA(f32_16x16x1f32, f32_16x16x1_4b_f32, InF32, 16, 4, 1)
MFMA(f32_4x4x1f32, f32_4x4x1_16b_f32, InF32, 4, 16, 1)
MFMA(f32_32x32x2f32, f32_32x32x2_f32, InF32, 32, 1, 1)
MFMA(f32_16x16x4f32, f32_16x16x4_f32, InF32, 16, 1, 1)
MFMA(f32_32x32x4f16, f32_32x32x4_2b_f16, InF16, 32, 2, 4)
MFMA(f32_16x16x4f16, f32_16x16x4_4b_f16, InF16, 16, 4, 4)
MFMA(f32_4x4x4f16, f32_4x4x4_16b_f16, InF16, 4, 16, 4)
MFMA(f32_32x32x8f16, f32_32x32x8_f16, InF16, 32, 1, 4)
MFMA(f32_16x16x16f16, f32_16x16x16_f16, InF16, 16, 1, 4)
MFMA(i32_32x32x4i8, i32_32x32x4_2b_i8, InI8, 32, 2, 4)
MFMA(i32_16x16x4i8, i32_16x16x4_4b_i8, InI8, 16, 4, 4)
MFMA(i32_4x4x4i8, i32_4x4x4_16b_i8, InI8, 4, 16, 4)
MFMA(f32_32x32x4bf16_1k, f32_32x32x4_2b_bf16, InBf16, 32, 2, 4)
MFMA(f32_16x16x4bf16_1k, f32_16x16x4_4b_bf16, InBf16, 16, 4, 4)
MFMA(f32_4x4x4bf16_1k, f32_4x4x4_16b_bf16, InBf16, 4, 16, 4)
MFMA(f32_32x32x8bf16_1k, f32_32x32x8_bf16, InBf16, 32, 1, 4)
MFMA(f32_16x16x16bf16_1k, f32_16x16x16_bf16, InBf16, 16, 1, 4)
MFMA(f64_16x16x4f64, f64_16x16x4_f64, InF64, 16, 1, 1)
MFMA(f64_4x4x4f64, f64_4x4x4_4b_f64, InF64, 4, 4, 1)
// gfx90a alone
MFMA_ONE(i32_32x32x8i8, InI8, 32, 1, 4)
MFMA_ONE(i32_16x16x16i8, InI8, 16, 1, 4)
MFMA_ONE(f32_32x32x2bf16, InBf16, 32, 2, 2)
MFMA_ONE(f32_16x16x2bf16, InBf16, 16, 4, 2)
MFMA_ONE(f32_4x4x2bf16, InBf16, 4, 16, 2)
MFMA_ONE(f32_32x32x4bf16, InBf16, 32, 1, 2)
MFMA_ONE(f32_16x16x8bf16, InBf16, 16, 1, 2)
// gfx942 alone
MFMA_ONE(f32_32x32x4_xf32, InXf32, 32, 1, 2)
MFMA_ONE(f32_16x16x8_xf32, InXf32, 16, 1, 2)
MFMA_ONE(i32_32x32x16_i8, InI8, 32, 1, 8)
MFMA_ONE(i32_16x16x32_i8, InI8, 16, 1, 8)
MFMA_TWO(f32_32x32x16_bf8_bf8, In8<Bfloat8>, In8<Bfloat8>, 32, 1, 8)
MFMA_TWO(f32_32x32x16_bf8_fp8, In8<Bfloat8>, In8<Float8>, 32, 1, 8)
MFMA_TWO(f32_32x32x16_fp8_bf8, In8<Float8>, In8<Bfloat8>, 32, 1, 8)
MFMA_TWO(f32_32x32x16_fp8_fp8, In8<Float8>, In8<Float8>, 32, 1, 8)
MFMA_TWO(f32_16x16x32_bf8_bf8, In8<Bfloat8>, In8<Bfloat8>, 16, 1, 8)
MFMA_TWO(f32_16x16x32_bf8_fp8, In8<Bfloat8>, In8<Float8>, 16, 1, 8)
MFMA_TWO(f32_16x16x32_fp8_bf8, In8<Float8>, In8<Bfloat8>, 16, 1, 8)
MFMA_TWO(f32_16x16x32_fp8_fp8, In8<Float8>, In8<Float8>, 16, 1, 8)

}  // namespace hipr::softgpu::HIPR_LEVEL

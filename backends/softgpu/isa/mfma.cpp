// Dense matrix instructions (MFMA) and the moves to and from accumulation registers. EXEC and MODE play no part.
//
// Every element is one chain of fused multiply-adds in order of K; the hardware's order is not documented. The loops
// run over lanes, which are the columns of B and D.
#include "backends/softgpu/isa/matrix.h"

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

// One row of D: `row` columns of it and of B, a column of A's row at a time.
template <class Value, int kSize, int kSteps>
HIPR_INLINE void accumulate(const Value* const* a, const Value* const* b, int row, Value* d) {
  Value sums[kSize];
  for (int j = 0; j < kSize; ++j) sums[j] = d[j];
  for (int k = 0; k < kSteps; ++k) {
    Value x = a[k][row];
    for (int j = 0; j < kSize; ++j) sums[j] = multiplyAdd(x, b[k][j], sums[j]);
  }
  for (int j = 0; j < kSize; ++j) d[j] = sums[j];
}

template <class Value>
HIPR_INLINE void loadC(const Wave& w, const Inst& i, int results, Value (*d)[kLanes]) {
  constexpr int kRows = sizeof(Value) / 4;
  unsigned code = i.src[2];
  if (code < kVgpr) {
    Kind kind = kRows == 2 ? Kind::kF64 : Kind::kU32;
    std::uint64_t bits = scalarOperand(w, i, code, kind);
    Value value;
    std::memcpy(&value, &bits, sizeof value);
    for (int r = 0; r < results; ++r)
      for (int l = 0; l < kLanes; ++l) d[r][l] = value;
    return;
  }
  for (int r = 0; r < results; ++r)
    for (int l = 0; l < kLanes; ++l) d[r][l] = load<Value>(w.row(code) + r * kRows * kLanes, l, 0);
}

template <class A, class B, int kSize, int kBlocks, int kPer>
void mfma(Wave& w, const Inst& i) {
  using Value = typename A::Value;
  using T = Tile<Value, kSize, kBlocks>;
  constexpr int kSteps = T::kGroups / kBlocks * kPer;
  constexpr bool kDouble = sizeof(Value) == 8;
  bool flush = A::kPerRow == 2 && w.shared->gpu == Gpu::kGfx90a;
  alignas(64) Value a[kPer][kLanes], b[kPer][kLanes], d[T::kResults][kLanes];
  gather<A, kPer>(w, i.src[0], flush, a);
  gather<B, kPer>(w, i.src[1], flush, b);
  loadC(w, i, T::kResults, d);
  unsigned blgp = i.neg, cbsz = i.abs, abid = i.opSel;
  if constexpr (kDouble) {
    negate(a, blgp & 1);
    negate(b, blgp & 2);
    for (int r = 0; r < T::kResults; ++r) negate(d + r, blgp & 4);
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
  for (int r = 0; r < T::kResults; ++r)
    for (int g = 0; g < T::kGroups; ++g) {
      int block = T::blockOf(r, g);
      accumulate<Value, kSize, kSteps>(columns[block], rows[block], T::rowOf(r, g), d[r] + g * kSize);
    }
  std::uint32_t* out = w.row(i.dst);
  for (int r = 0; r < T::kResults; ++r)
    for (int l = 0; l < kLanes; ++l)
      store(out + r * static_cast<int>(sizeof(Value) / 4) * kLanes, l, leave(d[r][l], flush));
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

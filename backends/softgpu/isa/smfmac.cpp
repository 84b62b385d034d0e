// Sparse matrix instructions (gfx942): of every four consecutive K of a row of A only two are stored, and source 2
// holds their positions, two bits each. D accumulates in place.
#include "backends/softgpu/isa/matrix.h"

namespace hipr::softgpu::HIPR_LEVEL {
namespace {

// Which of the index sets in a lane's source 2 to use: ABID, unless CBSZ is set.
unsigned firstIndexBit(const Inst& i, unsigned bitsPerSet) {
  unsigned sets = 32 / bitsPerSet;
  return i.abs ? 0 : i.opSel % sets * bitsPerSet;
}

// `kPer` values of A in a lane stand for twice as many K.
template <class A, class B, int kSize, int kPer>
void smfmac(Wave& w, const Inst& i) {
  using Value = typename A::Value;
  using T = Tile<Value, kSize, 1>;
  alignas(64) Value a[kPer][kLanes], b[2 * kPer][kLanes], d[T::kResults][kLanes];
  gather<A, kPer>(w, i.src[0], false, a);
  gather<B, 2 * kPer>(w, i.src[1], false, b);
  for (int r = 0; r < T::kResults; ++r)
    for (int l = 0; l < kLanes; ++l) d[r][l] = load<Value>(w.row(i.dst) + r * kLanes, l, 0);
  Rows indices = w.row((i.src[2] & 0xffu) | kVgpr);  // whatever file D is in
  unsigned first = firstIndexBit(i, 2 * kPer);
  for (int r = 0; r < T::kResults; ++r)
    for (int g = 0; g < T::kGroups; ++g) {
      int row = T::rowOf(r, g);
      Value* sums = d[r] + g * kSize;
      for (int step = 0; step < T::kGroups; ++step) {
        int lane = step * kSize + row;
        for (int n = 0; n < kPer; ++n) {
          unsigned position = (indices[lane] >> (first + 2 * static_cast<unsigned>(n))) & 3;
          const Value* other = b[n / 2 * 4 + static_cast<int>(position)] + step * kSize;
          for (int j = 0; j < kSize; ++j) sums[j] = multiplyAdd(a[n][lane], other[j], sums[j]);
        }
      }
    }
  for (int r = 0; r < T::kResults; ++r)
    for (int l = 0; l < kLanes; ++l) store(w.row(i.dst) + r * kLanes, l, d[r][l]);
}

template <class A, class B, int kSize, int kPer>
constexpr Impl kSmfmac{smfmac<A, B, kSize, kPer>, smfmac<A, B, kSize, kPer>};

}  // namespace

// Formats of A and B, size, stored values per lane.
#define SMFMAC(name, ...) const Impl v_smfmac_##name = kSmfmac<__VA_ARGS__>;
SMFMAC(f32_16x16x32_f16, InF16, InF16, 16, 4)
SMFMAC(f32_32x32x16_f16, InF16, InF16, 32, 4)
SMFMAC(f32_16x16x32_bf16, InBf16, InBf16, 16, 4)
SMFMAC(f32_32x32x16_bf16, InBf16, InBf16, 32, 4)
SMFMAC(i32_16x16x64_i8, InI8, InI8, 16, 8)
SMFMAC(i32_32x32x32_i8, InI8, InI8, 32, 8)
SMFMAC(f32_16x16x64_bf8_bf8, In8<Bfloat8>, In8<Bfloat8>, 16, 8)
SMFMAC(f32_16x16x64_bf8_fp8, In8<Bfloat8>, In8<Float8>, 16, 8)
SMFMAC(f32_16x16x64_fp8_bf8, In8<Float8>, In8<Bfloat8>, 16, 8)
SMFMAC(f32_16x16x64_fp8_fp8, In8<Float8>, In8<Float8>, 16, 8)
SMFMAC(f32_32x32x32_bf8_bf8, In8<Bfloat8>, In8<Bfloat8>, 32, 8)
SMFMAC(f32_32x32x32_bf8_fp8, In8<Bfloat8>, In8<Float8>, 32, 8)
SMFMAC(f32_32x32x32_fp8_bf8, In8<Float8>, In8<Bfloat8>, 32, 8)
SMFMAC(f32_32x32x32_fp8_fp8, In8<Float8>, In8<Float8>, 32, 8)

}  // namespace hipr::softgpu::HIPR_LEVEL

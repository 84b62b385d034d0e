// Code with many kinds of instructions, for the comparison of listings; nothing runs it. It includes nothing, so that it
// compiles for any GPU.
#define KERNEL extern "C" __attribute__((global, amdgpu_flat_work_group_size(1, 256)))
#define DEVICE __attribute__((device, noinline))
typedef _Float16 half;
typedef half half4 __attribute__((ext_vector_type(4)));
typedef float float4 __attribute__((ext_vector_type(4)));
typedef float float16 __attribute__((ext_vector_type(16)));

KERNEL void arithmetic(float* f, double* d, int* n, half* h, long* l, unsigned char* b) {
  unsigned i = __builtin_amdgcn_workitem_id_x() + __builtin_amdgcn_workgroup_id_x() * 256;
  f[i] = __builtin_sqrtf(f[i]) / (f[i + 1] + __builtin_fabsf(f[i + 2])) + __builtin_floorf(-f[i + 3]);
  d[i] = __builtin_sqrt(d[i]) / (d[i + 1] - 3.0) + (double)n[i] + (double)f[i];
  n[i] = n[i] / (n[i + 1] | 1) + n[i] % (n[i + 2] | 5) + __builtin_popcount(n[i]) + __builtin_clz(n[i] | 1);
  h[i] = h[i] * h[i + 1] + (half)f[i] - (half)n[i];
  l[i] = l[i] * l[i + 1] + (l[i] >> (n[i] & 63)) + (l[i] << (n[i + 1] & 63));
  b[i] = b[i] * 3 + (signed char)b[i + 1] + (b[i + 2] > 7 ? b[i + 3] : 1);
  unsigned short* s = (unsigned short*)b;
  s[i + 9] = s[i] * s[i + 1] + (short)s[i + 2];
}

DEVICE int walk(const int* next, int k, int depth) {
  int local[8];
  for (int j = 0; j < 8; ++j) local[j] = k * j;
  return depth ? walk(next, next[k] + local[k & 7], depth - 1) + local[depth & 7] : k;
}
KERNEL void calls(const int* next, int* out) {
  unsigned i = __builtin_amdgcn_workitem_id_x();
  out[i] = walk(next, i, next[i]);
}

KERNEL void shared(int* out, int* counter) {
  __attribute__((shared)) static int tile[256];
  unsigned i = __builtin_amdgcn_workitem_id_x();
  tile[i] = out[i];
  __builtin_amdgcn_s_barrier();
  int other = tile[255 - i] + __builtin_amdgcn_ds_bpermute(i * 4, out[i]) + __builtin_amdgcn_ds_swizzle(out[i], 0x041f);
  other += __builtin_amdgcn_update_dpp(0, other, 0x111, 15, 15, false) + __builtin_amdgcn_mov_dpp(other, 0x4e, 15, 15, true);
  __atomic_fetch_add(counter, other, __ATOMIC_RELAXED);
  __atomic_fetch_max(&tile[i & 7], other, __ATOMIC_SEQ_CST);
  out[i] = tile[i] + __builtin_amdgcn_readfirstlane(other) + (int)__builtin_amdgcn_ballot_w64(other > 3);
}

KERNEL void matrices(float16* c, float4* d, half4* a, float* f) {
  unsigned i = __builtin_amdgcn_workitem_id_x();
  c[i] = __builtin_amdgcn_mfma_f32_32x32x8f16(a[i], a[i + 1], c[i], 0, 0, 0);
  c[i] = __builtin_amdgcn_mfma_f32_32x32x2f32(f[i], f[i + 1], c[i], 1, 0, 2);
  d[i] = __builtin_amdgcn_mfma_f32_16x16x16f16(a[i], a[i + 2], d[i], 0, 0, 0);
  a[i] = a[i] * a[i + 3] + a[i + 4];
}

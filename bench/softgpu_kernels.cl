// Whole kernels, as people write them first; softgpu_cpu.cpp computes the same.
#define GROUP __builtin_amdgcn_workgroup_id_x()
#define GROUP_Y __builtin_amdgcn_workgroup_id_y()
#define ITEM __builtin_amdgcn_workitem_id_x()
#define SYNC                                        \
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup"); \
  __builtin_amdgcn_s_barrier();                     \
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");

kernel __attribute__((reqd_work_group_size(256, 1, 1))) void saxpy(global float* y, global const float* x, float a,
                                                                   int n) {
  int i = GROUP * 256 + ITEM;
  if (i < n) y[i] = a * x[i] + y[i];
}

// C = A * B of n x n, row by row, a 16 x 16 tile for each workgroup.
kernel __attribute__((reqd_work_group_size(256, 1, 1))) void matmul(global float* c, global const float* a,
                                                                    global const float* b, int n) {
  local float left[16][17], right[16][17];
  int x = ITEM & 15, y = ITEM >> 4, row = GROUP_Y * 16 + y, column = GROUP * 16 + x;
  float sum = 0;
  for (int k = 0; k < n; k += 16) {
    left[y][x] = a[row * n + k + x];
    right[y][x] = b[(k + y) * n + column];
    SYNC
#pragma unroll
    for (int j = 0; j < 16; ++j) sum += left[y][j] * right[j][x];
    SYNC
  }
  c[row * n + column] = sum;
}

// The same with matrix instructions: a wave makes a 64 x 64 tile out of four accumulators, 16 of K at a time in LDS.
kernel __attribute__((reqd_work_group_size(64, 1, 1))) void gemm(global float* c, global const float* a,
                                                                 global const float* b, int n) {
  typedef float Block __attribute__((ext_vector_type(16)));
  typedef float Quad __attribute__((ext_vector_type(4)));
  local float left[16][64], right[16][64];
  int l = ITEM, upper = l >> 5, in = l & 31, row = GROUP_Y * 64, column = GROUP * 64;
  Block sums[2][2] = {};
  for (int k = 0; k < n; k += 16) {
    for (int j = 0; j < 16; j += 4) {
      Quad q = *(global const Quad*)(a + (row + l) * n + k + j);
      left[j][l] = q.x, left[j + 1][l] = q.y, left[j + 2][l] = q.z, left[j + 3][l] = q.w;
      *(local Quad*)(&right[j + (l >> 4)][(l & 15) * 4]) =
          *(global const Quad*)(b + (k + j + (l >> 4)) * n + column + (l & 15) * 4);
    }
    SYNC
#pragma unroll
    for (int j = 0; j < 16; j += 2) {
      float x[2] = {left[j + upper][in], left[j + upper][in + 32]};
      float y[2] = {right[j + upper][in], right[j + upper][in + 32]};
#pragma unroll
      for (int t = 0; t < 4; ++t)
        sums[t >> 1][t & 1] = __builtin_amdgcn_mfma_f32_32x32x2f32(x[t >> 1], y[t & 1], sums[t >> 1][t & 1], 0, 0, 0);
    }
    SYNC
  }
#pragma unroll
  for (int t = 0; t < 4; ++t)
#pragma unroll
    for (int r = 0; r < 16; ++r)
      c[(row + (t >> 1) * 32 + r / 4 * 8 + upper * 4 + r % 4) * n + column + (t & 1) * 32 + in] = sums[t >> 1][t & 1][r];
}

// The sum of n values, added to *total.
kernel __attribute__((reqd_work_group_size(256, 1, 1))) void reduce(global uint* total, global const uint* values,
                                                                    int n, int groups) {
  local uint sums[256];
  uint sum = 0;
  for (int i = GROUP * 256 + ITEM; i < n; i += groups * 256) sum += values[i];
  sums[ITEM] = sum;
  SYNC
  for (int step = 128; step > 0; step >>= 1) {
    if (ITEM < step) sums[ITEM] += sums[ITEM + step];
    SYNC
  }
  if (ITEM == 0) __opencl_atomic_fetch_add((global atomic_uint*)total, sums[0], __ATOMIC_RELAXED, 1);
}

// Bitonic sort: 1024 keys of a workgroup in LDS, from run length `first` on.
kernel __attribute__((reqd_work_group_size(512, 1, 1))) void sortBlock(global uint* keys, uint first, uint last) {
  local uint block[1024];
  uint t = ITEM, base = GROUP * 1024;
  block[t] = keys[base + t];
  block[t + 512] = keys[base + t + 512];
  SYNC
  for (uint size = first; size <= last; size <<= 1) {
    for (uint step = (size < 1024 ? size : 1024) / 2; step > 0; step >>= 1) {
      uint low = 2 * t - (t & (step - 1)), high = low + step;
      uint x = block[low], y = block[high];
      bool up = ((base + low) & size) == 0;
      if ((x > y) == up) block[low] = y, block[high] = x;
      SYNC
    }
  }
  keys[base + t] = block[t];
  keys[base + t + 512] = block[t + 512];
}
kernel __attribute__((reqd_work_group_size(256, 1, 1))) void sortStep(global uint* keys, uint size, uint step) {
  uint t = GROUP * 256 + ITEM, low = 2 * t - (t & (step - 1)), high = low + step;
  uint x = keys[low], y = keys[high];
  bool up = (low & size) == 0;
  if ((x > y) == up) keys[low] = y, keys[high] = x;
}

// Control flow that differs from lane to lane: loops with their own trip counts, breaks, nested loops, switches,
// returns.
#include "../support.h"

__host__ __device__ inline int collatz(unsigned v) {
  int steps = 0;
  while (v != 1 && steps < 1000) {
    v = v & 1 ? 3 * v + 1 : v / 2;
    ++steps;
  }
  return steps;
}
__global__ void collatzAll(int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = collatz(i + 1);
}

TEST(loops_of_different_length) {
  const int n = 3000;
  Buffer<int> out(n);
  collatzAll<<<blocksFor(n, 256), 256>>>(out, n);
  KERNEL_OK();
  std::vector<int> want(n);
  for (int i = 0; i < n; ++i) want[i] = collatz(i + 1);
  EXPECT_VEC(out.download(), want);
  check::result(want);
}

// Everything structured programming has, and a goto.
__host__ __device__ inline unsigned maze(unsigned seed) {
  unsigned acc = seed, x = seed * 2654435761u;
  for (int outer = 0; outer < 12; ++outer) {
    x = x * 1664525u + 1013904223u;
    switch (x >> 28) {
      case 0:
        acc += 3;
        continue;
      case 1:
        acc ^= x;
        break;
      case 2:
        if (acc & 4) return acc * 5;
        acc <<= 1;
        break;
      case 3:
      case 4: {
        unsigned y = x;
        do {
          if ((y & 7) == 5) goto next;
          acc += y & 3;
          y >>= 3;
        } while (y > 100);
        break;
      }
      case 9:
        outer += 2;
        [[fallthrough]];
      case 10:
        for (unsigned k = x & 15; k > 0; --k)
          if (k * acc % 11 == 3)
            break;
          else
            acc += k;
        break;
      default:
        acc = acc * 31 + 7;
    }
    if (acc % 97 == 0) break;
  next:;
  }
  return acc;
}
__global__ void mazeAll(unsigned* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i] = maze(i);
}

TEST(branches_of_every_kind) {
  const int n = 5000;
  Buffer<unsigned> out(n);
  mazeAll<<<blocksFor(n, 320), 320>>>(out, n);
  KERNEL_OK();
  std::vector<unsigned> want(n);
  for (int i = 0; i < n; ++i) want[i] = maze(i);
  EXPECT_VEC(out.download(), want);
  check::result(want);
}

__global__ void mandelbrot(int* out, int width, int height) {
#pragma clang fp contract(off)
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const float cr = -2.0f + 3.0f * x / width, ci = -1.0f + 2.0f * y / height;
  float zr = 0, zi = 0;
  int k = 0;
  for (; k < 60; ++k) {
    const float rr = zr * zr, ii = zi * zi;
    if (rr + ii > 4) break;
    zi = 2 * zr * zi + ci;
    zr = rr - ii + cr;
  }
  out[y * width + x] = k;
}

TEST(mandelbrot) {
  const int width = 90, height = 50;
  Buffer<int> out(width * height);
  mandelbrot<<<dim3(6, 7), dim3(16, 8)>>>(out, width, height);
  KERNEL_OK();
  std::vector<int> want(width * height);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
#pragma clang fp contract(off)
      const float cr = -2.0f + 3.0f * x / width, ci = -1.0f + 2.0f * y / height;
      float zr = 0, zi = 0;
      int k = 0;
      for (; k < 60; ++k) {
        const float rr = zr * zr, ii = zi * zi;
        if (rr + ii > 4) break;
        zi = 2 * zr * zi + ci;
        zr = rr - ii + cr;
      }
      want[y * width + x] = k;
    }
  EXPECT_VEC(out.download(), want);
  check::result(want);
}

// Lanes leave early, the rest still meet at the barrier their wave takes part in.
__global__ void leaveEarly(int* out) {
  __shared__ int seen[256];
  seen[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x % 3 == 0) {
    out[threadIdx.x] = -1;
    return;
  }
  int s = 0;
  for (unsigned i = threadIdx.x; i < 256; i += threadIdx.x) s += seen[i];
  out[threadIdx.x] = s;
}

TEST(early_return) {
  Buffer<int> out(256);
  leaveEarly<<<1, 256>>>(out);
  KERNEL_OK();
  std::vector<int> want(256);
  for (int t = 0; t < 256; ++t) {
    want[t] = t % 3 ? 0 : -1;
    if (t % 3)
      for (int i = t; i < 256; i += t) want[t] += i;
  }
  EXPECT_VEC(out.download(), want);
  check::result(want);
}

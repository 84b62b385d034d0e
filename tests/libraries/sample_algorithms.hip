// Programs as the HIP tutorials write them, each checked against the CPU: sorting networks, shortest paths, filters,
// grids with halos, particles. They use what such programs use: dynamic shared memory, constants, shuffles, atomics,
// streams.
#include "support.h"

#include <hip/hip_cooperative_groups.h>  // needs the HIP runtime header before it

namespace cg = cooperative_groups;

constexpr int kMask = 5;
static __constant__ float mask[kMask * kMask];  // hipcc 5.2 loses device variables of unnamed namespaces

namespace {

__global__ void bitonicStep(unsigned* data, unsigned distance, unsigned run) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, partner = i ^ distance;
  if (partner <= i) return;
  const bool ascending = (i & run) == 0;
  const unsigned a = data[i], b = data[partner];
  if ((a > b) == ascending) data[i] = b, data[partner] = a;
}

constexpr int kTile = 16;
__global__ void floydWarshallStep(int* distance, int* through, int n, int k) {
  __shared__ int row[kTile], column[kTile];
  const int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
  if (threadIdx.y == 0) row[threadIdx.x] = distance[k * n + x];
  if (threadIdx.x == 0) column[threadIdx.y] = distance[y * n + k];
  __syncthreads();
  const int around = column[threadIdx.y] + row[threadIdx.x];
  if (around < distance[y * n + x]) {
    distance[y * n + x] = around;
    through[y * n + x] = k;
  }
}

__global__ void convolve(const float* in, float* out, int width, int height) {
  extern __shared__ float tile[];  // the block with a halo of two
  const int pitch = blockDim.x + kMask - 1, rows = blockDim.y + kMask - 1;
  const int left = blockIdx.x * blockDim.x - kMask / 2, top = blockIdx.y * blockDim.y - kMask / 2;
  for (int i = threadIdx.y * blockDim.x + threadIdx.x; i < pitch * rows; i += blockDim.x * blockDim.y) {
    const int x = left + i % pitch, y = top + i / pitch;
    tile[i] = x >= 0 && x < width && y >= 0 && y < height ? in[y * width + x] : 0.0f;
  }
  __syncthreads();
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float sum = 0;
  for (int j = 0; j < kMask; ++j)
    for (int i = 0; i < kMask; ++i) sum += mask[j * kMask + i] * tile[(threadIdx.y + j) * pitch + threadIdx.x + i];
  out[y * width + x] = sum;
}

__global__ void histogram256(const unsigned char* data, int n, unsigned* bins) {
  __shared__ unsigned local[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) local[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&local[data[i]], 1u);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(&bins[i], local[i]);
}

__global__ void transpose(const double* in, double* out, int width, int height) {
  __shared__ double tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x;
  for (int j = threadIdx.y; j < 32; j += blockDim.y) {
    const int y = blockIdx.y * 32 + j;
    if (x < width && y < height) tile[j][threadIdx.x] = in[y * width + x];
  }
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  for (int j = threadIdx.y; j < 32; j += blockDim.y) {
    const int y = blockIdx.x * 32 + j;
    if (x < height && y < width) out[y * height + x] = tile[threadIdx.x][j];
  }
}

__global__ void reduceTiles(const int* in, int n, int* sums) {
  const cg::thread_block block = cg::this_thread_block();
  constexpr unsigned kTile = 32;
  const auto tile = cg::tiled_partition<kTile>(block);
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int value = i < n ? in[i] : 0;
  for (unsigned offset = kTile / 2; offset > 0; offset /= 2) value += tile.shfl_down(value, offset);
  if (block.thread_rank() % kTile == 0) atomicAdd(&sums[blockIdx.x], value);
}

struct Body {
  float x, y, z, mass;
};
__global__ void accelerate(const Body* bodies, float3* out, int n) {
  extern __shared__ Body near[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const Body me = bodies[i];
  float3 a{0, 0, 0};
  for (int base = 0; base < n; base += blockDim.x) {
    near[threadIdx.x] = bodies[base + threadIdx.x];
    __syncthreads();
    for (unsigned j = 0; j < blockDim.x; ++j) {
      const float dx = near[j].x - me.x, dy = near[j].y - me.y, dz = near[j].z - me.z;
      const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
      const float s = near[j].mass * inverse * inverse * inverse;
      a.x += s * dx, a.y += s * dy, a.z += s * dz;
    }
    __syncthreads();
  }
  out[i] = a;
}

__global__ void mandelbrot(unsigned char* out, int width, int height, int limit) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const double cx = -2.0 + 3.0 * x / width, cy = -1.5 + 3.0 * y / height;
  double zx = 0, zy = 0;
  int steps = 0;
  while (steps < limit && zx * zx + zy * zy <= 4.0) {
    const double t = zx * zx - zy * zy + cx;
    zy = 2 * zx * zy + cy;
    zx = t;
    ++steps;
  }
  out[y * width + x] = static_cast<unsigned char>(steps);
}

__global__ void jacobi(const double* from, double* to, int n) {
  const cg::grid_group grid = cg::this_grid();
  for (int step = 0; step < 20; ++step) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
      to[i] = i == 0 || i == n - 1 ? from[i] : 0.5 * (from[i - 1] + from[i + 1]);
    grid.sync();
    const double* t = from;
    from = to;
    to = const_cast<double*>(t);
  }
}

}  // namespace

TEST(bitonic_sort) {
  const unsigned n = fullRun() ? 1 << 18 : 1 << 14;
  Random random(1);
  std::vector<unsigned> data(n);
  for (unsigned& x : data) x = random.bits();
  Buffer<unsigned> d(data);
  Stream stream;
  for (unsigned run = 2; run <= n; run *= 2)
    for (unsigned distance = run / 2; distance > 0; distance /= 2)
      bitonicStep<<<n / 256, 256, 0, stream>>>(d, distance, run);
  HIP(hipStreamSynchronize(stream));
  std::sort(data.begin(), data.end());
  EXPECT_VEC(d.download(), data);
  check::result(data);
}

TEST(floyd_warshall) {
  const int n = 96;
  Random random(2);
  std::vector<int> distance(n * n), through(n * n, -1);
  for (int i = 0; i < n * n; ++i)
    distance[i] = i % (n + 1) == 0 ? 0 : random.below(10) ? 100000 : 1 + random.below(100);
  Buffer<int> d(distance), t(through);
  for (int k = 0; k < n; ++k) floydWarshallStep<<<dim3(n / kTile, n / kTile), dim3(kTile, kTile)>>>(d, t, n, k);
  KERNEL_OK();
  for (int k = 0; k < n; ++k)
    for (int y = 0; y < n; ++y)
      for (int x = 0; x < n; ++x)
        if (const int around = distance[y * n + k] + distance[k * n + x]; around < distance[y * n + x])
          distance[y * n + x] = around, through[y * n + x] = k;
  EXPECT_VEC(d.download(), distance);
  EXPECT_VEC(t.download(), through);
  check::result(through);
}

TEST(convolution) {
  const int width = 250, height = 130;
  const auto picture = randomVector<float>(width * height, 3, 0, 1),
             weights = randomVector<float>(kMask * kMask, 4, -1, 1);
  HIP(hipMemcpyToSymbol(HIP_SYMBOL(mask), weights.data(), weights.size() * sizeof(float)));
  Buffer<float> in(picture), out(picture.size());
  const dim3 block(32, 8), grid(blocksFor(width, 32), blocksFor(height, 8));
  convolve<<<grid, block, (32 + kMask - 1) * (8 + kMask - 1) * sizeof(float)>>>(in, out, width, height);
  KERNEL_OK();
  std::vector<float> want(picture.size());
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      for (int j = 0; j < kMask; ++j)
        for (int i = 0; i < kMask; ++i)
          if (const int sx = x + i - 2, sy = y + j - 2; sx >= 0 && sx < width && sy >= 0 && sy < height)
            want[y * width + x] += weights[j * kMask + i] * picture[sy * width + sx];
  EXPECT(closeVectors(out.download(), want, 1e-5, "pixel"));
  check::result(out.download());
}

TEST(histogram_in_shared_memory) {
  const int n = int(sized(100000));
  Random random(5);
  std::vector<unsigned char> data(n);
  for (auto& x : data) x = static_cast<unsigned char>(random.below(16) * random.below(16));
  Buffer<unsigned char> in(data);
  Buffer<unsigned> bins(256);
  bins.fill(0);
  histogram256<<<30, 192>>>(in, n, bins);
  KERNEL_OK();
  std::vector<unsigned> want(256);
  for (auto x : data) ++want[x];
  EXPECT_VEC(bins.download(), want);
  check::result(want);
}

TEST(matrix_transpose) {
  const int width = 200, height = 333;
  const auto matrix = randomVector<double>(width * height, 6, -1, 1);
  Buffer<double> in(matrix), out(matrix.size());
  transpose<<<dim3(blocksFor(width, 32), blocksFor(height, 32)), dim3(32, 8)>>>(in, out, width, height);
  KERNEL_OK();
  std::vector<double> want(matrix.size());
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) want[x * height + y] = matrix[y * width + x];
  EXPECT_VEC(out.download(), want);
}

TEST(reduction_by_cooperative_tiles) {
  const int n = int(sized(50000)), block = 256;
  Random random(7);
  std::vector<int> numbers(n), want(blocksFor(n, block));
  for (int i = 0; i < n; ++i) want[i / block] += numbers[i] = random.below(1000);
  Buffer<int> in(numbers), sums(want.size());
  sums.fill(0);
  reduceTiles<<<unsigned(want.size()), block>>>(in, n, sums);
  KERNEL_OK();
  EXPECT_VEC(sums.download(), want);
  check::result(want);
}

TEST(n_body) {
  const int n = 512;
  Random random(8);
  std::vector<Body> bodies(n);
  for (Body& b : bodies)
    b = {float(random.between(-1, 1)), float(random.between(-1, 1)), float(random.between(-1, 1)),
         float(random.unit())};
  Buffer<Body> in(bodies);
  Buffer<float3> out(n);
  accelerate<<<n / 128, 128, 128 * sizeof(Body)>>>(in, out, n);
  KERNEL_OK();
  std::vector<double> got, want;
  for (const float3& a : out.download()) got.insert(got.end(), {a.x, a.y, a.z});
  for (const Body& me : bodies) {
    double a[3]{};
    for (const Body& b : bodies) {
      const double d[]{double(b.x) - me.x, double(b.y) - me.y, double(b.z) - me.z};
      const double s = b.mass / std::pow(d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + 0.01, 1.5);
      for (int i = 0; i < 3; ++i) a[i] += s * d[i];
    }
    want.insert(want.end(), a, a + 3);
  }
  EXPECT(closeVectors(got, want, 1e-3, "acceleration"));
  check::result(got);
}

TEST(mandelbrot_set) {
  const int width = 150, height = 100, limit = 200;
  Buffer<unsigned char> out(width * height);
  mandelbrot<<<dim3(blocksFor(width, 16), blocksFor(height, 16)), dim3(16, 16)>>>(out, width, height, limit);
  KERNEL_OK();
  const auto got = out.download();
  int different = 0;  // contracted multiply-adds may move a few points at the rim
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const double cx = -2.0 + 3.0 * x / width, cy = -1.5 + 3.0 * y / height;
      double zx = 0, zy = 0;
      int steps = 0;
      for (; steps < limit && zx * zx + zy * zy <= 4.0; ++steps) {
        const double t = zx * zx - zy * zy + cx;
        zy = 2 * zx * zy + cy;
        zx = t;
      }
      different += got[y * width + x] != static_cast<unsigned char>(steps);
    }
  EXPECT(different < width * height / 200);
  check::result(got);
}

TEST(relaxation_with_grid_sync) {
  int n = 4000, blocks = 0;
  HIP(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, jacobi, 256, 0));
  EXPECT(blocks >= 1);
  auto field = randomVector<double>(n, 9, 0, 1);
  Buffer<double> a(field), b(n);
  double *from = a, *to = b;
  void* arguments[] = {&from, &to, &n};
  HIP(hipLaunchCooperativeKernel(reinterpret_cast<void*>(jacobi), dim3(4), dim3(256), arguments, 0, nullptr));
  HIP(hipDeviceSynchronize());
  for (int step = 0; step < 20; ++step) {
    auto next = field;
    for (int i = 1; i + 1 < n; ++i) next[i] = 0.5 * (field[i - 1] + field[i + 1]);
    field = next;
  }
  EXPECT_VEC(a.download(), field);
  check::result(field);
}

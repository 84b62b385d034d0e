// Whole kernels on softgpu with one thread, next to the same computation compiled for this CPU.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <thread>

#include "bench/softgpu.h"
#include "bench/softgpu_cpu.h"

namespace hipr::bench {
namespace {

constexpr int kTimes = 5;

void addPair(Report& report, const std::string& what, double gpu, double cpu) {
  report.add(what + ", softgpu", gpu * 1e3, "ms");
  report.add(what + ", g++ -O3", cpu * 1e3, "ms");
  report.add(what + ", ratio", gpu / cpu, "");
}

void require(bool right, const char* what) {
  if (right) return;
  std::fprintf(stderr, "%s: the result is wrong\n", what);
  std::exit(1);
}

// Random integers, or numbers in [0, 1).
template <class T>
T* filled(const Softgpu& gpu, int n, unsigned seed) {
  auto* data = static_cast<T*>(gpu.allocate(static_cast<std::size_t>(n) * sizeof(T)));
  std::mt19937 random(seed);
  constexpr T kScale = std::is_floating_point_v<T> ? T(1 << 24) : T(1);
  for (int i = 0; i < n; ++i) data[i] = static_cast<T>(random() >> 8) / kScale;
  return data;
}

bool near(const float* a, const float* b, int n) {
  for (int i = 0; i < n; ++i)
    if (!(std::fabs(a[i] - b[i]) <= 1e-3f * std::fabs(b[i]))) return false;
  return true;
}

void measureSaxpy(Report& report, const Softgpu& gpu) {
  int n = 1 << 20;
  float a = 0.5f, *x = filled<float>(gpu, n, 1), *y = filled<float>(gpu, n, 2);
  std::vector<float> expected(y, y + n);
  const hipFunction_t kernel = gpu.kernel("saxpy");
  const Cost ours = costOf(kTimes, [&] {
    gpu.launch(kernel, Groups{static_cast<unsigned>(n) / 256}, 256, 0, {&y, &x, &a, &n});
    gpu.wait();
  });
  const Cost theirs = costOf(kTimes, [&] { saxpyCpu(expected.data(), x, a, n); });
  require(near(y, expected.data(), n), "saxpy");
  addPair(report, "saxpy, 1 Mi elements", ours.cpu, theirs.cpu);
}

void measureProducts(Report& report, const Softgpu& gpu) {
  int n = 512;
  const auto tiles = static_cast<unsigned>(n);
  float *a = filled<float>(gpu, n * n, 3), *b = filled<float>(gpu, n * n, 4), *c = filled<float>(gpu, n * n, 5);
  std::vector<float> expected(static_cast<std::size_t>(n * n)), blas(expected);
  const double cpu = costOf(kTimes, [&] { matmulCpu(expected.data(), a, b, n); }).cpu;
  const auto run = [&](const char* name, unsigned tile, unsigned items) {
    const hipFunction_t kernel = gpu.kernel(name);
    const Cost cost = costOf(kTimes, [&] {
      gpu.launch(kernel, Groups{tiles / tile, tiles / tile}, items, 0, {&c, &a, &b, &n});
      gpu.wait();
    });
    require(near(c, expected.data(), n * n), name);
    return cost.cpu;
  };
  addPair(report, "tiled matmul, 512^3 f32", run("matmul", 16, 256), cpu);
  const double gemm = run("gemm", 64, 64);
  addPair(report, "MFMA GEMM, 512^3 f32", gemm, cpu);
  if (!matmulBlas(blas.data(), a, b, n)) {
    std::fprintf(stderr, "libopenblas.so.0 is not installed: no comparison with it\n");
    return;
  }
  require(near(blas.data(), expected.data(), n * n), "OpenBLAS");
  const double best = costOf(2 * kTimes, [&] { matmulBlas(blas.data(), a, b, n); }).cpu;
  report.add("512^3 f32, OpenBLAS on one thread", best * 1e3, "ms");
  report.atMost("MFMA GEMM / OpenBLAS", gemm / best, "", 15);
}

void measureReduction(Report& report, const Softgpu& gpu) {
  int n = 1 << 22, groups = 64;
  auto *values = filled<std::uint32_t>(gpu, n, 6), *total = filled<std::uint32_t>(gpu, 1, 7);
  const hipFunction_t kernel = gpu.kernel("reduce");
  const Cost ours = costOf(kTimes, [&] {
    *total = 0;
    gpu.launch(kernel, Groups{static_cast<unsigned>(groups)}, 256, 0, {&total, &values, &n, &groups});
    gpu.wait();
  });
  std::uint32_t expected = 0;
  const Cost theirs = costOf(kTimes, [&] { expected = reduceCpu(values, n); });
  require(*total == expected, "reduction");
  addPair(report, "reduction, 4 Mi values", ours.cpu, theirs.cpu);
}

void measureSort(Report& report, const Softgpu& gpu) {
  constexpr unsigned kKeys = 1 << 17, kBlock = 1024;
  auto* keys = filled<std::uint32_t>(gpu, kKeys, 8);
  const std::vector<std::uint32_t> unsorted(keys, keys + kKeys);
  std::vector<std::uint32_t> expected;
  const hipFunction_t block = gpu.kernel("sortBlock"), exchange = gpu.kernel("sortStep");
  const Cost ours = costOf(kTimes, [&] {
    std::copy(unsorted.begin(), unsorted.end(), keys);
    unsigned first = 2, last = kBlock;
    gpu.launch(block, Groups{kKeys / kBlock}, kBlock / 2, 0, {&keys, &first, &last});
    for (unsigned size = 2 * kBlock; size <= kKeys; size *= 2) {
      for (unsigned step = size / 2; step >= kBlock; step /= 2)
        gpu.launch(exchange, Groups{kKeys / 512}, 256, 0, {&keys, &size, &step});
      gpu.launch(block, Groups{kKeys / kBlock}, kBlock / 2, 0, {&keys, &size, &size});
    }
    gpu.wait();
  });
  const Cost theirs = costOf(kTimes, [&] {
    expected = unsorted;
    sortCpu(expected.data(), kKeys);
  });
  require(std::equal(expected.begin(), expected.end(), keys), "sort");
  addPair(report, "bitonic sort, 128 Ki keys (CPU: std::sort)", ours.cpu, theirs.cpu);
}

}  // namespace

void measureKernels(Report& report, const Softgpu& gpu) {
  report.section("softgpu: kernels on one thread, CPU time");
  measureSaxpy(report, gpu);
  measureProducts(report, gpu);
  measureReduction(report, gpu);
  measureSort(report, gpu);
}

// Work for some hundred milliseconds in many workgroups.
int runScalingChild(unsigned threads) {
  const Softgpu gpu(threads);
  int n = 512;
  float *a = filled<float>(gpu, n * n, 3), *b = filled<float>(gpu, n * n, 4), *c = filled<float>(gpu, n * n, 5);
  const hipFunction_t kernel = gpu.kernel("matmul");
  const auto tiles = static_cast<unsigned>(n) / 16;
  const Cost cost = costOf(kTimes, [&] {
    gpu.launch(kernel, Groups{tiles, tiles}, 256, 0, {&c, &a, &b, &n});
    gpu.wait();
  });
  std::printf("%.9f %.9f\n", cost.wall, cost.cpu);
  return 0;
}

namespace {

// What two threads gain here at all, now: a machine with other things to do does not have two cores for us.
double plainGain() {
  const auto spin = [](int rounds) {
    volatile double x = 1;
    for (int r = 0; r < rounds; ++r) x = x * 1.0000001;
  };
  constexpr int kRounds = 40'000'000;
  const double one = costOf(3, [&] { spin(kRounds); }).wall;
  const double two = costOf(3, [&] {
                       std::thread other(spin, kRounds / 2);
                       spin(kRounds / 2);
                       other.join();
                     }).wall;
  return one / two;
}

}  // namespace

void measureScaling(Report& report) {
  report.section("softgpu: two threads, tiled matmul 512^3");
  Cost one{1e9, 1e9}, two{1e9, 1e9};
  double gain = 0;
  for (int t = 0; t < 3; ++t) {
    for (Cost* cost : {&one, &two}) {
      Cost run;
      const std::string line = runSelf(cost == &one ? "--child-scaling 1" : "--child-scaling 2");
      if (std::sscanf(line.c_str(), "%lf %lf", &run.wall, &run.cpu) != 2) std::exit(1);
      *cost = {std::min(cost->wall, run.wall), std::min(cost->cpu, run.cpu)};
    }
    gain = std::max(gain, plainGain());
  }
  report.add("one thread", one.wall * 1e3, "ms");
  report.add("two threads", two.wall * 1e3, "ms");
  report.add("one thread / two threads", one.wall / two.wall, "");
  report.add("the same for a plain loop", gain, "");
  report.atLeast("gain / a plain loop's gain", one.wall / two.wall / gain, "", 0.8);
  report.atMost("CPU time of two threads / one thread", two.cpu / one.cpu, "", 1.25);
}

}  // namespace hipr::bench

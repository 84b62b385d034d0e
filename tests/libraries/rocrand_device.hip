// rocRAND's device functions, compiled into our own kernels: each thread has its own subsequence, as on a GPU one would
// use them, and the numbers are those of the CPU's algorithm; then the classic use, an estimate of pi.
#include <hip/hip_runtime.h>
#include <rocrand/rocrand_kernel.h>

#include "random_reference.h"
#include "support.h"

namespace {

constexpr unsigned kThreads = 2048, kEach = 9;
constexpr unsigned long long kSeed = 987654321;

template <class State>
__global__ void draw(unsigned* out, unsigned long long seed, unsigned long long offset) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  State state;
  rocrand_init(seed, thread, offset, &state);
  for (unsigned i = 0; i < kEach; ++i) out[thread * kEach + i] = rocrand(&state);
}

template <class State>
std::vector<unsigned> drawn(unsigned long long offset) {
  Buffer<unsigned> out(kThreads * kEach);
  draw<State><<<kThreads / 256, 256>>>(out, kSeed, offset);
  KERNEL_OK();
  check::result(out.download());
  return out.download();
}

__global__ void drawSobol(unsigned* out, const unsigned* directions, unsigned dimensions) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  for (unsigned d = 0; d < dimensions; ++d) {
    rocrand_state_sobol32 state;
    rocrand_init(directions + d * 32, thread * kEach, &state);
    for (unsigned i = 0; i < kEach; ++i) out[(d * kThreads + thread) * kEach + i] = rocrand(&state);
  }
}

__global__ void distributions(float* uniform, float* normal, double* exact, unsigned* poisson) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  rocrand_state_philox4x32_10 state;
  rocrand_init(kSeed, thread, 0, &state);
  for (unsigned i = 0; i < kEach; ++i) {
    const unsigned at = thread * kEach + i;
    uniform[at] = rocrand_uniform(&state);
    normal[at] = rocrand_normal(&state);
    exact[at] = rocrand_normal_double(&state);
    poisson[at] = rocrand_poisson(&state, 4.0);
  }
}

__global__ void insideCircle(unsigned* count, unsigned each) {
  rocrand_state_xorwow state;
  rocrand_init(1234, blockIdx.x * blockDim.x + threadIdx.x, 0, &state);
  unsigned inside = 0;
  for (unsigned i = 0; i < each; ++i) {
    const float x = rocrand_uniform(&state), y = rocrand_uniform(&state);
    inside += x * x + y * y <= 1.0f;
  }
  atomicAdd(count, inside);
}

template <class T>
void expectMoments(const std::vector<T>& v, double mean, double variance, double tolerance) {
  double sum = 0, squares = 0;
  for (T x : v) sum += double(x), squares += double(x) * double(x);
  sum /= double(v.size());
  EXPECT_NEAR(sum, mean, tolerance);
  EXPECT_NEAR(squares / double(v.size()) - sum * sum, variance, 2 * tolerance);
}

}  // namespace

TEST(philox_subsequences) {
  const unsigned long long offset = 6;  // in the middle of a block of four
  std::vector<unsigned> want(kThreads * kEach);
  for (unsigned t = 0; t < kThreads; ++t)
    for (unsigned i = 0; i < kEach; ++i)
      want[t * kEach + i] = reference::philox(kSeed, (offset + i) / 4, t)[(offset + i) % 4];
  EXPECT_VEC(drawn<rocrand_state_philox4x32_10>(offset), want);
}

TEST(xorwow_subsequences) {
  const reference::XorwowJump jump;
  reference::Xorwow engine(kSeed);
  std::vector<unsigned> want;
  for (unsigned t = 0; t < kThreads; ++t) {
    reference::Xorwow running = engine;
    for (int skip = 0; skip < 1000; ++skip) running.next();
    for (unsigned i = 0; i < kEach; ++i) want.push_back(running.next());
    engine.x = jump.apply(engine.x);
  }
  EXPECT_VEC(drawn<rocrand_state_xorwow>(1000), want);
}

TEST(mrg32k3a_subsequences) {
  reference::Mrg32k3a engine(kSeed);
  const auto jump1 = engine.one.power2(76), jump2 = engine.two.power2(76);
  std::vector<unsigned> want;
  for (unsigned t = 0; t < kThreads; ++t) {
    reference::Mrg32k3a running = engine;
    for (int skip = 0; skip < 777; ++skip) running.next();
    for (unsigned i = 0; i < kEach; ++i)
      want.push_back(static_cast<unsigned>((running.next() - 1) * 1.000000048661607));
    engine.one.apply(jump1);
    engine.two.apply(jump2);
  }
  EXPECT_VEC(drawn<rocrand_state_mrg32k3a>(777), want);
}

TEST(sobol_dimensions) {
  std::vector<unsigned> directions, want;
  for (unsigned d = 0; d < reference::kSobolDimensions; ++d) {
    const auto v = reference::sobolDirections<unsigned>(d);
    directions.insert(directions.end(), v.begin(), v.end());
    for (unsigned i = 0; i < kThreads * kEach; ++i) want.push_back(reference::sobol(v, i));
  }
  Buffer<unsigned> table(directions), out(want.size());
  drawSobol<<<kThreads / 256, 256>>>(out, table, reference::kSobolDimensions);
  KERNEL_OK();
  EXPECT_VEC(out.download(), want);
}

TEST(distributions_of_the_device_functions) {
  Buffer<float> uniform(kThreads * kEach), normal(kThreads * kEach);
  Buffer<double> exact(kThreads * kEach);
  Buffer<unsigned> poisson(kThreads * kEach);
  distributions<<<kThreads / 128, 128>>>(uniform, normal, exact, poisson);
  KERNEL_OK();
  expectMoments(uniform.download(), 0.5, 1 / 12.0, 0.01);
  expectMoments(normal.download(), 0, 1, 0.03);
  expectMoments(exact.download(), 0, 1, 0.03);
  expectMoments(poisson.download(), 4, 4, 0.1);
  check::result(exact.download());
  check::result(poisson.download());
}

TEST(estimate_of_pi) {
  Buffer<unsigned> count(1);
  count.fill(0);
  const unsigned each = unsigned(sized(200));
  insideCircle<<<kThreads / 256, 256>>>(count, each);
  KERNEL_OK();
  EXPECT_NEAR(4.0 * single(count) / (double(kThreads) * each), M_PI, 0.02);
  check::result(single(count));
}

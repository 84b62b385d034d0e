// rocRAND's generators against the CPU: every integer of every generator is equal to the published algorithm's, and
// uniform, normal and log-normal floats follow from those integers. How a generator deals its numbers to the output is
// part of rocRAND's documented behaviour: engine i makes the numbers i, i + engines, i + 2 engines, ...
#include <rocrand/rocrand.h>
// clang-format off
#include <rocrand/rocrand_mtgp32.h>
#include <rocrand/rocrand_mtgp32_11213.h>
// clang-format on

#include "random_reference.h"
#include "support.h"

namespace {

#define RAND(CALL) REQUIRE((CALL) == ROCRAND_STATUS_SUCCESS)

constexpr std::size_t kEngines = 512 * 256;  // of XORWOW and MRG32k3a
constexpr std::size_t kMtgpBlock = 256, kMtgpEngines = 512;
constexpr unsigned kSeed = 20240229;

struct Generator {
  rocrand_generator handle = nullptr;
  explicit Generator(rocrand_rng_type type) { RAND(rocrand_create_generator(&handle, type)); }
  Generator(const Generator&) = delete;
  ~Generator() { (void)rocrand_destroy_generator(handle); }
  operator rocrand_generator() const { return handle; }
};

std::vector<unsigned> integers(rocrand_generator g, std::size_t n) {
  Buffer<unsigned> out(n);
  RAND(rocrand_generate(g, out, n));
  return out.download();
}
std::vector<float> uniforms(rocrand_generator g, std::size_t n) {
  Buffer<float> out(n);
  RAND(rocrand_generate_uniform(g, out, n));
  return out.download();
}

// Box and Muller's two normals from two 32-bit numbers, in double precision.
void normalPair(double u, double v, double* out) {
  const double length = std::sqrt(-2 * std::log(u)), angle = 2 * M_PI * v;
  out[0] = length * std::sin(angle);
  out[1] = length * std::cos(angle);
}
double unit(unsigned x) {
  return (double(x) + 1) * 0x1p-32;
}

// The library computes in single precision, from a uniform that was itself rounded: near u = 1 the logarithm has few
// digits left, so the bound is absolute.
void expectNear(const std::vector<float>& got, const std::vector<double>& want, double tolerance, const char* what) {
  REQUIRE(got.size() == want.size());
  for (std::size_t i = 0; i < got.size(); ++i)
    if (!(std::fabs(got[i] - want[i]) <= tolerance * std::max(1.0, std::fabs(want[i])))) {
      check::fail(
          __FILE__, __LINE__,
          std::string(what) + " " + check::show(i) + ": " + check::show(got[i]) + ", not " + check::show(want[i]));
      return;
    }
  check::result(got);
}

std::vector<double> unitsOf(const std::vector<unsigned>& numbers) {
  std::vector<double> u;
  for (unsigned x : numbers) u.push_back(unit(x));
  return u;
}

std::vector<unsigned> philoxNumbers(std::size_t n, std::uint64_t seed, std::size_t first = 0) {
  std::vector<unsigned> v(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = reference::philox(seed, (first + i) / 4, 0)[(first + i) % 4];
  return v;
}

}  // namespace

TEST(philox_integers) {
  Generator g(ROCRAND_RNG_PSEUDO_PHILOX4_32_10);
  RAND(rocrand_set_seed(g, kSeed));
  const std::size_t n = sized(300000);
  const auto numbers = integers(g, n);
  EXPECT_VEC(numbers, philoxNumbers(n, kSeed));
  EXPECT_VEC(integers(g, 1000), philoxNumbers(1000, kSeed, n));  // goes on where it was
  check::result(numbers);
}

TEST(philox_offset_and_large_seed) {
  Generator g(ROCRAND_RNG_PSEUDO_PHILOX4_32_10);
  RAND(rocrand_set_seed(g, 0x123456789abcdef0));
  RAND(rocrand_set_offset(g, 40000));
  EXPECT_VEC(integers(g, 5000), philoxNumbers(5000, 0x123456789abcdef0, 40000));
}

TEST(philox_floats) {
  Generator g(ROCRAND_RNG_PSEUDO_PHILOX4_32_10);
  RAND(rocrand_set_seed(g, kSeed));
  const std::size_t n = sized(50000) / 4 * 4;
  expectNear(uniforms(g, n), unitsOf(philoxNumbers(n, kSeed)), 6e-8, "uniform");
  Buffer<float> out(n);
  RAND(rocrand_generate_normal(g, out, n, 3.0f, 2.0f));
  const auto numbers = philoxNumbers(n, kSeed, n);
  std::vector<double> want(n);
  for (std::size_t i = 0; i < n; i += 2) normalPair(unit(numbers[i]), unit(numbers[i + 1]), &want[i]);
  for (double& x : want) x = 3 + 2 * x;
  expectNear(out.download(), want, 1e-3, "normal");
  RAND(rocrand_generate_log_normal(g, out, n, 0.5f, 0.25f));
  const auto more = philoxNumbers(n, kSeed, 2 * n);
  for (std::size_t i = 0; i < n; i += 2) normalPair(unit(more[i]), unit(more[i + 1]), &want[i]);
  for (double& x : want) x = std::exp(0.5 + 0.25 * x);
  expectNear(out.download(), want, 1e-3, "log-normal");
}

TEST(xorwow_numbers) {
  // One generator for integers and floats: making its 131072 engines takes a GPU long.
  Generator g(ROCRAND_RNG_PSEUDO_XORWOW);
  RAND(rocrand_set_seed(g, kSeed));
  const auto numbers = integers(g, 2 * kEngines);
  const auto floats = uniforms(g, kEngines);
  const reference::XorwowJump jump;
  reference::Xorwow engine(kSeed);
  std::vector<unsigned> want(2 * kEngines);
  std::vector<double> wantFloats(kEngines);
  for (std::size_t e = 0; e < kEngines; ++e) {
    reference::Xorwow running = engine;
    for (std::size_t round = 0; round < 2; ++round) want[round * kEngines + e] = running.next();
    wantFloats[e] = unit(running.next());
    engine.x = jump.apply(engine.x);
  }
  EXPECT_VEC(numbers, want);
  expectNear(floats, wantFloats, 6e-8, "uniform");
  check::result(numbers);
}

TEST(mrg32k3a_numbers) {
  Generator g(ROCRAND_RNG_PSEUDO_MRG32K3A);
  RAND(rocrand_set_seed(g, kSeed));
  const auto numbers = integers(g, 2 * kEngines);
  const auto floats = uniforms(g, kEngines);
  reference::Mrg32k3a engine(kSeed);
  const auto jump1 = engine.one.power2(76), jump2 = engine.two.power2(76);  // L'Ecuyer's substreams
  std::vector<unsigned> want(2 * kEngines);
  std::vector<double> wantFloats(kEngines);
  for (std::size_t e = 0; e < kEngines; ++e) {
    reference::Mrg32k3a running = engine;
    // [1, m1] spread over all 32 bits, as rocRAND documents it
    for (std::size_t round = 0; round < 2; ++round)
      want[round * kEngines + e] = static_cast<unsigned>((running.next() - 1) * 1.000000048661607);
    wantFloats[e] = running.next() / double(reference::Mrg32k3a::kM1);
    engine.one.apply(jump1);
    engine.two.apply(jump2);
  }
  EXPECT_VEC(numbers, want);
  expectNear(floats, wantFloats, 6e-8, "uniform");
  check::result(numbers);
}

TEST(mtgp32_numbers) {
  Generator g(ROCRAND_RNG_PSEUDO_MTGP32);
  RAND(rocrand_set_seed(g, kSeed));
  const std::size_t each = 3 * kMtgpBlock;  // of each engine
  const auto numbers = integers(g, each * kMtgpEngines);
  std::vector<unsigned> want(numbers.size());
  for (std::size_t e = 0; e < kMtgpEngines; ++e) {
    reference::Mtgp32 engine(mtgp32dc_params_fast_11213[e], mtgp32dc_params_fast_11213[0].mask,
                             kSeed + unsigned(e) + 1);
    for (std::size_t i = 0; i < each; ++i)
      want[(i / kMtgpBlock * kMtgpEngines + e) * kMtgpBlock + i % kMtgpBlock] = engine.next();
  }
  EXPECT_VEC(numbers, want);
  check::result(numbers);
}

TEST(sobol32_numbers) {
  Generator g(ROCRAND_RNG_QUASI_SOBOL32);
  const std::size_t each = sized(20000), first = 77;
  RAND(rocrand_set_quasi_random_generator_dimensions(g, reference::kSobolDimensions));
  RAND(rocrand_set_offset(g, first));
  const auto numbers = integers(g, each * reference::kSobolDimensions);
  std::vector<unsigned> want(numbers.size());
  for (unsigned d = 0; d < reference::kSobolDimensions; ++d) {
    const auto directions = reference::sobolDirections<unsigned>(d);
    for (std::size_t i = 0; i < each; ++i) want[d * each + i] = reference::sobol(directions, first + i);
  }
  EXPECT_VEC(numbers, want);
  check::result(numbers);
}

TEST(sobol64_numbers) {
  Generator g(ROCRAND_RNG_QUASI_SOBOL64);
  const std::size_t each = sized(20000);
  RAND(rocrand_set_quasi_random_generator_dimensions(g, reference::kSobolDimensions));
  Buffer<double> out(each * reference::kSobolDimensions);
  RAND(rocrand_generate_uniform_double(g, out, out.count()));
  const auto numbers = out.download();
  std::vector<double> want(numbers.size());
  for (unsigned d = 0; d < reference::kSobolDimensions; ++d) {
    const auto directions = reference::sobolDirections<std::uint64_t>(d);
    for (std::size_t i = 0; i < each; ++i)
      want[d * each + i] = double((reference::sobol(directions, i) >> 11) + 1) * 0x1p-53;
  }
  EXPECT_VEC(numbers, want);
  check::result(numbers);
}

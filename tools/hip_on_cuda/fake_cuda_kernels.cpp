// The kernels that the stand-in knows: those of kernels.c, and those of the conformance programs that
// build_conformance.sh builds, under their linker names. What they compute is said there.
#include <chrono>
#include <cstring>
#include <string_view>
#include <tuple>

#include "tools/hip_on_cuda/fake_cuda.h"

namespace hipr::cuda::fake {
namespace {

// Wraps an ordinary function; the places of its arguments follow from their types, as in PTX.
template <class... A>
Kernel make(const char* name, void (*function)(const Thread&, A...)) {
  Kernel kernel{name, {}, {}};
  std::size_t end = 0;
  const auto place = [&](std::size_t size) {
    const std::size_t offset = (end + size - 1) / size * size;
    kernel.parameters.push_back({offset, size});
    end = offset + size;
  };
  (place(sizeof(A)), ...);
  kernel.run = [function, parameters = kernel.parameters](const Thread& thread, const char* arguments) {
    std::tuple<A...> values;
    std::size_t next = 0;
    const auto read = [&](auto&... value) {
      (std::memcpy(&value, arguments + parameters[next++].offset, sizeof value), ...);
    };
    std::apply(read, values);
    std::apply([&](auto... value) { function(thread, value...); }, values);
  };
  return kernel;
}

void work(const Thread& t, float* out, int rounds) {
  volatile float x = static_cast<float>(t.global());  // volatile: multiply and add are rounded separately
  for (int i = 0; i < rounds; ++i) {
    x = x * 0.999f;
    x = x + 1.0f;
  }
  out[t.global()] = x;
}

void spin(const Thread&, std::uint64_t* out, std::uint64_t nanoseconds) {  // the device's clock has 1 GHz
  const auto start = std::chrono::steady_clock::now();
  std::uint64_t passed = 0;
  while (passed < nanoseconds) passed = static_cast<std::uint64_t>((std::chrono::steady_clock::now() - start).count());
  *out = passed;
}

unsigned scramble(unsigned x, int rounds) {
  for (int i = 0; i < rounds; ++i) x = x * 1664525u + 1013904223u;
  return x;
}

struct Job {
  int* data;
  int n;
};

void runJobs(const Thread& t, const Job* jobs, int* out) {
  int sum = 0;
  for (int i = 0; i < jobs[t.index].n; ++i) sum += jobs[t.index].data[i]++;
  out[t.index] = sum;
}

void sumTo(const Thread& t, const int* p, int n, int* out) {
  if (t.index != 0) return;
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += p[i];
  *out = sum;
}

const Kernel kKernels[] = {
    make(
        "empty", +[](const Thread&, int) {}),
    make("work", work),
    make("spin", spin),
    make(
        "_Z3addPii", +[](const Thread&, int* p, int v) { *p += v; }),
    make(
        "_Z9copyValuePKiPi", +[](const Thread&, const int* from, int* to) { *to = *from; }),
    make(
        "_Z8takeLongPii", +[](const Thread&, unsigned* p, int rounds) { *p = scramble(*p, rounds); }),
    make(
        "_Z4spiniPj", +[](const Thread& t, int rounds, unsigned* out) { out[t.global()] = scramble(t.index, rounds); }),
    make(
        "_Z6addOnePii",
        +[](const Thread& t, int* p, int n) {
          if (static_cast<int>(t.global()) < n) p[t.global()] += 1;
        }),
    make(
        "_Z6triplePii",
        +[](const Thread& t, int* p, int n) {
          if (static_cast<int>(t.global()) < n) p[t.global()] *= 3;
        }),
    make(
        "_Z4stepPjij",
        +[](const Thread& t, unsigned* p, int n, unsigned mul) {
          const unsigned i = t.global();
          if (static_cast<int>(i) < n) p[i] = p[i] * mul + i;
        }),
    make(
        "_Z5touchPiii",
        +[](const Thread& t, int* p, int n, int v) {
          for (int i = static_cast<int>(t.index); i < n; i += static_cast<int>(t.blockSize)) p[i] += v;
        }),
    make(
        "_Z11fillPitchedPcmii",
        +[](const Thread& t, char* base, std::uint64_t pitch, int width, int height) {
          const int x = static_cast<int>(t.index), y = static_cast<int>(t.block);
          if (x < width && y < height) base[t.block * pitch + t.index] = static_cast<char>(x + y);
        }),
    make("_Z5sumToPKiiPi", sumTo),
    make("_Z7runJobsPK3JobPi", runJobs),
};

}  // namespace

const Kernel* findKernel(const char* name) {
  for (const Kernel& kernel : kKernels) {
    if (std::string_view(kernel.name) == name) return &kernel;
  }
  return nullptr;
}

}  // namespace hipr::cuda::fake

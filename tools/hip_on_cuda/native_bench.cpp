// What a real GPU's users feel, measured through the HIP API alone: on hip_on_cuda's library these are the CUDA
// driver's own costs, on the remote library (TF_WORKER_HOST, TF_WORKER_PORT) those of the same device through a worker.
//   native_bench LIBRARY CODE_OBJECT        prints one JSON object
// CODE_OBJECT has the kernels of kernels.c.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "worker/hip_table.h"

namespace {

using hipr::worker::HipTable;

HipTable hip;

void check(hipError_t error, const char* what) {
  if (error == hipSuccess) return;
  std::fprintf(stderr, "native_bench: %s: %s\n", what, hip.errorName(error));
  std::exit(1);
}
#define CHECK(call) check(hip.call, #call)

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Seconds per call of f: the median of `batches` batches of `count`; `after` each batch is not counted.
template <class F, class After>
double timed(int batches, int count, F&& f, After&& after) {
  std::vector<double> times;
  for (int batch = 0; batch < batches; ++batch) {
    const double start = now();
    for (int i = 0; i < count; ++i) f();
    times.push_back((now() - start) / count);
    after();
  }
  std::nth_element(times.begin(), times.begin() + batches / 2, times.end());
  return times[static_cast<std::size_t>(batches) / 2];
}
template <class F>
double timed(int batches, int count, F&& f) {
  return timed(batches, count, f, [] {});
}

class Json {
 public:
  explicit Json(const std::string& library) { std::printf("{\"library\": \"%s\"", library.c_str()); }
  ~Json() { std::printf("}\n"); }
  void add(const char* name, double value) {
    std::printf(",\n \"%s\": %.4g", name, value);
    std::fflush(stdout);
  }
};

struct Bench {
  hipModule_t module = nullptr;
  hipFunction_t empty = nullptr, spin = nullptr;
  hipStream_t stream = nullptr;
  void* device = nullptr;
  std::uint64_t ticksPerMicrosecond = 0;

  explicit Bench(const std::vector<char>& code) {
    CHECK(hipSetDevice(0));
    CHECK(hipModuleLoadData(&module, code.data()));
    CHECK(hipModuleGetFunction(&empty, module, "empty"));
    CHECK(hipModuleGetFunction(&spin, module, "spin"));
    CHECK(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    CHECK(hipMalloc(&device, 4096));
    int kilohertz = 0;
    CHECK(hipDeviceGetAttribute(&kilohertz, hipDeviceAttributeWallClockRate, 0));
    ticksPerMicrosecond = static_cast<std::uint64_t>(std::max(kilohertz / 1000, 1));
  }

  void launchEmpty() {
    int unused = 0;
    void* arguments[] = {&unused};
    CHECK(hipModuleLaunchKernel(empty, 1, 1, 1, 64, 1, 1, 0, stream, arguments, nullptr));
  }
  void launchSpin(std::uint64_t microseconds) {
    std::uint64_t ticks = microseconds * ticksPerMicrosecond;
    void* arguments[] = {&device, &ticks};
    CHECK(hipModuleLaunchKernel(spin, 1, 1, 1, 1, 1, 1, 0, stream, arguments, nullptr));
  }
  void synchronize() { CHECK(hipStreamSynchronize(stream)); }
  std::uint64_t read() {
    std::uint64_t value = 0;
    CHECK(hipMemcpyAsync(&value, device, sizeof value, hipMemcpyDeviceToHost, stream));
    synchronize();
    return value;
  }
};

void measureCalls(Bench& b, Json& json) {
  for (int i = 0; i < 100; ++i) b.launchEmpty();
  b.synchronize();
  json.add("launch_submit_us", 1e6 * timed(9, 200, [&] { b.launchEmpty(); }, [&] { b.synchronize(); }));
  json.add("launch_sync_us", 1e6 * timed(9, 200, [&] {
                               b.launchEmpty();
                               b.synchronize();
                             }));
  json.add("malloc_free_4mib_us", 1e6 * timed(9, 50, [&] {
                                    void* memory = nullptr;
                                    CHECK(hipMalloc(&memory, 4 << 20));
                                    CHECK(hipFree(memory));
                                  }));
  json.add("event_cycle_us", 1e6 * timed(
                                       9, 200,
                                       [&] {
                                         hipEvent_t event = nullptr;
                                         CHECK(hipEventCreateWithFlags(&event, hipEventDisableTiming));
                                         CHECK(hipEventRecord(event, b.stream));
                                         CHECK(hipEventDestroy(event));
                                       },
                                       [&] { b.synchronize(); }));
  json.add("read_8_bytes_us", 1e6 * timed(9, 200, [&] { b.read(); }));
}

void measureCopies(Bench& b, Json& json) {
  for (const std::size_t bytes : {std::size_t{256} << 10, std::size_t{1} << 20, std::size_t{256} << 20}) {
    void *host = nullptr, *memory = nullptr;
    CHECK(hipHostMalloc(&host, bytes, hipHostMallocDefault));
    CHECK(hipMalloc(&memory, bytes));
    std::memset(host, 1, bytes);
    const auto copy = [&](void* to, void* from, hipMemcpyKind kind) {
      CHECK(hipMemcpyAsync(to, from, bytes, kind, b.stream));
      b.synchronize();
    };
    copy(memory, host, hipMemcpyHostToDevice);
    copy(host, memory, hipMemcpyDeviceToHost);
    const int count = bytes > (16 << 20) ? 1 : 20;
    const double up = timed(5, count, [&] { copy(memory, host, hipMemcpyHostToDevice); });
    const double down = timed(5, count, [&] { copy(host, memory, hipMemcpyDeviceToHost); });
    const std::string size = std::to_string(bytes >> 10) + "k";
    json.add(("pinned_up_" + size + "_us").c_str(), up * 1e6);
    json.add(("pinned_down_" + size + "_us").c_str(), down * 1e6);
    if (count == 1) {
      json.add("pinned_up_gb_s", static_cast<double>(bytes) / up * 1e-9);
      json.add("pinned_down_gb_s", static_cast<double>(bytes) / down * 1e-9);
    }
    CHECK(hipFree(memory));
    CHECK(hipHostFree(host));
  }
}

void measureSteps(Bench& b, Json& json) {
  for (const std::uint64_t length : {50, 5}) {
    const auto step = [&] {
      for (int i = 0; i < 64; ++i) b.launchSpin(length);
      const std::uint64_t lasted = b.read();
      if (lasted >= length * b.ticksPerMicrosecond) return;
      std::fprintf(stderr, "native_bench: a kernel of %d us did not run\n", static_cast<int>(length));
      std::exit(1);
    };
    step();
    json.add(length == 50 ? "64_kernels_of_50us_and_read_ms" : "64_kernels_of_5us_and_read_ms",
             1e3 * timed(15, 1, step));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: native_bench LIBRARY CODE_OBJECT\n");
    return 2;
  }
  if (const hipr::Status status = hipr::worker::loadHip(argv[1], hip); !status.ok()) {
    std::fprintf(stderr, "native_bench: %s\n", status.message().c_str());
    return 1;
  }
  std::ifstream file(argv[2], std::ios::binary);
  const std::vector<char> code((std::istreambuf_iterator<char>(file)), {});
  if (code.empty()) {
    std::fprintf(stderr, "native_bench: cannot read %s\n", argv[2]);
    return 1;
  }
  const double start = now();
  CHECK(hipInit(0));
  Bench bench(code);
  bench.launchEmpty();
  bench.synchronize();
  Json json(argv[1]);
  json.add("first_kernel_ms", (now() - start) * 1e3);
  measureCalls(bench, json);
  measureCopies(bench, json);
  measureSteps(bench, json);
  return 0;
}

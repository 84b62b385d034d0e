// Uploads that a worker knows by their content: a model over a line of 1 Gbit/s and 10 ms, the first time, again, and
// half of it changed; next to the same without a cache, in the same run. Every upload is a process of its own.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "bench/bench.h"
#include "testing/line_relay.h"
#include "testing/worker_process.h"

namespace hipr::bench {
namespace {

constexpr double kBandwidth = 125e6, kOneWay = 0.005;
constexpr std::size_t kTensor = 24 << 20;  // a model is uploaded in pieces of this size, one call each

// Bytes that nothing can make smaller, and that are the same for the same seed.
std::vector<std::uint64_t> randomWords(std::size_t bytes, unsigned seed) {
  std::vector<std::uint64_t> words(bytes / sizeof(std::uint64_t));
  std::uint64_t state = 0x9E3779B97F4A7C15 * (seed + 1);
  for (std::uint64_t& word : words) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    word = state;
  }
  return words;
}

}  // namespace

int runUploadChild(std::size_t mebibytes, unsigned seed, unsigned changedPercent) {
  Hip hip;
  if (!hip.load(testing::remoteLibrary()).ok()) return 1;
  const std::size_t bytes = mebibytes << 20;
  std::vector<std::uint64_t> model = randomWords(bytes, seed);
  const std::vector<std::uint64_t> other = randomWords(bytes * changedPercent / 100, seed + 1000);
  std::memcpy(model.data(), other.data(), other.size() * sizeof(std::uint64_t));
  auto* const from = reinterpret_cast<char*>(model.data());
  char* device = nullptr;
  HIPR_CHECK(hip, hipMalloc(reinterpret_cast<void**>(&device), bytes));
  HIPR_CHECK(hip, hipDeviceSynchronize());
  const double start = seconds();
  for (std::size_t at = 0; at < bytes; at += kTensor)
    HIPR_CHECK(hip, hipMemcpy(device + at, from + at, std::min(kTensor, bytes - at), hipMemcpyHostToDevice));
  HIPR_CHECK(hip, hipDeviceSynchronize());
  std::printf("%.6f\n", seconds() - start);
  return 0;
}

void measureUploads(Report& report, std::size_t mebibytes) {
  report.section("a model of " + std::to_string(mebibytes) + " MiB uploaded over 1 Gbit/s with 10 ms");
  const std::string folder = std::filesystem::temp_directory_path() / ("hip-remote-bench-" + std::to_string(getpid()));
  {
    const testing::WorkerProcess worker({"--runtime", "softgpu", "--grace", "1", "--data-cache", folder});
    const testing::LineRelay relay("127.0.0.1", worker.port(), {.oneWay = kOneWay, .bandwidth = kBandwidth});
    const auto upload = [&](unsigned seed, unsigned changed, const char* naming) {
      const std::string arguments =
          "--child-upload " + std::to_string(mebibytes) + " " + std::to_string(seed) + " " + std::to_string(changed);
      const std::string environment = std::string("HIP_REMOTE_DATA_CACHE=") + naming +
                                      " TF_WORKER_HOST=127.0.0.1 TF_WORKER_PORT=" + std::to_string(relay.port()) + " ";
      const double time = std::atof(runSelf(arguments, environment).c_str());
      while (!worker.sessions().empty()) usleep(10'000);  // it keeps the rest of what it got
      return time;
    };
    const double line = static_cast<double>(mebibytes << 20) / kBandwidth;
    const double without = upload(1, 0, "off");
    const double first = upload(2, 0, "auto");
    const double again = upload(2, 0, "auto");
    const double half = upload(2, 50, "auto");
    report.add("the bytes at the speed of the line", line, "s");
    report.add("without a cache", without, "s");
    report.add("the first time", first, "s");
    report.atMost("bytes that are new / without a cache", first / without, "", 1.03);
    report.atMost("the second time / the first time", again / first, "", 0.05);
    report.atMost("half of it changed / the first time", half / first, "", 0.6);
  }
  std::filesystem::remove_all(folder);
}

}  // namespace hipr::bench

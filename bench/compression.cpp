// Data that is packed for its way: copies over a line of 1 Gbit/s and 10 ms, both ways, next to the same copies
// without, in the same run. Every copy is a process of its own.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>

#include "bench/bench.h"
#include "testing/line_relay.h"
#include "testing/worker_process.h"

namespace hipr::bench {
namespace {

constexpr double kBandwidth = 125e6, kOneWay = 0.005;
constexpr std::size_t kCall = 16 << 20;  // bytes

std::vector<char> make(Content content, std::size_t bytes) {
  std::vector<char> out(bytes);
  std::mt19937 random(1);
  std::normal_distribution<float> values(0, 0.02f);
  const std::string words[] = {"stream ", "event ", "kernel ", "copies ", "memory ", "the ", "of "};
  for (std::size_t at = 0; at < bytes;) {
    const float value = values(random);
    const std::string& word = words[random() % std::size(words)];
    const auto noise = static_cast<std::uint32_t>(random());
    const char* from = content == kWeights ? reinterpret_cast<const char*>(&value) + 2
                       : content == kWords ? word.data()
                                           : reinterpret_cast<const char*>(&noise);
    const std::size_t size = std::min(content == kWeights ? 2 : content == kWords ? word.size() : 4, bytes - at);
    std::memcpy(out.data() + at, from, size);
    at += size;
  }
  return out;
}

struct Times {
  double up = 0, down = 0;
};

}  // namespace

int runCopyChild(std::size_t mebibytes, int content) {
  Hip hip;
  if (!hip.load(testing::remoteLibrary()).ok()) return 1;
  const std::size_t bytes = mebibytes << 20;
  std::vector<char> data = make(static_cast<Content>(content), bytes), back(bytes);
  char* device = nullptr;
  HIPR_CHECK(hip, hipMalloc(reinterpret_cast<void**>(&device), bytes));
  HIPR_CHECK(hip, hipDeviceSynchronize());
  const double start = seconds();
  for (std::size_t at = 0; at < bytes; at += kCall)
    HIPR_CHECK(hip, hipMemcpy(device + at, data.data() + at, std::min(kCall, bytes - at), hipMemcpyHostToDevice));
  HIPR_CHECK(hip, hipDeviceSynchronize());
  const double middle = seconds();
  for (std::size_t at = 0; at < bytes; at += kCall)
    HIPR_CHECK(hip, hipMemcpy(back.data() + at, device + at, std::min(kCall, bytes - at), hipMemcpyDeviceToHost));
  std::printf("%.6f %.6f\n", middle - start, seconds() - middle);
  return back == data ? 0 : 1;
}

void measureCompression(Report& report, std::size_t mebibytes) {
  report.section("copies of " + std::to_string(mebibytes) + " MiB over 1 Gbit/s with 10 ms, compressed or not");
  const testing::WorkerProcess worker({"--runtime", "softgpu", "--grace", "1"});
  const testing::LineRelay relay("127.0.0.1", worker.port(), {.oneWay = kOneWay, .bandwidth = kBandwidth});
  const auto copy = [&](Content content, const char* compress) {
    Times times;
    const std::string arguments = "--child-copy " + std::to_string(mebibytes) + " " + std::to_string(content);
    const std::string environment = std::string("HIP_REMOTE_COMPRESS=") + compress +
                                    " HIP_REMOTE_DATA_CACHE=off HIP_REMOTE_TRANSPORT=auto TF_WORKER_HOST=127.0.0.1"
                                    " TF_WORKER_PORT=" +
                                    std::to_string(relay.port()) + " ";
    if (std::sscanf(runSelf(arguments, environment).c_str(), "%lf %lf", &times.up, &times.down) != 2) std::exit(1);
    return times;
  };
  report.add("the bytes at the speed of the line", static_cast<double>(mebibytes << 20) / kBandwidth, "s");
  const struct {
    Content content;
    const char* name;
    double most;
  } kinds[] = {{kWeights, "16-bit weights", 0.9}, {kWords, "text", 0.6}, {kNoise, "random bytes", 1.03}};
  for (const auto& kind : kinds) {
    const Times plain = copy(kind.content, "off"), packed = copy(kind.content, "auto");
    const std::string name = kind.name;
    report.add(name + " to the device, as they are", plain.up, "s");
    report.atMost(name + " to the device, compressed where it pays / as they are", packed.up / plain.up, "", kind.most);
    report.atMost(name + " to the host, compressed where it pays / as they are", packed.down / plain.down, "",
                  kind.most);
  }
}

}  // namespace hipr::bench

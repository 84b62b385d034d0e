// Four GPUs that answer what a test expects: two pairs, linked inside a pair, far apart between them; the third says
// nothing at all, the fourth has no name that Kubernetes would take. Takes the place of the choice of telemetry.
#include <atomic>
#include <cstdlib>
#include <limits>
#include <stdexcept>

#include "base/env.h"
#include "provider/provider.h"

namespace hipr::provider {
namespace {

using namespace telemetry;

std::atomic<int> open{0};

class FakeSource : public Source {
 public:
  FakeSource() {
    if (open.fetch_add(1) != 0) std::abort();  // AMD's older libraries can be open only once
    for (int i = 0; i < 4; ++i) {
      Gpu gpu;
      gpu.name = i == 2 ? std::string(200, '\xff') : "AMD Instinct MI300X";
      gpu.vendor = "AMD";
      gpu.uuid = i == 3 ? "GPU:5A/3" : "amd-5a-" + std::to_string(i);
      gpu.bdf = "0000:0" + std::to_string(i) + ":00.0";
      gpu.target = "gfx942";
      gpu.driverVersion = "6.12.12";
      gpu.firmwareVersion = "113-M3000100-102";
      gpu.renderNode = "/dev/dri/renderD" + std::to_string(128 + i);
      gpu.memoryBytes = std::uint64_t{192} << 30;
      gpu.computeUnits = 304;
      gpu.maxEngineMHz = 2100;
      gpu.maxPcieGeneration = 5;
      gpu.maxPcieWidth = 16;
      gpu.powerCapWatts = 750;
      gpu.numaNode = i / 2;
      gpus_.push_back(gpu);
      for (std::uint32_t j = 0; j < 4; ++j) {
        const auto from = static_cast<std::uint32_t>(i);
        if (j == from) continue;
        const bool near = j / 2 == from / 2;
        links_.push_back({.from = from,
                          .to = j,
                          .kind = near ? LinkKind::Fabric : LinkKind::Pcie,
                          .hops = near ? 1u : 3u,
                          .weight = {},
                          .bytesPerSecond = near ? Maybe<std::uint64_t>(64'000'000'000) : std::nullopt,
                          .accessible = true});
      }
    }
  }
  ~FakeSource() override { open.fetch_sub(1); }
  std::string_view kind() const override { return "fake"; }
  std::string libraryVersion() const override { return "1"; }
  const std::vector<Gpu>& gpus() const override { return gpus_; }
  const std::vector<Link>& links() const override { return links_; }

  std::vector<Reading> read() override {
    const Busy busy(*this);
    if (envFlag("FAKE_SOURCE_THROWS")) throw std::runtime_error("the driver is resetting");
    std::vector<Reading> all(4);
    for (int i = 0; i < 4; ++i) {
      if (i == 2) continue;
      Reading& r = all[i];
      r.powerWatts = 123.5 + i;
      r.hotspotCelsius = 61.0 + i;
      if (i == 0) r.edgeCelsius = 50.0;
      r.busyPercent = i == 1 ? 120 : 37.6;
      r.engineMHz = 2100;
      r.memoryMHz = 1300;
      r.memoryUsedBytes = (i + 1) * (std::uint64_t{1} << 30);
      r.pcieReceivedBytes = 1000;
      r.pcieSentBytes = 2000;
      r.fabricReceivedBytes = 3000;
      r.energyJoules = i == 1 ? std::numeric_limits<double>::quiet_NaN() : 5.5;
    }
    return all;
  }
  std::vector<Process> processes() override {
    const Busy busy(*this);
    Process a;
    a.gpu = 0;
    a.pid = 4711;
    a.memoryBytes = std::uint64_t{48} << 30;
    a.computeUnits = 152;
    Process b = a;
    b.gpu = 1;
    b.busyPercent = 12.5;
    Process lost = a;
    lost.gpu = 99;
    return {a, b, lost};
  }

 private:
  // A source is used by one thread at a time; whoever breaks that shall be seen.
  struct Busy {
    explicit Busy(FakeSource& source) : in(source.in_) {
      if (in.fetch_add(1) != 0) std::abort();
    }
    ~Busy() { in.fetch_sub(1); }
    std::atomic<int>& in;
  };
  std::atomic<int> in_{0};
  std::vector<Gpu> gpus_;
  std::vector<Link> links_;
};

}  // namespace

Status openAmdSource(SourcePtr& source) {
  if (envFlag("FAKE_SOURCE_MISSING")) return Status::notFound("libamd_smi.so: not found");
  source = std::make_unique<FakeSource>();
  return {};
}

}  // namespace hipr::provider

#include "tests/smi/fake_source.h"

#include "amdsmi/live.h"

namespace hipr::smi {
namespace {

using namespace telemetry;

class Fake final : public Source {
 public:
  Fake() {
    Gpu gpu;
    gpu.name = "AMD Instinct MI210";
    gpu.vendor = "AMD";
    gpu.uuid = "18ff740f-0000-1000-80b6-f2c000a1d3e4";
    gpu.serial = "18b6f2c000a1d3e4";
    gpu.target = "gfx90a";
    gpu.bdf = "0000:c3:00.0";
    gpu.driverName = "amdgpu";
    gpu.driverVersion = "6.12.12";
    gpu.firmwareVersion = "022.040.003";
    gpu.boardModel = "102-D67301";
    gpu.renderNode = "/dev/dri/renderD129";
    gpu.memoryType = "HBM2e";
    gpu.vendorId = 0x1002;
    gpu.deviceId = 0x740f;
    gpu.memoryBytes = std::uint64_t{64} << 30;
    gpu.memoryBusBits = 4096;
    gpu.computeUnits = 104;
    gpu.maxEngineMHz = 1700;
    gpu.maxPcieGeneration = 4;
    gpu.maxPcieWidth = 16;
    gpu.powerCapWatts = 300;
    gpu.slowdownCelsius = 100;
    gpu.numaNode = 1;
    gpus_.push_back(gpu);
    Gpu quiet;
    quiet.uuid = "gpu-of-somebody";
    quiet.serial = "not a number";
    quiet.bdf = "0000:c3:00.1";  // a second function of the same device
    gpus_.push_back(quiet);
    links_.push_back({.from = 0,
                      .to = 1,
                      .kind = LinkKind::Fabric,
                      .hops = 1,
                      .weight = 15,
                      .bytesPerSecond = 100'000'000'000,
                      .accessible = true});
    links_.push_back(
        {.from = 1, .to = 0, .kind = LinkKind::Pcie, .hops = {}, .weight = {}, .bytesPerSecond = {}, .accessible = {}});
  }

  std::string_view kind() const override { return "fake"; }
  std::string libraryVersion() const override { return "1"; }
  const std::vector<Gpu>& gpus() const override { return gpus_; }
  const std::vector<Link>& links() const override { return links_; }
  Status failure() const override { return fakeWorker().readable ? Status{} : Status::unavailable("gone"); }

  std::vector<Reading> read() override {
    ++fakeWorker().reads;
    std::vector<Reading> readings(2);
    if (!fakeWorker().readable) return readings;
    Reading& r = readings[0];
    r.takenNs = 12345;
    r.powerWatts = 95.4;
    r.energyJoules = 153;
    r.hotspotCelsius = 51;
    r.busyPercent = 83;
    r.engineMHz = 1655;
    r.memoryMHz = 1600;
    r.memoryUsedBytes = std::uint64_t{3} << 30;
    r.fanPercent = 40;
    r.voltageMillivolts = 806;
    r.pcieGeneration = 4;
    r.pcieWidth = 16;
    r.pcieReceivedBytes = 3'000'000;
    r.pcieSentBytes = 5'000'000;
    r.correctableErrors = 7;
    r.throttled = false;
    return readings;
  }

  std::vector<Process> processes() override {
    ++fakeWorker().lists;
    if (!fakeWorker().readable) return {};
    std::vector<Process> list;
    for (std::uint64_t pid : {100, 200, 300}) {
      Process process;
      process.pid = pid;
      process.name = "python3";
      process.client = "laptop:" + std::to_string(pid);
      process.memoryBytes = 1 << 20;
      list.push_back(process);
    }
    return list;
  }

 private:
  std::vector<Gpu> gpus_;
  std::vector<Link> links_;
};

}  // namespace

FakeWorker& fakeWorker() {
  static FakeWorker worker;
  return worker;
}

SourcePtr fakeSource() {
  return std::make_unique<Fake>();
}

Status openWorker(SourcePtr& source) {
  if (!fakeWorker().reachable) return Status::unavailable("nobody there");
  ++fakeWorker().opened;
  source = fakeSource();
  return {};
}

}  // namespace hipr::smi

#include "cli/kfd_view.h"

#include <cstdint>
#include <cstdio>
#include <functional>

namespace hipr::cli {
namespace {

constexpr unsigned kSimdPerUnit = 4;
constexpr unsigned kFirstWithWaves32 = 100000;  // gfx10

// Lines of a name and a number.
class Properties {
 public:
  void add(const char* name, std::uint64_t value) { text_ += std::string(name) + " " + std::to_string(value) + "\n"; }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

std::string ofCpu() {
  Properties properties;
  properties.add("cpu_cores_count", 1);
  properties.add("simd_count", 0);
  properties.add("mem_banks_count", 1);
  properties.add("caches_count", 0);
  properties.add("io_links_count", 0);
  properties.add("gfx_target_version", 0);
  return properties.text();
}

std::string ofGpu(const telemetry::Gpu& gpu) {
  const unsigned version = targetVersion(gpu.target);
  unsigned domain = 0, bus = 0, device = 0, function = 0;
  std::sscanf(gpu.bdf.c_str(), "%x:%x:%x.%x", &domain, &bus, &device, &function);
  Properties properties;
  properties.add("cpu_cores_count", 0);
  properties.add("simd_count", std::uint64_t{kSimdPerUnit} * gpu.computeUnits.value_or(1));
  properties.add("mem_banks_count", 1);
  properties.add("caches_count", 0);
  properties.add("io_links_count", 0);
  properties.add("simd_per_cu", kSimdPerUnit);
  properties.add("wave_front_size", version < kFirstWithWaves32 ? 64 : 32);
  properties.add("gfx_target_version", version);
  properties.add("vendor_id", gpu.vendorId.value_or(0));
  properties.add("device_id", gpu.deviceId.value_or(0));
  properties.add("location_id", bus << 8 | device << 3 | function);
  properties.add("domain", domain);
  properties.add("max_engine_clk_fcompute", gpu.maxEngineMHz.value_or(0));
  properties.add("local_mem_size", gpu.memoryBytes);
  properties.add("num_xcc", 1);
  return properties.text();
}

std::string bank(std::uint64_t bytes) {
  Properties properties;
  properties.add("heap_type", 1);  // of the device, and seen by the host
  properties.add("size_in_bytes", bytes);
  return properties.text();
}

}  // namespace

unsigned targetVersion(const std::string& target) {
  unsigned major = 0, minor = 0, stepping = 0;
  const std::string name = target.substr(0, target.find(':'));  // without features
  if (!name.starts_with("gfx") || name.size() < 6) return 0;
  const std::string end = name.substr(name.size() - 2);
  if (std::sscanf(name.substr(3, name.size() - 5).c_str(), "%u", &major) != 1 ||
      std::sscanf(end.c_str(), "%1x%1x", &minor, &stepping) != 2)
    return 0;
  return major * 10000 + minor * 100 + stepping;
}

std::map<std::string, std::string> kfdFiles(const std::vector<telemetry::Gpu>& gpus) {
  const std::string topology = "kfd/topology/";
  std::map<std::string, std::string> files{
      {topology + "generation_id", "1\n"},
      {topology + "nodes/0/properties", ofCpu()},
      {topology + "nodes/0/gpu_id", "0\n"},
      {topology + "nodes/0/name", "\n"},
  };
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    const std::string node = topology + "nodes/" + std::to_string(i + 1) + "/";
    const auto number = static_cast<std::uint16_t>(std::hash<std::string>()(gpus[i].uuid) | 1);  // not 0: that is a CPU
    files[node + "properties"] = ofGpu(gpus[i]);
    files[node + "gpu_id"] = std::to_string(number) + "\n";
    files[node + "name"] = gpus[i].target + "\n";
    files[node + "mem_banks/0/properties"] = bank(gpus[i].memoryBytes);
  }
  return files;
}

}  // namespace hipr::cli

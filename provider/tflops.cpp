#include "provider/tflops.h"

#include <string_view>

namespace hipr::provider {
namespace {

// What one compute unit does in one cycle, multiply and add counted as two: on matrix units where the family has them.
struct Family {
  std::string_view target;
  double perCycle;
};
constexpr Family kFamilies[] = {
    {"gfx906", 256},  {"gfx908", 1024}, {"gfx90a", 1024},  {"gfx942", 2048},  {"gfx950", 4096},
    {"gfx1030", 256}, {"gfx1031", 256}, {"gfx1032", 256},  {"gfx1100", 512},  {"gfx1101", 512},
    {"gfx1102", 512}, {"gfx1151", 512}, {"gfx1200", 1024}, {"gfx1201", 1024},
};

// AMD's figures for a whole device as the driver shows it: one die of an MI250.
struct Model {
  std::string_view part;
  double tflops;
};
constexpr Model kModels[] = {
    {"MI355X", 2516.6}, {"MI350X", 2306.9}, {"MI325X", 1307.4}, {"MI300X", 1307.4},
    {"MI300A", 980.6},  {"MI250X", 191.5},  {"MI250", 181.0},   {"MI210", 181.0},
    {"MI100", 184.6},   {"MI60", 29.5},     {"MI50", 26.5},
};

// A software GPU must be schedulable, and must never look like the better choice.
constexpr double kSoftwareTflopsPerUnit = 0.001;

}  // namespace

double maxTflops(const telemetry::Gpu& gpu) {
  const double units = gpu.computeUnits.value_or(0);
  if (gpu.origin == telemetry::Origin::Software) return kSoftwareTflopsPerUnit * (units > 0 ? units : 1);
  // Units and clock first: they tell a part of a partitioned GPU from a whole one.
  for (const Family& family : kFamilies) {
    if (gpu.target == family.target && units > 0 && gpu.maxEngineMHz) {
      return family.perCycle * units * *gpu.maxEngineMHz * 1e6 / 1e12;
    }
  }
  for (const Model& model : kModels) {
    if (gpu.name.find(model.part) != std::string::npos) return model.tflops;
  }
  return units > 0 && gpu.maxEngineMHz ? 256 * units * *gpu.maxEngineMHz * 1e6 / 1e12 : 0;
}

}  // namespace hipr::provider

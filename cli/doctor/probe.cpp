// A program that uses our libamdhip64 for a moment and prints one line of JSON.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <vector>

#include "cli/doctor/checks.h"
#include "cli/names.h"
#include "hip_remote/hip.h"
#include "platform/library.h"

namespace hipr::doctor {
namespace {

constexpr std::size_t kLittle = 256 << 10, kMuch = 32 << 20;  // of bytes, on a slow line and on a fast one
constexpr int kRoundTrips = 20, kCopies = 3;
constexpr double kSecondsPerCopy = 0.25;

struct Hip {
#define HIP_FUNCTION(name) decltype(&::name) name = nullptr
  HIP_FUNCTION(hipGetDeviceCount);
  HIP_FUNCTION(hipGetDevicePropertiesR0600);
  HIP_FUNCTION(hipGetErrorName);
  HIP_FUNCTION(hipMalloc);
  HIP_FUNCTION(hipFree);
  HIP_FUNCTION(hipMemcpy);
#undef HIP_FUNCTION
};

double seconds(auto&& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// The fastest of some; the first warms up.
double fastest(int times, auto&& work) {
  work();
  double best = 1e9;
  for (int i = 0; i < times; ++i) best = std::min(best, seconds(work));
  return best;
}

void measure(const Hip& hip, nlohmann::json& out) {
  void* device = nullptr;
  if (hip.hipMalloc(&device, kMuch) != hipSuccess) return;
  std::vector<char> host(kMuch, 1);
  const auto download = [&](std::size_t size) {
    (void)hip.hipMemcpy(host.data(), device, size, hipMemcpyDeviceToHost);
  };
  const auto upload = [&](std::size_t size) {
    (void)hip.hipMemcpy(device, host.data(), size, hipMemcpyHostToDevice);
    download(4);  // when it is there
  };
  const double wait = fastest(kRoundTrips, [&] { download(4); });
  const double perByte = fastest(1, [&] { upload(kLittle); }) / kLittle;
  const auto size = static_cast<std::size_t>(std::clamp<double>(kSecondsPerCopy / perByte, kLittle, kMuch));
  const double up = fastest(kCopies, [&] { upload(size); }), down = fastest(kCopies, [&] { download(size); });
  (void)hip.hipFree(device);
  const double mebibytes = static_cast<double>(size) / (1 << 20);
  out["latency_us"] = wait * 1e6;
  out["upload_mib_s"] = mebibytes / up;
  out["download_mib_s"] = mebibytes / down;
}

}  // namespace

int probe(const cli::Target& target) {
  std::string why;
  const auto library = platform::Library::open(cli::libraryFolder(target) + "/" + cli::kHipLibrary, &why);
  if (!library) {
    std::fprintf(stderr, "%s\n", why.c_str());
    return 1;
  }
  Hip hip;
#define FIND(name) hip.name = library.function<decltype(&::name)>(#name)
  FIND(hipGetDeviceCount);
  FIND(hipGetDevicePropertiesR0600);
  FIND(hipGetErrorName);
  FIND(hipMalloc);
  FIND(hipFree);
  FIND(hipMemcpy);
#undef FIND
  int count = 0;
  if (const hipError_t error = hip.hipGetDeviceCount(&count); error != hipSuccess) {
    std::fprintf(stderr, "%s\n", hip.hipGetErrorName(error));
    return 1;
  }
  nlohmann::json out = {{"gpus", nlohmann::json::array()}};
  for (int i = 0; i < count; ++i) {
    hipDeviceProp_tR0600 properties;
    if (hip.hipGetDevicePropertiesR0600(&properties, i) == hipSuccess)
      out["gpus"].push_back({{"name", properties.name}, {"architecture", properties.gcnArchName}});
  }
  if (count > 0) measure(hip, out);
  std::puts(out.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
  return 0;
}

}  // namespace hipr::doctor

// Large copies, next to raw socket streaming of the same size.
#include <cstdlib>

#include "bench/bench.h"
#include "bench/raw_socket.h"

namespace hipr::bench {

void measureCopies(Report& report, const Hip& remote) {
  constexpr std::size_t kSize = 256 << 20;
  constexpr double kGiB = 1 << 30;
  report.section("256 MiB copies, against raw socket streaming");
  const double raw = rawStreaming(kSize);
  std::vector<char> host(kSize, 1);
  void* device = nullptr;
  HIPR_CHECK(remote, hipMalloc(&device, kSize));
  const auto up = [&] {
    HIPR_CHECK(remote, hipMemcpy(device, host.data(), kSize, hipMemcpyHostToDevice));
    HIPR_CHECK(remote, hipDeviceSynchronize());
  };
  const auto down = [&] { HIPR_CHECK(remote, hipMemcpy(host.data(), device, kSize, hipMemcpyDeviceToHost)); };
  up();
  down();
  const double upload = kSize / timePerCall(5, 1, up), download = kSize / timePerCall(5, 1, down);
  const double rawAgain = rawStreaming(kSize), baseline = (raw + rawAgain) / 2;
  HIPR_CHECK(remote, hipFree(device));
  report.add("raw streaming", baseline / kGiB, "GiB/s");
  report.add("host to device", upload / kGiB, "GiB/s");
  report.add("device to host", download / kGiB, "GiB/s");
  report.atLeast("host to device / raw", upload / baseline, "", 0.9);
  report.atLeast("device to host / raw", download / baseline, "", 0.9);
}

}  // namespace hipr::bench

// Calls answered here, posted launches, and calls that wait, next to a raw TCP ping-pong.
#include "bench/bench.h"
#include "bench/raw_socket.h"

namespace hipr::bench {

void measureCalls(Report& report, const Hip& remote) {
  report.section("one call, caller's thread");
  int value = 0;
  report.atMost("answered locally: hipGetDevice",
                timePerCall(21, 20000, [&] { remote.api.hipGetDevice(&value); }) * 1e9, "ns", 50);
  report.atMost(
      "answered locally: hipDeviceGetAttribute",
      timePerCall(21, 20000, [&] { remote.api.hipDeviceGetAttribute(&value, hipDeviceAttributeWarpSize, 0); }) * 1e9,
      "ns", 50);
  report.atMost("answered locally: hipStreamQuery of an idle stream",
                timePerCall(21, 20000, [&] { remote.api.hipStreamQuery(remote.stream); }) * 1e9, "ns", 50);

  int argument = 0;
  void* arguments[] = {&argument};
  std::vector<double> batches;
  for (int b = 0; b < 15; ++b) {
    batches.push_back(timePerCall(1, 2000, [&] { remote.launch(remote.empty, 1, 64, arguments); }));
    HIPR_CHECK(remote, hipStreamSynchronize(remote.stream));
  }
  std::sort(batches.begin(), batches.end());
  report.atMost("posted: kernel launch over TCP", batches[batches.size() / 2] * 1e9, "ns", 150);

  report.section("a call that waits, against raw TCP ping-pong");
  // A hipMemGetInfo request and its answer are about this long; TCP does not notice the difference.
  const double raw = rawPingPong(48, 15, 1000);
  std::size_t free = 0, total = 0;
  const double call = timePerCall(15, 1000, [&] { remote.api.hipMemGetInfo(&free, &total); });
  report.add("raw ping-pong, 48 bytes", raw * 1e6, "us");
  report.add("hipMemGetInfo", call * 1e6, "us");
  report.atMost("hipMemGetInfo / raw ping-pong", call / raw, "", 1.3);
  // Taken again afterwards: a machine that changed speed meanwhile shows here.
  report.add("raw ping-pong, again", rawPingPong(48, 15, 1000) * 1e6, "us");
}

}  // namespace hipr::bench

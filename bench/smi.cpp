// What telemetry costs the worker: a hundred clients that each ask once a second, and the processor time of all the
// worker's processes meanwhile.
#include "bench/smi.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>

#include "bench/usage.h"
#include "telemetry/remote.h"
#include "testing/worker_process.h"

namespace hipr::bench {
namespace {

constexpr int kClients = 100, kSeconds = 10;

}  // namespace

void measureSmi(Report& report) {
  report.section("telemetry: 100 clients that ask once a second");
  const testing::WorkerProcess worker;
  const telemetry::RemoteOptions options{{"127.0.0.1", static_cast<std::uint16_t>(worker.port())}, 30, 60};
  std::vector<std::unique_ptr<telemetry::Remote>> clients(kClients);
  for (auto& client : clients) {
    if (const Status status = telemetry::Remote::connect(options, client); !status.ok()) {
      std::fprintf(stderr, "%s\n", status.message().c_str());
      std::exit(1);
    }
  }
  std::vector<telemetry::Reading> readings;
  std::vector<telemetry::Process> processes;
  const Usage before = Usage::of({worker.pid()});
  const double start = seconds();
  std::vector<double> answers;
  for (int i = 0; i < kClients * kSeconds; ++i) {
    const double due = start + static_cast<double>(i) / kClients;  // spread evenly over the second
    std::this_thread::sleep_for(std::chrono::duration<double>(due - seconds()));
    const double asked = seconds();
    if (!clients[static_cast<std::size_t>(i % kClients)]->sample(readings, processes).ok()) std::exit(1);
    answers.push_back(seconds() - asked);
  }
  const double elapsed = seconds() - start, used = Usage::of({worker.pid()}).since(before).processor;
  std::nth_element(answers.begin(), answers.begin() + answers.size() / 2, answers.end());
  report.atMost("worker's processor time, of one core", used / elapsed * 100, "%", 5);
  report.add("answers", static_cast<double>(answers.size()) / elapsed, "1/s");
  report.add("one answer, median", answers[answers.size() / 2] * 1e6, "us");
}

}  // namespace hipr::bench

#include "worker/probe.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "wire/platform_codec.h"
#include "wire/stream.h"
#include "worker/platform.h"

namespace hipr::worker {
namespace {

// What travels through the pipe.
struct Report {
  bool loaded = false;
  std::string path, missing, statusName;
  std::vector<std::string> passedOver;
  std::int32_t status = 0;
  wire::Bytes platform;
  std::vector<std::int32_t> devices;
  std::vector<std::uint64_t> freeMemory;
  static auto fields(auto& m) {
    return std::tie(m.loaded, m.path, m.missing, m.passedOver, m.statusName, m.status, m.platform, m.devices,
                    m.freeMemory);
  }
};

std::vector<int> deviceOrder(const HipTable& hip, int first) {
  int count = 0;
  if (first < 0 || hip.hipGetDeviceCount(&count) != hipSuccess) return {};
  std::vector<int> order;
  if (first < count) order.push_back(first);
  for (int i = 0; i < count; ++i) {
    if (i != first) order.push_back(i);
  }
  return order;
}

void look(const std::vector<RuntimeCandidate>& candidates, int firstDevice, Report& report,
          std::vector<std::byte>& platform) {
  for (const RuntimeCandidate& candidate : candidates) {
    HipTable hip;
    if (Status status = loadHip(candidate.path, hip); !status.ok()) {
      report.missing += "\n  " + status.message();
      continue;
    }
    std::vector<int> devices = deviceOrder(hip, firstDevice);
    const Survey found = survey(hip, devices);
    report.loaded = true;
    report.path = candidate.path;
    report.status = found.status;
    report.statusName = hip.errorName(found.status);
    report.devices.assign(devices.begin(), devices.end());
    report.freeMemory = found.freeMemory;
    platform.clear();
    wire::encodePlatform(found.platform, platform);
    report.platform = platform;
    if (found.status == hipSuccess || !candidate.needsDevice) return;
    report.passedOver.push_back(candidate.path + ": no device (" + report.statusName + ")");
    report.loaded = false;
  }
}

[[noreturn]] void runChild(const std::vector<RuntimeCandidate>& candidates, int firstDevice, int pipe) {
  Report report;
  std::vector<std::byte> platform, bytes;
  look(candidates, firstDevice, report, platform);
  wire::Writer(bytes).put(report);
  for (std::size_t at = 0; at < bytes.size();) {
    const ssize_t n = write(pipe, bytes.data() + at, bytes.size() - at);
    if (n <= 0) _exit(1);
    at += static_cast<std::size_t>(n);
  }
  _exit(0);  // without the runtime's exit handlers: nothing of it is needed any more
}

std::vector<std::byte> readAll(int pipe) {
  std::vector<std::byte> bytes;
  std::array<std::byte, 65536> piece;
  for (ssize_t n; (n = read(pipe, piece.data(), piece.size())) > 0;) {
    bytes.insert(bytes.end(), piece.begin(), piece.begin() + n);
  }
  return bytes;
}

}  // namespace

Status probe(const std::vector<RuntimeCandidate>& candidates, int firstDevice, ProbeResult& out) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return Status::exhausted("no pipe for looking at the runtime");
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    runChild(candidates, firstDevice, ends[1]);
  }
  close(ends[1]);
  const std::vector<std::byte> bytes = child > 0 ? readAll(ends[0]) : std::vector<std::byte>();
  close(ends[0]);
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) return Status::exhausted("cannot start a process");
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    return Status::unavailable(
        "looking at the HIP runtime crashed" +
        (WIFSIGNALED(status) ? " with signal " + std::to_string(WTERMSIG(status)) : std::string()));
  }
  Report report;
  wire::Reader reader(bytes);
  reader.get(report);
  if (!reader.ok()) return Status::invalid("the HIP runtime could not be described");
  if (!report.loaded) {
    for (const std::string& note : report.passedOver) report.missing += "\n  " + note;
    return Status::notFound("no HIP runtime can be used:" + report.missing);
  }
  out = {report.path,
         report.passedOver,
         report.status,
         report.statusName,
         {report.platform.begin(), report.platform.end()},
         report.devices,
         report.freeMemory};
  return {};
}

}  // namespace hipr::worker

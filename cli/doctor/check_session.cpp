// A first HIP call, as a program would make it, and how fast the line is.
#include <algorithm>

#include "cli/doctor/checks.h"
#include "platform/process.h"

namespace hipr::doctor {
namespace {

bool explain(const std::string& complaint, const Patient& patient, Report& report) {
  const auto says = [&](const char* words) { return complaint.find(words) != std::string::npos; };
  const auto problem = [&](const char* cause, const char* remedy) {
    report.problem("session", cause, complaint, remedy);
    return false;
  };
  if (says("as many clients as it may"))
    return problem("worker-full",
                   "HIP_REMOTE_WAIT=600 waits for room; or start the worker with a larger --max-sessions (default 64)");
  if (says("older than this library") || says("protocol version"))
    return problem("older-worker", "install the same release of HIP Remote on both sides");
  if (says("no range of addresses"))
    return problem(
        "addresses",
        "TF_DEBUG=1 hip-remote info shows which ranges were tried; a sanitizer or a preloaded library may sit in them");
  if (says("hipErrorNoDevice") || says("no GPU"))
    return problem("no-gpu", "on the worker's machine: rocminfo; or start hip-worker --runtime softgpu");
  if (patient.target.softgpu) return problem("softgpu", "TF_DEBUG=1 hip-remote info --softgpu tells more");
  return problem("session", "TF_DEBUG=1 hip-remote info tells more; so does the log of hip-worker");
}

}  // namespace

bool checkSession(Patient& patient, Report& report) {
  const std::string seconds = std::to_string(patient.timeout);
  platform::setEnvironment("TF_CONNECT_TIMEOUT", seconds);
  platform::setEnvironment("TF_IO_TIMEOUT", std::to_string(std::max(patient.timeout, 10)));
  const ProbeAnswer answer = askProbe(patient.target);
  if (answer.measured.is_null()) return explain(answer.complaint, patient, report);
  std::string names;
  for (const auto& gpu : answer.measured.value("gpus", nlohmann::json::array())) {
    patient.gpus.push_back(gpu.value("architecture", ""));
    names += (names.empty() ? "" : ", ") + gpu.value("name", "?") + " (" + patient.gpus.back() + ")";
  }
  report.ok("session", "a first call works: " + names);
  const double latency = answer.measured.value("latency_us", 0.0);
  if (latency <= 0) {
    report.note("speed", "no-memory", "could not be measured: the GPU has no memory left for 32 MiB", "");
    return true;
  }
  constexpr double kFar = 5000;  // microseconds
  if (latency > kFar)
    report.note(
        "speed", "far-away", speedOf(answer.measured),
        "programs that wait often will be slow: docs/performance.md; `HIP_REMOTE_STATS=FILE` counts their waits");
  else
    report.ok("speed", speedOf(answer.measured));
  return true;
}

void checkArchitectures(const Patient& patient, Report& report) {
  for (const ProgramFile& file : patient.loaded.files) {
    std::string why;
    const std::vector<code::TargetId> targets = gpuTargets(file.path, why);
    if (targets.empty()) {
      if (!why.empty()) report.note("architecture", "unreadable-code", file.path.string() + ": " + why, "");
      continue;
    }
    std::string list;
    for (const code::TargetId& target : targets) list += (list.empty() ? "" : ", ") + target.text();
    std::string without;
    for (const std::string& gpu : patient.gpus) {
      code::TargetId device;
      if (code::parseTargetId(gpu, device).ok() && !code::bestMatch(targets, device)) without = gpu;
    }
    const std::string name = file.path.filename().string();
    if (without.empty())
      report.ok("architecture", name + " has code for the worker's GPUs (" + list + ")");
    else
      report.problem("architecture", "wrong-architecture",
                     name + " has code for " + list + ", and the worker's GPU is " + without,
                     "compile it with --offload-arch=" + without.substr(0, without.find(':')));
  }
}

}  // namespace hipr::doctor

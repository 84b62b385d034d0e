#include <sstream>

#include "cli/doctor/checks.h"
#include "platform/capture.h"
#include "platform/process.h"
#include "platform/progress_line.h"

namespace hipr::doctor {
namespace {

constexpr int kPatience = 60;  // seconds, for everything the probe does
constexpr char kTransport[] = " transport=";

std::string rate(double mebibytes) {
  std::ostringstream out;
  out.precision(mebibytes < 10 ? 2 : 4);
  out << (mebibytes < 1024 ? mebibytes : mebibytes / 1024) << (mebibytes < 1024 ? " MiB/s" : " GiB/s");
  return out.str();
}

}  // namespace

ProbeAnswer askProbe(const cli::Target& target) {
  std::vector<std::string> command = {platform::programPath(), "doctor", "--probe"};
  if (target.softgpu) command.push_back("--softgpu");
  platform::setEnvironment("HIP_REMOTE_STATS", "/dev/stdout");  // counters come with the answer, where there is one
  const platform::ProgressLine line("making a first HIP call, and measuring how fast the line is");
  const auto said = platform::captureProgram(command, kPatience);
  ProbeAnswer out;
  std::istringstream lines(said.output);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("{")) {
      out.measured = nlohmann::json::parse(line, nullptr, false);
    } else if (const auto at = line.find(kTransport); line.starts_with("calls=") && at != std::string::npos) {
      out.transport = line.substr(at + sizeof kTransport - 1);
    } else if (!line.empty()) {
      out.complaint += (out.complaint.empty() ? "" : "; ") + line;
    }
  }
  if (!said.started) out.complaint = said.output;
  if (said.started && !said.ended) out.complaint = "no answer in " + std::to_string(kPatience) + " s";
  if (out.measured.is_discarded()) out.measured = nullptr;
  if (out.measured.is_null() && out.complaint.empty())
    out.complaint = "it ended with code " + std::to_string(said.code);
  return out;
}

std::string speedOf(const nlohmann::json& measured) {
  const double latency = measured.value("latency_us", 0.0);
  if (latency <= 0) return "";
  std::ostringstream text;
  text.precision(3);
  text << "a round trip takes " << latency << " us; upload " << rate(measured.value("upload_mib_s", 0.0))
       << ", download " << rate(measured.value("download_mib_s", 0.0));
  return text.str();
}

}  // namespace hipr::doctor

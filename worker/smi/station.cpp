#include "worker/smi/station.h"

#include <unistd.h>

#include <algorithm>

#include "base/log.h"
#include "worker/smi/metrics_page.h"

namespace hipr::worker {
namespace {

constexpr std::chrono::milliseconds kSampleInterval(250);
constexpr std::chrono::seconds kRetry(5);

std::string hostName() {
  char name[256] = "?";
  gethostname(name, sizeof name - 1);
  return name;
}

// Those with these numbers, if there are any at all.
template <class T>
std::vector<T> pick(const std::vector<T>& all, const std::vector<std::uint32_t>& numbers) {
  std::vector<T> out;
  for (const std::uint32_t number : numbers)
    if (number < all.size()) out.push_back(all[number]);
  return out;
}

// The number of a GPU becomes its place among those that are shown; false: it is not.
bool renumber(std::uint32_t& gpu, const std::vector<std::uint32_t>& shown) {
  const auto found = std::ranges::find(shown, gpu);
  gpu = static_cast<std::uint32_t>(found - shown.begin());
  return found != shown.end();
}

}  // namespace

Station::Station(Open open, const Platform& platform, const SessionBoard* board, std::string workerVersion)
    : open_(std::move(open)), platform_(platform), board_(board), version_(std::move(workerVersion)) {}

Status Station::ready() {
  if (source_) return {};
  const auto now = std::chrono::steady_clock::now();
  if (!failure_.ok() && now - failedAt_ < kRetry) return failure_;
  failure_ = open_(source_);
  failedAt_ = now;
  if (!failure_.ok()) {
    logError("telemetry: %s", failure_.message().c_str());
    source_.reset();
    return failure_;
  }
  gpus_ = source_->gpus();
  for (telemetry::Gpu& gpu : gpus_) {
    for (std::uint32_t i = 0; i < platform_.devices.size(); ++i) {
      const hipDeviceProp_tR0600& props = platform_.devices[i].props;
      if (gpu.bdf != deviceAddress(props)) continue;
      gpu.hipDevice = i;
      complete(gpu, props);
    }
  }
  sampler_ = std::make_unique<telemetry::Sampler>(*source_, kSampleInterval);
  return {};
}

// A process that is one of our sessions works for somebody else: say for whom.
void Station::identifySessions() {
  if (!board_) return;
  for (int seat = 0; seat < board_->seats(); ++seat) {
    const SessionBoard::Sitter sitter = board_->sitter(seat);
    if (sitter.process == 0) continue;
    for (telemetry::Process& process : sample_.processes) {
      if (process.pid != sitter.process) continue;
      process.client = sitter.client;
      if (!sitter.program.empty()) process.name = sitter.program;
    }
  }
}

const telemetry::Sample& Station::sample() {
  const telemetry::Sample& latest = sampler_->sample();
  if (sampleNumber_ == sampler_->number()) return sample_;
  sampleNumber_ = sampler_->number();
  sample_ = latest;
  identifySessions();
  return sample_;
}

// Numbers of GPUs, in the order of the devices; nullopt: all of them.
std::optional<std::vector<std::uint32_t>> Station::seen(Devices devices) const {
  if (devices.empty()) return std::nullopt;
  std::vector<std::uint32_t> out;
  for (const std::int32_t device : devices)
    for (std::uint32_t i = 0; i < gpus_.size(); ++i)
      if (gpus_[i].hipDevice == static_cast<std::uint32_t>(device)) out.push_back(i);
  return out;
}

wire::SmiOpenReply Station::greeting(Devices devices) {
  wire::SmiOpenReply reply;
  reply.hostName = hostName();
  reply.workerVersion = version_;
  if (Status status = ready(); !status.ok()) {
    reply.status = hipErrorNotSupported;
    reply.text = status.message();
    return reply;
  }
  reply.source = source_->kind();
  reply.libraryVersion = source_->libraryVersion();
  reply.sampleMilliseconds = kSampleInterval.count();
  reply.gpus = gpus_;
  reply.links = source_->links();
  if (const auto shown = seen(devices)) {
    reply.gpus = pick(reply.gpus, *shown);
    for (std::uint32_t i = 0; i < reply.gpus.size(); ++i) reply.gpus[i].hipDevice = i;
    reply.links.clear();
    for (telemetry::Link link : source_->links())
      if (renumber(link.from, *shown) && renumber(link.to, *shown)) reply.links.push_back(link);
  }
  return reply;
}

wire::SmiReadReply Station::read(std::uint32_t parts, Devices devices) {
  wire::SmiReadReply reply;
  if (Status status = ready(); !status.ok()) {
    reply.status = hipErrorNotSupported;
    reply.text = status.message();
    return reply;
  }
  const telemetry::Sample& now = sample();
  if (parts & wire::kSmiReadings) reply.readings = now.readings;
  if (parts & wire::kSmiProcesses) reply.processes = now.processes;
  if (const auto shown = seen(devices)) {
    reply.readings = pick(reply.readings, *shown);
    reply.processes.clear();
    for (telemetry::Process process : now.processes)
      if (parts & wire::kSmiProcesses && renumber(process.gpu, *shown)) reply.processes.push_back(std::move(process));
  }
  return reply;
}

std::string Station::metricsPage(bool names) {
  MetricsInput input;
  input.names = names;
  input.version = version_;
  input.board = board_;
  input.telemetryClients = clients_;
  if (ready().ok()) {
    input.source = source_->kind();
    input.gpus = &gpus_;
    input.sample = &sample();
    input.samples = sampler_->number();
  }
  return renderMetrics(input);
}

}  // namespace hipr::worker

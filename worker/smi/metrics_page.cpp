#include "worker/smi/metrics_page.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>

#include "worker/smi/metrics_writer.h"

namespace hipr::worker {
namespace {

using telemetry::Gpu;
using telemetry::Maybe;
using telemetry::Reading;
using Labels = MetricsWriter::Labels;

// As /proc tells it: ticks since the machine started.
std::optional<double> startOfProcess(std::uint64_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string text((std::istreambuf_iterator<char>(file)), {});
  std::istringstream fields(text.substr(std::min(text.rfind(')'), text.size())));
  constexpr int kStart = 20;  // fields after the name, which may hold blanks
  std::string field;
  for (int i = 0; i <= kStart; ++i) fields >> field;
  timespec sinceStart{}, now{};
  clock_gettime(CLOCK_BOOTTIME, &sinceStart);
  clock_gettime(CLOCK_REALTIME, &now);
  const double ticks = std::strtod(field.c_str(), nullptr);
  if (!fields || ticks <= 0) return std::nullopt;
  const auto seconds = [](const timespec& t) {
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
  };
  return seconds(now) - seconds(sinceStart) + ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
}

class Page {
 public:
  explicit Page(const MetricsInput& input) : input_(input) {}

  std::string render() {
    worker();
    if (input_.gpus && input_.sample) {
      devices();
      readings();
      processes();
    }
    if (input_.board) {
      totals(*input_.board);
      sessions(*input_.board);
    }
    return out_.take();
  }

 private:
  void worker() {
    out_.family("hip_worker_info", "gauge", "The worker and where its telemetry comes from.");
    out_.add({{"version", input_.version}, {"source", input_.source}}, std::uint64_t{1});
    out_.family("hip_worker_telemetry_clients", "gauge", "Connections that ask for telemetry.");
    out_.add({}, std::uint64_t{input_.telemetryClients});
    out_.family("hip_worker_telemetry_samples_total", "counter", "How often the GPUs were read.");
    out_.add({}, input_.samples);
  }

  Labels labelsOf(std::size_t gpu) const { return {{"gpu", std::to_string(gpu)}, {"uuid", (*input_.gpus)[gpu].uuid}}; }

  void devices() {
    out_.family("hip_gpu_info", "gauge",
                "A GPU. origin=\"software\": its values are those of a program, not of a card.");
    for (std::size_t i = 0; i < input_.gpus->size(); ++i) {
      const Gpu& gpu = (*input_.gpus)[i];
      Labels labels = labelsOf(i);
      labels.insert(labels.end(), {{"name", gpu.name},
                                   {"vendor", gpu.vendor},
                                   {"target", gpu.target},
                                   {"bdf", gpu.bdf},
                                   {"driver", gpu.driverName + " " + gpu.driverVersion},
                                   {"origin", gpu.origin == telemetry::Origin::Software ? "software" : "hardware"}});
      out_.add(labels, std::uint64_t{1});
    }
    out_.family("hip_gpu_memory_total_bytes", "gauge", "Device memory.");
    for (std::size_t i = 0; i < input_.gpus->size(); ++i) out_.add(labelsOf(i), (*input_.gpus)[i].memoryBytes);
  }

  // A sample for each GPU that has the value; `extra` tells apart the members of one family.
  template <class T>
  void values(Maybe<T> Reading::* member, const Labels& extra = {}, double factor = 1) {
    for (std::size_t i = 0; i < input_.gpus->size(); ++i) {
      const Maybe<T>& value = input_.sample->readings[i].*member;
      if (!value) continue;
      Labels labels = labelsOf(i);
      labels.insert(labels.end(), extra.begin(), extra.end());
      if constexpr (std::is_floating_point_v<T>) {
        out_.add(labels, *value * factor);
      } else if (factor == 1) {
        out_.add(labels, static_cast<std::uint64_t>(*value));
      } else {
        out_.add(labels, static_cast<double>(*value) * factor);
      }
    }
  }

  void readings() {
    out_.family("hip_gpu_memory_used_bytes", "gauge", "Device memory in use by all processes.");
    values(&Reading::memoryUsedBytes);
    out_.family("hip_gpu_busy_percent", "gauge", "Part of the last moments during which the engine was at work.");
    values(&Reading::busyPercent, {{"engine", "compute"}});
    values(&Reading::memoryBusyPercent, {{"engine", "memory"}});
    values(&Reading::mediaBusyPercent, {{"engine", "media"}});
    out_.family("hip_gpu_power_watts", "gauge", "Power drawn.");
    values(&Reading::powerWatts);
    out_.family("hip_gpu_energy_joules_total", "counter", "Energy since the driver was loaded.");
    values(&Reading::energyJoules);
    out_.family("hip_gpu_temperature_celsius", "gauge", "Temperature.");
    values(&Reading::edgeCelsius, {{"sensor", "edge"}});
    values(&Reading::hotspotCelsius, {{"sensor", "hotspot"}});
    values(&Reading::memoryCelsius, {{"sensor", "memory"}});
    out_.family("hip_gpu_clock_hertz", "gauge", "Clock frequency.");
    values(&Reading::engineMHz, {{"clock", "engine"}}, 1e6);
    values(&Reading::memoryMHz, {{"clock", "memory"}}, 1e6);
    values(&Reading::socMHz, {{"clock", "soc"}}, 1e6);
    out_.family("hip_gpu_voltage_volts", "gauge", "Voltage of the engine.");
    values(&Reading::voltageMillivolts, {}, 1e-3);
    out_.family("hip_gpu_fan_percent", "gauge", "Fan speed, of its maximum.");
    values(&Reading::fanPercent);
    out_.family("hip_gpu_fan_rpm", "gauge", "Fan speed.");
    values(&Reading::fanRpm);
    out_.family("hip_gpu_pcie_generation", "gauge", "Generation of the PCI Express link now.");
    values(&Reading::pcieGeneration);
    out_.family("hip_gpu_pcie_lanes", "gauge", "Width of the PCI Express link now.");
    values(&Reading::pcieWidth);
    out_.family("hip_gpu_link_bytes_per_second", "gauge", "Traffic of the GPU's links.");
    values(&Reading::pcieReceivedBytes, {{"link", "pcie"}, {"direction", "received"}});
    values(&Reading::pcieSentBytes, {{"link", "pcie"}, {"direction", "sent"}});
    values(&Reading::fabricReceivedBytes, {{"link", "fabric"}, {"direction", "received"}});
    values(&Reading::fabricSentBytes, {{"link", "fabric"}, {"direction", "sent"}});
    out_.family("hip_gpu_memory_errors_total", "counter", "Memory errors found by ECC.");
    values(&Reading::correctableErrors, {{"kind", "correctable"}});
    values(&Reading::uncorrectableErrors, {{"kind", "uncorrectable"}});
    out_.family("hip_gpu_throttled", "gauge", "1 while the GPU holds back to stay within its limits.");
    values(&Reading::throttled);
  }

  void processes() {
    out_.family("hip_gpu_process_memory_bytes", "gauge", "Device memory of a process.");
    std::size_t number = 0;
    for (const telemetry::Process& process : input_.sample->processes) {
      ++number;
      if (process.gpu >= input_.gpus->size()) continue;
      Labels labels = labelsOf(process.gpu);
      const auto who =
          input_.names
              ? Labels{{"pid", std::to_string(process.pid)}, {"name", process.name}, {"client", process.client}}
              : Labels{{"process", std::to_string(number)}};
      labels.insert(labels.end(), who.begin(), who.end());
      out_.add(labels, process.memoryBytes);
    }
  }

  // What a session uses of the device it uses most, in percent.
  std::uint64_t computeOf(std::uint64_t session) const {
    double most = 0;
    if (input_.sample)
      for (const telemetry::Process& process : input_.sample->processes)
        if (process.pid == session) most = std::max(most, process.busyPercent.value_or(0));
    return static_cast<std::uint64_t>(most + 0.5);
  }

  // What all sessions did, past and present.
  template <class Get>
  static std::uint64_t sum(const SessionBoard& board, Get get) {
    std::uint64_t total = get(board.past());
    for (int seat = 0; seat < board.seats(); ++seat) total += get(board.counters(seat));
    return total;
  }

  void totals(const SessionBoard& board) {
    std::uint64_t open = 0;
    for (int seat = 0; seat < board.seats(); ++seat) open += board.sitter(seat).process != 0;
    out_.family("hip_worker_sessions", "gauge", "Programs using this worker's GPUs now.");
    out_.add({}, open);
    out_.family("hip_worker_sessions_total", "counter", "Programs that have used this worker's GPUs.");
    out_.add({}, board.sessionsStarted());
    out_.family("hip_worker_requests_total", "counter", "Messages from clients, by kind (wire/messages.def).");
    for (std::size_t kind = 0; kind < kMessageKinds; ++kind) {
      const std::uint64_t count = sum(board, [kind](const SessionCounters& c) { return c.requests[kind].load(); });
      if (count) out_.add({{"call", messageKindName(kind)}}, count);
    }
    out_.family("hip_worker_received_bytes_total", "counter", "Bytes from clients.");
    out_.add({}, sum(board, [](const SessionCounters& c) { return c.bytesReceived.load(); }));
    out_.family("hip_worker_sent_bytes_total", "counter", "Bytes to clients.");
    out_.add({}, sum(board, [](const SessionCounters& c) { return c.bytesSent.load(); }));
    out_.family("hip_worker_known_bytes_total", "counter", "Bytes of uploads that did not have to travel again.");
    out_.add({}, sum(board, [](const SessionCounters& c) { return c.bytesKnown.load(); }));
    out_.family("hip_worker_kept_bytes_total", "counter", "Bytes of uploads kept for the next time (--data-cache).");
    out_.add({}, sum(board, [](const SessionCounters& c) { return c.bytesKept.load(); }));
    out_.family("hip_worker_round_trips_total", "counter", "Answers that a client waited for.");
    out_.add({}, sum(board, [](const SessionCounters& c) { return c.roundTrips.load(); }));
    out_.family("hip_worker_errors_total", "counter", "Failures reported to clients.");
    out_.add({}, sum(board, [](const SessionCounters& c) { return c.errors.load(); }));
    out_.family("hip_worker_limit_refusals_total", "counter",
                "What clients were refused because of a limit (--limit).");
    for (std::size_t kind = 0; kind < kQuotas; ++kind) {
      const std::uint64_t count = sum(board, [kind](const SessionCounters& c) { return c.refusals[kind].load(); });
      out_.add({{"limit", kindOf(static_cast<Quota>(kind)).name}}, count);
    }
  }

  template <class Get>
  void eachSession(const SessionBoard& board, const char* name, const char* type, const char* help, Get get) {
    out_.family(name, type, help);
    for (int seat = 0; seat < board.seats(); ++seat) {
      const SessionBoard::Sitter sitter = board.sitter(seat);
      if (sitter.process == 0) continue;
      const auto who = input_.names ? Labels{{"session", std::to_string(sitter.process)},
                                             {"identity", sitter.identity},
                                             {"client", sitter.client},
                                             {"program", sitter.program}}
                                    : Labels{{"session", "seat " + std::to_string(seat)}};
      out_.add(who, std::uint64_t{get(board.counters(seat))});
    }
  }

  // What each session has of everything that is limited, or may have.
  void eachQuota(const SessionBoard& board, const char* name, const char* help,
                 SessionCounters::Count (SessionCounters::*member)[kQuotas]) {
    out_.family(name, "gauge", help);
    for (int seat = 0; seat < board.seats(); ++seat) {
      const SessionBoard::Sitter sitter = board.sitter(seat);
      if (sitter.process == 0) continue;
      for (std::size_t kind = 0; kind < kQuotas; ++kind) {
        const bool measured = kind == static_cast<std::size_t>(Quota::kCompute) && member == &SessionCounters::used;
        out_.add({{"session", input_.names ? std::to_string(sitter.process) : "seat " + std::to_string(seat)},
                  {"limit", kindOf(static_cast<Quota>(kind)).name}},
                 measured ? computeOf(static_cast<std::uint64_t>(sitter.process))
                          : std::uint64_t{(board.counters(seat).*member)[kind].load()});
      }
    }
  }

  void startTimes(const SessionBoard& board) {
    out_.family("hip_worker_session_start_time_seconds", "gauge", "When a session began, in seconds since 1970.");
    for (int seat = 0; seat < board.seats(); ++seat) {
      const SessionBoard::Sitter sitter = board.sitter(seat);
      if (sitter.process == 0) continue;
      if (const std::optional<double> start = startOfProcess(sitter.process))
        out_.add({{"session", input_.names ? std::to_string(sitter.process) : "seat " + std::to_string(seat)}}, *start);
    }
  }

  void sessions(const SessionBoard& board) {
    eachQuota(board, "hip_worker_session_used", "What a session has of what is limited.", &SessionCounters::used);
    eachQuota(board, "hip_worker_session_limit", "What it may have (--limit).", &SessionCounters::limit);
    startTimes(board);
    eachSession(board, "hip_worker_session_memory_bytes", "gauge", "Device memory of a session.",
                [](const SessionCounters& c) { return c.memoryBytes.load(); });
    eachSession(board, "hip_worker_session_queue_depth", "gauge", "Operations given to the GPU and not finished.",
                [](const SessionCounters& c) {
                  const std::uint64_t finished = c.finished.load(), issued = c.issued.load();
                  return issued > finished ? issued - finished : 0;
                });
    eachSession(board, "hip_worker_session_received_bytes_total", "counter", "Bytes from the client of a session.",
                [](const SessionCounters& c) { return c.bytesReceived.load(); });
    eachSession(board, "hip_worker_session_sent_bytes_total", "counter", "Bytes to the client of a session.",
                [](const SessionCounters& c) { return c.bytesSent.load(); });
    eachSession(board, "hip_worker_session_round_trips_total", "counter", "Answers the client of a session waited for.",
                [](const SessionCounters& c) { return c.roundTrips.load(); });
    eachSession(board, "hip_worker_session_errors_total", "counter", "Failures reported to the client of a session.",
                [](const SessionCounters& c) { return c.errors.load(); });
  }

  const MetricsInput& input_;
  MetricsWriter out_;
};

}  // namespace

std::string renderMetrics(const MetricsInput& input) {
  return Page(input).render();
}

}  // namespace hipr::worker

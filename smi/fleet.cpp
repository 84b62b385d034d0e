#include "smi/fleet.h"

#include <thread>

#include "platform/process.h"
#include "telemetry/remote.h"

namespace hipr::smi {

struct Fleet::Machine {
  net::Endpoint endpoint;
  bool local = false;
  telemetry::RemoteOptions remoteOptions;
  telemetry::SourcePtr source;
  telemetry::Remote* remote = nullptr;  // `source`, when it is one
  HostReport report;

  Status open() {
    if (local) return telemetry::openSource(source);
    std::unique_ptr<telemetry::Remote> opened;
    if (Status status = telemetry::Remote::connect(remoteOptions, opened); !status.ok()) return status;
    remote = opened.get();
    source = std::move(opened);
    return {};
  }

  void describe() {
    report.source = source->kind();
    report.libraryVersion = source->libraryVersion();
    report.gpus = source->gpus();
    report.links = source->links();
    if (remote) {
      report.hostName = remote->hostName();
      report.workerVersion = remote->workerVersion();
    } else {
      report.hostName = platform::hostName();
    }
  }

  void read() {
    report.status = source ? Status{} : open();
    if (!report.status.ok()) return;
    if (remote) {
      report.status = remote->sample(report.readings, report.processes);
    } else {
      report.readings = source->read();
      report.processes = source->processes();
    }
    describe();
    report.readings.resize(report.gpus.size());
  }
};

Fleet::Fleet(const Options& options) {
  const auto add = [&](const net::Endpoint& endpoint) {
    auto machine = std::make_unique<Machine>();
    machine->endpoint = endpoint;
    machine->local = options.local;
    machine->remoteOptions = {endpoint, options.connectTimeout, options.ioTimeout};
    machine->remoteOptions.keptTokens = true;
    machine->report.host = options.local ? "local" : endpoint.host;
    machine->report.port = endpoint.port;
    machines_.push_back(std::move(machine));
  };
  if (options.local) add({});
  for (const net::Endpoint& endpoint : options.hosts) add(endpoint);
}

Fleet::~Fleet() = default;

std::vector<HostReport> Fleet::read() {
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < machines_.size(); ++i) threads.emplace_back([this, i] { machines_[i]->read(); });
  machines_[0]->read();
  for (std::thread& thread : threads) thread.join();
  std::vector<HostReport> out;
  for (const auto& machine : machines_) out.push_back(machine->report);
  return out;
}

}  // namespace hipr::smi

#include "telemetry/remote.h"

#include <filesystem>
#include <tuple>
#include <type_traits>

#include "access/entry.h"
#include "access/frame.h"
#include "access/kept_token.h"
#include "access/token.h"
#include "base/env.h"
#include "base/text.h"
#include "platform/process.h"

namespace hipr::telemetry {
namespace {

// Hundreds of GPUs and thousands of processes fit; a peer that announces more is none of ours.
constexpr std::uint64_t kMaxReply = 16 << 20;

Status useKeptToken(const net::Endpoint& worker, std::string& token) {
  const std::string file = access::keptTokenFile(worker);
  std::error_code error;
  if (!token.empty() || file.empty() || !std::filesystem::exists(file, error)) return {};
  return access::readTokenFile(file, token);
}

// Names that the worker, or its clients, chose are shown to people: they say nothing to a terminal.
template <class T>
void makePrintable(T& value) {
  if constexpr (std::is_same_v<T, std::string>) {
    value = printable(value);
  } else if constexpr (requires { T::fields(value); }) {
    std::apply([](auto&... fields) { (makePrintable(fields), ...); }, T::fields(value));
  } else if constexpr (requires { value.begin(); }) {
    for (auto& item : value) makePrintable(item);
  }
}

}  // namespace

Status remoteOptionsFromEnvironment(RemoteOptions& out) {
  const auto port = static_cast<std::uint16_t>(envNumber("TF_WORKER_PORT", wire::kDefaultPort, 1, 65535));
  const std::string host = envText("TF_WORKER_HOST").value_or("localhost");
  std::vector<net::Endpoint> workers;
  if (Status status = net::parseEndpoints(host, port, workers); !status.ok()) return status.within("TF_WORKER_HOST");
  out.worker = workers.front();
  out.others.assign(workers.begin() + 1, workers.end());
  out.connectTimeout = static_cast<int>(envNumber("TF_CONNECT_TIMEOUT", 30, 1, 3600));
  out.ioTimeout = static_cast<int>(envNumber("TF_IO_TIMEOUT", 60, 1, 86400));
  return {};
}

Status Remote::connect(const RemoteOptions& options, std::unique_ptr<Remote>& out) {
  std::unique_ptr<Remote> remote(new Remote(options));
  if (Status status = remote->greet(); !status.ok()) return status;
  out = std::move(remote);
  return {};
}

Status Remote::greet() {
  Status first = greet(options_.worker);
  if (first.ok()) return first;
  for (const net::Endpoint& other : options_.others)
    if (greet(other).ok()) return {};
  return first;
}

Status Remote::greet(const net::Endpoint& worker) {
  worker_ = worker;
  net::Socket socket;
  access::Credentials credentials;
  wire::SmiOpenReply reply;
  int roundTrips = 0;
  Status status = net::connectTo(worker, options_.connectTimeout, socket);
  if (status.ok()) status = access::credentialsFromEnvironment(credentials);
  if (status.ok() && options_.keptTokens) status = useKeptToken(worker, credentials.identity.token);
  if (status.ok())
    status = access::enter(std::move(socket), worker.host, credentials, {options_.ioTimeout, options_.ioTimeout},
                           transport_, roundTrips);
  if (status.ok()) {
    transport_->setTimeout(options_.ioTimeout * 1000);
    status = call<wire::Opcode::kSmiOpen>(
        {.process = platform::processId(), .hostName = platform::hostName(), .program = platform::programPath()},
        reply);
  }
  if (status.ok() && reply.status != 0) status = Status::unavailable("the worker has no telemetry: " + reply.text);
  if (status.ok() && !greeting_.gpus.empty() && greeting_.gpus.size() != reply.gpus.size())
    status = Status::unavailable("the worker's GPUs are no longer the same");
  for (const Link& link : reply.links)
    if (link.from >= reply.gpus.size() || link.to >= reply.gpus.size())
      status = Status::invalid("the worker tells of a link between GPUs it does not have");
  if (!status.ok()) {
    transport_.reset();
    return status;
  }
  greeting_ = std::move(reply);
  return {};
}

template <wire::Opcode kOp, class Reply>
Status Remote::call(const typename wire::MessageOf<kOp>::Type& message, Reply& reply) {
  std::vector<std::byte> frame;
  wire::appendFrame(frame, kOp, ++request_, 0, message);
  if (Status status = transport_->send(net::Transport::Part(frame)); !status.ok()) return status;
  std::vector<std::byte> payload;
  if (Status status = receiveReply(kOp, payload); !status.ok()) return status;
  if (!access::decode(payload, reply)) return Status::invalid("a malformed answer");
  makePrintable(reply);
  return {};
}

Status Remote::receiveReply(wire::Opcode opcode, std::vector<std::byte>& payload) {
  wire::Header header;
  if (Status status = access::receiveFrame(*transport_, kMaxReply, header, payload); !status.ok()) return status;
  const bool expected = header.opcode == static_cast<std::uint16_t>(opcode) && header.request == request_ &&
                        (header.flags & wire::HIP_REMOTE_FLAG_REPLY);
  return expected ? Status{} : Status::invalid("an answer to something else");
}

Status Remote::askOnce(std::uint32_t parts, wire::SmiReadReply& reply) {
  Status status = call<wire::Opcode::kSmiRead>({parts}, reply);
  if (status.ok() && reply.status != 0) return Status::unavailable(reply.text);
  if (status.ok() && (parts & wire::kSmiReadings) && reply.readings.size() != gpus().size())
    status = Status::invalid("readings of " + std::to_string(reply.readings.size()) + " GPUs instead of " +
                             std::to_string(gpus().size()));
  for (const Process& process : reply.processes)
    if (status.ok() && process.gpu >= gpus().size())
      status = Status::invalid("the worker tells of a process on a GPU it does not have");
  if (!status.ok()) transport_.reset();
  return status;
}

Status Remote::ask(std::uint32_t parts, wire::SmiReadReply& reply) {
  const bool fresh = !transport_;
  Status status = fresh ? greet() : Status{};
  if (status.ok()) status = askOnce(parts, reply);
  // The worker may have been started anew since the last answer.
  if (!status.ok() && !fresh && !transport_) {
    status = greet();
    if (status.ok()) status = askOnce(parts, reply);
  }
  failure_ = status;
  return status;
}

Status Remote::sample(std::vector<Reading>& readings, std::vector<Process>& processes) {
  wire::SmiReadReply reply;
  if (Status status = ask(wire::kSmiReadings | wire::kSmiProcesses, reply); !status.ok()) return status;
  readings = std::move(reply.readings);
  processes = std::move(reply.processes);
  return {};
}

std::vector<Reading> Remote::read() {
  wire::SmiReadReply reply;
  if (!ask(wire::kSmiReadings, reply).ok()) return std::vector<Reading>(gpus().size());
  return std::move(reply.readings);
}

std::vector<Process> Remote::processes() {
  wire::SmiReadReply reply;
  if (!ask(wire::kSmiProcesses, reply).ok()) return {};
  return std::move(reply.processes);
}

Status openRemote(const RemoteOptions& options, SourcePtr& source) {
  std::unique_ptr<Remote> remote;
  if (Status status = Remote::connect(options, remote); !status.ok()) return status;
  source = std::move(remote);
  return {};
}

Status openRemote(SourcePtr& source) {
  RemoteOptions options;
  if (Status status = remoteOptionsFromEnvironment(options); !status.ok()) return status;
  return openRemote(options, source);
}

}  // namespace hipr::telemetry

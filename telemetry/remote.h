// Remote: the telemetry of a worker, as a source. Connects once; what never changes comes with the greeting, what
// changes comes for all GPUs in one answer. A worker that went away is asked again at the next read.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "net/socket.h"
#include "net/transport.h"
#include "telemetry/source.h"
#include "wire/messages.h"

namespace hipr::telemetry {

struct RemoteOptions {
  net::Endpoint worker;
  int connectTimeout = 30;  // seconds
  int ioTimeout = 60;
  std::vector<net::Endpoint> others{};  // workers that will do when that one does not answer
  bool keptTokens = false;              // use what `hip-remote pair` has kept, where the environment has no token
};

// TF_WORKER_HOST, TF_WORKER_PORT, TF_CONNECT_TIMEOUT, TF_IO_TIMEOUT, as HIP programs read them.
Status remoteOptionsFromEnvironment(RemoteOptions& out);

class Remote : public Source {
 public:
  static Status connect(const RemoteOptions& options, std::unique_ptr<Remote>& out);

  std::string_view kind() const override { return greeting_.source; }
  std::string libraryVersion() const override { return greeting_.libraryVersion; }
  const std::vector<Gpu>& gpus() const override { return greeting_.gpus; }
  const std::vector<Link>& links() const override { return greeting_.links; }
  std::vector<Reading> read() override;  // on failure as many as there are GPUs, all empty
  std::vector<Process> processes() override;
  Status failure() const override { return failure_; }

  // Readings and processes of one moment, in one round trip.
  Status sample(std::vector<Reading>& readings, std::vector<Process>& processes);

  const std::string& hostName() const { return greeting_.hostName; }
  const std::string& workerVersion() const { return greeting_.workerVersion; }
  const net::Endpoint& endpoint() const { return worker_; }

 private:
  explicit Remote(RemoteOptions options) : options_(std::move(options)) {}

  Status greet();
  Status greet(const net::Endpoint& worker);
  Status ask(std::uint32_t parts, wire::SmiReadReply& reply);  // connects again where it must
  Status askOnce(std::uint32_t parts, wire::SmiReadReply& reply);
  template <wire::Opcode kOp, class Reply>
  Status call(const typename wire::MessageOf<kOp>::Type& message, Reply& reply);
  Status receiveReply(wire::Opcode opcode, std::vector<std::byte>& payload);

  const RemoteOptions options_;
  net::Endpoint worker_;         // of those, the one that answered last
  net::TransportPtr transport_;  // null: not connected
  std::uint32_t request_ = 0;
  wire::SmiOpenReply greeting_;
  Status failure_;
};

// A worker as a Source; with the environment's options when there are none.
Status openRemote(SourcePtr& source);
Status openRemote(const RemoteOptions& options, SourcePtr& source);

}  // namespace hipr::telemetry

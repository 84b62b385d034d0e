#include "worker/ucx_process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "access/frame.h"
#include "base/log.h"
#include "net/socket_transport.h"
#include "net/ucx_link.h"
#include "tls/tls_transport.h"
#include "worker/own_image.h"

namespace hipr::worker {
namespace {

constexpr char kName[] = "hip-worker-ucx";
constexpr char kOption[] = "--ucx-bridge";
constexpr std::uint64_t kMostGreeting = 8 << 10;
constexpr int kPatience = 5000;  // milliseconds for what the supervisor has seen already

enum Inherited { kClient = kFirstFile, kSession };

// Its word about UCX, and ours.
Status meet(net::Transport& client, const UcxBrief& brief, std::unique_ptr<net::UcxBridge>& bridge,
            std::vector<std::uint8_t>& other) {
  wire::Header header;
  std::vector<std::byte> payload, frame;
  wire::Ucx ucx;
  client.setTimeout(kPatience);
  if (Status status = access::receiveFrame(client, kMostGreeting, header, payload); !status.ok()) return status;
  if (!access::decode(payload, ucx)) return Status::invalid("malformed Ucx");
  other = std::move(ucx.address);
  const Status status = net::UcxBridge::open(bridge);
  wire::UcxReply reply{status.message(), {}, brief.key};
  if (status.ok()) reply.address = bridge->address();
  wire::appendFrame(frame, wire::Opcode::kUcx, header.request, wire::HIP_REMOTE_FLAG_REPLY, reply);
  const Status sent = client.send(net::Transport::Part(frame));
  return status.ok() ? sent : status;
}

}  // namespace

Status startUcxBridge(const UcxBrief& brief, const net::Socket& client, const net::Socket& session) {
  pid_t process = 0;
  return startImage(kOption, written(brief), {client.fd(), session.fd()}, process).within("starting a bridge to UCX");
}

bool isUcxProcess(int argc, char** argv) {
  return isImage(argc, argv, kOption);
}

void runUcxBridge() {
  setLogName("hip-worker");
  prctl(PR_SET_NAME, kName);
  std::vector<std::byte> bytes;
  UcxBrief brief;
  if (!takeBrief(bytes, brief)) {
    logError("%s is for the worker itself to use", kOption);
    _exit(2);
  }
  for (const int fd : {kClient, kSession}) fcntl(fd, F_SETFD, FD_CLOEXEC);
  if (brief.verbose) setDebug(true);
  SandboxReport report;
  Status status = confine(brief.sandbox, report);
  net::TransportPtr client = net::overSocket(net::Socket(kClient), 3 * brief.peerTimeout);
  if (brief.shield) client = tls::overTls(std::move(client), *brief.shield);
  std::unique_ptr<net::UcxBridge> bridge;
  std::vector<std::uint8_t> other;
  if (status.ok()) status = meet(*client, brief, bridge, other);
  if (!status.ok()) {
    logError("UCX: %s", status.message().c_str());
    _exit(1);
  }
  if (brief.sandbox.mode != SandboxMode::kOff) report.add("seccomp", withoutPrograms());
  logDebug("sandbox of a bridge to UCX: %s", report.text().c_str());
  net::UcxLink(std::move(bridge), std::move(other), net::Socket(kSession), std::move(client)).wait();
  _exit(0);
}

}  // namespace hipr::worker

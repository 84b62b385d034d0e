// The first exchange: agree on addresses, describe the devices, promise memory.
#include <algorithm>
#include <iterator>

#include "base/log.h"
#include "platform/process.h"
#include "worker/session.h"

namespace hipr::worker {
namespace {

constexpr int kMaxGreetings = 8;
constexpr std::uint64_t kMaxGreeting = 8 << 10;  // bytes: lists of messages and names are short
constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kAddressSpace = std::uint64_t{1} << 47;

bool sensible(std::uint64_t base, std::uint64_t size) {
  return base % kPage == 0 && size % kPage == 0 && base && size <= kAddressSpace && base <= kAddressSpace - size;
}

// The client's process, if it is one of this machine, so that it can be seen to end. A Windows program beside this
// worker (Wine, WSL) has the machine's name too, but numbers of its own.
std::uint64_t neighbour(const wire::Hello& m) {
  return m.hostName == platform::hostName() && m.program.starts_with('/') ? m.process : 0;
}

}  // namespace

wire::HelloReply Session::onHello(const wire::Hello& m) {
  wire::HelloReply reply;
  if (++greetings_ > kMaxGreetings) {
    refuse("no address range suits both sides");
    return reply;
  }
  // The client knows the names of what this worker has never heard of, and tells its user or does without.
  std::ranges::copy_if(m.messages, std::back_inserter(reply.unknown), [this](auto number) {
    const auto opcode = static_cast<wire::Opcode>(number);
    return !wire::isKnown(number) || (opcode == wire::Opcode::kNamedData && !dataCache_.keeps()) ||
           (opcode == wire::Opcode::kBring && !options_.connect) ||
           ((opcode == wire::Opcode::kLaneData || opcode == wire::Opcode::kDownloadLanes) && !options_.door);
  });
  if (!reserveRanges(m, reply)) return reply;
  reply.platform = options_.platform;
  reply.knownCode = codeCache_.known();
  const Limits& limits = meter_.limits();
  reply.limits = {limits[Quota::kStreams],    limits[Quota::kEvents],    limits[Quota::kModules],
                  limits[Quota::kOperations], limits[Quota::kHeldBytes], limits[Quota::kHostBytes]};
  for (int device = 0; device < backend_.devices(); ++device) {
    Credit& credit = *options_.credit;
    const std::uint64_t already = credit.promised(device);
    reply.credits.push_back(already ? already : credit.welcome(device));
  }
  if (options_.page) options_.page->introduce(m.hostName + ":" + std::to_string(m.process), m.program);
  logDebug("client %s, process %llu on %s", m.program.c_str(), static_cast<unsigned long long>(m.process),
           m.hostName.c_str());
  resumable_ = m.resumable && options_.door && options_.resumeSeconds > 0;
  if (resumable_) {
    reply.resumeSeconds = static_cast<std::uint32_t>(options_.resumeSeconds);
    reply.resumeKey = options_.resumeKey;
    neighbour_ = neighbour(m);
  }
  // A client that offered another range may not have this one, and says so by another Hello.
  phase_ = Phase::kOffered;
  if (reply.deviceBase == 0 || reply.deviceBase == m.deviceBase) accept();
  return reply;
}

void Session::accept() {
  phase_ = Phase::kGreeted;
  reader_.setDeadline({});  // from now on a client may be silent as long as it lives
  if (!resumable_) return channel_.forgetSent();
  options_.door->open(channel_, neighbour_,
                      [this](std::uint32_t lane, net::TransportPtr link) { lanes_.join(lane, std::move(link)); });
}

Status Session::expects(const wire::Header& header) {
  const auto opcode = static_cast<wire::Opcode>(header.opcode);
  if (opcode == wire::Opcode::kHello) {
    if (greeted()) return Status::invalid("a second Hello");
    if (header.length > kMaxGreeting) return Status::invalid("a Hello of " + std::to_string(header.length) + " bytes");
    return {};
  }
  if (phase_ == Phase::kOffered && opcode != wire::Opcode::kPing) accept();
  if (greeted()) return {};
  if (opcode != wire::Opcode::kPing)
    return Status::invalid(std::string(wire::opcodeName(header.opcode)) + " before Hello");
  return header.length <= kMaxGreeting ? Status{}
                                       : Status::invalid("a Ping of " + std::to_string(header.length) + " bytes");
}

bool Session::reserveRanges(const wire::Hello& m, wire::HelloReply& reply) {
  if (backend_.devices() == 0) return true;
  if (!sensible(m.deviceBase, m.deviceSize) || !sensible(m.hostBase, m.hostSize) ||
      (m.deviceBase < m.hostBase + m.hostSize && m.hostBase < m.deviceBase + m.deviceSize)) {
    refuse("Hello offers impossible address ranges");
    return false;
  }
  if (!hostMemory_.reserve(m.hostBase, m.hostSize)) {
    reply.status = hipErrorMapFailed;
    reply.text = "the range for host memory is taken in the worker";
    return false;
  }
  if (!memory_.placeable()) return true;
  std::uint64_t base = m.deviceBase;
  if (hipError_t error = memory_.reserve(base, m.deviceSize); error != hipSuccess) {
    reply.status = hipErrorMapFailed;
    reply.text = std::string("the worker cannot reserve the range for device memory: ") + backend_.hip.errorName(error);
    return false;
  }
  reply.deviceBase = base;
  reply.deviceSize = m.deviceSize;
  reply.granularity = memory_.granularity();
  return true;
}

hipError_t Session::onGoodbye(const wire::Goodbye&) {
  phase_ = Phase::kLeft;
  if (options_.door) options_.door->close();
  return hipSuccess;
}

hipError_t Session::onAcknowledge(const wire::Acknowledge& m) {
  if (!channel_.acknowledge(m.received)) refuse("Acknowledge of bytes that were not sent");
  outbox_.acknowledged(m.received);
  return hipSuccess;
}

Session::Answer Session::onPing(const wire::Ping&) {
  return hipSuccess;
}

}  // namespace hipr::worker

#include "tls/shake.h"

#include <chrono>

#include "tls/record.h"

namespace hipr::tls {
namespace {

using Clock = std::chrono::steady_clock;

Status receive(net::Transport& below, std::span<std::byte> out, Clock::time_point end) {
  while (!out.empty()) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
    std::size_t got = 0;
    if (left > 0) {
      below.setTimeout(static_cast<int>(left));
      if (Status status = below.receive({&out, 1}, net::Transport::Patience::kWait, &got); !status.ok()) return status;
    }
    if (got == 0) return Status::unavailable("the worker did not finish the TLS handshake in time");
    out = out.subspan(got);
  }
  return {};
}

Status receiveRecord(net::Transport& below, Clock::time_point end, std::vector<std::byte>& record) {
  record.resize(kRecordHeader);
  if (Status status = receive(below, record, end); !status.ok()) return status;
  const std::size_t size = recordSize(std::span<const std::byte, kRecordHeader>(record));
  if (size == 0) return Status::unavailable("the peer does not speak TLS; is it a HIP Remote worker of this release?");
  record.resize(size);
  return receive(below, std::span(record).subspan(kRecordHeader), end);
}

}  // namespace

Status shakeHands(net::Transport& below, Handshake& handshake, int timeoutSeconds, Begins who) {
  const auto end = Clock::now() + std::chrono::seconds(timeoutSeconds);
  std::vector<std::byte> record;
  if (who == Begins::kPeer) {
    if (Status status = receiveRecord(below, end, record); !status.ok()) return status;
  }
  for (;;) {
    std::vector<std::byte> reply;
    const Status made = handshake.take(record, reply);
    if (!reply.empty()) {
      if (Status sent = below.send(reply); !sent.ok() && made.ok()) return sent;
    }
    if (!made.ok()) return Status::invalid(made.message());
    if (handshake.done()) return {};
    if (Status status = receiveRecord(below, end, record); !status.ok()) return status;
  }
}

}  // namespace hipr::tls

// A bridge over UCX (https://openucx.org): bytes that go into a local socket come out of one at the other end, by
// whatever UCX finds between the two machines, RDMA where there is hardware. UCX is the system's own, opened when it is
// first wanted. One thread has all of it, so that nothing else of ours knows UCX, its threads or its rules: to
// everybody else the connection is a pair of sockets.
//
// The two ends tell each other their addresses over a connection that they have already (ucx_link.h).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/status.h"
#include "net/socket.h"

namespace hipr::net {

// What one end tells the other over the connection beside the bridge. UCX takes whatever comes, however far behind its
// reader is; so an end sends no more than kUcxWindow bytes beyond what the other has delivered, and ends a bridge over
// which more than that has come.
constexpr std::uint64_t kUcxWindow = 16 << 20;
struct UcxWord {
  std::uint64_t delivered = 0;       // bytes that have come from the other end and gone into the local socket
  std::uint64_t total = UINT64_MAX;  // bytes that the local socket has given, once it has ended
};

class UcxBridge {
 public:
  // kUnsupported: this system has no UCX, or this program was built without knowing it.
  static Status open(std::unique_ptr<UcxBridge>& out);
  static bool usable();  // false in a forked child of a process that has opened UCX: its threads are not there
  virtual ~UcxBridge() = default;
  using Tell = std::function<void(const UcxWord&)>;

  virtual std::vector<std::uint8_t> address() const = 0;  // for the other end
  // Carries bytes between `local` and the other end, which `tell` reaches. When `local` has ended it waits for the
  // other end to leave. Once.
  virtual Status carry(std::span<const std::uint8_t> other, const Socket& local, const Tell& tell) = 0;
  // Any thread may call these: the other end has said this; it is gone.
  virtual void hear(const UcxWord& word) = 0;
  virtual void leave() = 0;
};

}  // namespace hipr::net

// A bridge over UCX at work: one of its ends, the ordinary connection beside it over which the two sides have met, and
// the threads of both. On that connection each side says how many bytes it has delivered, and at its end how many it
// has sent; the other side leaves when it has them all. If that connection ends before, the bridge ends, too.
#pragma once

#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "net/transport.h"
#include "net/ucx_bridge.h"

namespace hipr::net {

class UcxLink {
 public:
  UcxLink(std::unique_ptr<UcxBridge> bridge, std::vector<std::uint8_t> other, Socket local, TransportPtr lifeline);
  ~UcxLink();  // REQUIRES: whoever has the other end of `local` has closed it, or shut it down
  UcxLink(const UcxLink&) = delete;
  UcxLink& operator=(const UcxLink&) = delete;

  void wait();  // until it is over
  // In a forked child, where the threads do not exist: gives up the descriptors, and nothing else.
  static void closeInChild(std::unique_ptr<UcxLink> link);

 private:
  void carry();
  void watch();

  const std::unique_ptr<UcxBridge> bridge_;
  const std::vector<std::uint8_t> other_;
  Socket local_;
  TransportPtr lifeline_;
  std::thread carrier_, watcher_;
};

}  // namespace hipr::net

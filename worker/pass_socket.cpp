#include "worker/pass_socket.h"

#include <vector>

#include "wire/stream.h"
#include "worker/pass_descriptor.h"

namespace hipr::worker {
namespace {

constexpr std::size_t kMostWords = 2048;

}  // namespace

bool passSocket(const net::Socket& through, const net::Socket& what, const Passenger& passenger) {
  std::vector<std::byte> words;
  wire::Writer(words).put(passenger);
  return sendPacket(through.fd(), words, what.fd(), Patience::kNone) == static_cast<ssize_t>(words.size());
}

Passed takeSocket(const net::Socket& through, bool wait, net::Socket& what, Passenger& passenger) {
  std::byte words[kMostWords];
  Descriptor taken;
  const ssize_t size = receivePacket(through.fd(), words, taken, wait ? Patience::kEndless : Patience::kNone);
  if (size == 0) return Passed::kClosed;
  if (size < 0 || taken.number() < 0) return Passed::kNothing;
  what = net::Socket(taken.release());
  wire::Reader reader({words, static_cast<std::size_t>(size)});
  reader.get(passenger);
  return reader.ok() ? Passed::kSocket : Passed::kNothing;
}

}  // namespace hipr::worker

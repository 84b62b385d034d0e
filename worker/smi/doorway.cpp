#include "worker/smi/doorway.h"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "wire/stream.h"

namespace hipr::worker {
namespace {

constexpr std::size_t kMostWords = 256;

union ControlSpace {
  cmsghdr header;
  char bytes[CMSG_SPACE(sizeof(int))];
};

}  // namespace

Status Doorway::make(Doorway& out) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return Status::unavailable(std::string("socketpair: ") + std::strerror(errno));
  out.outside_ = net::Socket(ends[0]);
  out.inside_ = net::Socket(ends[1]);
  return {};
}

Status Doorway::handOver(const net::Socket& socket, const std::optional<tls::Channel>& channel) {
  std::vector<std::byte> words;
  wire::Writer(words).put(channel);
  iovec part{words.data(), words.size()};
  ControlSpace control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.bytes;
  message.msg_controllen = sizeof control.bytes;
  cmsghdr* const header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  const int fd = socket.fd();
  std::memcpy(CMSG_DATA(header), &fd, sizeof fd);
  if (sendmsg(outside_.fd(), &message, MSG_DONTWAIT | MSG_NOSIGNAL) == static_cast<ssize_t>(words.size())) return {};
  return Status::unavailable(std::string("handing a connection to the telemetry service: ") + std::strerror(errno));
}

bool Doorway::take(net::Socket& socket, std::optional<tls::Channel>& channel) {
  std::byte words[kMostWords];
  iovec part{words, sizeof words};
  ControlSpace control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.bytes;
  message.msg_controllen = sizeof control.bytes;
  const ssize_t size = recvmsg(inside_.fd(), &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  if (size <= 0) return false;
  const cmsghdr* const header = CMSG_FIRSTHDR(&message);
  if (!header || header->cmsg_type != SCM_RIGHTS || header->cmsg_len != CMSG_LEN(sizeof(int))) return false;
  int fd = -1;
  std::memcpy(&fd, CMSG_DATA(header), sizeof fd);
  socket = net::Socket(fd);
  wire::Reader reader({words, static_cast<std::size_t>(size)});
  reader.get(channel);
  return reader.ok();
}

}  // namespace hipr::worker

#include "worker/smi/doorway.h"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>

namespace hipr::worker {
namespace {

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

Status Doorway::handOver(const net::Socket& socket) {
  char mark = 's';
  iovec part{&mark, 1};
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
  if (sendmsg(outside_.fd(), &message, MSG_DONTWAIT | MSG_NOSIGNAL) == 1) return {};
  return Status::unavailable(std::string("handing a connection to the telemetry service: ") + std::strerror(errno));
}

bool Doorway::take(net::Socket& socket) {
  char mark = 0;
  iovec part{&mark, 1};
  ControlSpace control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.bytes;
  message.msg_controllen = sizeof control.bytes;
  if (recvmsg(inside_.fd(), &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) != 1) return false;
  const cmsghdr* const header = CMSG_FIRSTHDR(&message);
  if (!header || header->cmsg_type != SCM_RIGHTS || header->cmsg_len != CMSG_LEN(sizeof(int))) return false;
  int fd = -1;
  std::memcpy(&fd, CMSG_DATA(header), sizeof fd);
  socket = net::Socket(fd);
  return true;
}

}  // namespace hipr::worker

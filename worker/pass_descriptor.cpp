#include "worker/pass_descriptor.h"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace hipr::worker {
namespace {

struct Packet {
  iovec part;
  msghdr header{};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};

  Packet(const std::byte* data, std::size_t size) : part{const_cast<std::byte*>(data), size} {
    header.msg_iov = &part;
    header.msg_iovlen = 1;
  }
};

int flagsOf(Patience patience) {
  return patience == Patience::kNone ? MSG_DONTWAIT : 0;
}

}  // namespace

Descriptor::~Descriptor() {
  if (number_ >= 0) close(number_);
}

ssize_t sendPacket(int socket, std::span<const std::byte> bytes, int give, Patience patience) {
  Packet packet(bytes.data(), bytes.size());
  if (give >= 0) {
    packet.header.msg_control = packet.control;
    packet.header.msg_controllen = sizeof packet.control;
    cmsghdr* const header = CMSG_FIRSTHDR(&packet.header);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof give);
    std::memcpy(CMSG_DATA(header), &give, sizeof give);
  }
  return sendmsg(socket, &packet.header, flagsOf(patience) | MSG_NOSIGNAL);
}

ssize_t receivePacket(int socket, std::span<std::byte> bytes, Descriptor& taken, Patience patience) {
  Packet packet(bytes.data(), bytes.size());
  packet.header.msg_control = packet.control;
  // Room for one and no more, not even in what CMSG_SPACE adds to align it: the system closes those beyond.
  packet.header.msg_controllen = CMSG_LEN(sizeof(int));
  ssize_t got;
  do {
    got = recvmsg(socket, &packet.header, flagsOf(patience) | MSG_CMSG_CLOEXEC);
  } while (got < 0 && errno == EINTR);
  const cmsghdr* const header = got >= 0 ? CMSG_FIRSTHDR(&packet.header) : nullptr;
  int descriptor = -1;
  if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS &&
      header->cmsg_len == CMSG_LEN(sizeof descriptor))
    std::memcpy(&descriptor, CMSG_DATA(header), sizeof descriptor);
  taken = Descriptor(descriptor);
  return got;
}

}  // namespace hipr::worker

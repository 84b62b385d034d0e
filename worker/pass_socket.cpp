#include "worker/pass_socket.h"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "wire/stream.h"

namespace hipr::worker {
namespace {

constexpr std::size_t kMostWords = 256;

struct Message {
  explicit Message(std::span<std::byte> bytes) : part{bytes.data(), bytes.size()} {
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    header.msg_control = control;
    header.msg_controllen = sizeof control;
  }
  iovec part;
  msghdr header{};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
};

}  // namespace

bool passSocket(const net::Socket& through, const net::Socket& what, const std::optional<tls::Shield>& shield) {
  std::vector<std::byte> words;
  wire::Writer(words).put(shield);
  Message message(words);
  cmsghdr* const header = CMSG_FIRSTHDR(&message.header);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  const int fd = what.fd();
  std::memcpy(CMSG_DATA(header), &fd, sizeof fd);
  return sendmsg(through.fd(), &message.header, MSG_DONTWAIT | MSG_NOSIGNAL) == static_cast<ssize_t>(words.size());
}

Passed takeSocket(const net::Socket& through, bool wait, net::Socket& what, std::optional<tls::Shield>& shield) {
  std::byte words[kMostWords];
  Message message(words);
  ssize_t size = 0;
  do {
    size = recvmsg(through.fd(), &message.header, MSG_CMSG_CLOEXEC | (wait ? 0 : MSG_DONTWAIT));
  } while (size < 0 && errno == EINTR);
  if (size == 0) return Passed::kClosed;
  const cmsghdr* const header = CMSG_FIRSTHDR(&message.header);
  if (size < 0 || !header || header->cmsg_type != SCM_RIGHTS || header->cmsg_len != CMSG_LEN(sizeof(int)))
    return Passed::kNothing;
  int fd = -1;
  std::memcpy(&fd, CMSG_DATA(header), sizeof fd);
  what = net::Socket(fd);
  wire::Reader reader({words, static_cast<std::size_t>(size)});
  reader.get(shield);
  return reader.ok() ? Passed::kSocket : Passed::kNothing;
}

}  // namespace hipr::worker

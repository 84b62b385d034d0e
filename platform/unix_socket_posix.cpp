#include "platform/unix_socket.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>

#include "platform/socket_api.h"

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0
#endif
#ifndef MSG_CMSG_CLOEXEC
#define MSG_CMSG_CLOEXEC 0
#endif

namespace hipr::platform {
namespace {

struct Address {
  sockaddr_un name{};
  socklen_t size = 0;
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&name); }
};

bool addressOf(const std::string& name, Address& out) {
  if (name.empty() || name.size() >= sizeof out.name.sun_path) return false;
  out.name.sun_family = AF_UNIX;
  std::memcpy(out.name.sun_path, name.data(), name.size());
  out.size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
  if (name.front() == '@') {
    out.name.sun_path[0] = '\0';
  } else {
    ++out.size;
  }
  return true;
}

Status badName(const std::string& name) {
  return Status::invalid("\"" + name + "\" cannot be the name of a unix socket");
}

// One message with room for what goes along with it.
struct Message {
  explicit Message(std::span<const std::byte> bytes) : part{const_cast<std::byte*>(bytes.data()), bytes.size()} {
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

Status connectUnix(const std::string& name, SocketHandle& out) {
  Address address;
  if (!addressOf(name, address)) return badName(name);
  const int socket = newSocket(AF_UNIX, SOCK_STREAM, 0);
  if (socket == kNoSocket) return Status::unavailable("socket: " + socketError());
  if (::connect(socket, address.get(), address.size) == 0) {
    out = socket;
    return {};
  }
  const Code code = errno == ECONNREFUSED || errno == ENOENT ? Code::kNotFound : Code::kUnavailable;
  const std::string why = socketError();
  closeSocket(socket);
  return {code, "unix:" + name + ": " + why};
}

Status listenUnix(const std::string& name, SocketHandle& out) {
  Address address;
  if (!addressOf(name, address)) return badName(name);
  struct stat info{};
  SocketHandle somebody = kNoSocket;
  if (name.front() != '@' && ::stat(name.c_str(), &info) == 0 && S_ISSOCK(info.st_mode)) {
    if (connectUnix(name, somebody).code() == Code::kNotFound) ::unlink(name.c_str());
    if (somebody != kNoSocket) closeSocket(somebody);
  }
  const int socket = newSocket(AF_UNIX, SOCK_STREAM, 0);
  if (socket == kNoSocket) return Status::unavailable("socket: " + socketError());
  if (::bind(socket, address.get(), address.size) == 0 && ::listen(socket, 128) == 0) {
    out = socket;
    return {};
  }
  const std::string why = socketError();
  closeSocket(socket);
  return Status::unavailable("listening on unix:" + name + ": " + why);
}

bool isUnix(SocketHandle socket) {
  sockaddr_storage name{};
  socklen_t size = sizeof name;
  return ::getsockname(socket, reinterpret_cast<sockaddr*>(&name), &size) == 0 && name.ss_family == AF_UNIX;
}

std::string unixPeer([[maybe_unused]] SocketHandle socket) {
#ifdef SO_PEERCRED
  ucred who{};
  socklen_t size = sizeof who;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &who, &size) == 0)
    return "unix-" + std::to_string(who.uid) + ":" + std::to_string(who.pid);
#endif
  return "unix:?";
}

bool sendDescriptor(SocketHandle socket, std::span<const std::byte> bytes, int descriptor) {
  Message message(bytes);
  cmsghdr* const header = CMSG_FIRSTHDR(&message.header);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof descriptor);
  std::memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
  ssize_t sent = 0;
  do {
    sent = ::sendmsg(socket, &message.header, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  return sent == static_cast<ssize_t>(bytes.size());
}

IoResult receiveWithDescriptor(SocketHandle socket, std::span<std::byte> room, Patience patience, int& descriptor) {
  descriptor = -1;
  Message message(room);
  // Exactly one: room rounded up would do for two, and the second would stay open unseen. What does not fit the system
  // closes again.
  message.header.msg_controllen = CMSG_LEN(sizeof descriptor);
  const int flags = MSG_CMSG_CLOEXEC | (patience == Patience::kNone ? MSG_DONTWAIT : 0);
  ssize_t size = 0;
  do {
    size = ::recvmsg(socket, &message.header, flags);
  } while (size < 0 && errno == EINTR);
  const cmsghdr* const header = size > 0 ? CMSG_FIRSTHDR(&message.header) : nullptr;
  if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS &&
      header->cmsg_len == CMSG_LEN(sizeof descriptor))
    std::memcpy(&descriptor, CMSG_DATA(header), sizeof descriptor);
  if (size > 0) return {Io::kDone, static_cast<std::size_t>(size)};
  if (size == 0) return {Io::kClosed};
  return {errno == EAGAIN || errno == EWOULDBLOCK ? Io::kNothing : Io::kFailed};
}

bool receiveDescriptor(SocketHandle socket, std::span<std::byte> bytes, int& descriptor) {
  return receiveWithDescriptor(socket, bytes, Patience::kNone, descriptor).bytes == bytes.size();
}

}  // namespace hipr::platform

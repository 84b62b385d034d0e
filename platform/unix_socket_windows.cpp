#include "platform/unix_socket.h"

namespace hipr::platform {
namespace {

Status none() {
  return Status::unsupported("unix sockets cannot be had on this system");
}

}  // namespace

Status connectUnix(const std::string&, SocketHandle&) {
  return none();
}

Status listenUnix(const std::string&, SocketHandle&) {
  return none();
}

bool isUnix(SocketHandle) {
  return false;
}

std::string unixPeer(SocketHandle) {
  return "unix:?";
}

bool sendDescriptor(SocketHandle, std::span<const std::byte>, int) {
  return false;
}

IoResult receiveWithDescriptor(SocketHandle, std::span<std::byte>, Patience, int& descriptor) {
  descriptor = -1;
  return {Io::kFailed};
}

bool receiveDescriptor(SocketHandle, std::span<std::byte>, int& descriptor) {
  descriptor = -1;
  return false;
}

}  // namespace hipr::platform

// Sockets with a name instead of an address, for processes of one machine; they can pass each other what they have
// open. A name that begins with @ exists only as long as the socket does, for those who see the same network; any other
// is that of a file. Systems without them say so.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "base/status.h"
#include "platform/socket.h"

namespace hipr::platform {

// kNotFound: nobody listens there; kUnavailable: any other failure.
Status connectUnix(const std::string& name, SocketHandle& out);
// A file that somebody who has ended left behind is replaced.
Status listenUnix(const std::string& name, SocketHandle& out);

bool isUnix(SocketHandle socket);
std::string unixPeer(SocketHandle socket);  // "unix-1000:4711": user and process, as far as known

// All of the bytes, and with them something open. REQUIRES: a unix socket; so few bytes that they go as one.
bool sendDescriptor(SocketHandle socket, std::span<const std::byte> bytes, int descriptor);
// As receiveParts(), for one room.
IoResult receiveWithDescriptor(SocketHandle socket, std::span<std::byte> room, Patience patience, int& descriptor);
// Takes exactly that many bytes that have come already, and what came with them: `descriptor` is -1 if that was
// nothing.
bool receiveDescriptor(SocketHandle socket, std::span<std::byte> bytes, int& descriptor);

}  // namespace hipr::platform

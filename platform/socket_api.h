// The socket calls that all systems have in common, under the names this folder uses for what they have not.
#pragma once

#ifdef _WIN32
#include "platform/windows.h"
#else
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#endif

#include "platform/socket.h"

namespace hipr::platform {

void startSockets();                                         // before the first one is made
SocketHandle newSocket(int family, int type, int protocol);  // kNoSocket when there is none to be had
Status connectWithin(SocketHandle socket, const sockaddr* address, int size, int timeoutSeconds);  // as connectSocket()

inline void setOption(SocketHandle socket, int level, int name, int value) {
  ::setsockopt(socket, level, name, reinterpret_cast<const char*>(&value), sizeof value);
}

}  // namespace hipr::platform

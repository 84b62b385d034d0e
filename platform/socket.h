// Stream sockets, as thin as they can be: net/ makes something of them.
//
// A socket given out here does not outlive a program started by this one, raises no signal when its peer is gone, and
// may be used by one thread for sending and another for receiving.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"

namespace hipr::platform {

#ifdef _WIN32
using SocketHandle = std::uintptr_t;
#else
using SocketHandle = int;
#endif
inline constexpr SocketHandle kNoSocket = static_cast<SocketHandle>(-1);

// --- making them

// What the name stands for, as numbers.
Status resolveHost(const std::string& host, std::vector<std::string>& addresses);
// Tries every address of the host until one answers; the message names each address tried. kNotFound: the host says
// that nobody listens there; kUnavailable: any other failure.
Status connectSocket(const std::string& host, std::uint16_t port, int timeoutSeconds, SocketHandle& out);
// Port 0 picks a free one; `bound` tells which.
Status listenSocket(const std::string& address, std::uint16_t port, SocketHandle& out, std::uint16_t* bound);
bool socketPair(SocketHandle (&ends)[2]);  // connected with each other
void closeSocket(SocketHandle socket);

// No Nagle; at most `unsent` bytes waiting in the kernel, so that a small message overtakes bulk; an idle connection is
// probed every few seconds; and an end when the peer's machine has acknowledged nothing for that long.
void tuneSocket(SocketHandle socket, int unsent, int timeoutSeconds);

// --- using them

enum class Direction { kSending, kBoth };
void shutdownSocket(SocketHandle socket, Direction direction);  // wakes every thread blocked in it

// Of one call with Patience::kWait; 0: none.
void setSendTimeout(SocketHandle socket, int milliseconds);
void setReceiveTimeout(SocketHandle socket, int milliseconds);

enum class Patience { kNone, kWait };
enum class Io {
  kDone,
  kNothing,  // not without waiting, or not within the timeout
  kClosed,   // by the peer
  kFailed,   // socketError() says why
};
struct IoResult {
  Io outcome;
  std::size_t bytes = 0;
};
inline constexpr std::size_t kMostParts = 8;  // of one call

// What can be done in one go, at least one byte unless it says otherwise. REQUIRES: 1 to kMostParts parts.
IoResult sendParts(SocketHandle socket, std::span<const std::span<const std::byte>> parts, Patience patience);
IoResult receiveParts(SocketHandle socket, std::span<const std::span<std::byte>> rooms, Patience patience);
// For the very end of a process, when the system's own library for sockets may have ended already. All of it, or false.
bool sendLast(SocketHandle socket, std::span<const std::byte> bytes);

bool readable(SocketHandle socket);  // something can be received, or the peer is gone
// Waits until one of the two is; -1: for ever. Which of them are.
std::pair<bool, bool> awaitReadable(SocketHandle first, SocketHandle second, int milliseconds);

std::string socketError();  // of this thread's last failed call
inline constexpr char kNoPeer[] = "?";
std::string peerAddress(SocketHandle socket);  // "127.0.0.1:40312", or as unixPeer() says; kNoPeer: it has gone
std::string ownAddress(SocketHandle socket);   // the same of this end
}  // namespace hipr::platform

// All sockets are non-blocking, and waiting is done by asking: a call with a timeout of Windows' own leaves a socket in
// an undefined state when the time is over. Shutting a socket down does not wake whoever asks for it, so asking goes
// in slices.
#include <algorithm>
#include <chrono>
#include <cstdlib>

#include "platform/socket_api.h"
#include "platform/text_windows.h"

namespace hipr::platform {
namespace {

constexpr int kSlice = 100;  // milliseconds

int timeoutOf(SocketHandle socket, int option) {
  DWORD value = 0;
  int size = sizeof value;
  ::getsockopt(socket, SOL_SOCKET, option, reinterpret_cast<char*>(&value), &size);
  return static_cast<int>(value);
}

bool nothingNow() {
  return WSAGetLastError() == WSAEWOULDBLOCK;
}

// Runs `attempt` until it says anything but WSAEWOULDBLOCK or the time is over.
template <class Attempt>
IoResult repeat(SocketHandle socket, short event, int option, Patience patience, Attempt attempt) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point end{};
  for (;;) {
    const IoResult result = attempt();
    if (result.outcome != Io::kNothing || patience == Patience::kNone) return result;
    const auto now = Clock::now();
    if (end == Clock::time_point{}) {
      const int timeout = timeoutOf(socket, option);
      end = timeout ? now + std::chrono::milliseconds(timeout) : Clock::time_point::max();
    }
    if (now >= end) return {Io::kNothing};
    int slice = kSlice;
    if (end != Clock::time_point::max())
      slice = static_cast<int>(
          std::min<std::int64_t>(kSlice, std::chrono::ceil<std::chrono::milliseconds>(end - now).count()));
    WSAPOLLFD entry{socket, event, 0};
    WSAPoll(&entry, 1, slice);
  }
}

IoResult failure() {
  return {nothingNow() ? Io::kNothing : Io::kFailed};
}

template <class Part>
DWORD fill(std::span<const Part> parts, WSABUF (&buffers)[kMostParts]) {
  constexpr std::size_t kMost = 1u << 30;  // the call counts in 32 bits
  DWORD count = 0;
  for (const Part& part : parts) {
    buffers[count].buf = const_cast<char*>(reinterpret_cast<const char*>(part.data()));
    buffers[count++].len = static_cast<ULONG>(std::min(part.size(), kMost));
    if (part.size() > kMost) break;  // what follows must not be sent before the rest of this one
  }
  return count;
}

}  // namespace

void startSockets() {
  static const bool started = [] {
    WSADATA data;
    return WSAStartup(MAKEWORD(2, 2), &data) == 0;
  }();
  if (!started) std::abort();
}

SocketHandle newSocket(int family, int type, int protocol) {
  const SOCKET socket =
      WSASocketW(family, type, protocol, nullptr, 0, WSA_FLAG_OVERLAPPED | WSA_FLAG_NO_HANDLE_INHERIT);
  u_long on = 1;
  if (socket != INVALID_SOCKET) ioctlsocket(socket, FIONBIO, &on);
  return socket;
}

// There are none, so it is a connection with ourselves.
bool socketPair(SocketHandle (&ends)[2]) {
  SocketHandle listener = kNoSocket;
  std::uint16_t port = 0;
  if (!listenSocket("127.0.0.1", 0, listener, &port).ok()) return false;
  const bool connected = connectSocket("127.0.0.1", port, 5, ends[0]).ok();
  if (connected) {
    awaitReadable(listener, listener, 5000);
    ends[1] = ::accept(listener, nullptr, nullptr);
    u_long on = 1;
    ioctlsocket(ends[1], FIONBIO, &on);
  }
  closeSocket(listener);
  return connected && ends[1] != INVALID_SOCKET;
}

void closeSocket(SocketHandle socket) {
  ::closesocket(socket);
}

// select() and not WSAPoll(), which did not tell of refused connections before 2020.
Status connectWithin(SocketHandle socket, const sockaddr* address, int size, int timeoutSeconds) {
  int error = ::connect(socket, address, size) == 0 ? 0 : WSAGetLastError();
  if (error == WSAEWOULDBLOCK) {
    fd_set done, failed;
    FD_ZERO(&done);
    FD_ZERO(&failed);
    FD_SET(socket, &done);
    FD_SET(socket, &failed);
    timeval timeout{timeoutSeconds, 0};
    if (::select(0, nullptr, &done, &failed, &timeout) == 0)
      return Status::unavailable("no answer in " + std::to_string(timeoutSeconds) + " s");
    int length = sizeof error;
    ::getsockopt(socket, SOL_SOCKET, SO_ERROR, reinterpret_cast<char*>(&error), &length);
  }
  if (error == 0) return {};
  return {error == WSAECONNREFUSED ? Code::kNotFound : Code::kUnavailable,
          systemText(static_cast<unsigned long>(error))};
}

void tuneSocket(SocketHandle socket, int unsent, int timeoutSeconds) {
  setOption(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  setOption(socket, SOL_SOCKET, SO_SNDBUF, unsent);
  setOption(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  constexpr int kProbeIdle = 3, kProbeInterval = 17;  // TCP_KEEPIDLE, TCP_KEEPINTVL: not in every header
  const int probe = std::clamp(timeoutSeconds / 12, 1, 5);
  setOption(socket, IPPROTO_TCP, kProbeIdle, probe);
  setOption(socket, IPPROTO_TCP, kProbeInterval, probe);
  constexpr int kMaxRetransmission = 5;  // TCP_MAXRT: seconds; not in every header
  setOption(socket, IPPROTO_TCP, kMaxRetransmission, timeoutSeconds);
}

void shutdownSocket(SocketHandle socket, Direction direction) {
  ::shutdown(socket, direction == Direction::kBoth ? SD_BOTH : SD_SEND);
}

void setSendTimeout(SocketHandle socket, int milliseconds) {
  setOption(socket, SOL_SOCKET, SO_SNDTIMEO, milliseconds);
}

void setReceiveTimeout(SocketHandle socket, int milliseconds) {
  setOption(socket, SOL_SOCKET, SO_RCVTIMEO, milliseconds);
}

IoResult sendParts(SocketHandle socket, std::span<const std::span<const std::byte>> parts, Patience patience) {
  WSABUF buffers[kMostParts];
  const DWORD count = fill(parts, buffers);
  return repeat(socket, POLLWRNORM, SO_SNDTIMEO, patience, [&]() -> IoResult {
    DWORD sent = 0;
    if (WSASend(socket, buffers, count, &sent, 0, nullptr, nullptr) != 0) return failure();
    return {Io::kDone, sent};
  });
}

IoResult receiveParts(SocketHandle socket, std::span<const std::span<std::byte>> rooms, Patience patience) {
  WSABUF buffers[kMostParts];
  const DWORD count = fill(rooms, buffers);
  return repeat(socket, POLLRDNORM, SO_RCVTIMEO, patience, [&]() -> IoResult {
    DWORD got = 0, flags = 0;
    if (WSARecv(socket, buffers, count, &got, &flags, nullptr, nullptr) != 0) return failure();
    return {got > 0 ? Io::kDone : Io::kClosed, got};
  });
}

// A socket is a file to the kernel, and writing one takes nothing that a library could have given up.
bool sendLast(SocketHandle socket, std::span<const std::byte> bytes) {
  constexpr DWORD kMoment = 200;  // milliseconds
  OVERLAPPED write{};
  write.hEvent = CreateEventW(nullptr, TRUE, FALSE, nullptr);
  const auto file = reinterpret_cast<HANDLE>(socket);
  DWORD sent = 0;
  if (!WriteFile(file, bytes.data(), static_cast<DWORD>(bytes.size()), &sent, &write) &&
      GetLastError() == ERROR_IO_PENDING) {
    if (WaitForSingleObject(write.hEvent, kMoment) != WAIT_OBJECT_0) CancelIo(file);
    GetOverlappedResult(file, &write, &sent, TRUE);
  }
  CloseHandle(write.hEvent);
  return sent == bytes.size();
}

bool readable(SocketHandle socket) {
  WSAPOLLFD entry{socket, POLLRDNORM, 0};
  return WSAPoll(&entry, 1, 0) > 0;
}

std::pair<bool, bool> awaitReadable(SocketHandle first, SocketHandle second, int milliseconds) {
  WSAPOLLFD entries[] = {{first, POLLRDNORM, 0}, {second, POLLRDNORM, 0}};
  if (WSAPoll(entries, 2, milliseconds) <= 0) return {false, false};
  return {entries[0].revents != 0, entries[1].revents != 0};
}

std::string socketError() {
  return systemText(static_cast<unsigned long>(WSAGetLastError()));
}

}  // namespace hipr::platform

#include "bench/raw_socket.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <vector>

#include "bench/bench.h"
#include "net/socket.h"

namespace hipr::bench {
namespace {

// A child process serving one connection with `serve`; the parent gets its end.
template <class Serve>
pid_t startPeer(net::Socket& ours, Serve&& serve) {
  net::Socket listener;
  std::uint16_t port = 0;
  if (!net::listenOn("127.0.0.1", 0, listener, &port).ok()) std::exit(1);
  const pid_t child = fork();
  if (child == 0) {
    net::Socket theirs(::accept(listener.fd(), nullptr, nullptr));
    theirs.tune(60);
    serve(theirs);
    _exit(0);
  }
  if (!net::connectTo({"127.0.0.1", port}, 10, ours).ok()) std::exit(1);
  ours.tune(60);
  return child;
}

}  // namespace

double rawPingPong(std::size_t size, int batches, int count) {
  net::Socket ours;
  const pid_t peer = startPeer(ours, [size](net::Socket& socket) {
    std::vector<std::byte> buffer(size);
    while (socket.receive(buffer.data(), size).ok() && socket.send(buffer).ok()) {
    }
  });
  std::vector<std::byte> buffer(size);
  const double time = timePerCall(batches, count, [&] {
    if (!ours.send(buffer).ok() || !ours.receive(buffer.data(), size).ok()) std::exit(1);
  });
  ours.close();
  waitpid(peer, nullptr, 0);
  return time;
}

double rawStreaming(std::size_t total) {
  net::Socket ours;
  constexpr std::size_t kChunk = 1 << 20;
  const pid_t peer = startPeer(ours, [total](net::Socket& socket) {
    // Into as much memory as is sent, as a real copy does.
    std::vector<std::byte> memory(total);
    for (;;) {
      for (std::size_t at = 0; at < total; at += kChunk) {
        if (!socket.receive(memory.data() + at, kChunk).ok()) return;
      }
      const std::byte done[1]{};
      if (!socket.send(done).ok()) return;
    }
  });
  std::vector<std::byte> memory(total, std::byte{1});
  const double time = timePerCall(5, 1, [&] {
    std::byte done;
    for (std::size_t at = 0; at < total; at += kChunk) {
      if (!ours.send(std::span(memory).subspan(at, kChunk)).ok()) std::exit(1);
    }
    if (!ours.receive(&done, 1).ok()) std::exit(1);
  });
  ours.close();
  waitpid(peer, nullptr, 0);
  return static_cast<double>(total) / time;
}

}  // namespace hipr::bench

#include "tests/e2e/relay.h"

#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <thread>

#include "net/socket.h"

namespace hipr::testing {
namespace {

void passOn(net::Socket& from, net::Socket& to) {
  std::vector<std::byte> buffer(64 << 10);
  for (std::size_t got = 1; got && from.receiveSome(buffer.data(), buffer.size(), &got).ok();)
    if (!to.send(std::span(buffer).first(got)).ok()) break;
  ::shutdown(to.fd(), SHUT_WR);
}

void passTampered(net::Socket& worker, net::Socket& client, const Relay::Tamper& tamper) {
  for (;;) {
    RelayedFrame frame;
    std::byte head[wire::kHeaderSize];
    if (!worker.receive(head, sizeof head).ok() || !wire::decodeHeader(head, frame.header)) return;
    frame.payload.resize(frame.header.length);
    if (!worker.receive(frame.payload.data(), frame.payload.size()).ok()) return;
    RelayedBytes out;
    tamper(frame, out);
    for (const RelayedBytes::Piece& piece : out.pieces()) {
      if (!client.send(piece.bytes).ok()) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(piece.pause));
    }
  }
}

[[noreturn]] void serve(const net::Socket& listener, int workerPort, const Relay::Tamper& tamper) {
  net::Socket client(::accept(listener.fd(), nullptr, nullptr)), worker;
  if (!client.open() || !net::connectTo({"127.0.0.1", static_cast<std::uint16_t>(workerPort)}, 10, worker).ok()) {
    _exit(1);
  }
  std::thread requests([&] { passOn(client, worker); });
  passTampered(worker, client, tamper);
  ::shutdown(client.fd(), SHUT_RDWR);
  requests.join();
  _exit(0);
}

}  // namespace

void RelayedBytes::pass(const RelayedFrame& frame) {
  std::vector<std::byte> bytes(wire::kHeaderSize);
  wire::Header header = frame.header;
  header.length = frame.payload.size();
  wire::encodeHeader(header, bytes.data());
  bytes.insert(bytes.end(), frame.payload.begin(), frame.payload.end());
  raw(std::move(bytes));
}

Relay::Relay(int workerPort, Tamper tamper) {
  net::Socket listener;
  std::uint16_t port = 0;
  if (!net::listenOn("127.0.0.1", 0, listener, &port).ok()) std::abort();
  port_ = port;
  process_ = fork();
  if (process_ == 0) serve(listener, workerPort, tamper);
}

Relay::~Relay() {
  kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
}

}  // namespace hipr::testing

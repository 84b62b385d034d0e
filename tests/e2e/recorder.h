// A relay that writes down what both sides say: for what a listener on the network learns. Takes any number of
// connections, one after the other.
#pragma once

#include <sys/socket.h>

#include <atomic>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "net/socket.h"

namespace hipr::testing {

class Recorder {
 public:
  explicit Recorder(int workerPort) : workerPort_(static_cast<std::uint16_t>(workerPort)) {
    if (!net::listenOn("127.0.0.1", 0, listener_, &port_).ok()) std::abort();
    thread_ = std::thread([this] { run(); });
  }
  ~Recorder() {
    listener_.shutdown();
    thread_.join();
  }

  int port() const { return port_; }
  std::string fromClient() const { return copy(fromClient_); }
  std::string fromWorker() const { return copy(fromWorker_); }

 private:
  std::string copy(const std::string& text) const {
    std::lock_guard lock(mutex_);
    return text;
  }
  void pass(net::Socket& from, net::Socket& to, std::string& record) {
    std::string buffer(64 << 10, 0);
    for (std::size_t got = 1; got && from.receiveSome(buffer.data(), buffer.size(), &got).ok();) {
      {
        std::lock_guard lock(mutex_);
        record.append(buffer, 0, got);
      }
      if (!to.send(std::as_bytes(std::span(buffer.data(), got))).ok()) break;
    }
    ::shutdown(to.fd(), SHUT_WR);
  }
  void run() {
    for (;;) {
      net::Socket client(::accept(listener_.fd(), nullptr, nullptr)), worker;
      if (!client.open() || !net::connectTo({"127.0.0.1", workerPort_}, 10, worker).ok()) return;
      std::thread requests([&] { pass(client, worker, fromClient_); });
      pass(worker, client, fromWorker_);
      requests.join();
    }
  }

  const std::uint16_t workerPort_;
  std::uint16_t port_ = 0;
  net::Socket listener_;
  std::thread thread_;
  mutable std::mutex mutex_;
  std::string fromClient_, fromWorker_;
};

// The kinds of the TLS records that the bytes consist of; -1 at the end when there is anything else.
inline std::vector<int> recordKinds(std::string_view bytes) {
  std::vector<int> out;
  while (!bytes.empty()) {
    if (bytes.size() < 5 || bytes[1] != 3) break;
    const std::size_t size = 5 + (static_cast<unsigned char>(bytes[3]) << 8 | static_cast<unsigned char>(bytes[4]));
    if (size > bytes.size() || bytes[0] < 20 || bytes[0] > 23) break;
    out.push_back(bytes[0]);
    bytes.remove_prefix(size);
  }
  if (!bytes.empty()) out.push_back(-1);
  return out;
}

}  // namespace hipr::testing

// The telemetry service: one process for everybody who asks about the GPUs. It has the source (AMD's library, softgpu,
// NVML), all telemetry connections and the metrics page. Single-threaded: one poll loop, nothing waits for a client.
#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "net/socket.h"
#include "net/transport.h"
#include "worker/smi/doorway.h"
#include "worker/smi/protocol.h"
#include "worker/smi/station.h"

namespace hipr::worker {

// Listens at "ADDRESS:PORT", at "PORT" or ":PORT" on loopback only; nowhere for an empty text. `url` is where it is
// then.
Status listenForMetrics(const std::string& address, net::Socket& listener, std::string& url);

class SmiService {
 public:
  // `metrics`: the listener of the metrics page, or a closed socket.
  // `knows`: what a scraper of the page may show to see names.
  SmiService(Station& station, Doorway& doorway, net::Socket& metrics, HttpProtocol::Knows knows)
      : station_(station), doorway_(doorway), metrics_(metrics), knows_(std::move(knows)) {}

  void run();  // returns only when polling fails

 private:
  using Clock = std::chrono::steady_clock;
  struct Peer {
    int fd;  // the transport's, to poll
    net::TransportPtr transport;
    std::unique_ptr<Protocol> protocol;
    std::vector<std::byte> in, out;
    std::size_t sent = 0;        // of `out`
    bool ending = false;         // nothing more is read
    Clock::time_point deadline;  // to greet, to take an answer, or to ask again
    Clock::time_point active;    // when it last did anything
    bool asking = false;         // its turn was over before its questions were
  };

  void admit(net::Socket socket, const std::optional<tls::Shield>& shield, std::unique_ptr<Protocol> protocol);
  void acceptScrapers();
  bool attend(Peer& peer, short events);  // false: the connection is over
  static bool receive(Peer& peer, bool& more);
  bool answer(Peer& peer, int& most);
  static bool send(Peer& peer);
  int pollTimeout(Clock::time_point now) const;

  Station& station_;
  Doorway& doorway_;
  net::Socket& metrics_;
  const HttpProtocol::Knows knows_;
  std::vector<Peer> peers_;
};

}  // namespace hipr::worker

// A connection at reception that speaks TLS: its handshake, and the frames of its greeting, taken out of their records.
// Each of those frames has a record of its own. The record of the last frame is for the process that serves the client;
// so every record stays unread in the socket until its frame is known not to be the last. Nothing here waits.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "net/socket.h"
#include "tls/handshake.h"
#include "tls/record.h"

namespace hipr::worker {

class ShieldedVisit {
 public:
  explicit ShieldedVisit(std::shared_ptr<const tls::ServerContext> context) : handshake_(std::move(context)) {}

  enum class Next {
    kWait,    // until `wanted` bytes are there; 0: look again
    kShaken,  // the handshake is over: handshake() tells who it is
    kFrame,   // frame() is what the client says
    kFailed,  // why() tells; the client has been told, in TLS's words
    kGone,
  };
  Next look(const net::Socket& socket, int& wanted);

  std::span<const std::byte> frame() const { return plain_; }
  bool drop(const net::Socket& socket);  // the frame has been dealt with
  tls::Shield shield() const;            // as it is for whoever reads the frame again
  bool shaken() const { return sealer_.has_value(); }
  const tls::Handshake& handshake() const { return handshake_; }
  const std::string& why() const { return why_; }

  void seal(std::span<const std::byte> bytes, std::vector<std::byte>& out) { sealer_->seal(bytes, out); }

 private:
  Next shake(const net::Socket& socket);
  Next open();

  tls::Handshake handshake_;
  std::optional<tls::Sealer> sealer_;
  std::optional<tls::Opener> opener_;
  tls::Direction before_;  // as it was before the frame was opened
  std::vector<std::byte> record_;
  std::span<std::byte> plain_;  // in record_
  std::string why_;
};

}  // namespace hipr::worker

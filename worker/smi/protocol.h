// What a connection of the telemetry service speaks: bytes in, bytes out, no sockets. Everything that comes in is
// foreign; what one connection can make us keep is bounded.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "worker/smi/station.h"

namespace hipr::worker {

class Protocol {
 public:
  static constexpr std::size_t kMaxInput = 8 << 10;  // no request is longer

  virtual ~Protocol() = default;

  // Carries out the first request in `in` if it is complete, takes it away and appends the answer.
  // kWait: it is not complete yet. kAnswered: another may follow. kEnd: nothing more will be understood, `out` is the
  // last to be sent.
  enum class Next { kWait, kAnswered, kEnd };
  virtual Next serve(std::vector<std::byte>& in, std::vector<std::byte>& out) = 0;
  virtual bool greeted() const = 0;  // until then a client has only so much time
};

// Messages 0x0801 and 0x0802.
class SmiProtocol : public Protocol {
 public:
  // `devices`: that this client sees (access/identity.h).
  explicit SmiProtocol(Station& station, std::vector<std::int32_t> devices = {})
      : station_(station), devices_(std::move(devices)) {}
  Next serve(std::vector<std::byte>& in, std::vector<std::byte>& out) override;
  bool greeted() const override { return greeted_; }

 private:
  Station& station_;
  const std::vector<std::int32_t> devices_;
  bool greeted_ = false;
};

// GET /, /metrics and /healthz of HTTP/1, one request per connection. The page at / is for this machine; what it shows
// it takes from /metrics. Programs, hosts and processes are named to those who could see them anyway, and to those who
// show a token of the worker's as a bearer, on a connection that hides it.
class HttpProtocol : public Protocol {
 public:
  enum class Line { kLocal, kShielded, kOpen };  // from this machine, over TLS, for everybody to read
  using Knows = std::function<std::optional<bool>(std::string_view token)>;  // nullopt: no token counts
  HttpProtocol(Station& station, Line line, const Knows& knows) : station_(station), line_(line), knows_(knows) {}
  Next serve(std::vector<std::byte>& in, std::vector<std::byte>& out) override;
  bool greeted() const override { return false; }

 private:
  enum class Trust { kNone, kFull, kWrongToken, kSpiltToken };
  Trust trust(std::string_view head) const;

  Station& station_;
  const Line line_;
  const Knows& knows_;
};

}  // namespace hipr::worker

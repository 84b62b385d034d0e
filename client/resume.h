// Further connections to a session: going on with one whose connection broke, and lanes (lane_choice.h).
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>

#include "access/entry.h"
#include "client/endpoint.h"
#include "client/options.h"
#include "net/transport.h"
#include "wire/messages.h"

namespace hipr::client {

class Resumption {
 public:
  Resumption(const Options& options, Place place, access::Credentials credentials, const wire::Bits256& key)
      : options_(options), place_(std::move(place)), credentials_(std::move(credentials)), key_(key) {}

  // One attempt, as net::Channel wants it: the worker is away() when another one makes sense.
  Status attempt(std::uint64_t received, net::TransportPtr& link, std::uint64_t& peerReceived);
  // A lane, as LaneChoice wants it. Any thread may.
  Status join(std::uint32_t& lane, net::TransportPtr& link, std::chrono::nanoseconds& roundTrip);

 private:
  Status connect(net::TransportPtr& link, bool& nobodyListens) const;

  const Options options_;
  const Place place_;
  const access::Credentials credentials_;
  const wire::Bits256 key_;
  std::optional<std::chrono::steady_clock::time_point> silentSince_;  // that nobody listens
  std::mutex joining_;       // held while a lane is made: they come there in the order of their numbers
  std::uint32_t lanes_ = 0;  // so far
};

}  // namespace hipr::client

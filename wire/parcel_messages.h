// Messages about copies that go from one worker to another, past the client (PROTOCOL.md, "Between workers").
#pragma once

#include <cstdint>
#include <string>

#include "wire/memory_messages.h"
#include "wire/stream.h"

namespace hipr::wire {

// To the worker that gets the bytes: another one will bring them. An operation of the stream, as Upload is.
struct Invite {
  std::uint64_t stream = 0;
  Shape to;
  std::uint64_t transfer = 0;
  static auto fields(auto& m) { return std::tie(m.stream, m.to, m.transfer); }
};
struct InviteReply {
  std::int32_t status = 0;
  Bits256 ticket{};  // what the one that brings them has to know; good for one connection, and not for long
  static auto fields(auto& m) { return std::tie(m.status, m.ticket); }
};

// Nobody need wait for them any longer: the operation is over, whatever has come.
struct Withdraw {
  std::uint64_t transfer = 0;
  static auto fields(auto& m) { return std::tie(m.transfer); }
};

// To the worker that has the bytes: an operation of the stream, as Download is. Done when the other one has them all.
struct Bring {
  std::uint64_t stream = 0;
  Shape from;
  std::string worker;  // where the other one listens: an address and a port, or unix:/path
  Bits256 ticket{};
  static auto fields(auto& m) { return std::tie(m.stream, m.from, m.worker, m.ticket); }
};

// From one worker to the other, on a connection that the ticket has made; Data follows, and then comes the answer.
struct Parcel {
  std::uint64_t bytes = 0;
  static auto fields(auto& m) { return std::tie(m.bytes); }
};
struct ParcelReply {
  std::int32_t status = 0;
  static auto fields(auto& m) { return std::tie(m.status); }
};

}  // namespace hipr::wire

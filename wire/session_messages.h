// Messages of a session as such: its beginning, end and resumption, who may have one, what the worker tells unasked.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/text.h"
#include "types/platform.h"
#include "wire/stream.h"

namespace hipr::wire {

struct Hello {
  std::vector<std::uint16_t> messages{};         // opcodes this client may send
  std::uint64_t deviceBase = 0, deviceSize = 0;  // the range the client has reserved for device memory
  std::uint64_t hostBase = 0, hostSize = 0;      // and for host memory that kernels can reach
  std::uint64_t process = 0;
  std::string hostName, program;
  bool resumable = false;  // a broken connection is not the end
  static auto fields(auto& m) {
    return std::tie(m.messages, m.deviceBase, m.deviceSize, m.hostBase, m.hostSize, m.process, m.hostName, m.program,
                    m.resumable);
  }
};

// What a session may have at most: a client that knows it can say so itself.
struct SessionLimits {
  std::uint64_t streams = 0, events = 0, modules = 0;
  std::uint64_t operations = 0;  // that are not done, of all streams
  std::uint64_t heldBytes = 0;   // of those that wait for the client
  std::uint64_t hostBytes = 0;   // of host memory that kernels reach
  static auto fields(auto& m) {
    return std::tie(m.streams, m.events, m.modules, m.operations, m.heldBytes, m.hostBytes);
  }
};

struct HelloReply {
  std::int32_t status = 0;  // hipError_t; on failure only `text` and the suggested range mean anything
  std::string text;
  std::vector<std::uint16_t> unknown{};          // of the client's messages, those this worker does not understand
  std::uint64_t deviceBase = 0, deviceSize = 0;  // the range the worker could reserve; the client must reserve the same
  std::uint64_t granularity = 0;                 // of MapMemory
  std::vector<std::uint64_t> credits{};          // bytes each device has set aside for this client
  SessionLimits limits;
  std::vector<Bits256> knownCode{};  // digests of code objects (access/digest.h)
  Bytes platform{};                  // wire/platform_codec.h
  std::uint32_t resumeSeconds = 0;   // how long the session waits for a client that was cut off; 0: not at all
  Bits256 resumeKey{};               // what it has to know then
  static auto fields(auto& m) {
    return std::tie(m.status, m.text, m.unknown, m.deviceBase, m.deviceSize, m.granularity, m.credits, m.limits,
                    m.knownCode, m.platform, m.resumeSeconds, m.resumeKey);
  }
};

// The first bytes of the session, so many, have arrived: they need not be kept.
struct Acknowledge {
  std::uint64_t received = 0;
  static auto fields(auto& m) { return std::tie(m.received); }
};

// Instead of Hello: goes on with a session whose connection broke.
struct Resume {
  Bits256 key{};
  std::uint64_t received = 0;  // bytes of the session, by the client
  static auto fields(auto& m) { return std::tie(m.key, m.received); }
};
struct ResumeReply {
  std::uint64_t received = 0;  // by the worker. Both go on from there
  static auto fields(auto& m) { return std::tie(m.received); }
};

struct Goodbye {
  static auto fields(auto&) { return std::tuple<>(); }
};

struct Ping {
  Bytes payload{};
  static auto fields(auto& m) { return std::tie(m.payload); }
};

// The answer to every Ask.
struct Done {
  std::int32_t status = 0;
  static auto fields(auto& m) { return std::tie(m.status); }
};

struct AsyncFailure {
  std::int32_t status = 0;
  std::uint16_t opcode = 0;
  std::string text;
  static auto fields(auto& m) { return std::tie(m.status, m.opcode, m.text); }
};

// The first `done` operations of the stream are done.
struct Progress {
  std::uint64_t stream = 0, done = 0;
  static auto fields(auto& m) { return std::tie(m.stream, m.done); }
};

struct RunHostFunction {
  std::uint64_t id = 0;
  static auto fields(auto& m) { return std::tie(m.id); }
};
using HostFunctionDone = RunHostFunction;

// A piece of a transfer. Data beyond kEagerWindow may only be sent once the worker has opened the transfer.
struct Data {
  std::uint64_t transfer = 0, offset = 0;
  // followed by the bytes themselves, to the end of the frame
  static auto fields(auto& m) { return std::tie(m.transfer, m.offset); }
};
inline constexpr std::size_t kDataPrefix = 16;
inline constexpr std::uint64_t kEagerWindow = 32 << 20;

// The same, packed for its way (net/packing.h).
struct PackedData {
  std::uint64_t transfer = 0, offset = 0;
  std::uint64_t size = 0;  // of the piece
  // followed by what it is packed into, to the end of the frame: less than the piece
  static auto fields(auto& m) { return std::tie(m.transfer, m.offset, m.size); }
};
inline constexpr std::size_t kPackedDataPrefix = 24;

// The client takes PackedData: where it pays, or always.
struct PackDownloads {
  bool always = false;
  static auto fields(auto& m) { return std::tie(m.always); }
};

// Instead of a piece of data: its name (access/digest.h). The worker may have kept such bytes.
struct NamedData {
  std::uint64_t transfer = 0, offset = 0, size = 0;
  Bits256 name{};
  static auto fields(auto& m) { return std::tie(m.transfer, m.offset, m.size, m.name); }
};
// To every one of them. Bytes that are not known here follow as Data for the same place.
struct NamedDataAnswer {
  std::uint64_t transfer = 0, offset = 0;
  bool known = false;
  static auto fields(auto& m) { return std::tie(m.transfer, m.offset, m.known); }
};

// Instead of Hello: this connection is a lane of a session, over which nothing but pieces of copies travel, each
// announced with LaneData.
struct Join {
  Bits256 key{};           // HelloReply::resumeKey
  std::uint32_t lane = 0;  // higher than those before
  static auto fields(auto& m) { return std::tie(m.key, m.lane); }
};
struct JoinReply {
  std::uint32_t lane = 0;
  static auto fields(auto& m) { return std::tie(m.lane); }
};
inline constexpr std::size_t kMostLanes = 4;  // of a session, at a time, in each direction

// Instead of a piece of data, of an upload or a download: it comes over a lane, behind those announced for that lane
// before. Answered by NamedDataAnswer: it has come, or the lane ended before that and the bytes follow as Data for the
// same place.
struct LaneData {
  std::uint64_t transfer = 0, offset = 0, size = 0;
  std::uint32_t lane = 0;
  static auto fields(auto& m) { return std::tie(m.transfer, m.offset, m.size, m.lane); }
};
inline constexpr std::size_t kMostUnanswered = 256;  // pieces that were named or announced, in each direction

// From now on pieces of downloads go over these lanes, and over no others.
struct DownloadLanes {
  std::vector<std::uint32_t> lanes{};
  std::uint64_t least = 0;  // bytes of a download for which they are meant
  bool all = false;         // nothing of such downloads goes over the session's own connection while there is a lane
  static auto fields(auto& m) { return std::tie(m.lanes, m.least, m.all); }
};

struct TransferOpen {
  std::uint64_t transfer = 0;
  static auto fields(auto& m) { return std::tie(m.transfer); }
};

// The worker will not serve this connection; `text` says why and what to do.
struct Refused {
  static constexpr std::int32_t kLater = hipErrorNotReady;  // it is full
  std::int32_t status = 0;
  std::string text;
  static auto fields(auto& m) { return std::tie(m.status, m.text); }

  Status toStatus() const {
    return {status == kLater ? Code::kBusy : Code::kUnavailable, "refused: " + printable(text)};
  }
};

// What kernels printed. `stream` is 1 for stdout, 2 for stderr.
struct Output {
  std::uint8_t stream = 1;
  Bytes text{};
  static auto fields(auto& m) { return std::tie(m.stream, m.text); }
};

// Before Hello or SmiOpen, where a token is needed: each side proves that it knows it (access/challenge.h).
struct Challenge {
  std::uint64_t token = 0;  // which one: access::tokenNumber
  Bits256 number{};
  static auto fields(auto& m) { return std::tie(m.token, m.number); }
};
struct ChallengeReply {
  Bits256 number{}, proof{};
  static auto fields(auto& m) { return std::tie(m.number, m.proof); }
};

struct Proof {
  Bits256 proof{};
  static auto fields(auto& m) { return std::tie(m.proof); }
};

// A client of this machine, without TLS: is there a unix socket for it?
struct Nearby {
  std::string own, peer;  // the two ends of the connection as the client sees them
  static auto fields(auto& m) { return std::tie(m.own, m.peer); }
};
inline constexpr char kNearbyName[] = "@hip-remote-";  // how the name of such a socket begins
struct NearbyReply {
  std::string name;  // of the socket (platform/unix_socket.h); empty: there is none, or somebody stands between us
  static auto fields(auto& m) { return std::tie(m.name); }
};

// Instead of Hello: the session's bytes, from its Hello on, will travel over UCX (net/ucx_bridge.h); this connection
// says from then on no more than that both sides are there.
struct Ucx {
  std::vector<std::uint8_t> address{};  // of the client's end
  static auto fields(auto& m) { return std::tie(m.address); }
};
struct UcxReply {
  std::string text;                     // why not; empty: it is so
  std::vector<std::uint8_t> address{};  // of the worker's end
  Bits256 key{};                        // of TLS there, if this connection has it (tls/ticket.h)
  static auto fields(auto& m) { return std::tie(m.text, m.address, m.key); }
};

// On a unix socket, together with memory for a ring each way: the session's bytes travel there, from its Hello on.
struct Share {
  std::uint64_t size = 0;  // of the memory
  static auto fields(auto& m) { return std::tie(m.size); }
};

}  // namespace hipr::wire

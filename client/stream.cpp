// core: streams.
#include "client/session.h"
#include "runtime/core.h"

namespace hipr::core {
using namespace client;
using wire::Opcode;

namespace {

RemoteStream& remote(Stream& stream) {
  return *static_cast<RemoteStream*>(stream.impl);
}

std::uint64_t wireId(const Stream& stream) {
  if (stream.kind == Stream::Kind::kNull) return wire::kNullStream + static_cast<std::uint64_t>(stream.device);
  return wire::kFirstObject + stream.id;
}

// Learns that a destroyed stream has finished, for the sake of events recorded on it.
class LastProgress : public Pending {
 public:
  LastProgress(RemoteStream& stream, std::uint64_t position)
      : stream_(stream.shared_from_this()), position_(position) {}
  void answered(wire::Bytes reply) override {
    if (reply.data()) stream_->advance(position_);
  }

 private:
  std::shared_ptr<RemoteStream> stream_;
  std::uint64_t position_;
};

}  // namespace

hipError_t streamCreate(Stream& stream) {
  Session& s = session();
  if (!s.connection().alive()) return kLost;
  RemoteStream& r = s.streams().add(wireId(stream), stream.device, (stream.flags & hipStreamNonBlocking) == 0);
  stream.impl = &r;
  if (stream.kind != Stream::Kind::kNull) {
    s.connection().post<Opcode::kStreamCreate>({r.id, stream.device, stream.flags, stream.priority, stream.cuMask});
  }
  return hipSuccess;
}

hipError_t streamDestroy(Stream& stream) {
  Session& s = session();
  RemoteStream& r = remote(stream);
  if (!r.idle()) {
    s.connection().send<Opcode::kStreamSynchronize>({r.id}, std::make_unique<LastProgress>(r, r.posted.load()), [] {});
  }
  if (stream.kind != Stream::Kind::kNull) s.connection().post<Opcode::kStreamDestroy>({r.id});
  s.streams().remove(r.id);
  stream.impl = nullptr;
  return hipSuccess;
}

hipError_t streamSynchronize(Stream& stream) {
  Session& s = session();
  RemoteStream& r = remote(stream);
  if (!s.connection().alive()) return kLost;
  // The null stream also waits for others, so only a stream of its own can be known to be done.
  if (stream.kind != Stream::Kind::kNull && r.idle()) return hipSuccess;
  const std::uint64_t position = r.posted.load();
  const Moment before = stream.kind == Stream::Kind::kNull ? s.streams().nowWithNull(stream.device) : Moment();
  wire::Done done;
  if (!s.connection().call<Opcode::kStreamSynchronize>({r.id}, done)) return kLost;
  r.advance(position);
  s.streams().passed(before);
  return static_cast<hipError_t>(done.status);
}

hipError_t streamQuery(Stream& stream) {
  Session& s = session();
  if (!s.connection().alive()) return kLost;
  RemoteStream& r = remote(stream);
  if (stream.kind != Stream::Kind::kNull) {
    if (r.idle()) return hipSuccess;
    return r.indebted() ? streamSynchronize(stream) : hipErrorNotReady;
  }
  const Moment now = s.streams().nowWithNull(stream.device);
  if (now.passed()) return hipSuccess;
  return now.owed() ? streamSynchronize(stream) : hipErrorNotReady;
}

hipError_t streamWaitEvent(Stream& stream, Event& event) {
  RemoteStream& r = remote(stream);
  const auto& e = *static_cast<RemoteEvent*>(event.impl);
  session().operate<Opcode::kStreamWaitEvent>(r, {r.id, e.id});
  return hipSuccess;
}

hipError_t hostFunction(Stream& stream, hipHostFn_t function, void* userData) {
  Session& s = session();
  if (!s.connection().alive()) return kLost;
  RemoteStream& r = remote(stream);
  s.operate<Opcode::kHostFunction>(r, {r.id, s.hostFunctions().add(function, userData)});
  return hipSuccess;
}

}  // namespace hipr::core

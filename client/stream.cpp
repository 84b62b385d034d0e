// RemoteCore: streams, and what is common to all work given to them.
#include "client/remote_core.h"

namespace hipr::client {
using wire::Opcode;

namespace {

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

hipError_t RemoteCore::submit(Stream& stream, const Operation& operation, Stage until) {
  return std::visit([&](const auto& work) { return perform(work, stream, until); }, operation);
}

hipError_t RemoteCore::create(Stream& stream) {
  Session& s = session();
  RemoteStream& r = s.streams().add(wireId(stream), stream.device, (stream.flags & hipStreamNonBlocking) == 0);
  stream.impl = std::make_unique<StreamObject>(r);
  if (stream.kind != Stream::Kind::kNull) {
    s.connection().post<Opcode::kStreamCreate>({r.id, stream.device, stream.flags, stream.priority, stream.cuMask});
  }
  return hipSuccess;
}

hipError_t RemoteCore::destroy(Stream& stream) {
  Session& s = session();
  RemoteStream& r = remote(stream);
  if (!r.idle()) {
    s.connection().send<Opcode::kStreamSynchronize>({r.id}, std::make_unique<LastProgress>(r, r.posted.load()), [] {});
  }
  if (stream.kind != Stream::Kind::kNull) s.connection().post<Opcode::kStreamDestroy>({r.id});
  s.streams().remove(r.id);
  stream.impl.reset();
  return hipSuccess;
}

hipError_t RemoteCore::synchronize(Stream& stream) {
  Session& s = session();
  RemoteStream& r = remote(stream);
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

hipError_t RemoteCore::query(Stream& stream) {
  Session& s = session();
  RemoteStream& r = remote(stream);
  if (stream.kind != Stream::Kind::kNull) {
    if (r.idle()) return hipSuccess;
    return r.indebted() ? synchronize(stream) : hipErrorNotReady;
  }
  const Moment now = s.streams().nowWithNull(stream.device);
  if (now.passed()) return hipSuccess;
  return now.owed() ? synchronize(stream) : hipErrorNotReady;
}

hipError_t RemoteCore::perform(const HostFunction& f, Stream& stream, Stage) {
  Session& s = session();
  RemoteStream& r = remote(stream);
  s.operate<Opcode::kHostFunction>(r, {r.id, s.hostFunctions().add(f.function, f.userData)});
  return hipSuccess;
}

}  // namespace hipr::client

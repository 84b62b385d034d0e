// RemoteCore: streams, and what is common to all work given to them.
#include "client/progress.h"
#include "client/remote_core.h"

namespace hipr::client {
using wire::Opcode;

namespace {

std::uint64_t wireId(const Stream& stream) {
  if (stream.kind == Stream::Kind::kNull) return wire::kNullStream + static_cast<std::uint64_t>(stream.device);
  return wire::kFirstObject + stream.id;
}

RemoteStream::Kind kindOf(const Stream& stream) {
  if (stream.kind == Stream::Kind::kNull) return RemoteStream::Kind::kNull;
  return stream.flags & hipStreamNonBlocking ? RemoteStream::Kind::kNonBlocking : RemoteStream::Kind::kBlocking;
}

class RemotePoint : public StreamPoint {
 public:
  RemotePoint(Session& s, int device, Moment moment) : session_(s), device_(device), moment_(std::move(moment)) {}

  bool reached() override {
    if (!moment_.passed()) session_.connection().poll();
    return moment_.passed();
  }
  void wait() override {  // for the whole device: the stream may be gone
    wire::Done done;
    if (!moment_.passed() && session_.connection().call<Opcode::kDeviceSynchronize>({device_}, done))
      session_.streams().show(moment_);
  }

 private:
  Session& session_;
  const int device_;
  const Moment moment_;
};

// Learns that a destroyed stream is done, for the sake of events recorded on it.
class LastProgress : public Pending {
 public:
  LastProgress(Session& s, RemoteStream& stream)
      : session_(s), stream_(stream.shared_from_this()), position_(stream.sent.load()) {}
  void answered(wire::Bytes reply) override {
    wire::Done done;
    wire::Reader reader(reply);
    reader.get(done);
    if (!reader.ok()) return;  // of a loss
    if (tellsOfOrder(done)) return session_.streams().show(*stream_, position_);
    // By now there is no such stream. Of all its device has, the worker still tells.
    session_.connection().send<Opcode::kDeviceSynchronize>({stream_->device}, std::make_unique<LastProgress>(*this));
  }

 private:
  Session& session_;
  std::shared_ptr<RemoteStream> stream_;
  std::uint64_t position_;
};

}  // namespace

// A GPU's queue is finite, and whoever fills it waits. So it is here, long before the worker would refuse more.
void RemoteCore::waitForRoom(RemoteStream& r) {
  Session& s = session();
  const std::uint64_t unfinished = r.sent.load(std::memory_order_relaxed) - r.visible.load(std::memory_order_relaxed);
  if (unfinished < s.mostAhead() && r.carried.load(std::memory_order_relaxed) < s.mostCarried()) return;
  static_cast<void>(waitFor(r, s.streams().now(r)));
  r.carried.store(0, std::memory_order_relaxed);
}

hipError_t RemoteCore::submit(Stream& stream, const Operation& operation, Stage until) {
  waitForRoom(remote(stream));
  const hipError_t error = std::visit([&](const auto& work) { return perform(work, stream, until); }, operation);
  if (error != hipSuccess || until == Stage::kSent) return error;
  // Nobody has waited where nobody would notice. What the program does next must find it done all the same.
  RemoteStream& r = remote(stream);
  if (r.idle()) return hipSuccess;
  if (session().streams().awaitsWord()) {  // perhaps one that is written next: nothing may be put behind this
    return until == Stage::kVisible ? synchronize(stream) : hipSuccess;
  }
  session().connection().post<Opcode::kStreamFence>({r.id});
  if (until == Stage::kVisible) r.promise(r.sent.load());
  return hipSuccess;
}

hipError_t RemoteCore::create(Stream& stream) {
  Session& s = session();
  const bool null = stream.kind == Stream::Kind::kNull;
  if (!null && s.streamCount >= s.limits().streams) return hipErrorOutOfMemory;
  RemoteStream& r = s.streams().add(wireId(stream), stream.device, kindOf(stream));
  stream.impl = std::make_unique<StreamObject>(r, null ? nullptr : &s.streamCount);
  if (!null) {
    s.connection().post<Opcode::kStreamCreate>({r.id, stream.device, stream.flags, stream.priority, stream.cuMask});
  }
  return hipSuccess;
}

hipError_t RemoteCore::destroy(Stream& stream) {
  Session& s = session();
  RemoteStream& r = remote(stream);
  const bool told = stream.kind == Stream::Kind::kCreated && s.hostCouldTell();  // threads end without waiting
  if (const Moment now = s.streams().now(r); told && !now.passed()) {
    static_cast<void>(waitFor(r, now));
  } else if (!r.idle()) {
    s.connection().send<Opcode::kStreamSynchronize>({r.id}, std::make_unique<LastProgress>(s, r));
  }
  if (stream.kind != Stream::Kind::kNull) s.connection().post<Opcode::kStreamDestroy>({r.id});
  s.streams().remove(r.id);
  stream.impl.reset();
  return hipSuccess;
}

hipError_t RemoteCore::synchronize(Stream& stream) {
  Session& s = session();
  RemoteStream& r = remote(stream);
  const Moment now = s.streams().now(r);
  if (now.passed()) return hipSuccess;
  // Uploads whose bytes the program has back already; or any work, where it is content with that.
  if (!now.noticeable() || s.mayPretend()) {
    for (const Moment::Wait& wait : now.waits()) s.connection().post<Opcode::kStreamFence>({wait.stream->id});
    now.promise();
    return hipSuccess;
  }
  return waitFor(r, now);
}

hipError_t RemoteCore::waitFor(RemoteStream& r, const Moment& moment) {
  Session& s = session();
  const platform::ProgressLine line = lineOfTransfers(s);
  wire::Done done;
  // Where a copy to the host comes last, its answer is on its way and says all that there is to know.
  const auto& waits = moment.waits();
  if (waits.size() == 1 && waits[0].stream.get() == &r && waits[0].position == r.downloadAt.load()) {
    if (const std::optional<bool> answered = s.connection().join(r.downloadAsked.load(), done)) {
      if (*answered && s.connection().alive()) return errorFrom(done.status);  // and it was believed
      s.connection().rest();
      return kLost;
    }
  }
  if (!s.connection().call<Opcode::kStreamSynchronize>({r.id}, done)) return kLost;
  if (tellsOfOrder(done)) s.streams().show(moment);
  return errorFrom(done.status);
}

hipError_t RemoteCore::query(Stream& stream) {
  Session& s = session();
  RemoteStream& r = remote(stream);
  const Moment now = s.streams().now(r);
  if (now.passed()) return hipSuccess;
  s.connection().poll();
  if (now.passed()) return hipSuccess;
  if (now.promised()) return waitFor(r, now);
  for (const Moment::Wait& wait : now.waits()) {
    if (wait.stream->watched.exchange(wait.position) != wait.position)
      s.connection().post<Opcode::kStreamWatch>({wait.stream->id});
  }
  return hipErrorNotReady;
}

std::unique_ptr<StreamPoint> RemoteCore::point(Stream& stream) {
  Session& s = session();
  Moment now = s.streams().now(remote(stream));
  return now.passed() ? nullptr : std::make_unique<RemotePoint>(s, stream.device, std::move(now));
}

hipError_t RemoteCore::perform(const HostFunction& f, Stream& stream, Stage) {
  Session& s = session();
  RemoteStream& r = remote(stream);
  s.connection().expect(1);
  s.submit<Opcode::kHostFunction>(r, {r.id, s.hostFunctions().add(f.function, f.userData)});
  return hipSuccess;
}

hipError_t RemoteCore::hold(Stream& stream, Arrived arrived) {
  Session& s = session();
  RemoteStream& r = remote(stream);
  waitForRoom(r);
  s.connection().expect(1);
  if (const std::uint64_t id = s.hostFunctions().add(std::move(arrived)))
    s.submit<Opcode::kHostFunction>(r, {r.id, id});
  return hipSuccess;
}

void RemoteCore::runInOrder(Stream& stream, HostFunctions::Does does, HostFunctions::Action action) {
  Session& s = session();
  RemoteStream& r = remote(stream);
  s.connection().expect(1);
  s.submit<Opcode::kHostFunction>(r, {r.id, s.hostFunctions().add(does, std::move(action))});
}

}  // namespace hipr::client

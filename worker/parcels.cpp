#include "worker/parcels.h"

#include "base/log.h"
#include "platform/thread.h"
#include "tls/tls_transport.h"
#include "worker/session.h"

namespace hipr::worker {

// --- what both have in common

Start Parcel::start() {
  {
    std::lock_guard lock(mutex_);
    if (cancelled_) {
      over_ = true;
      return Start::kGiven;
    }
  }
  position_ = stream_->given + 1;
  context_.order.whenReached(stream_, [self = shared_from_this()](hipError_t error) { self->begin(error); });
  return Start::kLater;
}

void Parcel::begin(hipError_t error) {
  Status status = error == hipSuccess ? Status{} : Status::unavailable("the device has failed");
  {
    std::lock_guard lock(mutex_);
    if (!cancelled_) {
      thread_ = std::thread([this, status = std::move(status)]() mutable {
        platform::nameThisThread("hip-parcel");
        run(std::move(status));
      });
      return;
    }
  }
  run(Status::unavailable("it was withdrawn"));
}

void Parcel::run(Status status) {
  context_.backend.use(stream_->device);
  if (status.ok()) status = carry();
  for (Piece left; !pieces_.empty();) (void)finishFirst(left);  // nothing is copied behind our back from now on
  if (!status.ok()) logDebug("a copy between workers: %s", status.message().c_str());
  context_.order.done(stream_);
  conclude(status);
  std::lock_guard lock(mutex_);
  transport_.reset();
  over_ = true;
}

void Parcel::cancel() {
  std::lock_guard lock(mutex_);
  if (std::exchange(cancelled_, true) || over_) return;
  if (transport_) transport_->shutdown();
  interrupt();
}

void Parcel::stop() {
  cancel();
  std::thread thread;
  {
    std::lock_guard lock(mutex_);
    thread = std::move(thread_);
  }
  if (thread.joinable()) thread.join();
}

bool Parcel::over() {
  std::lock_guard lock(mutex_);
  return over_;
}

bool Parcel::cancelled() {
  std::lock_guard lock(mutex_);
  return cancelled_;
}

bool Parcel::speakThrough(net::TransportPtr transport) {
  std::lock_guard lock(mutex_);
  transport_ = std::move(transport);
  return !cancelled_;
}

void Parcel::protect(const tls::Shield& shield) {
  std::lock_guard lock(mutex_);
  transport_ = tls::overTls(std::move(transport_), shield);
}

Status Parcel::give(Piece piece, hipMemcpyKind kind) {
  hipError_t error =
      copyPacked(context_.backend.hip, stream_->native, shape_, piece.offset, piece.length, piece.block.get(), kind);
  if (error == hipSuccess) piece.event = context_.order.events(stream_->device).record(stream_->native, &error);
  if (error != hipSuccess) return Status::unavailable(context_.backend.hip.errorName(error));
  pieces_.push_back(std::move(piece));
  return {};
}

// Everything before the parcel is done, so this waits for a copy, never for a kernel.
Status Parcel::finishFirst(Piece& piece) {
  piece = std::move(pieces_.front());
  pieces_.pop_front();
  const hipError_t error = context_.backend.hip.hipEventSynchronize(piece.event);
  context_.order.events(stream_->device).give(piece.event);
  return error == hipSuccess ? Status{} : Status::unavailable(context_.backend.hip.errorName(error));
}

// --- the session's messages

namespace {

void reap(auto& parcels, auto of) {
  std::erase_if(parcels, [of](const auto& entry) {
    if (!of(entry).over()) return false;
    of(entry).stop();
    return true;
  });
}

}  // namespace

wire::InviteReply Session::onInvite(const wire::Invite& m) {
  const StreamPtr s = stream(m.stream);
  if (!s) return {};
  reap(invited_, [](const auto& entry) -> Parcel& { return *entry.second; });
  if (invited_.contains(m.transfer)) {
    refuse("parcel " + std::to_string(m.transfer) + " is already on its way");
    return {};
  }
  wire::InviteReply reply{s->broken, {}};
  DeviceMemory::Span span;
  if (reply.status == hipSuccess && !locate(m.to.address, extentOf(m.to), span))
    reply.status = hipErrorInvalidDevicePointer;
  if (reply.status == hipSuccess && planesOf(m.to) > Parcel::kMostPlanes) reply.status = hipErrorNotSupported;
  Descriptor door;
  if (reply.status == hipSuccess && options_.invite && invited_.size() < Parcel::kMost && !order_.full())
    door = options_.invite(reply.ticket);
  if (reply.status == hipSuccess && door.number() < 0) reply.status = hipErrorNotSupported;
  if (reply.status != hipSuccess) {
    order_.drop(s);
    return reply;
  }
  auto parcel = std::make_shared<IncomingParcel>(transferContext_, s, m.to, std::move(door));
  invited_.emplace(m.transfer, parcel);
  order_.submit(s, m, [parcel](const StreamPtr&, const wire::Invite&) { return parcel->start(); });
  noteHostWrite(*s, m.to.address);
  return reply;
}

hipError_t Session::onWithdraw(const wire::Withdraw& m) {
  if (const auto found = invited_.find(m.transfer); found != invited_.end()) found->second->cancel();
  return hipSuccess;
}

Session::Answer Session::onBring(const wire::Bring& m) {
  const StreamPtr s = stream(m.stream);
  if (!s) return std::nullopt;
  reap(brought_, [](const auto& entry) -> Parcel& { return *entry; });
  hipError_t error = s->broken;
  DeviceMemory::Span span;
  if (error == hipSuccess && !locate(m.from.address, extentOf(m.from), span)) error = hipErrorInvalidDevicePointer;
  Meter::Share place = meter_.take(Quota::kWaits);
  if (error == hipSuccess && planesOf(m.from) > Parcel::kMostPlanes) error = hipErrorNotSupported;
  if (error == hipSuccess && (!options_.connect || brought_.size() >= Parcel::kMost || !place || order_.full()))
    error = hipErrorNotSupported;
  if (error != hipSuccess) {
    order_.drop(s);
    return error;
  }
  OutgoingParcel::Errand errand{options_.connect, m.worker, m.ticket, request_, std::move(place)};
  auto parcel = std::make_shared<OutgoingParcel>(transferContext_, s, m.from, std::move(errand));
  brought_.push_back(parcel);
  order_.submit(s, m, [parcel](const StreamPtr&, const wire::Bring&) { return parcel->start(); });
  return std::nullopt;
}

void Session::stopParcels() {
  for (const auto& [number, parcel] : invited_) parcel->stop();
  for (const auto& parcel : brought_) parcel->stop();
}

}  // namespace hipr::worker

#include <algorithm>
#include <cstring>

#include "base/errand.h"
#include "base/spin.h"
#include "worker/transfers.h"

namespace hipr::worker {
namespace {

constexpr std::uint64_t kSmall = 64 << 10;  // fits into one block and one frame, and is answered at once if possible
constexpr std::size_t kAhead = 4;           // blocks the GPU may fill before the first one is sent
// Copying fewer bytes takes no longer than waking somebody. Up to kLittle all is sent before any is acknowledged.
constexpr std::uint64_t kWorthHelp = 512 << 10, kLittle = 2 << 20;

}  // namespace

Start Download::start() {
  position_ = stream_->given + 1;
  const bool small = from_.bytes() <= kSmall;
  // Of a device that has failed the runtime is asked, and says so.
  if (direct_ && small && context_.order.quiet(stream_) && !context_.reporter.owes(*stream_) &&
      context_.order.health(*stream_) == hipSuccess) {
    sendNow();
    return Start::kDone;
  }
  if (direct_ && !small) {
    context_.order.whenReached(stream_, [self = shared_from_this()](hipError_t error) { self->deliverDirect(error); });
    return Start::kLater;
  }
  hipError_t error = hipSuccess;
  {
    std::lock_guard lock(mutex_);
    while (error == hipSuccess && !allGiven() && pieces_.size() < kAhead) error = copyNext();
  }
  if (error != hipSuccess) return refuse(error);
  context_.crew.add(
      stream_->series, [self = shared_from_this()] { self->deliver(); },
      [self = shared_from_this()] { return self->begun(); });
  if (!allGiven()) return Start::kLater;
  context_.reporter.deliveries().add(shared_from_this());
  return Start::kGiven;
}

// To the client any answer says that the stream has come so far.
Start Download::refuse(hipError_t error) {
  position_ = stream_->given + 1;
  context_.order.whenReached(stream_, [self = shared_from_this(), error](hipError_t) {
    for (const hipEvent_t event : self->events_) self->context_.order.events(self->stream_->device).give(event);
    self->answer(error);
  });
  return Start::kGiven;
}

hipError_t Download::copyNext() {
  const std::uint64_t length = std::min<std::uint64_t>(from_.bytes() - given_, Staging::kBlock);
  hipError_t error = hipSuccess;
  Piece piece{context_.staging.take(length, &error), given_, length};
  if (!piece.block) return error;
  context_.backend.use(stream_->device);
  error = copyPacked(context_.backend.hip, stream_->native, from_, given_, length, piece.block.get(),
                     hipMemcpyDeviceToHost);
  if (error == hipSuccess) piece.event = context_.order.events(stream_->device).record(stream_->native, &error);
  if (error != hipSuccess) return error;
  events_.push_back(piece.event);
  pieces_.push_back(std::move(piece));
  given_ += length;
  return hipSuccess;
}

bool Download::begun() {
  std::lock_guard lock(mutex_);
  return pieces_.empty() || context_.backend.hip.hipEventQuery(pieces_.front().event) != hipErrorNotReady;
}

bool Download::complete() {
  std::lock_guard lock(mutex_);
  return pieces_.empty() || context_.backend.hip.hipEventQuery(pieces_.back().event) == hipSuccess;
}

void Download::send() {
  {
    std::lock_guard lock(mutex_);
    while (!pieces_.empty()) sendFirst();
  }
  context_.lanes.awaitArrival(id_);
}

void Download::sendFirst() {
  const Piece piece = std::move(pieces_.front());
  pieces_.pop_front();
  const std::span<const std::byte> bytes(piece.block.get(), piece.length);
  if (piece.length > kSmall) {
    sendPiece(bytes, piece.offset, piece.block);
    return context_.outbox.settle(id_);  // the block is used again
  }
  const DataHead head = dataHead(id_, piece.offset, piece.length);
  std::vector<std::byte> frame(head.begin(), head.end());
  frame.insert(frame.end(), bytes.begin(), bytes.end());
  context_.outbox.postAlong(frame);  // the answer comes next
}

void Download::deliver() {
  hipError_t error = hipSuccess;
  bool held = false;
  std::deque<Piece> unsent;
  do {
    hipEvent_t next = nullptr;
    {
      std::lock_guard lock(mutex_);
      held = !allGiven();
      if (!pieces_.empty()) next = pieces_.front().event;
    }
    if (!next) break;  // somebody else has sent the rest
    error = context_.backend.hip.hipEventSynchronize(next);
    bool given = false;
    {
      std::lock_guard lock(mutex_);
      if (error == hipSuccess && held) error = copyNext();
      if (error != hipSuccess) unsent.swap(pieces_);  // first: whoever finds this among the deliveries sends them
      given = held && (allGiven() || error != hipSuccess);
      if (error == hipSuccess && !pieces_.empty()) sendFirst();
    }
    if (given) {
      context_.reporter.deliveries().add(shared_from_this());  // before anybody can learn of what comes after it
      context_.order.given(stream_);
    }
  } while (error == hipSuccess);
  if (error != hipSuccess) context_.lanes.abandon(id_);
  const bool arrived = context_.lanes.arrived(id_) || error != hipSuccess;
  if (arrived) context_.reporter.deliveries().remove(*this);
  for (const hipEvent_t event : events_) context_.order.events(stream_->device).give(event);
  // After a failure the GPU may still write to blocks: they stay out of the pool until it has come to rest.
  for (Piece& piece : unsent) context_.order.keep(stream_, std::move(piece.block));
  context_.order.reached(stream_, position_);
  return arrived ? answer(error) : answerOnArrival();
}

void Download::answerOnArrival() {
  context_.crew.add(
      std::make_shared<Series>(),
      [self = shared_from_this()] {
        self->context_.lanes.awaitArrival(self->id_);
        self->context_.reporter.deliveries().remove(*self);
        self->answer(hipSuccess);
      },
      [self = shared_from_this()] { return self->context_.lanes.allAnswered(self->id_); });
}

void Download::deliverDirect(hipError_t error) {
  const std::uint64_t total = from_.bytes();
  std::shared_ptr<Errand> settling;  // of little, meanwhile: what follows in the stream should not have to wait for it
  if (total >= kWorthHelp && total <= kLittle && contiguous(from_) && error == hipSuccess && manyProcessors()) {
    settling = std::make_shared<Errand>([self = shared_from_this()] { self->context_.outbox.settle(self->id_); });
    context_.crew.add(std::make_shared<Series>(), [settling] { settling->help(); });
  }
  const auto settle = [&] {
    if (settling) settling->finish();
    context_.outbox.settle(id_);
  };
  const bool onePiece = total <= wire::kMaxDataChunk && !context_.lanes.wants(total);
  std::vector<std::byte> packed;
  if (!contiguous(from_)) packed.resize(std::min(total, wire::kMaxDataChunk));
  for (std::uint64_t offset = 0; offset < total && error == hipSuccess; offset += wire::kMaxDataChunk) {
    const std::uint64_t length = std::min(total - offset, wire::kMaxDataChunk);
    std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(from_.address + offset), length);
    if (!packed.empty()) {
      gather(from_, offset, std::span(packed).first(length));
      bytes = std::span(packed).first(length);
    }
    onePiece ? sendHere(bytes, offset, answerFrame(hipSuccess)) : sendPiece(bytes, offset);
    if (!packed.empty()) context_.outbox.settle(id_);
  }
  const bool answered = onePiece && error == hipSuccess;
  if (answered || context_.lanes.arrived(id_)) {
    if (!answered) answer(error);  // the client need not wait for what follows; work behind this does
    settle();
    return context_.order.done(stream_);
  }
  context_.reporter.deliveries().add(shared_from_this());  // before anybody can learn of what comes after it
  settle();
  context_.order.done(stream_);
  answerOnArrival();
}

void Download::sendPiece(std::span<const std::byte> bytes, std::uint64_t offset, Staging::Block block) {
  if (context_.lanes.wants(from_.bytes())) {
    if (!block && (block = context_.staging.take(bytes.size()))) std::memcpy(block.get(), bytes.data(), bytes.size());
    if (block && context_.lanes.take(id_, offset, std::move(block), bytes.size())) return;
  }
  sendHere(bytes, offset);
}

void Download::sendHere(std::span<const std::byte> bytes, std::uint64_t offset, std::span<const std::byte> behind) {
  while (!bytes.empty()) {
    const std::span<const std::byte> part = bytes.first(std::min(bytes.size(), context_.outbox.bulkAtOnce()));
    const DataFrame frame(context_.packing, id_, offset, part);
    bytes = bytes.subspan(part.size());
    context_.outbox.sendBulk(frame.head(), frame.body(), id_, bytes.empty() ? behind : behind.first(0));
    offset += part.size();
  }
}

void Download::sendNow() {
  std::vector<std::byte> frames;
  const std::uint64_t total = from_.bytes();
  const DataHead head = dataHead(id_, 0, total);
  frames.insert(frames.end(), head.begin(), head.end());
  frames.resize(head.size() + total);
  gather(from_, 0, std::span(frames).subspan(head.size()));
  appendFrame(frames, wire::Opcode::kDownload, request_, wire::HIP_REMOTE_FLAG_REPLY, wire::Done{hipSuccess});
  context_.reporter.told(*stream_, position_);
  context_.outbox.post(frames);
}

std::vector<std::byte> Download::answerFrame(hipError_t error) {
  context_.reporter.show(*stream_, position_);
  context_.reporter.told(*stream_, position_);
  SessionCounters::add(context_.outbox.counters().roundTrips);
  std::vector<std::byte> frame;
  appendFrame(frame, wire::Opcode::kDownload, request_, wire::HIP_REMOTE_FLAG_REPLY, wire::Done{error});
  return frame;
}

void Download::answer(hipError_t error) {
  context_.outbox.post(answerFrame(error));
}

}  // namespace hipr::worker

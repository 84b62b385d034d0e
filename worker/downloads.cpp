#include <algorithm>
#include <cstring>

#include "worker/transfers.h"

namespace hipr::worker {
namespace {

constexpr std::uint64_t kSmall = 64 << 10;  // fits into one block and one frame, and is answered at once if possible
constexpr std::size_t kAhead = 4;           // blocks the GPU may fill before the first one is sent

std::vector<std::byte> packedHead(std::uint64_t transfer, std::uint64_t offset, std::uint64_t size,
                                  std::uint64_t following) {
  std::vector<std::byte> head;
  const auto opcode = wire::Opcode::kPackedData;
  appendFrame(head, opcode, 0, wire::HIP_REMOTE_FLAG_NO_REPLY, wire::PackedData{transfer, offset, size});
  wire::encodeHeader({.opcode = static_cast<std::uint16_t>(opcode),
                      .flags = wire::HIP_REMOTE_FLAG_NO_REPLY,
                      .length = wire::kPackedDataPrefix + following},
                     head.data());
  return head;
}

}  // namespace

DataHead dataHead(std::uint64_t transfer, std::uint64_t offset, std::uint64_t length) {
  DataHead head;
  wire::encodeHeader({.opcode = static_cast<std::uint16_t>(wire::Opcode::kData),
                      .flags = wire::HIP_REMOTE_FLAG_NO_REPLY,
                      .length = wire::kDataPrefix + length},
                     head.data());
  std::memcpy(head.data() + wire::kHeaderSize, &transfer, sizeof transfer);
  std::memcpy(head.data() + wire::kHeaderSize + 8, &offset, sizeof offset);
  return head;
}

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
  if (error != hipSuccess) {
    reply(context_.outbox, wire::Opcode::kDownload, request_, wire::Done{error});
    return Start::kGiven;
  }
  context_.crew.add(
      stream_->lane, [self = shared_from_this()] { self->deliver(); },
      [self = shared_from_this()] { return self->begun(); });
  if (!allGiven()) return Start::kLater;
  context_.reporter.deliveries().add(shared_from_this());
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
  std::lock_guard lock(mutex_);
  while (!pieces_.empty()) sendFirst();
}

void Download::sendFirst() {
  const Piece piece = std::move(pieces_.front());
  pieces_.pop_front();
  const std::span<const std::byte> bytes(piece.block.get(), piece.length);
  if (piece.length > kSmall) {
    sendPiece(bytes, piece.offset);
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
      given = held && (allGiven() || error != hipSuccess);
      if (error == hipSuccess && !pieces_.empty()) sendFirst();
    }
    if (given) {
      context_.reporter.deliveries().add(shared_from_this());  // before anybody can learn of what comes after it
      context_.order.given(stream_);
    }
  } while (error == hipSuccess);
  context_.reporter.deliveries().remove(*this);
  std::deque<Piece> unsent;
  {
    std::lock_guard lock(mutex_);  // whoever found this among the deliveries may still look
    unsent.swap(pieces_);
  }
  for (const hipEvent_t event : events_) context_.order.events(stream_->device).give(event);
  // After a failure the GPU may still write to blocks: they stay out of the pool until it has come to rest.
  for (Piece& piece : unsent) context_.order.keep(stream_, std::move(piece.block));
  context_.order.reached(stream_, position_);
  answer(error);
}

void Download::deliverDirect(hipError_t error) {
  const std::uint64_t total = from_.bytes();
  std::vector<std::byte> packed;
  if (!contiguous(from_)) packed.resize(std::min(total, wire::kMaxDataChunk));
  for (std::uint64_t offset = 0; offset < total && error == hipSuccess; offset += wire::kMaxDataChunk) {
    const std::uint64_t length = std::min(total - offset, wire::kMaxDataChunk);
    std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(from_.address + offset), length);
    if (!packed.empty()) {
      gather(from_, offset, std::span(packed).first(length));
      bytes = std::span(packed).first(length);
    }
    sendPiece(bytes, offset);
    if (!packed.empty()) context_.outbox.settle(id_);
  }
  answer(error);  // the client need not wait for what follows; work behind this does
  context_.outbox.settle(id_);
  context_.order.done(stream_);
}

void Download::sendPiece(std::span<const std::byte> bytes, std::uint64_t offset) {
  while (!bytes.empty()) {
    const std::span<const std::byte> part = bytes.first(std::min(bytes.size(), context_.outbox.bulkAtOnce()));
    std::vector<std::byte> packed;
    if (context_.packing.pack(part, packed)) {
      std::vector<std::byte> frame = packedHead(id_, offset, part.size(), packed.size());
      frame.insert(frame.end(), packed.begin(), packed.end());
      context_.outbox.sendBulk(frame, {}, id_);
    } else {
      context_.outbox.sendBulk(dataHead(id_, offset, part.size()), part, id_);
    }
    bytes = bytes.subspan(part.size());
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

void Download::answer(hipError_t error) {
  context_.reporter.show(*stream_, position_);
  context_.reporter.told(*stream_, position_);
  reply(context_.outbox, wire::Opcode::kDownload, request_, wire::Done{error});
}

}  // namespace hipr::worker

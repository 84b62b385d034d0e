// Outbox: pieces of uploads that go over lanes, further connections to the same session (wire::LaneData). A piece is
// announced among the small messages, in its place, and the worker answers when it has come. To us that is like a piece
// that was named: until the answer its bytes are kept, and those of a lane that was lost are wanted and go the ordinary
// way.
#include <algorithm>
#include <system_error>

#include "base/log.h"
#include "client/outbox.h"
#include "platform/thread.h"

namespace hipr::client {

void Outbox::useLanes(net::When when, OpenLane open) {
  std::lock_guard lock(mutex_);
  laneChoice_.start(when, lanes_.size());
  openLane_ = std::move(open);
}

void Outbox::measure(std::uint64_t arrived) {
  std::uint64_t waiting = 0;
  for (const BulkUploadPtr& upload : uploads_) waiting += upload->from.bytes() - upload->taken;
  switch (laneChoice_.arrived(Clock::now(), arrived, waiting)) {
    case LaneChoice::Advice::kNothing:
      return;
    case LaneChoice::Advice::kOpen:
      return beginLane();
    case LaneChoice::Advice::kClose: {
      const auto newest = std::ranges::max_element(
          lanes_, {}, [](const UploadLane& lane) { return lane.state == UploadLane::State::kOpen ? lane.number : 0; });
      newest->state = UploadLane::State::kClosing;
      laneWork_.notify_all();
    }
  }
}

void Outbox::beginLane() {
  using State = UploadLane::State;
  const auto free = std::ranges::find_if(
      lanes_, [](const UploadLane& lane) { return lane.state == State::kNone || lane.state == State::kOver; });
  if (free == lanes_.end() || dead_) return laneChoice_.failed(Clock::now());
  if (free->thread.joinable()) free->thread.join();  // it said so in the end
  try {
    free->thread = std::thread([this, &lane = *free] { runLane(lane); });
    free->state = State::kOpening;
  } catch (const std::system_error&) {  // no room for a thread: uploads do without
    laneChoice_.failed(Clock::now());
  }
}

bool Outbox::isForLane(const BulkUploadPtr& upload) {
  if (upload->from.bytes() < (laneChoice_.lanesCarryAll() ? kLeastRelief : kLeastForLanes)) return false;
  if (!inBlocks(*upload)) return true;
  if (upload->taken % kBlock != 0) return false;
  decide(upload);
  return upload->blocks[upload->taken / kBlock].state != UploadBlock::State::kNamed;
}

bool Outbox::takeForLane(const UploadLane& lane, Piece& piece) {
  for (const BulkUploadPtr& upload : uploads_) {
    const std::size_t left = upload->from.bytes() - upload->taken, size = std::min<std::size_t>(left, kBlock);
    if (upload->held || left == 0 || !isForLane(upload)) continue;
    if (unansweredBytes_ + size > kMostUnanswered) return false;
    if (!upload->open && wire::kEagerWindow - unopenedBytes_ < size) continue;
    Piece next{.upload = upload, .offset = upload->taken, .size = size};
    if (inBlocks(*upload)) {
      UploadBlock& block = upload->blocks[upload->taken / kBlock];
      if (block.state != UploadBlock::State::kReady) continue;
      if (kept(*upload, size)) next.kind = Piece::Kind::kKept;
      next.packed = std::move(block.packed);
    }
    takeOut(next);
    put(wire::Opcode::kLaneData, 0, wire::HIP_REMOTE_FLAG_NO_REPLY,
        wire::LaneData{upload->transfer, next.offset, size, lane.number});
    named_[{upload->transfer, next.offset}] = {.upload = upload, .size = size, .lane = lane.number};
    unansweredBytes_ += size;
    ++upload->unanswered;
    pending_ = true;
    piece = std::move(next);
    return true;
  }
  return false;
}

bool Outbox::awaitForLane(UploadLane& lane, Piece& piece) {
  {
    std::unique_lock lock(mutex_);
    const auto over = [&] { return dead_ || lane.state != UploadLane::State::kOpen; };
    laneWork_.wait(lock, [&] { return over() || takeForLane(lane, piece); });
    if (!piece.upload) return false;
  }
  wakeWriter();  // for the word about it
  onStall_();    // and somebody must read the answer
  return true;
}

// The call that made the upload does not wait for the answer: what may be wanted after it has returned is copied.
void Outbox::copyForLater(const Piece& piece) {
  const BulkUpload& upload = *piece.upload;
  if (upload.late || upload.from.bytes() - piece.offset > kMostUnanswered) return;  // or it is answered by then
  std::vector<std::byte> room;
  const wire::Bytes bytes = upload.from.packed(piece.offset, piece.size, room);
  OwnBytes copy = std::make_shared<std::vector<std::byte>>(bytes.begin(), bytes.end());
  std::lock_guard lock(mutex_);
  const auto found = named_.find({upload.transfer, piece.offset});
  if (found != named_.end() && !found->second.wanted) found->second.copy = std::move(copy);
}

Status Outbox::sendOverLane(UploadLane& lane, const Piece& piece) {
  const DataFrame frame(piece, lane.rows);
  const net::Transport::Part parts[] = {frame.head(), frame.bytes()};
  const Status status = lane.link->send(parts);
  laneBytes_ += frame.head().size() + frame.bytes().size();
  if (piece.packed) bytesPacked_ += piece.size;
  return status;
}

void Outbox::runLane(UploadLane& lane) {
  using State = UploadLane::State;
  platform::nameThisThread("hip-lane");
  net::TransportPtr link;
  std::uint32_t number = 0;
  LaneChoice::Clock::duration roundTrip{};
  Status status = openLane_(number, link, roundTrip);
  {
    std::lock_guard lock(mutex_);
    if (!status.ok()) laneChoice_.failed(Clock::now());
    if (!status.ok() || dead_ || !laneChoice_.opened(Clock::now(), roundTrip)) {
      logDebug("no further connection: %s", status.ok() ? "the line is short" : status.message().c_str());
      lane.state = State::kOver;
      return;
    }
    lane.number = number;
    lane.link = std::move(link);
    lane.state = State::kOpen;
    ++lanesSoFar_;
  }
  logDebug("bulk data has another connection");
  Piece piece;
  while (status.ok() && awaitForLane(lane, piece)) {
    copyForLater(piece);
    status = sendOverLane(lane, piece);
    handedOver(piece);
    piece = {};
  }
  // What it has sent still arrives, and the rest is wanted when the worker sees the end.
  logDebug("bulk data has a connection less: %s", status.ok() ? "it gained nothing" : status.message().c_str());
  if (status.ok()) {
    lane.link->finishSending();
  } else {
    lane.link->shutdown();
  }
  {
    std::lock_guard lock(mutex_);
    lane.link.reset();
    laneChoice_.closed(Clock::now());
    lane.state = State::kOver;
    pending_ = true;  // what was left to lanes
  }
  wakeWriter();
}

void Outbox::closeLanesInChild() {
  for (UploadLane& lane : lanes_) lane.link.reset();
}

}  // namespace hipr::client

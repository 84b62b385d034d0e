// Outbox: uploads that the worker may know by their content, and what is to become of each block of an upload.
#include <algorithm>

#include "client/outbox.h"
#include "platform/no_cancel.h"

namespace hipr::client {

void Outbox::nameBlocks(net::When mode, NameOf nameOf) {
  std::lock_guard lock(mutex_);
  naming_.start(mode);
  nameOf_ = std::move(nameOf);
}

bool Outbox::mayBeNamed(const BulkUpload& upload) const {
  return !naming_.off() && upload.from.bytes() >= kBlock;
}

bool Outbox::kept(const BulkUpload& upload, std::size_t size) const {
  return naming_.pays() && mayBeNamed(upload) && size >= kLeastNamed;
}

// --- before it is a block's turn

void Outbox::decide(const BulkUploadPtr& upload) {
  const std::size_t bytes = upload->from.bytes(), count = (bytes + kBlock - 1) / kBlock;
  const std::size_t ahead = naming_.all() ? kAhead : packing_.pays() ? kPackedAhead : 1;
  const std::size_t end = std::min(count, upload->taken / kBlock + ahead);
  while (upload->blocks.size() < end) {
    const std::size_t block = upload->blocks.size();
    upload->blocks.emplace_back();
    const bool named = mayBeNamed(*upload) && bytes - block * kBlock >= kLeastNamed && naming_.next();
    if (!named && !packing_.next()) continue;
    upload->blocks.back().state = UploadBlock::State::kBusy;
    const auto job = [this, upload, block, named] { named ? makeName(upload, block) : packBlock(upload, block); };
    if (!helpers_.add(job)) upload->blocks.back().state = UploadBlock::State::kReady;
  }
}

// In a helper.
void Outbox::makeName(const BulkUploadPtr& upload, std::size_t block) {
  if (!beginReading(*upload)) return;
  const std::size_t offset = block * kBlock, size = std::min(kBlock, upload->from.bytes() - offset);
  const Clock::time_point begin = Clock::now();
  std::vector<std::byte> room;
  const wire::Bytes bytes = upload->from.packed(offset, size, room);
  const wire::Bits256 name = nameOf_(bytes);
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  // It is at hand now, and the call would have to copy it at its end. What lies before is answered by then.
  OwnBytes copy;
  if (!upload->late && upload->from.bytes() - offset <= kMostUnanswered)
    copy = std::make_shared<std::vector<std::byte>>(bytes.begin(), bytes.end());
  {
    std::lock_guard lock(mutex_);
    if (seconds > 0 && size == kBlock) naming_.hashingWas(static_cast<double>(size) / seconds);
    upload->blocks[block] = {.state = UploadBlock::State::kNamed, .name = name, .copy = std::move(copy)};
    endReading(*upload);
    pending_ = true;
  }
  wakeWriter();
}

// --- sending

bool Outbox::prepare(const BulkUploadPtr& upload, Piece& piece) {
  decide(upload);
  UploadBlock& block = upload->blocks[piece.offset / kBlock];
  if (block.state == UploadBlock::State::kBusy) return false;  // its helper wakes the writer
  if (block.state == UploadBlock::State::kReady) {
    if (kept(*upload, piece.size)) piece.kind = Piece::Kind::kKept;
    piece.packed = std::move(block.packed);
    return true;
  }
  if (unansweredBytes_ + piece.size > kMostUnanswered) {
    stalled_ = true;
    return false;
  }
  piece.kind = Piece::Kind::kNamed;
  piece.name = block.name;
  named_[{upload->transfer, piece.offset}] = {.upload = upload, .size = piece.size, .copy = std::move(block.copy)};
  unansweredBytes_ += piece.size;
  ++upload->unanswered;
  return true;
}

void Outbox::sendNamed(const Piece& piece) {
  const std::size_t start = outgoing_.size();
  outgoing_.extend(wire::kHeaderSize);
  wire::BasicWriter<wire::Buffer>(outgoing_).put(
      wire::NamedData{piece.upload->transfer, piece.offset, piece.size, piece.name});
  wire::encodeHeader({.opcode = static_cast<std::uint16_t>(wire::Opcode::kNamedData),
                      .flags = wire::HIP_REMOTE_FLAG_NO_REPLY,
                      .length = outgoing_.size() - start - wire::kHeaderSize},
                     outgoing_.data() + start);
  sendControl();
  laneWork_.notify_all();  // the next block may be for a lane
  onStall_();              // somebody must read the answer
}

// --- answers

bool Outbox::answered(const wire::NamedDataAnswer& answer) {
  {
    std::lock_guard lock(mutex_);
    if (dead_) return true;
    const auto found = named_.find({answer.transfer, answer.offset});
    if (found == named_.end() || found->second.wanted) return false;
    if (found->second.lane == 0) naming_.answered(answer.known);
    if (answer.known && found->second.lane != 0) {
      measure(found->second.size);
      lineMeasured();
    }
    if (answer.known) {
      settle(found);
    } else {
      found->second.wanted = true;
      want(found->first, found->second);
    }
  }
  goOn();
  return true;
}

void Outbox::want(const Place& place, const Named& named) {
  if (!packing_.next()) return wanted_.push_back(place);
  const auto job = [this, upload = named.upload, offset = place.second, copy = named.copy] {
    packWanted(upload, offset, copy);
  };
  if (!helpers_.add(job)) wanted_.push_back(place);
}

void Outbox::settle(std::map<Place, Named>::iterator named) {
  const BulkUploadPtr upload = named->second.upload;
  unansweredBytes_ -= named->second.size;
  named_.erase(named);
  --upload->unanswered;
  if (upload->allSent && upload->unanswered == 0 && !upload->finished) finish(upload);
  if (!upload->late) sent_.notify_all();
}

bool Outbox::takeWanted(Piece& piece) {
  if (wanted_.empty()) return false;
  const auto found = named_.find(wanted_.front());
  wanted_.pop_front();
  piece = {.upload = found->second.upload,
           .offset = found->first.second,
           .size = found->second.size,
           .kind = Piece::Kind::kWanted,
           .copy = found->second.copy,
           .packed = found->second.packed};
  addReader(*piece.upload);
  return true;
}

void Outbox::sendWanted(const Piece& piece) {
  sendData(piece);
  std::lock_guard lock(mutex_);
  endReading(*piece.upload);
  if (const auto found = named_.find({piece.upload->transfer, piece.offset}); found != named_.end()) settle(found);
}

// --- the end of a call

bool Outbox::needsMemory(const BulkUpload& upload) const {
  if (upload.unanswered == 0) return false;
  const auto first = named_.lower_bound({upload.transfer, 0});
  for (auto it = first; it != named_.end() && it->first.first == upload.transfer; ++it)
    if (!it->second.copy) return true;
  return false;
}

void Outbox::waitSent(const BulkUploadPtr& upload) {
  const NoCancel whole;
  std::unique_lock lock(mutex_);
  sent_.wait(lock, [&] { return upload->finished || upload->allSent; });
  // Nearly all that may be wanted yet has been copied, so that nobody has to wait for the worker's answers.
  sent_.wait(lock, [&] { return upload->finished || !needsMemory(*upload); });
  if (!upload->finished) finish(upload);
  sent_.wait(lock, [&] { return upload->readers == 0; });
}

}  // namespace hipr::client

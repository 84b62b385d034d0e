#include "client/outbox.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "base/errand.h"
#include "base/pause.h"
#include "base/spin.h"
#include "platform/no_cancel.h"
#include "platform/thread.h"

namespace hipr::client {
namespace {

constexpr std::chrono::seconds kStopLimit(10);

}  // namespace

Outbox::Outbox(net::Channel& channel, std::function<void(Status)> onFailure, std::function<void()> onStall)
    : channel_(channel), onFailure_(std::move(onFailure)), onStall_(std::move(onStall)) {}

Outbox::~Outbox() {
  stop();
}

void Outbox::start() {
  writer_ = std::thread([this] { run(); });
}

void Outbox::stop() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
    pending_ = true;
  }
  wake();
  if (!writer_.joinable()) return;
  {
    // A worker that is stuck must not keep this process from ending.
    std::unique_lock lock(mutex_);
    ended_.wait_for(lock, kStopLimit, [this] { return writerEnded_; });
  }
  fail();
  writer_.join();
  for (UploadLane& lane : lanes_)
    if (lane.thread.joinable()) lane.thread.join();
  helpers_.stop();
}

void Outbox::wake() {
  std::lock_guard lock(mutex_);
  work_.notify_one();
}

void Outbox::waitForRoom(std::unique_lock<std::mutex>& lock) {
  const NoCancel whole;
  if (asleep_) work_.notify_one();
  roomy_.wait(lock, [this] { return control_.size() <= kMaxQueued || dead_; });
  if (dead_) control_.clear();
}

template <class Message>
void Outbox::sayIfRoom(wire::Opcode opcode, std::uint32_t flags, const Message& message) {
  {
    std::lock_guard lock(mutex_);
    if (control_.size() > kMaxQueued) return;
  }
  append(opcode, 0, flags, message, false, [] {});
}

void Outbox::ping() {
  sayIfRoom(wire::Opcode::kPing, 0, wire::Ping{});
}

void Outbox::acknowledge(std::uint64_t received) {
  sayIfRoom(wire::Opcode::kAcknowledge, wire::HIP_REMOTE_FLAG_NO_REPLY, wire::Acknowledge{received});
}

void Outbox::enqueue(BulkUploadPtr upload) {
  if (dead_) {
    upload->finished = true;
    return;
  }
  uploads_.push_back(std::move(upload));
  laneWork_.notify_all();
}

void Outbox::letGo(BulkUpload& upload) {
  {
    std::lock_guard lock(mutex_);
    upload.held = false;
    pending_ = true;
  }
  wakeWriter();
}

void Outbox::wakeWriter() {
  if (asleep_.load()) wake();
  laneWork_.notify_all();  // what the writer may send now, a lane may
}

bool Outbox::nothingLeft() const {
  return control_.empty() && wanted_.empty() &&
         std::ranges::all_of(uploads_, [](const BulkUploadPtr& upload) { return upload->held || upload->allSent; });
}

bool Outbox::uploading() {
  std::lock_guard lock(mutex_);
  return std::ranges::any_of(uploads_, [](const BulkUploadPtr& upload) { return upload->late; });
}

bool Outbox::stalled() {
  std::lock_guard lock(mutex_);
  return stalled_ || !named_.empty();
}

void Outbox::open(std::uint64_t transfer) {
  {
    std::lock_guard lock(mutex_);
    for (const BulkUploadPtr& upload : uploads_) {
      if (upload->transfer == transfer) upload->open = true;
    }
    if (const auto node = unopened_.extract(transfer)) unopenedBytes_ -= node.mapped();
  }
  goOn();
}

void Outbox::acknowledged(std::uint64_t position) {
  {
    std::lock_guard lock(mutex_);
    speed_.acknowledged(Clock::now(), position);
    measure(position - std::exchange(acknowledged_, position));
    lineMeasured();
  }
  goOn();
}

void Outbox::lineMeasured() {
  const std::optional<double> one = speed_.bytesPerSecond(), all = laneChoice_.bytesPerSecond();
  naming_.lineIs(all ? all : one);
  packing_.lineIs(all ? all : one);
}

void Outbox::goOn() {
  {
    std::lock_guard lock(mutex_);
    stalled_ = false;
    pending_ = !nothingLeft();
  }
  wakeWriter();
}

void Outbox::fail() {
  dead_ = true;
  channel_.shutdown();  // whoever is sending comes back
  std::lock_guard lock(mutex_);
  named_.clear();
  wanted_.clear();
  unansweredBytes_ = 0;
  while (!uploads_.empty()) finish(BulkUploadPtr(uploads_.front()));
  for (const UploadLane& lane : lanes_)
    if (lane.link) lane.link->shutdown();
  laneWork_.notify_all();
  pending_ = true;
  roomy_.notify_all();
  work_.notify_all();
}

void Outbox::rest() {
  fail();
  std::unique_lock lock(mutex_);
  sent_.wait(lock, [this] { return readers_ == 0; });
}

void Outbox::finish(const BulkUploadPtr& upload) {
  uploads_.remove(upload);
  upload->finished = true;
  if (!upload->late) sent_.notify_all();
}

Outbox::Work Outbox::take(std::size_t mostBulk, Piece& piece) {
  std::lock_guard lock(mutex_);
  if (!control_.empty()) {
    std::swap(control_, outgoing_);
    said_ = 0;
    roomy_.notify_all();
  }
  const Work work = outgoing_.empty() ? Work::kNone : Work::kControl;
  const std::uint64_t unacknowledged = channel_.unacknowledged();
  if (unacknowledged > kMuch) stalled_ = true;
  if (!wanted_.empty() && mostBulk < SIZE_MAX) return work;  // the writer's, however little it is
  if (takeWanted(piece)) return Work::kPiece;
  const bool unmeasured = (naming_.undecided() || packing_.undecided()) && unacknowledged > kMostUnmeasured;
  for (const BulkUploadPtr& upload : uploads_) {
    const std::size_t left = upload->from.bytes() - upload->taken;
    if (upload->held || left == 0 || unacknowledged > kTooMuch) continue;
    if (left > mostBulk) return work;  // the writer's
    const bool blocks = inBlocks(*upload);
    piece = {.upload = upload, .offset = upload->taken, .size = std::min<std::size_t>(left, wire::kMaxDataChunk)};
    if (!upload->open) {
      const std::size_t room = wire::kEagerWindow - unopenedBytes_;
      if (room == 0 || ((blocks || laneChoice_.lanesCarryAll()) && room < piece.size)) {
        stalled_ = true;
        speed_.interrupted();
        continue;
      }
      piece.size = std::min(piece.size, room);
    }
    if (laneChoice_.lanesCarryAll() && isForLane(upload)) continue;
    if (blocks && unmeasured) stalled_ = true;
    if (blocks && (unmeasured || !prepare(upload, piece))) continue;
    takeOut(piece);
    return Work::kPiece;
  }
  piece = {};
  if (work == Work::kNone) pending_.store(false, std::memory_order_relaxed);
  return work;
}

void Outbox::takeOut(const Piece& piece) {
  piece.upload->taken += piece.size;
  addReader(*piece.upload);
  if (piece.upload->open) return;
  unopened_[piece.upload->transfer] += piece.size;
  unopenedBytes_ += piece.size;
}

void Outbox::sendControl() {
  if (!dead_) {
    if (Status status = channel_.send(outgoing_.bytes()); !status.ok()) onFailure_(status);
    bytesSent_ += outgoing_.size();
  }
  outgoing_.clear();
}

void Outbox::sendPiece(const Piece& piece) {
  if (piece.kind == Piece::Kind::kNamed) {
    sendNamed(piece);
  } else if (piece.kind == Piece::Kind::kWanted) {
    return sendWanted(piece);
  } else {
    sendData(piece);
  }
  handedOver(piece);
}

// The last one to get a piece sees to the end.
void Outbox::handedOver(const Piece& piece) {
  BulkUpload& upload = *piece.upload;
  {
    std::lock_guard lock(mutex_);
    upload.given += piece.size;
    if (upload.given != upload.from.bytes()) return endReading(upload);
  }
  if (!upload.late) channel_.settle(upload.transfer);  // otherwise it stays as it is until its copy is done
  std::lock_guard lock(mutex_);
  endReading(upload);
  if (dead_) return;
  upload.allSent = true;
  if (upload.unanswered == 0) return finish(piece.upload);
  if (!upload.late) sent_.notify_all();  // whoever waits for it sees to the rest
}

Outbox::DataFrame::DataFrame(const Piece& piece, std::vector<std::byte>& rows) {
  const BulkUpload& upload = *piece.upload;
  const bool kept = piece.kind != Piece::Kind::kData;
  const OwnBytes& own = piece.packed ? piece.packed : piece.copy;
  bytes_ = own ? wire::Bytes(*own) : upload.from.packed(piece.offset, piece.size, rows);
  const std::uint64_t prefix[3] = {upload.transfer, piece.offset, piece.size};
  const std::size_t prefixed = piece.packed ? wire::kPackedDataPrefix : wire::kDataPrefix;
  const auto opcode = piece.packed ? wire::Opcode::kPackedData : wire::Opcode::kData;
  wire::encodeHeader({.opcode = static_cast<std::uint16_t>(opcode),
                      .flags = wire::HIP_REMOTE_FLAG_NO_REPLY | (kept ? wire::HIP_REMOTE_FLAG_KEEP : 0u),
                      .length = prefixed + bytes_.size()},
                     room_);
  std::memcpy(room_ + wire::kHeaderSize, prefix, prefixed);
  headSize_ = wire::kHeaderSize + prefixed;
}

void Outbox::sendData(const Piece& piece) {
  const BulkUpload& upload = *piece.upload;
  const DataFrame frame(piece, packed_);
  // A copy goes when it has been sent, and what is wanted later may go before it has arrived.
  const bool inPlace = !piece.packed && !piece.copy && upload.from.contiguous() && piece.kind != Piece::Kind::kWanted;
  // Behind the small messages that have come up meanwhile, but in one go with them.
  const net::Transport::Part parts[3] = {outgoing_.bytes(), frame.head(), frame.bytes()};
  const std::uint64_t begin = bytesSent_;
  bytesSent_ += outgoing_.size() + frame.head().size() + frame.bytes().size();
  if (piece.packed) bytesPacked_ += piece.size;
  {
    std::lock_guard lock(mutex_);
    speed_.sending(Clock::now(), begin, bytesSent_);
  }
  Status status;
  if (!dead_) status = inPlace ? channel_.sendLasting({parts, 2}, parts[2], upload.transfer) : channel_.send(parts);
  outgoing_.clear();
  if (!status.ok()) onFailure_(status);
}

void Outbox::send(Work work, Piece& piece) {
  if (work == Work::kControl) return sendControl();
  sendPiece(piece);
  piece.upload.reset();
}

void Outbox::flush() {
  const NoCancel whole;
  if (sending_.try_lock()) {  // otherwise whoever sends sees our bytes before it rests
    {
      std::lock_guard lock(mutex_);
      habit_ = !control_.empty() && Clock::now() - firstQueued_ < kSoon ? std::min(habit_ + 1, kHabit) : 0;
    }
    Piece piece;
    for (Work work; (work = take(kLittleBulk, piece)) != Work::kNone;) send(work, piece);
    sending_.unlock();
  }
  if (pending_.load() && asleep_.load()) wake();
}

void Outbox::flushBeside(const BulkUploadPtr& upload, const std::function<void()>& other) {
  const NoCancel whole;  // a helper may be at what is the caller's
  const auto errand = std::make_shared<Errand>([&] {
    other();
    channel_.settle(upload->transfer);
  });
  (void)helpers_.add([errand] { errand->help(); });
  flush();
  errand->finish();
}

void Outbox::sayGoodbyeAlone() {
  const std::unique_lock sending(sending_, std::try_to_lock), lock(mutex_, std::try_to_lock);
  if (!lock || dead_) return;
  // The writer was ended while it sent: a little is out by now or never will be, of more it may be a part.
  const bool unfinished = !sending && uploads_.empty() && outgoing_.size() <= kAtOnce;
  if (!unfinished && (!sending || !outgoing_.empty())) return;
  if (!unfinished && !control_.empty() && !channel_.sendLast(control_.bytes())) return;
  std::byte goodbye[wire::kHeaderSize];
  wire::encodeHeader(
      {.opcode = static_cast<std::uint16_t>(wire::Opcode::kGoodbye), .flags = wire::HIP_REMOTE_FLAG_NO_REPLY}, goodbye);
  channel_.sendLast(goodbye);
}

// Messages that leave one by one keep two processors taking the same memory from each other, at several times the cost
// of posting: a caller that goes on is left alone for a moment, and what it posts meanwhile leaves together. At first
// only for a short one, since the worker may have nothing to do.
void Outbox::gather() {
  if (!manyProcessors()) return;
  for (const auto until = Clock::now() + gather_; Clock::now() < until;) cpuPause();
  gather_ = std::min(2 * gather_, kLongestGather);
}

// Nothing to do: look again for a moment before resting, since the next call of a busy program is only nanoseconds
// away.
bool Outbox::idle() {
  if (pending_.load(std::memory_order_relaxed)) return true;
  gather_ = kFirstGather;
  for (int i = 0; i < kIdleSpins; ++i) {
    if (pending_.load(std::memory_order_relaxed)) return true;
    cpuPause();
  }
  std::unique_lock lock(mutex_);
  const auto finished = [this] { return stopping_ && nothingLeft(); };
  const auto wanted = [&] { return pending_ || finished(); };
  for (int nap = 0; habit_ == kHabit && nap < kNaps && !finished(); ++nap) {
    const Clock::time_point before = firstQueued_;
    work_.wait_for(lock, kNap, finished);
    if (firstQueued_ != before) nap = 0;
    // Queued since the beginning of the nap and still here: nobody sent it.
    if (std::ranges::any_of(uploads_, [](const BulkUploadPtr& upload) { return !upload->held; }) ||
        (!control_.empty() && Clock::now() - firstQueued_ > kNap)) {
      habit_ = 0;
      return !finished();
    }
  }
  asleep_ = true;
  work_.wait(lock, wanted);
  asleep_ = false;
  return !finished();
}

void Outbox::run() {
  platform::nameThisThread("hip-writer");
  do {
    bool sent = false;
    {
      std::lock_guard sending(sending_);
      Piece piece;
      for (Work work; (work = take(SIZE_MAX, piece)) != Work::kNone;) {
        send(work, piece);
        sent = true;
        if (work == Work::kControl) break;
      }
    }
    if (stalled()) onStall_();
    if (sent) gather();
  } while (idle());
  std::lock_guard lock(mutex_);
  writerEnded_ = true;
  ended_.notify_all();
}

}  // namespace hipr::client

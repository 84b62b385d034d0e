#include "client/outbox.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "base/pause.h"

namespace hipr::client {
namespace {

constexpr std::chrono::seconds kStopLimit(10);

// Bytes [offset, offset + size) of the packed form of `shape`.
void pack(const HostShape& shape, std::size_t offset, std::size_t size, std::byte* out) {
  while (size) {
    const std::size_t row = offset / shape.width, column = offset % shape.width;
    const std::byte* from =
        shape.address + (row / shape.height) * shape.slice + (row % shape.height) * shape.pitch + column;
    const std::size_t n = std::min(size, shape.width - column);
    std::memcpy(out, from, n);
    out += n;
    offset += n;
    size -= n;
  }
}

}  // namespace

Outbox::Outbox(net::Transport& transport, std::function<void(Status)> onFailure)
    : transport_(transport), onFailure_(std::move(onFailure)) {}

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
}

void Outbox::wake() {
  std::lock_guard lock(mutex_);
  work_.notify_one();
}

void Outbox::waitForRoom(std::unique_lock<std::mutex>& lock) {
  if (asleep_) work_.notify_one();
  roomy_.wait(lock, [this] { return control_.size() <= kMaxQueued || dead_; });
  if (dead_) control_.clear();
}

void Outbox::enqueue(BulkUploadPtr upload) {
  if (dead_) {
    upload->finished = true;
    return;
  }
  uploads_.push_back(std::move(upload));
}

void Outbox::waitSent(const BulkUpload& upload) {
  std::unique_lock lock(mutex_);
  sent_.wait(lock, [&] { return upload.finished; });
}

bool Outbox::uploading() {
  std::lock_guard lock(mutex_);
  return std::ranges::any_of(uploads_, [](const BulkUploadPtr& upload) { return upload->late; });
}

bool Outbox::waitingToSend() {
  std::lock_guard lock(mutex_);
  return !uploads_.empty();
}

void Outbox::open(std::uint64_t transfer) {
  {
    std::lock_guard lock(mutex_);
    for (const BulkUploadPtr& upload : uploads_) {
      if (upload->transfer == transfer) upload->open = true;
    }
    if (const auto node = unopened_.extract(transfer)) unopenedBytes_ -= node.mapped();
    pending_ = true;
  }
  if (asleep_.load()) wake();
}

void Outbox::fail() {
  std::lock_guard lock(mutex_);
  dead_ = true;
  while (!uploads_.empty()) finish(BulkUploadPtr(uploads_.front()));
  pending_ = true;
  roomy_.notify_all();
  work_.notify_all();
}

void Outbox::finish(const BulkUploadPtr& upload) {
  uploads_.remove(upload);
  upload->finished = true;
  if (!upload->late) sent_.notify_all();
}

Outbox::Work Outbox::take(bool bulkToo, Piece& piece) {
  std::lock_guard lock(mutex_);
  if (!control_.empty()) {
    std::swap(control_, outgoing_);
    roomy_.notify_all();
    return Work::kControl;
  }
  if (!bulkToo && !uploads_.empty()) return Work::kNone;
  for (const BulkUploadPtr& upload : uploads_) {
    std::size_t size = std::min<std::size_t>(upload->from.bytes() - upload->sent, wire::kMaxDataChunk);
    if (!upload->open) {
      size = std::min<std::size_t>(size, wire::kEagerWindow - unopenedBytes_);
      if (size == 0) continue;
      unopened_[upload->transfer] += size;
      unopenedBytes_ += size;
    }
    piece = {upload, size};
    return Work::kPiece;
  }
  pending_.store(false, std::memory_order_relaxed);
  return Work::kNone;
}

void Outbox::sendControl() {
  if (!dead_) {
    if (Status status = transport_.send(outgoing_.bytes()); !status.ok()) onFailure_(status);
    bytesSent_ += outgoing_.size();
  }
  outgoing_.clear();
}

void Outbox::sendPiece(const Piece& piece) {
  BulkUpload& upload = *piece.upload;
  std::byte head[wire::kHeaderSize + wire::kDataPrefix];
  wire::encodeHeader({.opcode = static_cast<std::uint16_t>(wire::Opcode::kData),
                      .flags = wire::HIP_REMOTE_FLAG_NO_REPLY,
                      .length = wire::kDataPrefix + piece.size},
                     head);
  const std::uint64_t prefix[2] = {upload.transfer, upload.sent};
  std::memcpy(head + wire::kHeaderSize, prefix, sizeof prefix);
  std::byte* bytes = upload.from.address + upload.sent;
  if (!upload.from.contiguous()) {
    packed_.resize(piece.size);
    pack(upload.from, upload.sent, piece.size, packed_.data());
    bytes = packed_.data();
  }
  const net::Transport::Part parts[2] = {head, {bytes, piece.size}};
  bytesSent_ += sizeof head + piece.size;
  const Status status = transport_.send(parts);
  if (!status.ok()) onFailure_(status);
  std::lock_guard lock(mutex_);
  if (dead_) return;
  upload.sent += piece.size;
  if (upload.sent == upload.from.bytes()) finish(piece.upload);
}

void Outbox::flush() {
  if (sending_.try_lock()) {  // otherwise whoever sends sees our bytes before it rests
    Piece none;
    while (take(false, none) == Work::kControl) sendControl();
    sending_.unlock();
  }
  if (pending_.load() && asleep_.load()) wake();
}

// Nothing to do: look again for a moment before sleeping, since the next call of a busy program is only nanoseconds
// away.
bool Outbox::idle() {
  for (int i = 0; i < kIdleSpins; ++i) {
    if (pending_.load(std::memory_order_relaxed)) return true;
    cpuPause();
  }
  std::unique_lock lock(mutex_);
  asleep_ = true;
  const auto finished = [this] { return stopping_ && control_.empty() && uploads_.empty(); };
  work_.wait(lock, [&] { return pending_ || finished(); });
  asleep_ = false;
  return !finished();
}

void Outbox::run() {
  do {
    std::lock_guard sending(sending_);
    Piece piece;
    for (Work work; (work = take(true, piece)) != Work::kNone;) {
      if (work == Work::kControl) {
        sendControl();
      } else {
        sendPiece(piece);
        piece.upload.reset();
      }
    }
  } while (idle());
  std::lock_guard lock(mutex_);
  writerEnded_ = true;
  ended_.notify_all();
}

}  // namespace hipr::client

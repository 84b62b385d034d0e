// Uploads known by content: pieces that the client names instead of sending them, and pieces that are kept so that it
// can. Looking for a block reads a file and hashes a MiB, so it is never the reader's job; nor is keeping one.
#include <thread>

#include "worker/session.h"

namespace hipr::worker {
namespace {

constexpr std::size_t kMostMissing = 1 << 16;      // pieces that were asked for; clients keep to a thousand
constexpr std::uint64_t kMostKeeping = 128 << 20;  // bytes; what comes meanwhile is not kept
constexpr std::chrono::seconds kLastMoments(3);    // for what is still to be kept when the client has left

}  // namespace

// --- Upload

Status Upload::named(std::uint64_t length) {
  if (length == 0 || length > wire::kMaxDataChunk || length > total_ - received_)
    return Status::invalid("a name for data beyond the end of its upload");
  received_ += length;
  std::lock_guard lock(mutex_);
  ++sought_;
  if (state_ == State::kWaiting && !countEarly(length))
    return Status::invalid("more early data than the window allows");
  return {};
}

void Upload::found(Staging::Block block, std::uint64_t offset, std::uint64_t length) {
  Piece piece{std::move(block), offset, length};
  {
    std::lock_guard lock(mutex_);
    --sought_;
    if (state_ == State::kAbandoned) return;
    if (state_ == State::kWaiting) return early_.push_back(std::move(piece));
  }
  place(std::move(piece));
}

void Upload::missing(std::uint64_t offset, std::uint64_t length) {
  std::lock_guard lock(mutex_);
  --sought_;
  if (missing_.emplace(offset, length).second) ++context_.missing;
}

bool Upload::takeMissing(std::uint64_t offset, std::uint64_t length) {
  std::lock_guard lock(mutex_);
  const auto found = missing_.find(offset);
  if (found == missing_.end() || found->second != length) return false;
  missing_.erase(found);
  --context_.missing;
  return true;
}

bool Upload::complete() {
  std::lock_guard lock(mutex_);
  return received_ == total_ && sought_ == 0 && missing_.empty();
}

bool Upload::abandoned() {
  std::lock_guard lock(mutex_);
  return state_ == State::kAbandoned;
}

// --- Session

hipError_t Session::onNamedData(const wire::NamedData& m) {
  forgetUploads();
  const auto found = uploads_.find(m.transfer);
  if (!dataCache_.keeps() || found == uploads_.end() || m.offset != found->second->received()) {
    refuse("a name for data that does not belong anywhere");
    return hipSuccess;
  }
  const std::shared_ptr<Upload> upload = found->second;
  if (!mayExpect(*upload, m.size)) return hipSuccess;
  SeriesPtr& series = seeking_[nextSeeker_++ % kSeekers];
  if (!series) series = std::make_shared<Series>();
  crew_.add(series, [this, upload, m] { findData(upload, m); });
  return hipSuccess;
}

bool Session::mayExpect(Upload& upload, std::uint64_t size) {
  // What has not come is remembered, piece by piece, and a piece may be a single byte.
  if (sought_.fetch_add(1) >= wire::kMostUnanswered || transferContext_.missing > kMostMissing) {
    refuse("too many pieces at once that do not come in their places");
    return false;
  }
  if (Status status = upload.named(size); !status.ok()) {
    refuse(status.message());
    return false;
  }
  return true;
}

void Session::findData(const std::shared_ptr<Upload>& upload, const wire::NamedData& m) {
  hipError_t why = hipSuccess;
  Staging::Block block = upload->abandoned() ? nullptr : staging_.take(m.size, &why);
  if (!block) upload->abandon(why);  // unless it has been
  const bool known = !block || dataCache_.load(m.name, {block.get(), m.size});
  if (known) {
    upload->found(std::move(block), m.offset, m.size);  // nothing, where it will not come to its place
  } else {
    upload->missing(m.offset, m.size);
  }
  if (known) SessionCounters::add(outbox_.counters().bytesKnown, m.size);
  answerData(upload, m.transfer, m.offset, known);
}

void Session::answerData(const std::shared_ptr<Upload>& upload, std::uint64_t transfer, std::uint64_t offset,
                         bool here) {
  --sought_;
  push(outbox_, wire::Opcode::kNamedDataAnswer, wire::NamedDataAnswer{transfer, offset, here});
  if (!upload->complete()) return;
  std::lock_guard lock(completeMutex_);
  complete_.emplace_back(transfer, upload);
}

void Session::forgetUploads() {
  std::lock_guard lock(completeMutex_);
  for (const auto& [number, upload] : complete_) {
    const auto found = uploads_.find(number);
    if (found != uploads_.end() && found->second == upload) uploads_.erase(found);
  }
  complete_.clear();
}

void Session::keepData(Staging::Block block, std::uint64_t size) {
  if (keepingBytes_.fetch_add(size) > kMostKeeping) {
    keepingBytes_ -= size;
    return;
  }
  crew_.add(keeping_, [this, block = std::move(block), size] {
    dataCache_.store({block.get(), size});
    SessionCounters::add(outbox_.counters().bytesKept, size);
    keepingBytes_ -= size;
  });
}

void Session::finishKeeping() {
  const auto end = Clock::now() + kLastMoments;
  while (keepingBytes_ != 0 && crew_.busy() && Clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
}

}  // namespace hipr::worker

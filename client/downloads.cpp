// Connection: memory that downloads are written to, by whoever reads and by lanes (download_lanes.h), and by nobody
// when the call that it belongs to has ended.
#include <algorithm>

#include "client/connection.h"

namespace hipr::client {
namespace {

constexpr std::size_t kLeastMeasured = 32 << 10;  // bytes: what is smaller tells nothing of a line

// From the first byte to the last, whatever lies between rows.
bool overlap(const HostShape& a, const HostShape& b) {
  const auto end = [](const HostShape& s) {
    return s.address + (s.depth - 1) * s.slice + (s.height - 1) * s.pitch + s.width;
  };
  return a.address < end(b) && b.address < end(a);
}

}  // namespace

// Everything that is counted of all downloads follows.
template <class Change>
void Connection::change(BulkDownload& download, Change&& change) {
  uncount(download);
  change(download);
  waitingBytes_ += download.left();
  underWay_ += download.underWay();
  lostPieces_ += download.lost.size();
}

void Connection::uncount(const BulkDownload& download) {
  waitingBytes_ -= download.left();
  underWay_ -= download.underWay();
  lostPieces_ -= download.lost.size();
}

void Connection::addDownload(std::uint64_t transfer, const BulkDownload& download) {
  std::lock_guard lock(mutex_);
  downloads_[transfer] = download;
  downloadCount_ = downloads_.size();
  waitingBytes_ += download.left();
}

bool Connection::removeDownload(std::uint64_t transfer) {
  std::unique_lock lock(mutex_);
  placed_.wait(lock, [&] { return std::ranges::find(placing_, transfer) == placing_.end(); });
  const auto node = downloads_.extract(transfer);
  if (node.empty()) return false;
  downloadCount_ = downloads_.size();
  uncount(node.mapped());
  return node.mapped().left() == 0;
}

bool Connection::downloadsInto(const HostShape& memory) {
  if (downloadCount_.load(std::memory_order_acquire) == 0) return false;
  std::lock_guard lock(mutex_);
  return std::ranges::any_of(downloads_, [&](const auto& entry) { return overlap(entry.second.to, memory); });
}

bool Connection::transferring() {
  return downloadCount_.load(std::memory_order_acquire) != 0 || outbox_.uploading();
}

void Connection::dropDownloads() {
  downloads_.clear();
  downloadCount_ = waitingBytes_ = underWay_ = lostPieces_ = 0;
}

// --- the session's own connection

Status Connection::place(std::uint64_t transfer, std::uint64_t offset, std::size_t size, HostShape& to) {
  bool first = false;
  {
    std::lock_guard lock(mutex_);
    const auto found = downloads_.find(transfer);
    if (found == downloads_.end()) return Status::invalid("data for a download nobody asked for");
    BulkDownload& download = found->second;
    const auto lost = download.lost.find(offset);
    const bool again = lost != download.lost.end() && lost->second == size;
    if (!again && (offset != download.received || size > download.to.bytes() - download.received))
      return Status::invalid("data outside its download");
    first = underWay_ == 0;
    change(download, [&](BulkDownload& d) {
      again ? d.onLanes -= size : d.received += size;
      if (again) d.lost.erase(lost);
    });
    to = download.to;
    placing_.push_back(transfer);
  }
  if (first && size >= kLeastMeasured && downloadLanes_.started()) downloadLanes_.resumed();
  return {};
}

void Connection::placed(std::uint64_t transfer) {
  {
    std::lock_guard lock(mutex_);
    placing_.erase(std::ranges::find(placing_, transfer));
  }
  placed_.notify_all();
}

void Connection::measure(std::size_t bytes) {
  if (bytes < kLeastMeasured || !downloadLanes_.started()) return;
  std::uint64_t waiting = 0;
  {
    std::lock_guard lock(mutex_);
    waiting = waitingBytes_;
  }
  downloadLanes_.arrived(bytes, waiting);
}

// --- lanes

bool Connection::announced(wire::Bytes payload) {
  wire::LaneData piece;
  wire::Reader reader(payload);
  reader.get(piece);
  if (!reader.ok() || !reader.atEnd() || piece.size == 0 || piece.size > wire::kMaxDataChunk) return false;
  bool first = false;
  {
    std::lock_guard lock(mutex_);
    const auto found = downloads_.find(piece.transfer);
    if (found == downloads_.end()) return dead_;
    BulkDownload& download = found->second;
    if (piece.offset != download.received || piece.size > download.to.bytes() - download.received) return false;
    if (lostPieces_ >= 2 * wire::kMostUnanswered) return false;  // those are to come first
    first = underWay_ == 0;
    change(download, [&](BulkDownload& d) {
      d.received += piece.size;
      d.onLanes += piece.size;
    });
  }
  if (first && downloadLanes_.started()) downloadLanes_.resumed();
  return downloadLanes_.announced(piece);
}

void Connection::pieceCame(const wire::LaneData& piece, wire::Bytes bytes, std::size_t travelled) {
  HostShape to;
  bool wanted = false;
  {
    std::lock_guard lock(mutex_);
    if (const auto found = downloads_.find(piece.transfer); found != downloads_.end()) {
      to = found->second.to;
      placing_.push_back(piece.transfer);
      wanted = true;
    }
  }
  if (wanted) {  // its bounds were judged when it was announced
    to.unpack(piece.offset, bytes);
    {
      std::lock_guard lock(mutex_);
      if (const auto found = downloads_.find(piece.transfer); found != downloads_.end())
        change(found->second, [&](BulkDownload& d) { d.onLanes -= piece.size; });
    }
    placed(piece.transfer);
  }
  answerPiece(piece, true);
  stats_.received.fetch_add(travelled, std::memory_order_relaxed);
  if (travelled < bytes.size()) stats_.unpacked.fetch_add(bytes.size(), std::memory_order_relaxed);
  measure(travelled);
}

void Connection::pieceLost(const wire::LaneData& piece) {
  {
    std::lock_guard lock(mutex_);
    if (const auto found = downloads_.find(piece.transfer); found != downloads_.end())
      change(found->second, [&](BulkDownload& d) { d.lost.emplace(piece.offset, piece.size); });
  }
  answerPiece(piece, false);
}

void Connection::answerPiece(const wire::LaneData& piece, bool came) {
  if (!outbox_.say(wire::Opcode::kNamedDataAnswer, wire::NamedDataAnswer{piece.transfer, piece.offset, came}))
    lose(Status::invalid("more pieces of downloads than may be unanswered"));
}

}  // namespace hipr::client

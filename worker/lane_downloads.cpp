#include "worker/lane_downloads.h"

#include <algorithm>
#include <system_error>

#include "base/log.h"
#include "platform/thread.h"
#include "worker/data_frame.h"

namespace hipr::worker {

// --- which lanes

void LaneDownloads::use(const Links& links, std::uint64_t least, bool all) {
  std::lock_guard lock(mutex_);
  if (stopped_) return;
  sweep();
  for (Sender& sender : senders_)
    if (!links.contains(sender.number)) sender.retired = true;
  for (const auto& [number, link] : links) {
    if (std::ranges::find(senders_, number, &Sender::number) != senders_.end()) continue;
    Sender& sender = senders_.emplace_back(number, link);
    try {
      sender.thread = std::thread([this, &sender] { serve(sender); });
    } catch (const std::system_error&) {  // no room for a thread
      senders_.pop_back();
      link->shutdown();  // the client does not count on it
    }
  }
  all_ = all;
  least_ = idlest() ? least : UINT64_MAX;
  changed_.notify_all();
}

void LaneDownloads::sweep() {
  senders_.remove_if([](Sender& sender) {
    if (sender.over) sender.thread.join();  // it has nothing more to do
    return sender.over;
  });
}

LaneDownloads::Sender* LaneDownloads::idlest() {
  Sender* best = nullptr;
  for (Sender& sender : senders_) {
    if (sender.retired || sender.over) continue;
    if (!best || sender.queue.size() < best->queue.size()) best = &sender;
  }
  return best;
}

void LaneDownloads::stop() {
  std::list<Sender> senders;
  {
    std::lock_guard lock(mutex_);
    stopped_ = true;
    least_ = UINT64_MAX;
    for (Sender& sender : senders_) sender.link->shutdown();
    senders.splice(senders.end(), senders_);
    changed_.notify_all();
  }
  for (Sender& sender : senders) sender.thread.join();
  std::lock_guard lock(mutex_);
  pieces_.clear();
}

// --- pieces

bool LaneDownloads::take(std::uint64_t transfer, std::uint64_t offset, Staging::Block block, std::uint64_t size) {
  std::unique_lock lock(mutex_);
  for (;;) {
    if (sendLost(transfer, lock)) continue;
    Sender* const sender = stopped_ ? nullptr : idlest();
    if (!sender) return false;
    const bool room = pieces_.size() < wire::kMostUnanswered && bytes_ + size <= most_;
    if (room && sender->queue.size() < kAhead) {
      // The word about it stands where the piece would. Under the lock: a lane's pieces come in the order of the words.
      push(outbox_, wire::Opcode::kLaneData, wire::LaneData{transfer, offset, size, sender->number});
      const Piece piece{std::move(block), size};
      pieces_.emplace(Place{transfer, offset}, piece);
      bytes_ += size;
      sender->queue.emplace_back(Place{transfer, offset}, piece);
      changed_.notify_all();
      return true;
    }
    if (!all_ || lost_ != 0 || size > most_) return false;  // what others have lost is kept until they come to it
    changed_.wait(lock);
  }
}

bool LaneDownloads::answered(const wire::NamedDataAnswer& answer) {
  std::lock_guard lock(mutex_);
  const auto found = pieces_.find({answer.transfer, answer.offset});
  if (found == pieces_.end() || found->second.state != Piece::State::kOut) return stopped_;
  if (answer.known || !found->second.wanted) {
    erase(found);
  } else {
    found->second.state = Piece::State::kLost;
    ++lost_;
  }
  changed_.notify_all();
  return true;
}

void LaneDownloads::erase(Pieces::iterator piece) {
  bytes_ -= piece->second.size;
  pieces_.erase(piece);
}

bool LaneDownloads::none(std::uint64_t transfer) const {
  const auto first = pieces_.lower_bound({transfer, 0});
  return first == pieces_.end() || first->first.first != transfer;
}

LaneDownloads::Pieces::iterator LaneDownloads::find(std::uint64_t transfer, Piece::State state) {
  auto it = pieces_.lower_bound({transfer, 0});
  while (it != pieces_.end() && it->first.first == transfer && it->second.state != state) ++it;
  return it != pieces_.end() && it->first.first == transfer ? it : pieces_.end();
}

bool LaneDownloads::arrived(std::uint64_t transfer) {
  std::lock_guard lock(mutex_);
  return none(transfer);
}

bool LaneDownloads::allAnswered(std::uint64_t transfer) {
  std::lock_guard lock(mutex_);
  return find(transfer, Piece::State::kOut) == pieces_.end();
}

void LaneDownloads::awaitArrival(std::uint64_t transfer) {
  std::unique_lock lock(mutex_);
  while (!stopped_ && !none(transfer))
    if (!sendLost(transfer, lock)) changed_.wait(lock);
}

bool LaneDownloads::sendLost(std::uint64_t transfer, std::unique_lock<std::mutex>& lock) {
  const auto lost = find(transfer, Piece::State::kLost);
  if (stopped_ || lost == pieces_.end()) return false;
  const Place place = lost->first;
  const Piece piece = lost->second;
  lost->second.state = Piece::State::kSending;  // others who wait for it wait on
  --lost_;
  lock.unlock();
  {
    const DataFrame frame(packing_, transfer, place.second, {piece.block.get(), piece.size});
    outbox_.sendBulk(frame.head(), frame.body(), transfer);
    outbox_.settle(transfer);  // the block is used again
  }
  lock.lock();
  if (const auto sent = pieces_.find(place); sent != pieces_.end()) erase(sent);
  changed_.notify_all();
  return true;
}

void LaneDownloads::abandon(std::uint64_t transfer) {
  std::unique_lock lock(mutex_);
  const auto sending = [&] { return find(transfer, Piece::State::kSending) != pieces_.end(); };
  changed_.wait(lock, [&] { return stopped_ || !sending(); });
  for (auto it = pieces_.lower_bound({transfer, 0}); it != pieces_.end() && it->first.first == transfer;) {
    const auto piece = it++;
    piece->second.wanted = false;
    if (piece->second.state != Piece::State::kLost) continue;
    --lost_;
    erase(piece);
  }
  changed_.notify_all();
}

// --- a lane

bool LaneDownloads::next(Sender& sender, std::pair<Place, Piece>& piece) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return stopped_ || sender.retired || !sender.queue.empty(); });
  if (stopped_ || sender.queue.empty()) return false;
  piece = std::move(sender.queue.front());
  sender.queue.pop_front();
  changed_.notify_all();  // there is room for another one
  return true;
}

void LaneDownloads::serve(Sender& sender) {
  platform::nameThisThread("hip-lane-out");
  Status status;
  for (std::pair<Place, Piece> next; status.ok() && this->next(sender, next); next = {}) {
    const auto& [place, piece] = next;
    const DataFrame frame(packing_, place.first, place.second, {piece.block.get(), piece.size});
    const net::Transport::Part parts[] = {frame.head(), frame.body()};
    status = sender.link->send(parts);
    outbox_.counters().sent(frame.head().size() + frame.body().size());
  }
  logDebug("downloads have lane %u no more: %s", sender.number, status.ok() ? "it ends" : status.message().c_str());
  // The client takes what was sent, and says of everything else that was announced that it did not come.
  if (status.ok()) {
    sender.link->finishSending();
  } else {
    sender.link->shutdown();
  }
  std::lock_guard lock(mutex_);
  sender.over = true;
  sender.queue.clear();
  if (!stopped_ && !idlest()) least_ = UINT64_MAX;
  changed_.notify_all();
}

}  // namespace hipr::worker

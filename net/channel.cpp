#include "net/channel.h"

#include <algorithm>
#include <vector>

#include "platform/input_watch.h"
#include "platform/thread.h"

namespace hipr::net {
namespace {

constexpr std::size_t kMostKept = 32 << 20;  // copies, while the connection is down
// Copies at any time. A peer that keeps to the protocol acknowledges every few MiB, so there are never more than a line
// holds, at 10 Gbit/s and 100 ms as much as this; one that says nothing need not be waited for after a cut.
constexpr std::size_t kMostUnacknowledged = 128 << 20;
constexpr std::uint64_t kAcknowledgeEvery = 2 << 20;  // bytes
constexpr std::size_t kAgain = 256 << 10;             // sent again in one go
constexpr std::chrono::milliseconds kFirstPause(20), kLongestPause(1000);

Status ended() {
  return Status::unavailable("the connection was ended here");
}

}  // namespace

Channel::~Channel() {
  stop();
}

void Channel::stop() {
  shutdown();
  if (mender_.joinable()) mender_.join();
}

Channel::Link Channel::link() const {
  std::lock_guard lock(mutex_);
  return link_;
}

void Channel::closeInChild() {
  link_.reset();
}

void Channel::keepSent() {
  std::lock_guard lock(mutex_);
  keeping_ = true;
}

void Channel::stopKeeping() {
  keeping_ = awaiting_ = false;
  kept_.clear();
}

void Channel::forgetSent() {
  std::lock_guard lock(mutex_);
  stopKeeping();
  if (state_ == State::kDown) die(ended());
}

void Channel::awaitReturn() {
  std::lock_guard lock(mutex_);
  awaiting_ = true;
}

bool Channel::resumable() {
  std::lock_guard lock(mutex_);
  return mayResume() && state_ != State::kDead;
}

void Channel::mendBy(Mending mending) {
  std::lock_guard lock(mutex_);
  mending_ = std::move(mending);
}

// --- breaking

void Channel::die(const Status& why) {
  if (state_ == State::kDead) return;
  if (state_ == State::kDown) link_->succeed(*link_);  // those who await have to hear of it
  state_ = State::kDead;
  why_ = why;
  changed_.notify_all();
}

void Channel::broke(const Link& link, const Status& why) {
  std::function<void(const Status&)> onCut;
  {
    std::lock_guard lock(mutex_);
    if (link != link_ || state_ != State::kUp) return;
    link->shutdown();
    if (!mayResume()) return die(why);
    if (const auto watchers = link->watchers()) watchers->watch(platform::kNoSocket);
    cuts_.fetch_add(1, std::memory_order_relaxed);
    state_ = State::kDown;
    resending_ = false;
    if (mending_.reconnect) {
      if (!mender_.joinable()) mender_ = std::thread([this] { mend(); });
      onCut = mending_.onCut;
    }
    changed_.notify_all();
  }
  if (onCut) onCut(why);
}

void Channel::distrust(const Status& why) {
  broke(link(), why);
}

void Channel::shutdown() {
  std::lock_guard lock(mutex_);
  die(ended());
  if (link_) link_->shutdown();
}

void Channel::finishSending() {
  forgetSent();  // and whatever the peer does now is no cut
  link()->finishSending();
}

// --- sending

void Channel::keep(std::span<const Part> parts) {
  if (!keeping_) return;
  for (const Part& part : parts) kept_.copy(part);
  boundKept();
}

void Channel::boundKept() {
  if (kept_.copied() > kMostUnacknowledged && passing()) giveUpKeeping();
}

void Channel::giveUpKeeping() {
  if (!passing()) return die(Status::unavailable("the peer acknowledges too little to get the rest once more"));
  stopKeeping();
  gaveUp_ = true;
}

Status Channel::sendLasting(std::span<const Part> parts, Part lasting, std::uint64_t owner, Part behind) {
  Link link;
  {
    Lock lock(mutex_);
    changed_.wait(
        lock, [&] { return passing() || state_ == State::kDead || (lasting.empty() && kept_.copied() < kMostKept); });
    if (state_ == State::kDead) return why_;
    keep(parts);
    if (keeping_) kept_.refer(lasting, owner);
    if (!behind.empty()) keep({&behind, 1});
    if (!passing()) return {};
    link = link_;
  }
  std::vector<Part> all(parts.begin(), parts.end());
  if (!lasting.empty()) all.push_back(lasting);
  if (!behind.empty()) all.push_back(behind);
  if (Status status = link->send(all); !status.ok()) broke(link, status);
  std::lock_guard lock(mutex_);
  return state_ == State::kDead ? why_ : Status{};
}

Status Channel::trySend(Part bytes, std::size_t* taken) {
  *taken = 0;
  Link link;
  Status status;
  {
    // What the peer may have has to be kept before it can acknowledge it, or ask for it again.
    std::lock_guard lock(mutex_);
    if (state_ == State::kDead) return why_;
    if (passing()) {
      link = link_;
      status = link->trySend(bytes, taken);
      if (!status.ok()) *taken = bytes.size();  // a connection that broke does not say how much of it got through
    } else if (kept_.copied() < kMostKept) {
      *taken = bytes.size();
    }
    const Part whole = bytes.first(*taken);
    keep({&whole, 1});
  }
  if (status.ok()) return {};
  broke(link, status);
  std::lock_guard lock(mutex_);
  return state_ == State::kDead ? why_ : Status{};
}

bool Channel::sendLast(Part bytes) {
  const Lock lock(mutex_, std::try_to_lock);
  return lock && passing() && link_->sendLast(bytes);
}

void Channel::settle(std::uint64_t owner) {
  std::lock_guard lock(mutex_);
  if (keeping_ && !kept_.settle(owner, kMostUnacknowledged)) giveUpKeeping();
}

void Channel::settle(Part memory) {
  std::lock_guard lock(mutex_);
  if (keeping_ && !kept_.settle(memory, kMostUnacknowledged)) giveUpKeeping();
}

// --- acknowledging

bool Channel::acknowledge(std::uint64_t position) {
  std::lock_guard lock(mutex_);
  return !keeping_ || kept_.acknowledge(position);
}

bool Channel::acknowledgementDue(std::uint64_t& position) {
  position = received_.load(std::memory_order_relaxed);
  if (position - acknowledgedReceipt_ < kAcknowledgeEvery) return false;
  {
    std::lock_guard lock(mutex_);
    if (state_ == State::kDead || !(mayResume() || gaveUp_)) return false;  // the peer still counts on it
  }
  acknowledgedReceipt_ = position;
  return true;
}

std::uint64_t Channel::unacknowledged() {
  std::lock_guard lock(mutex_);
  return keeping_ ? kept_.end() - kept_.acknowledged() : 0;
}

std::uint64_t Channel::sent() {
  std::lock_guard lock(mutex_);
  return keeping_ ? kept_.end() : 0;
}

// --- receiving

Status Channel::receive(std::span<const Room> rooms, Patience patience, std::size_t* got) {
  *got = 0;
  for (;;) {
    {
      std::lock_guard reading(receiving_);
      const Link now = link();
      const Status status = now->receive(rooms, patience, got);
      received_.fetch_add(*got, std::memory_order_relaxed);
      if (status.ok()) return {};
      broke(now, status);
    }
    Lock lock(mutex_);
    if (patience == Patience::kWait) changed_.wait(lock, [this] { return state_ != State::kDown; });
    if (state_ == State::kDead) return why_;
    if (state_ == State::kDown) return {};  // for now there is nothing
  }
}

void Channel::setTimeout(int milliseconds) {
  std::lock_guard lock(mutex_);
  timeout_ = milliseconds;
  link_->setTimeout(milliseconds);
}

// --- another connection

Status Channel::install(TransportPtr link, std::uint64_t peerReceived) {
  if (peerReceived < kept_.acknowledged() || !kept_.acknowledge(peerReceived))
    return Status::invalid("the peer has other bytes than were sent to it");
  link->setTimeout(timeout_);
  link->succeed(*link_);
  link_ = std::move(link);
  cursor_ = peerReceived;
  resending_ = true;
  state_ = State::kUp;
  changed_.notify_all();
  return {};
}

void Channel::resend(Lock& lock) {
  std::vector<std::byte> again(kAgain);
  const Link link = link_;
  while (link == link_ && state_ == State::kUp) {
    const std::size_t n = kept_.read(cursor_, again);
    if (n == 0) {
      resending_ = false;
      changed_.notify_all();
      return;
    }
    cursor_ += n;
    lock.unlock();
    if (Status status = link->send(Part(again).first(n)); !status.ok()) broke(link, status);
    lock.lock();
  }
}

Status Channel::adopt(TransportPtr link, std::uint64_t peerReceived, const Greet& greet) {
  broke(this->link(), Status::unavailable("the peer has another connection"));
  Lock lock(mutex_, std::defer_lock);
  {
    std::lock_guard reading(receiving_);  // whoever was receiving has returned: what has been received is final
    if (Status status = greet(*link, received_); !status.ok()) return status;
    lock.lock();
    if (state_ != State::kDown) return state_ == State::kDead ? why_ : ended();
    if (Status status = install(std::move(link), peerReceived); !status.ok()) {
      die(status);
      return status;
    }
  }
  resend(lock);  // while others receive: the peer may have as much to send again, and nobody would take it
  return {};
}

bool Channel::reconnect(Lock& lock) {
  TransportPtr fresh;
  std::uint64_t peerReceived = 0;
  lock.unlock();
  Status status;
  {
    std::lock_guard reading(receiving_);
    status = mending_.reconnect(received_, fresh, peerReceived);
    lock.lock();
    if (status.ok() && state_ == State::kDown) status = install(std::move(fresh), peerReceived);
  }
  if (!status.ok() && !status.away()) die(status);
  if (!status.ok()) why_ = status;  // of the end, should this be the last attempt
  return status.ok();
}

void Channel::mend() {
  platform::nameThisThread("hip-mender");
  Lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return state_ != State::kUp; });
    if (state_ == State::kDead) return;
    const auto end = std::chrono::steady_clock::now() + mending_.patience;
    for (auto pause = kFirstPause; state_ == State::kDown && !reconnect(lock);
         pause = std::min(2 * pause, kLongestPause)) {
      if (std::chrono::steady_clock::now() + pause >= end) die(Status(why_));
      changed_.wait_for(lock, pause, [this] { return state_ != State::kDown; });
    }
    if (state_ == State::kDead) return;
    resend(lock);
    if (state_ == State::kUp && mending_.onMended) {
      lock.unlock();
      mending_.onMended();
      lock.lock();
    }
  }
}

}  // namespace hipr::net

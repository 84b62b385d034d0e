#include "client/connection.h"

#include <algorithm>
#include <chrono>

#include "base/monotonic.h"
#include "base/trace.h"
#include "platform/caller.h"
#include "platform/thread.h"

namespace hipr::client {
namespace {

constexpr std::size_t kReadBuffer = 256 << 10;
constexpr std::chrono::milliseconds kBreather(10);  // threads that wait now and then read for themselves meanwhile
constexpr std::chrono::microseconds kSoon(50);
constexpr int kHabit = 4;  // times in a row that somebody came soon to read what was asked for

}  // namespace

Connection::Connection(net::TransportPtr transport, std::string name, int ioTimeout, Stats& stats)
    : channel_(std::make_unique<net::Channel>(std::move(transport))),
      name_(std::move(name)),
      ioTimeout_(ioTimeout),
      stats_(stats),
      outbox_(
          *channel_, [this](Status why) { lose(why); }, [this] { stalled(); }),
      downloadLanes_(
          {[this](const wire::LaneData& piece, wire::Bytes bytes, std::size_t size) { pieceCame(piece, bytes, size); },
           [this](const wire::LaneData& piece) { pieceLost(piece); },
           [this](const wire::DownloadLanes& lanes) { (void)outbox_.say(wire::Opcode::kDownloadLanes, lanes); }}),
      buffer_(kReadBuffer) {
  channel_->setTimeout(std::max(1, ioTimeout * 1000 / 4));
}

Connection::~Connection() {
  stop();
}

void Connection::start(PushHandler onPush, std::function<void(const std::string&)> onLoss,
                       std::function<void()> onRest) {
  onPush_ = std::move(onPush);
  onLoss_ = std::move(onLoss);
  onRest_ = std::move(onRest);
  outbox_.start();
  background_ = std::thread([this] { readInBackground(); });
}

void Connection::closeInChild() {
  channel_->closeInChild();
  outbox_.closeLanesInChild();
  downloadLanes_.closeInChild();
  [[maybe_unused]] static net::Channel* abandoned;  // its threads cannot be joined here
  abandoned = channel_.release();
}

void Connection::useLanes(net::When when, const OpenLane& open, bool up, bool down) {
  if (up) outbox_.useLanes(when, open);
  if (down) downloadLanes_.start(when, open, std::chrono::seconds(ioTimeout_));
}

void Connection::stop() {
  stopping_ = true;  // first: the worker hangs up as soon as it has read the goodbye
  if (!channel_) return;
  channel_->forgetSent();  // and that is no cut
  if (outbox_.started())
    outbox_.append(wire::Opcode::kGoodbye, 0, wire::HIP_REMOTE_FLAG_NO_REPLY, wire::Goodbye{}, false, [] {});
  outbox_.stop();
  downloadLanes_.stop();
  channel_->stop();
  {
    std::lock_guard lock(mutex_);
    wakeBackground_.notify_all();
  }
  if (background_.joinable()) background_.join();
  dropAll();
  output_.finish();
}

void Connection::lose(const Status& why) {
  if (dead_ || lost_.exchange(true)) return;
  if (onLoss_ && !stopping_) {  // first, since a program that sees a call fail may end at once
    onLoss_("lost the worker at " + name_ + ": " + why.message() +
            ". The GPU work of this process is gone; start the program again, or reset the device");
  }
  dead_ = true;
  outbox_.fail();
  dropAll();
}

void Connection::dropAll() {
  std::map<std::uint32_t, Question> waiting;
  {
    std::lock_guard lock(mutex_);
    dead_ = true;
    dropDownloads();
    wakeBackground_.notify_all();
    waiting.swap(waiting_);
  }
  for (auto& [request, question] : waiting) tell(question, {});
}

void Connection::rest() {
  const NoCancel whole;
  outbox_.rest();
  if (onRest_) onRest_();
  std::unique_lock lock(mutex_);
  dropDownloads();  // whoever lost the connection may not have come to it
  placed_.wait(lock, [this] { return placing_.empty(); });
}

// --- who waits for what

std::uint32_t Connection::enter(wire::Opcode opcode, Entry entry) {
  {
    std::lock_guard lock(mutex_);
    if (!dead_) {
      const std::uint32_t request = nextRequest_;
      nextRequest_ = nextRequest_ == UINT32_MAX ? 1 : nextRequest_ + 1;
      if (std::holds_alternative<std::unique_ptr<Pending>>(entry) && expected_.fetch_add(1) == 0) {
        askedAt_ = Clock::now();
        if (habit_ < kHabit) wakeBackground_.notify_one();
      }
      waiting_.emplace(request, Question{opcode, std::move(entry)});
      return request;
    }
  }
  rest();
  Question refused{opcode, std::move(entry)};
  tell(refused, {});
  return 0;
}

bool Connection::enterBeside(std::uint32_t request, Waiter& waiter) {
  std::lock_guard lock(mutex_);
  const auto found = waiting_.find(request);
  if (found == waiting_.end()) return false;
  found->second.beside.push_back(&waiter);
  return true;
}

bool Connection::tell(Question& question, wire::Bytes reply) {
  auto* const pending = std::get_if<std::unique_ptr<Pending>>(&question.entry);
  if (pending) {
    (*pending)->answered(reply);
  } else {
    tell(*std::get<Waiter*>(question.entry), reply);
  }
  for (Waiter* waiter : question.beside) tell(*waiter, reply);
  return !pending || !question.beside.empty();
}

void Connection::tell(Waiter& waiter, wire::Bytes reply) {
  waiter.reply.assign(reply.begin(), reply.end());
  waiter.state.store(reply.data() ? Waiter::kAnswered : Waiter::kLost, std::memory_order_release);
  platform::wakeOne(waiter.state);
}

bool Connection::finish(const wire::Header& header, wire::Bytes reply) {
  std::map<std::uint32_t, Question>::node_type node;
  {
    std::lock_guard lock(mutex_);
    const auto found = waiting_.find(header.request);
    if (found == waiting_.end() || found->second.opcode != static_cast<wire::Opcode>(header.opcode)) return false;
    node = waiting_.extract(found);
  }
  if (std::holds_alternative<std::unique_ptr<Pending>>(node.mapped().entry)) expected_.fetch_sub(1);
  answeredWaiter_ = tell(node.mapped(), reply);
  return true;
}

namespace {

// A wait inside a HIP call, for the trace. Waits of our own threads are nobody's.
class TracedWait {
 public:
  TracedWait(const Outbox& outbox, const Stats& stats) : outbox_(outbox), stats_(stats) {
    if (trace::enabled()) [[unlikely]]
      begin_ = trace::currentCall() ? monotonicNs() : 0;
  }
  ~TracedWait() {
    if (begin_ != 0) [[unlikely]]
      tell();
  }
  TracedWait(const TracedWait&) = delete;
  TracedWait& operator=(const TracedWait&) = delete;

 private:
  void tell() const {
    trace::wait({.name = trace::currentCall(), .begin = begin_, .end = monotonicNs(), .thread = platform::threadId()},
                platform::callingModule(), outbox_.bytesSent(), stats_.received.load(std::memory_order_relaxed));
  }

  const Outbox& outbox_;
  const Stats& stats_;
  std::uint64_t begin_ = 0;
};

}  // namespace

bool Connection::await(Waiter& waiter) {
  const TracedWait traced(outbox_, stats_);
  if (expected_ > 0) {
    const std::lock_guard lock(mutex_);
    habit_ = Clock::now() - askedAt_ < kSoon ? std::min(habit_ + 1, kHabit) : 0;
  }
  for (;;) {
    const int state = waiter.state.load(std::memory_order_acquire);
    if (state == Waiter::kAnswered) return true;
    if (state == Waiter::kLost) break;
    std::unique_lock lock(mutex_);
    if (startReading(lock)) {
      ++turns_;
      eager_ = true;
      lock.unlock();
      Status status;
      while (status.ok() && waiter.state.load(std::memory_order_acquire) < Waiter::kAnswered) status = readFrame();
      if (!status.ok()) lose(status);
      lock.lock();
      eager_ = false;
      stopReading(lock);
      continue;
    }
    int lead = Waiter::kLead;  // somebody else was quicker
    waiter.state.compare_exchange_strong(lead, Waiter::kWaiting);
    sleepers_.push_back(&waiter);
    lock.unlock();
    platform::waitWhile(waiter.state, Waiter::kWaiting);
    lock.lock();
    std::erase(sleepers_, &waiter);
  }
  rest();
  return false;
}

void Connection::expect(int by) {
  if (expected_.fetch_add(by) == 0 && by > 0) {
    std::lock_guard lock(mutex_);
    wakeBackground_.notify_one();
  }
}

void Connection::stalled() {
  std::lock_guard lock(mutex_);
  wakeBackground_.notify_one();
}

// --- who reads

bool Connection::startReading(std::unique_lock<std::mutex>&) {
  if (reading_ || dead_) return false;
  reading_ = true;
  return true;
}

void Connection::stopReading(std::unique_lock<std::mutex>&) {
  reading_ = false;
  for (Waiter* sleeper : sleepers_) {
    int waiting = Waiter::kWaiting;
    if (!sleeper->state.compare_exchange_strong(waiting, Waiter::kLead)) continue;
    platform::wakeOne(sleeper->state);
    return;
  }
  if (expected_ > 0 || outbox_.stalled()) wakeBackground_.notify_one();
}

void Connection::readInBackground() {
  platform::nameThisThread("hip-reader");
  std::unique_lock lock(mutex_);
  for (std::uint64_t turns = 0; !dead_;) {
    // Somebody reads, or did a moment ago and will soon again.
    if (reading_ || (turns_ != turns && expected_ == 0 && !outbox_.stalled())) {
      turns = turns_;
      wakeBackground_.wait_for(lock, kBreather);
      continue;
    }
    if (!sleepers_.empty()) {  // one of them has been told to
      wakeBackground_.wait_for(lock, kBreather);
      continue;
    }
    if (!startReading(lock)) continue;
    if (expected_ > 0 && Clock::now() - askedAt_ > kSoon) habit_ = 0;  // nobody came
    lock.unlock();
    Status status;
    do {
      answeredWaiter_ = false;
      status = readFrame();
    } while (status.ok() && (buffered() || !answeredWaiter_));
    if (!status.ok()) lose(status);
    lock.lock();
    if (answeredWaiter_) ++turns_;  // it will wait again, and then rather read itself
    stopReading(lock);
  }
}

void Connection::poll() {
  const NoCancel whole;
  std::unique_lock lock(mutex_);
  if (!startReading(lock)) return;
  lock.unlock();
  Status status;
  for (;;) {
    if (!buffered()) {
      const net::Transport::Room room(buffer_);
      std::size_t got = 0;
      status = channel_->receive({&room, 1}, net::Transport::Patience::kNone, &got);
      begin_ = 0;
      end_ = got;
      if (!status.ok() || got == 0) break;
      stats_.received.fetch_add(got, std::memory_order_relaxed);
    }
    status = readFrame();
    if (!status.ok()) break;
  }
  if (!status.ok()) lose(status);
  lock.lock();
  stopReading(lock);
  lock.unlock();
  output_.settle();
}

}  // namespace hipr::client

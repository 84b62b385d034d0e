#include "client/connection.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "base/monotonic.h"
#include "base/trace.h"
#include "platform/caller.h"
#include "platform/thread.h"

namespace hipr::client {
namespace {

constexpr std::size_t kReadBuffer = 256 << 10;
constexpr std::chrono::milliseconds kBreather(10);  // threads that wait now and then read for themselves meanwhile

std::byte* rowAddress(const HostShape& shape, std::size_t row) {
  return shape.address + (row / shape.height) * shape.slice + (row % shape.height) * shape.pitch;
}

// Where bytes [offset, offset + size) of the packed form are, one after the other.
template <class Visit>
void forEachRun(const HostShape& shape, std::size_t offset, std::size_t size, Visit&& visit) {
  const std::size_t span = shape.contiguous() ? shape.bytes() : shape.width;
  while (size) {
    const std::size_t n = std::min(size, span - offset % span);
    visit(rowAddress(shape, shape.contiguous() ? 0 : offset / span) + offset % span, n);
    offset += n;
    size -= n;
  }
}

// From the first byte to the last, whatever lies between rows.
bool overlap(const HostShape& a, const HostShape& b) {
  const auto end = [](const HostShape& s) {
    return s.address + (s.depth - 1) * s.slice + (s.height - 1) * s.pitch + s.width;
  };
  return a.address < end(b) && b.address < end(a);
}

}  // namespace

Connection::Connection(net::TransportPtr transport, std::string name, int ioTimeout, Stats& stats)
    : channel_(std::make_unique<net::Channel>(std::move(transport))),
      name_(std::move(name)),
      ioTimeout_(ioTimeout),
      stats_(stats),
      outbox_(
          *channel_, [this](Status why) { lose(why); }, [this] { stalled(); }),
      buffer_(kReadBuffer) {
  channel_->setTimeout(std::max(1, ioTimeout * 1000 / 4));
}

Connection::~Connection() {
  stop();
}

void Connection::start(PushHandler onPush, std::function<void(const std::string&)> onLoss) {
  onPush_ = std::move(onPush);
  onLoss_ = std::move(onLoss);
  outbox_.start();
  background_ = std::thread([this] { readInBackground(); });
}

void Connection::closeInChild() {
  channel_->closeInChild();
  [[maybe_unused]] static net::Channel* abandoned;  // its threads cannot be joined here
  abandoned = channel_.release();
}

void Connection::stop() {
  stopping_ = true;  // first: the worker hangs up as soon as it has read the goodbye
  if (!channel_) return;
  channel_->forgetSent();  // and that is no cut
  if (outbox_.started())
    outbox_.append(wire::Opcode::kGoodbye, 0, wire::HIP_REMOTE_FLAG_NO_REPLY, wire::Goodbye{}, false, [] {});
  outbox_.stop();
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
  channel_->shutdown();
  outbox_.fail();
  dropAll();
}

void Connection::dropAll() {
  std::map<std::uint32_t, Question> waiting;
  {
    std::lock_guard lock(mutex_);
    dead_ = true;
    waiting.swap(waiting_);
    downloads_.clear();
    downloadCount_ = 0;
    wakeBackground_.notify_all();
  }
  for (auto& [request, question] : waiting) tell(question.entry, {});
}

// --- who waits for what

std::uint32_t Connection::enter(wire::Opcode opcode, Entry entry) {
  {
    std::lock_guard lock(mutex_);
    if (!dead_) {
      const std::uint32_t request = nextRequest_;
      nextRequest_ = nextRequest_ == UINT32_MAX ? 1 : nextRequest_ + 1;
      if (std::holds_alternative<std::unique_ptr<Pending>>(entry) && expected_.fetch_add(1) == 0)
        wakeBackground_.notify_one();
      waiting_.emplace(request, Question{opcode, std::move(entry)});
      return request;
    }
  }
  tell(entry, {});
  return 0;
}

bool Connection::tell(Entry& entry, wire::Bytes reply) {
  if (auto* pending = std::get_if<std::unique_ptr<Pending>>(&entry)) {
    (*pending)->answered(reply);
    return false;
  }
  Waiter& waiter = *std::get<Waiter*>(entry);
  waiter.reply.assign(reply.begin(), reply.end());
  waiter.state.store(reply.data() ? Waiter::kAnswered : Waiter::kLost, std::memory_order_release);
  platform::wakeOne(waiter.state);
  return true;
}

bool Connection::finish(const wire::Header& header, wire::Bytes reply) {
  std::map<std::uint32_t, Question>::node_type node;
  {
    std::lock_guard lock(mutex_);
    const auto found = waiting_.find(header.request);
    if (found == waiting_.end() || found->second.opcode != static_cast<wire::Opcode>(header.opcode)) return false;
    node = waiting_.extract(found);
  }
  Entry& entry = node.mapped().entry;
  if (std::holds_alternative<std::unique_ptr<Pending>>(entry)) expected_.fetch_sub(1);
  answeredWaiter_ = tell(entry, reply);
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
  for (;;) {
    const int state = waiter.state.load(std::memory_order_acquire);
    if (state == Waiter::kAnswered || state == Waiter::kLost) return state == Waiter::kAnswered;
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

bool Connection::late() {
  const Clock::time_point now = Clock::now();
  if (messageEnd_ == Clock::time_point{})
    messageEnd_ = now + std::chrono::seconds(ioTimeout_) * (1 + coming_ / wire::kMaxDataChunk);
  return now >= messageEnd_;
}

Status Connection::giveUp(const Status& why) {
  if (!channel_->resumable()) return why;
  channel_->distrust(why);
  return {};
}

// Waits for bytes. A worker always answers a Ping at once, so silence while something is outstanding means that it, or
// the way to it, is gone.
Status Connection::receive(std::span<const net::Transport::Room> rooms, std::size_t* got) {
  Status status;
  const bool came = eager_ && spin_([&] {
                      status = channel_->receive(rooms, net::Transport::Patience::kNone, got);
                      return !status.ok() || *got;
                    });
  std::uint64_t cuts = channel_->cuts();
  for (int silent = 0; !came && status.ok(); ++silent) {
    if (begun_ && late()) {  // what is here already counts, however long this process has slept
      status = channel_->receive(rooms, net::Transport::Patience::kNone, got);
      if (!status.ok() || *got) break;
      status = giveUp(Status::unavailable("a message did not arrive whole within " + std::to_string(ioTimeout_) +
                                          " s (TF_IO_TIMEOUT)"));
    } else if (silent > 4) {
      status = giveUp(Status::unavailable("no answer for " + std::to_string(ioTimeout_) + " s (TF_IO_TIMEOUT)"));
    }
    if (status.ok()) status = channel_->receive(rooms, net::Transport::Patience::kWait, got);
    if (!status.ok() || *got) break;
    if (channel_->cuts() != cuts) {  // another connection has as much time
      cuts = channel_->cuts();
      silent = 0;
      messageEnd_ = {};
    }
    if (outbox_.started()) outbox_.ping();
  }
  if (!status.ok()) return status;
  stats_.received.fetch_add(*got, std::memory_order_relaxed);
  return {};
}

Status Connection::fill(void* out, std::size_t size) {
  auto* at = static_cast<std::byte*>(out);
  while (size) {
    if (!buffered()) {
      // Large: straight to its place. What comes behind it goes into the buffer.
      const net::Transport::Room rooms[2] = {{at, size >= buffer_.size() ? size : 0}, buffer_};
      std::size_t got = 0;
      if (Status status = receive(rooms, &got); !status.ok()) return status;
      const std::size_t direct = std::min(got, rooms[0].size());
      at += direct;
      size -= direct;
      begin_ = 0;
      end_ = got - direct;
      continue;
    }
    const std::size_t n = std::min(size, end_ - begin_);
    std::memcpy(at, buffer_.data() + begin_, n);
    begin_ += n;
    begun_ = true;
    at += n;
    size -= n;
  }
  return {};
}

void Connection::addDownload(std::uint64_t transfer, const BulkDownload& download) {
  std::lock_guard lock(mutex_);
  downloads_[transfer] = download;
  downloadCount_ = downloads_.size();
}

bool Connection::removeDownload(std::uint64_t transfer) {
  std::lock_guard lock(mutex_);
  const auto node = downloads_.extract(transfer);
  downloadCount_ = downloads_.size();
  return !node.empty() && node.mapped().received == node.mapped().to.bytes();
}

bool Connection::downloadsInto(const HostShape& memory) {
  if (downloadCount_.load(std::memory_order_acquire) == 0) return false;
  std::lock_guard lock(mutex_);
  return std::ranges::any_of(downloads_, [&](const auto& entry) { return overlap(entry.second.to, memory); });
}

bool Connection::transferring() {
  {
    std::lock_guard lock(mutex_);
    if (!downloads_.empty()) return true;
  }
  return outbox_.uploading();
}

Status Connection::place(std::uint64_t transfer, std::uint64_t offset, std::size_t size, HostShape& to) {
  std::lock_guard lock(mutex_);
  const auto found = downloads_.find(transfer);
  if (found == downloads_.end()) return Status::invalid("data for a download nobody asked for");
  BulkDownload& download = found->second;
  if (offset != download.received || size > download.to.bytes() - download.received)
    return Status::invalid("data outside its download");
  download.received += size;
  to = download.to;
  return {};
}

Status Connection::receiveData(const wire::Header& header) {
  const bool packed = header.opcode == static_cast<std::uint16_t>(wire::Opcode::kPackedData);
  const std::size_t prefixed = packed ? wire::kPackedDataPrefix : wire::kDataPrefix;
  std::uint64_t prefix[3] = {};
  if (header.length < prefixed) return Status::invalid("truncated data frame");
  if (Status status = fill(prefix, prefixed); !status.ok()) return status;
  const std::size_t coming = header.length - prefixed, size = packed ? prefix[2] : coming;
  if (packed && (size > wire::kMaxDataChunk || coming >= size))
    return Status::invalid("packed data of no sensible size");
  HostShape to;
  if (Status status = place(prefix[0], prefix[1], size, to); !status.ok()) return status;
  if (packed) return unpack(to, prefix[1], size, coming);
  Status status;
  forEachRun(to, prefix[1], size, [&](std::byte* at, std::size_t n) {
    if (status.ok()) status = fill(at, n);
  });
  return status;
}

Status Connection::unpack(const HostShape& to, std::size_t offset, std::size_t size, std::size_t packed) {
  payload_.resize(packed);
  if (Status status = fill(payload_.data(), packed); !status.ok()) return status;
  unpacked_.resize(size);
  if (!unpacker_.unpack(payload_, unpacked_)) return Status::invalid("packed data that cannot be unpacked");
  const std::byte* from = unpacked_.data();
  forEachRun(to, offset, size, [&](std::byte* at, std::size_t n) {
    std::memcpy(at, from, n);
    from += n;
  });
  stats_.unpacked.fetch_add(size, std::memory_order_relaxed);
  return {};
}

bool Connection::handle(const wire::Header& header, wire::Bytes payload) {
  const auto opcode = static_cast<wire::Opcode>(header.opcode);
  if (header.flags & wire::HIP_REMOTE_FLAG_REPLY) {
    if (header.request == 0 && opcode == wire::Opcode::kPing) return true;
    return finish(header, payload);
  }
  if (opcode == wire::Opcode::kAcknowledge) return acknowledged(payload);
  return opcode == wire::Opcode::kOutput ? print(payload) : onPush_(opcode, payload);
}

bool Connection::acknowledged(wire::Bytes payload) {
  wire::Acknowledge message;
  wire::Reader reader(payload);
  reader.get(message);
  if (!reader.ok() || !reader.atEnd() || !channel_->acknowledge(message.received)) return false;
  outbox_.acknowledged(message.received);
  return true;
}

bool Connection::print(wire::Bytes payload) {
  wire::Output output;
  wire::Reader reader(payload);
  reader.get(output);
  if (!reader.ok() || !reader.atEnd() || (output.stream != 1 && output.stream != 2)) return false;
  output_.add(output.stream, output.text);
  return true;
}

Status Connection::readFrame() {
  if (std::uint64_t position = 0; channel_->acknowledgementDue(position)) outbox_.acknowledge(position);
  std::byte head[wire::kHeaderSize];
  wire::Header header;
  begun_ = false;
  messageEnd_ = {};
  coming_ = sizeof head;
  if (Status status = fill(head, sizeof head); !status.ok()) return status;
  if (!wire::decodeHeader(head, header) || header.version != wire::kProtocolVersion)
    return Status::invalid("malformed frame header");
  coming_ = header.length;
  if (header.opcode == static_cast<std::uint16_t>(wire::Opcode::kData) ||
      header.opcode == static_cast<std::uint16_t>(wire::Opcode::kPackedData))
    return receiveData(header);
  payload_.resize(header.length);
  if (Status status = fill(payload_.data(), payload_.size()); !status.ok()) return status;
  static const std::byte empty{};
  // An empty answer is still an answer: only a lost connection gives a null pointer.
  const wire::Bytes bytes = payload_.empty() ? wire::Bytes(&empty, 0) : wire::Bytes(payload_);
  if (handle(header, bytes)) return {};
  const bool answer = header.flags & wire::HIP_REMOTE_FLAG_REPLY;
  return Status::invalid(std::string(answer ? "an answer to no question: " : "a message that makes no sense: ") +
                         wire::opcodeName(header.opcode));
}

}  // namespace hipr::client

#include "client/connection.h"

#include <poll.h>

#include <algorithm>
#include <cstring>

#include "base/pause.h"

namespace hipr::client {
namespace {

constexpr std::size_t kReadBuffer = 256 << 10;
constexpr int kReplySpins = 2000;

std::byte* rowAddress(const HostShape& shape, std::size_t row) {
  return shape.address + (row / shape.height) * shape.slice + (row % shape.height) * shape.pitch;
}

}  // namespace

Connection::Connection(net::Socket socket, std::string name, int ioTimeout, Stats& stats)
    : socket_(std::move(socket)),
      name_(std::move(name)),
      ioTimeout_(ioTimeout),
      stats_(stats),
      outbox_(socket_, [this](Status why) { lose(why); }),
      buffer_(kReadBuffer) {
  socket_.tune(ioTimeout);
}

Connection::~Connection() {
  stop();
}

void Connection::start(PushHandler onPush, std::function<void(const std::string&)> onLoss) {
  onPush_ = std::move(onPush);
  onLoss_ = std::move(onLoss);
  outbox_.start();
  reader_ = std::thread([this] { read(); });
}

void Connection::stop() {
  stopping_ = true;  // first: the worker hangs up as soon as it has read the goodbye
  if (outbox_.started())
    outbox_.append(wire::Opcode::kGoodbye, 0, wire::HIP_REMOTE_FLAG_NO_REPLY, wire::Goodbye{}, false, [] {});
  outbox_.stop();
  socket_.shutdown();
  if (reader_.joinable()) reader_.join();
  dropAll();
}

void Connection::lose(const Status& why) {
  if (dead_.exchange(true)) return;
  socket_.shutdown();
  outbox_.fail();
  if (onLoss_ && !stopping_) {
    onLoss_("lost the worker at " + name_ + ": " + why.message() +
            ". The GPU work of this process is gone; start the program again, or reset the device");
  }
  dropAll();
}

void Connection::dropAll() {
  std::map<std::uint32_t, Entry> waiting;
  {
    std::lock_guard lock(mutex_);
    dead_ = true;
    waiting.swap(waiting_);
    downloads_.clear();
  }
  for (auto& [request, entry] : waiting) {
    entry.pending->answered({});
    if (entry.owned) delete entry.pending;
  }
}

std::uint32_t Connection::enter(Pending& pending, bool owned) {
  {
    std::lock_guard lock(mutex_);
    if (!dead_) {
      const std::uint32_t request = nextRequest_;
      nextRequest_ = nextRequest_ == UINT32_MAX ? 1 : nextRequest_ + 1;
      waiting_[request] = {&pending, owned};
      return request;
    }
  }
  pending.answered({});
  if (owned) delete &pending;
  return 0;
}

void Connection::finish(std::uint32_t request, wire::Bytes reply) {
  Entry entry;
  {
    std::lock_guard lock(mutex_);
    const auto found = waiting_.find(request);
    if (found == waiting_.end()) return;
    entry = found->second;
    waiting_.erase(found);
  }
  entry.pending->answered(reply);
  if (entry.owned) delete entry.pending;
}

void Connection::Waiter::answered(wire::Bytes reply) {
  const bool lost = reply.data() == nullptr;
  reply_.assign(reply.begin(), reply.end());
  state_.store(lost ? 2 : 1, std::memory_order_release);
  state_.notify_one();
}

bool Connection::Waiter::wait() {
  for (int i = 0; i < kReplySpins && state_.load(std::memory_order_acquire) == 0; ++i) cpuPause();
  state_.wait(0, std::memory_order_acquire);
  return state_.load(std::memory_order_acquire) == 1;
}

void Connection::addDownload(std::uint64_t transfer, const BulkDownload& download) {
  std::lock_guard lock(mutex_);
  downloads_[transfer] = download;
}

void Connection::removeDownload(std::uint64_t transfer) {
  std::lock_guard lock(mutex_);
  downloads_.erase(transfer);
}

bool Connection::transferring() {
  {
    std::lock_guard lock(mutex_);
    if (!downloads_.empty()) return true;
  }
  return outbox_.uploading();
}

// Waits for bytes. A worker always answers a Ping at once, so silence while something is outstanding means it is gone.
Status Connection::refill() {
  begin_ = end_ = 0;
  for (int silent = 0;; ++silent) {
    pollfd entry{socket_.fd(), POLLIN, 0};
    const int ready = ::poll(&entry, 1, std::max(1, ioTimeout_ * 1000 / 4));
    if (ready > 0) break;
    if (silent >= 4) return Status::unavailable("no answer for " + std::to_string(ioTimeout_) + " s (TF_IO_TIMEOUT)");
    if (reader_.joinable()) outbox_.append(wire::Opcode::kPing, 0, 0, wire::Ping{}, false, [] {});
  }
  std::size_t got = 0;
  if (Status status = socket_.receiveSome(buffer_.data(), buffer_.size(), &got); !status.ok()) return status;
  if (got == 0) return Status::unavailable("the worker closed the connection");
  stats_.received.fetch_add(got, std::memory_order_relaxed);
  end_ = got;
  return {};
}

Status Connection::fill(void* out, std::size_t size) {
  auto* at = static_cast<std::byte*>(out);
  while (size) {
    if (begin_ == end_) {
      if (size >= buffer_.size()) {  // large: past the buffer, straight to its place
        stats_.received.fetch_add(size, std::memory_order_relaxed);
        return socket_.receive(at, size);
      }
      if (Status status = refill(); !status.ok()) return status;
    }
    const std::size_t n = std::min(size, end_ - begin_);
    std::memcpy(at, buffer_.data() + begin_, n);
    begin_ += n;
    at += n;
    size -= n;
  }
  return {};
}

Status Connection::receiveData(const wire::Header& header) {
  std::uint64_t prefix[2];
  if (header.length < sizeof prefix) return Status::invalid("truncated data frame");
  if (Status status = fill(prefix, sizeof prefix); !status.ok()) return status;
  std::size_t size = header.length - sizeof prefix;
  BulkDownload download;
  {
    std::lock_guard lock(mutex_);
    const auto found = downloads_.find(prefix[0]);
    if (found == downloads_.end()) return Status::invalid("data for a download nobody asked for");
    if (prefix[1] != found->second.received || size > found->second.to.bytes() - found->second.received) {
      return Status::invalid("data outside its download");
    }
    download = found->second;
    found->second.received += size;
  }
  std::size_t offset = prefix[1];
  while (size) {
    const HostShape& to = download.to;
    const std::size_t span = to.contiguous() ? to.bytes() : to.width;
    const std::size_t n = std::min(size, span - offset % span);
    if (Status status = fill(rowAddress(to, to.contiguous() ? 0 : offset / span) + offset % span, n); !status.ok()) {
      return status;
    }
    offset += n;
    size -= n;
  }
  return {};
}

bool Connection::handle(const wire::Header& header, wire::Bytes payload) {
  if (header.flags & wire::HIP_REMOTE_FLAG_REPLY) {
    if (header.request) finish(header.request, payload);
    return true;
  }
  return onPush_(static_cast<wire::Opcode>(header.opcode), payload);
}

void Connection::read() {
  std::vector<std::byte> payload;
  std::byte empty{};
  for (;;) {
    std::byte head[wire::kHeaderSize];
    wire::Header header;
    Status status = fill(head, sizeof head);
    if (status.ok() && !wire::decodeHeader(head, header)) status = Status::invalid("malformed frame header");
    if (status.ok() && header.opcode == static_cast<std::uint16_t>(wire::Opcode::kData)) {
      status = receiveData(header);
    } else if (status.ok()) {
      payload.resize(header.length);
      status = fill(payload.data(), payload.size());
      // An empty answer is still an answer: only a lost connection gives a null pointer.
      const wire::Bytes bytes = payload.empty() ? wire::Bytes(&empty, 0) : wire::Bytes(payload);
      if (status.ok() && !handle(header, bytes)) {
        status = Status::invalid(std::string("malformed message ") + wire::opcodeName(header.opcode));
      }
    }
    if (!status.ok()) return lose(status);
  }
}

}  // namespace hipr::client

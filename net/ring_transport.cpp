#include "net/ring_transport.h"

#include <algorithm>
#include <chrono>
#include <new>
#include <optional>

#include "net/ring.h"

namespace hipr::net {
namespace {

using Clock = std::chrono::steady_clock;

// Small enough to stay in the processor's caches, and for a small message not to wait long behind bulk data.
constexpr std::size_t kCapacity = 1 << 20;
constexpr std::size_t kWordsSize = 4096;
static_assert(2 * sizeof(RingWords) <= kWordsSize);

// A writer that waits for room looks this often whether the reader still exists. There is no rest without work: whoever
// waits for bytes sleeps on the connection.
constexpr int kLookMilliseconds = 50;

RingWords& wordsIn(std::span<std::byte> memory, int direction) {
  return reinterpret_cast<RingWords*>(memory.data())[direction];
}

std::span<std::byte> areaIn(std::span<std::byte> memory, int direction) {
  return memory.subspan(kWordsSize + static_cast<std::size_t>(direction) * kCapacity, kCapacity);
}

class RingTransport final : public Transport {
 public:
  RingTransport(TransportPtr below, platform::SharedMemory memory, RingSide side, int ioTimeoutSeconds)
      : below_(std::move(below)),
        memory_(std::move(memory)),
        patience_(ioTimeoutSeconds),
        out_(wordsIn(memory_.bytes(), side == RingSide::kFirst ? 0 : 1),
             areaIn(memory_.bytes(), side == RingSide::kFirst ? 0 : 1)),
        in_(wordsIn(memory_.bytes(), side == RingSide::kFirst ? 1 : 0),
            areaIn(memory_.bytes(), side == RingSide::kFirst ? 1 : 0)) {}

  Status send(std::span<const Part> parts) override {
    auto end = Clock::now() + patience_;
    for (Part part : parts) {
      while (!part.empty()) {
        std::size_t taken = 0;
        if (Status status = trySend(part, &taken); !status.ok()) return status;
        part = part.subspan(taken);
        if (part.empty()) continue;
        if (taken) {
          end = Clock::now() + patience_;
        } else if (Clock::now() >= end) {
          return Status::unavailable("sending: the peer did not respond in time");
        }
        if (Status status = awaitRoom(); !status.ok()) return status;
      }
    }
    return {};
  }

  Status trySend(Part bytes, std::size_t* taken) override {
    *taken = 0;
    while (*taken < bytes.size()) {
      if (ended_.load(std::memory_order_relaxed)) return Status::unavailable("the connection was ended here");
      const std::size_t n = out_.write(bytes.subspan(*taken));
      if (n == kRingLies) return lies();
      if (n == 0) break;
      *taken += n;
      if (out_.readerWantsWaking())
        if (Status status = ringBell(); !status.ok()) return status;
    }
    return {};
  }

  Status sendMemory(Part, const platform::SharedMemory& memory) override {
    const std::byte ring{};
    return below_->sendMemory({&ring, 1}, memory);
  }
  Status takeMemory(std::size_t size, platform::SharedMemory& out) override {
    for (;;) {
      const bool gone = gone_;
      Status status = below_->takeMemory(size, out);
      if (status.code() != Code::kNotFound || gone || !hear(Patience::kNone)) return status;
    }
  }

  Status receive(std::span<const Room> rooms, Patience patience, std::size_t* got) override {
    std::optional<Clock::time_point> end;  // rings of the bell do not stretch the time that there is for bytes
    for (*got = 0;;) {
      const bool gone = gone_.load();  // before the last look at what it has left
      if (Status status = take(rooms, got); !status.ok() || *got) return status;
      if (gone) return Status::unavailable("the peer closed the connection");
      if (patience == Patience::kNone) return {};
      if (!in_.prepareToSleep()) continue;
      const bool heard = hear(Patience::kWait);
      in_.stopSleeping();
      if (!heard || (end && Clock::now() >= *end)) return take(rooms, got);
      if (!end && timeout_) end = Clock::now() + std::chrono::milliseconds(timeout_);
    }
  }

  void setTimeout(int milliseconds) override {
    timeout_ = milliseconds;
    below_->setTimeout(milliseconds);
  }

  void finishSending() override { below_->finishSending(); }
  void shutdown() override {
    ended_ = true;
    below_->shutdown();
    out_.stopSleeping();
    platform::wakeSleepers(out_.bed());
  }

  Ready await(int milliseconds) override {
    const Ready ready = below_->await(milliseconds);
    if (ready == Ready::kInput) hear(Patience::kNone);
    return ready;
  }
  bool watchAgain() override { return !gone_ && in_.prepareToSleep() && below_->watchAgain(); }
  void wake() override { below_->wake(); }

  std::string peer() const override { return below_->peer(); }
  const char* kind() const override { return "shm"; }

 private:
  static Status lies() { return Status::invalid("the peer's position in shared memory is impossible"); }

  // A bell that cannot be rung because too many rings wait to be heard has been rung.
  Status ringBell() {
    const std::byte ring{};
    std::size_t taken = 0;
    return below_->trySend({&ring, 1}, &taken);
  }

  // Takes in rings of the bell, and learns of the peer's end. False: nothing came in time.
  bool hear(Patience patience) {
    std::byte rings[64];
    const Room room(rings);
    std::size_t got = 0;
    if (!below_->receive({&room, 1}, patience, &got).ok()) gone_ = true;
    return got || gone_;
  }

  Status take(std::span<const Room> rooms, std::size_t* got) {
    for (Room room : rooms) {
      while (!room.empty()) {
        const std::size_t n = in_.read(room);
        if (n == kRingLies) return lies();
        if (n == 0) return {};
        *got += n;
        room = room.subspan(n);
        if (in_.writerWantsWaking()) platform::wakeSleepers(in_.writersBed());
      }
    }
    return {};
  }

  Status awaitRoom() {
    if (!out_.prepareToSleep()) return {};
    platform::sleepWhile(out_.bed(), 1, kLookMilliseconds);
    if (out_.bed().load() == 0) return {};
    out_.stopSleeping();
    return ringBell();  // fails when nobody would hear it
  }

  const TransportPtr below_;
  const platform::SharedMemory memory_;
  const std::chrono::seconds patience_;
  RingWriter out_;
  RingReader in_;
  int timeout_ = 0;
  std::atomic<bool> gone_{false};   // the peer; what it has left behind can still be received
  std::atomic<bool> ended_{false};  // by shutdown()
};

}  // namespace

std::size_t ringMemorySize() {
  return kWordsSize + 2 * kCapacity;
}

Status makeRingMemory(platform::SharedMemory& out) {
  platform::SharedMemory memory;
  if (Status status = platform::SharedMemory::make(ringMemorySize(), memory); !status.ok()) return status;
  if (Status status = memory.map(); !status.ok()) return status;
  for (int direction : {0, 1}) new (&wordsIn(memory.bytes(), direction)) RingWords{};
  // The second side has not begun to listen: its first bytes come with a ring of the bell.
  wordsIn(memory.bytes(), 0).readerSleeps = 1;
  out = std::move(memory);
  return {};
}

Status overRing(TransportPtr below, platform::SharedMemory memory, RingSide side, int ioTimeoutSeconds,
                TransportPtr& out) {
  if (memory.bytes().empty())
    if (Status status = memory.map(); !status.ok()) return status;
  out = std::make_unique<RingTransport>(std::move(below), std::move(memory), side, ioTimeoutSeconds);
  return {};
}

}  // namespace hipr::net

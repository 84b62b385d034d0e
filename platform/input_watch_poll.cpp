// For systems without epoll: one of the waiting threads polls, the others wait for their turn.
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>

#include "platform/input_watch.h"

namespace hipr::platform {

struct InputWatch::Parts {
  SocketHandle socket;
  SocketHandle wake[2];  // what is written to the first ends a poll
  std::mutex mutex;
  std::condition_variable changed;
  bool armed = true, polling = false;
  int woken = 0;

  // Gives somebody else the turn.
  void pass() {
    polling = false;
    changed.notify_one();
  }
  // Whoever polls begins anew, with what it is to poll now.
  void interrupt() {
    const std::byte one{1};
    const std::span<const std::byte> part(&one, 1);
    if (polling) (void)sendParts(wake[0], {&part, 1}, Patience::kNone);
  }
};

InputWatch::InputWatch(SocketHandle socket) : parts_(std::make_unique<Parts>()) {
  parts_->socket = socket;
  if (!socketPair(parts_->wake)) std::abort();  // nothing can be served
}

InputWatch::~InputWatch() {
  for (const SocketHandle end : parts_->wake) closeSocket(end);
}

InputWatch::Ready InputWatch::await(int milliseconds) {
  using Clock = std::chrono::steady_clock;
  Parts& p = *parts_;
  const auto end = Clock::now() + std::chrono::milliseconds(milliseconds);
  std::unique_lock lock(p.mutex);
  for (;;) {
    if (p.woken > 0) {
      --p.woken;
      return Ready::kWoken;
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
    if (milliseconds >= 0 && left < 0) return Ready::kTimeout;
    if (!p.polling) {
      p.polling = true;
      const SocketHandle socket = p.armed ? p.socket : kNoSocket;
      lock.unlock();
      const auto [input, woken] = awaitReadable(socket != kNoSocket ? socket : p.wake[1], p.wake[1],
                                                milliseconds < 0 ? -1 : static_cast<int>(left));
      lock.lock();
      if (woken) {
        std::byte bytes[64];
        const std::span<std::byte> room(bytes);
        (void)receiveParts(p.wake[1], {&room, 1}, Patience::kNone);
      }
      p.pass();
      if (socket != kNoSocket && socket == p.socket && p.armed && input) {
        p.armed = false;
        return Ready::kInput;
      }
      if (!woken && milliseconds >= 0 && Clock::now() >= end) return Ready::kTimeout;
    } else if (milliseconds < 0) {
      p.changed.wait(lock);
    } else {
      p.changed.wait_until(lock, end);
    }
  }
}

void InputWatch::watchAgain() {
  const std::lock_guard lock(parts_->mutex);
  parts_->armed = true;
  parts_->interrupt();
}

void InputWatch::watch(SocketHandle socket) {
  const std::lock_guard lock(parts_->mutex);
  parts_->socket = socket;
  parts_->interrupt();
}

void InputWatch::wake() {
  const std::lock_guard lock(parts_->mutex);
  ++parts_->woken;
  parts_->interrupt();
  parts_->changed.notify_one();
}

}  // namespace hipr::platform

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <mutex>

#include "platform/input_watch.h"

namespace hipr::platform {
namespace {

// One-shot: whoever is told of input is the only one, so nobody else wakes up for it.
void change(int poll, int operation, int socket, bool armed) {
  epoll_event event{};
  event.events = EPOLLONESHOT | (armed ? EPOLLIN | EPOLLRDHUP : 0u);
  event.data.u64 = 0;
  ::epoll_ctl(poll, operation, socket, &event);
}

}  // namespace

struct InputWatch::Parts {
  int poll, woken;
  std::mutex mutex;  // guards what follows
  SocketHandle socket = kNoSocket;
  bool told = false;  // of input
};

InputWatch::InputWatch(SocketHandle socket)
    : parts_(new Parts{::epoll_create1(EPOLL_CLOEXEC), ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE), {}}) {
  // Out of descriptors before the first byte: nothing can be served.
  if (parts_->poll < 0 || parts_->woken < 0) std::abort();
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = 1;
  ::epoll_ctl(parts_->poll, EPOLL_CTL_ADD, parts_->woken, &event);
  watch(socket);
}

InputWatch::~InputWatch() {
  ::close(parts_->poll);
  ::close(parts_->woken);
}

void InputWatch::watch(SocketHandle socket) {
  std::lock_guard lock(parts_->mutex);
  if (parts_->socket != kNoSocket) ::epoll_ctl(parts_->poll, EPOLL_CTL_DEL, parts_->socket, nullptr);
  parts_->socket = socket;
  if (socket != kNoSocket) change(parts_->poll, EPOLL_CTL_ADD, socket, !parts_->told);
}

InputWatch::Ready InputWatch::await(int milliseconds) {
  epoll_event event{};
  if (::epoll_wait(parts_->poll, &event, 1, milliseconds) <= 0) return Ready::kTimeout;
  if (event.data.u64 == 0) {
    std::lock_guard lock(parts_->mutex);
    parts_->told = true;
    return Ready::kInput;
  }
  std::uint64_t one = 0;
  (void)!::read(parts_->woken, &one, sizeof one);  // another thread may have been quicker: then this was for nothing
  return Ready::kWoken;
}

void InputWatch::watchAgain() {
  std::lock_guard lock(parts_->mutex);
  parts_->told = false;
  if (parts_->socket != kNoSocket) change(parts_->poll, EPOLL_CTL_MOD, parts_->socket, true);
}

void InputWatch::wake() {
  const std::uint64_t one = 1;
  (void)!::write(parts_->woken, &one, sizeof one);
}

}  // namespace hipr::platform

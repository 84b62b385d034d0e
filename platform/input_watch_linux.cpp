#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>

#include "platform/input_watch.h"

namespace hipr::platform {
namespace {

// One-shot: whoever is told of input is the only one, so nobody else wakes up for it.
void watch(int poll, int operation, int socket) {
  epoll_event event{};
  event.events = EPOLLIN | EPOLLRDHUP | EPOLLONESHOT;
  event.data.fd = socket;
  ::epoll_ctl(poll, operation, socket, &event);
}

}  // namespace

struct InputWatch::Parts {
  int socket, poll, woken;
};

InputWatch::InputWatch(SocketHandle socket)
    : parts_(
          new Parts{socket, ::epoll_create1(EPOLL_CLOEXEC), ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE)}) {
  // Out of descriptors before the first byte: nothing can be served.
  if (parts_->poll < 0 || parts_->woken < 0) std::abort();
  watch(parts_->poll, EPOLL_CTL_ADD, socket);
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = parts_->woken;
  ::epoll_ctl(parts_->poll, EPOLL_CTL_ADD, parts_->woken, &event);
}

InputWatch::~InputWatch() {
  ::close(parts_->poll);
  ::close(parts_->woken);
}

InputWatch::Ready InputWatch::await(int milliseconds) {
  epoll_event event{};
  if (::epoll_wait(parts_->poll, &event, 1, milliseconds) <= 0) return Ready::kTimeout;
  if (event.data.fd == parts_->socket) return Ready::kInput;
  std::uint64_t one = 0;
  (void)!::read(parts_->woken, &one, sizeof one);  // another thread may have been quicker: then this was for nothing
  return Ready::kWoken;
}

void InputWatch::watchAgain() {
  watch(parts_->poll, EPOLL_CTL_MOD, parts_->socket);
}

void InputWatch::wake() {
  const std::uint64_t one = 1;
  (void)!::write(parts_->woken, &one, sizeof one);
}

}  // namespace hipr::platform

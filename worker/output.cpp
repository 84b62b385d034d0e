#include "worker/output.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cstdio>
#include <thread>

#include "base/log.h"

namespace hipr::worker {

std::unique_ptr<OutputRelay> OutputRelay::capture() {
  std::unique_ptr<OutputRelay> relay(new OutputRelay);
  const int log = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
  if (log < 0) return nullptr;
  std::fflush(stdout);
  setLogFile(fdopen(log, "w"));
  for (int i = 0; i < 2; ++i) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return nullptr;
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    dup2(ends[1], STDOUT_FILENO + i);
    close(ends[1]);
    relay->pipes_[i] = ends[0];
  }
  return relay;
}

void OutputRelay::forwardTo(Outbox& outbox) {
  outbox_ = &outbox;
  std::thread([this] {
    for (;;) {
      pollfd entries[2] = {{pipes_[0], POLLIN, 0}, {pipes_[1], POLLIN, 0}};
      if (poll(entries, 2, -1) > 0) forwardAll();
    }
  }).detach();
}

// A runtime may have left something in stdio's buffer. Whoever writes to a full pipe has stdout locked, so this may
// wait for the thread that empties pipes, which must not need stdout itself.
void OutputRelay::drain() {
  std::fflush(stdout);
  forwardAll();
}

void OutputRelay::forwardAll() {
  std::lock_guard lock(mutex_);
  for (int stream = 1; stream <= 2; ++stream) forward(stream);
}

void OutputRelay::forward(int stream) {
  std::byte text[16 << 10];
  for (;;) {
    const ssize_t size = read(pipes_[stream - 1], text, sizeof text);
    if (size <= 0) return;
    push(*outbox_, wire::Opcode::kOutput,
         wire::Output{static_cast<std::uint8_t>(stream), {text, static_cast<std::size_t>(size)}});
  }
}

}  // namespace hipr::worker

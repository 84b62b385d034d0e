#include "testing/line_relay.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <new>
#include <thread>
#include <vector>

#include "net/socket.h"

namespace hipr::testing {

struct LineRelay::Counters {
  std::atomic<std::uint64_t> up{0}, down{0}, connections{0};
};

namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr int kBuffer = 64 << 10;  // of a thin line's sockets: nothing more waits before it

double now() {
  return Seconds(Clock::now().time_since_epoch()).count();
}

void sleepUntil(double time) {
  if (time > now()) std::this_thread::sleep_for(Seconds(time - now()));
}

// One direction of the line, which all connections share.
class Direction {
 public:
  Direction(const LineRelay::Line& line, std::atomic<std::uint64_t>& count) : line_(line), count_(count) {}
  const LineRelay::Line& line() const { return line_; }

  // Takes so many bytes; says when the line has carried them.
  double take(std::size_t bytes) {
    count_ += bytes;
    std::lock_guard lock(mutex_);
    free_ = std::max(free_, now()) + (line_.bandwidth != 0 ? static_cast<double>(bytes) / line_.bandwidth : 0);
    return free_;
  }

 private:
  const LineRelay::Line line_;
  std::atomic<std::uint64_t>& count_;
  std::mutex mutex_;
  double free_ = 0;  // when it has carried what came before
};

struct Parcel {
  double due;
  std::vector<std::byte> bytes;
};

// What a connection has on its way, until the sender would know that it has arrived.
class Window {
 public:
  explicit Window(const LineRelay::Line& line) : line_(line) {}
  std::size_t room(std::size_t most) {
    if (line_.window == 0) return most;
    for (; !onTheWay_.empty() && (onTheWay_.front().first <= now() || bytes_ >= line_.window); onTheWay_.pop_front()) {
      sleepUntil(onTheWay_.front().first);
      bytes_ -= onTheWay_.front().second;
    }
    return std::min(most, line_.window - bytes_);
  }
  void add(double arrives, std::size_t bytes) {
    if (line_.window == 0) return;
    onTheWay_.emplace_back(arrives + line_.oneWay, bytes);
    bytes_ += bytes;
  }

 private:
  const LineRelay::Line line_;
  std::deque<std::pair<double, std::size_t>> onTheWay_;
  std::size_t bytes_ = 0;
};

// Carries one direction of a connection: one thread reads and stamps, another sends when the time has come.
void carry(net::Socket& from, net::Socket& to, Direction& direction) {
  std::mutex mutex;
  std::condition_variable wake;
  std::deque<Parcel> line;
  bool ended = false;
  std::thread sender([&] {
    std::unique_lock lock(mutex);
    for (;;) {
      wake.wait(lock, [&] { return ended || !line.empty(); });
      if (line.empty()) break;
      const Parcel parcel = std::move(line.front());
      line.pop_front();
      lock.unlock();
      sleepUntil(parcel.due);
      const bool ok = to.send(parcel.bytes).ok();
      lock.lock();
      if (!ok) break;
    }
    to.shutdown();
  });
  const LineRelay::Line& kind = direction.line();
  Window window(kind);
  for (;;) {
    std::vector<std::byte> bytes(window.room(kind.bandwidth != 0 || kind.window != 0 ? kBuffer : 1 << 20));
    std::size_t got = 0;
    if (!from.receiveSome(bytes.data(), bytes.size(), &got).ok() || got == 0) break;
    bytes.resize(got);
    const double free = direction.take(got);
    window.add(free + kind.oneWay, got);
    {
      std::lock_guard lock(mutex);
      line.push_back({free + kind.oneWay, std::move(bytes)});
      wake.notify_one();
    }
    // Nothing more is taken until then: whoever sends too fast has to wait. Sleeping takes longer than it should, and
    // what comes late makes up for it.
    if (free - now() > 2e-3) sleepUntil(free);
  }
  {
    std::lock_guard lock(mutex);
    ended = true;
  }
  wake.notify_one();
  sender.join();
}

void serve(net::Socket client, const net::Endpoint& target, Direction& up, Direction& down) {
  net::Socket worker;
  if (!net::connectTo(target, 10, worker).ok()) return;
  if (up.line().bandwidth != 0 || up.line().window != 0)
    setsockopt(worker.fd(), SOL_SOCKET, SO_RCVBUF, &kBuffer, sizeof kBuffer);
  client.tune(600);
  worker.tune(600);
  std::thread back([&] { carry(worker, client, down); });
  carry(client, worker, up);
  back.join();
}

}  // namespace

LineRelay::LineRelay(const std::string& host, int port, const Line& line) {
  void* const shared = mmap(nullptr, sizeof(Counters), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  net::Socket listener;
  if (shared == MAP_FAILED || !net::listenOn("127.0.0.1", 0, listener, &port_).ok()) std::abort();
  counters_ = new (shared) Counters;
  if (line.bandwidth != 0 || line.window != 0)
    setsockopt(listener.fd(), SOL_SOCKET, SO_RCVBUF, &kBuffer, sizeof kBuffer);  // those that it accepts have it too
  process_ = fork();
  if (process_ != 0) return;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  Direction up(line, counters_->up), down(line, counters_->down);
  const net::Endpoint target{host, static_cast<std::uint16_t>(port), {}};
  for (;;) {
    net::Socket client(::accept(listener.fd(), nullptr, nullptr));
    if (!client.open()) _exit(1);
    ++counters_->connections;
    std::thread([&, accepted = std::move(client)]() mutable { serve(std::move(accepted), target, up, down); }).detach();
  }
}

LineRelay::~LineRelay() {
  kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
  munmap(counters_, sizeof(Counters));
}

std::uint64_t LineRelay::up() const {
  return counters_->up;
}

std::uint64_t LineRelay::down() const {
  return counters_->down;
}

std::uint64_t LineRelay::connections() const {
  return counters_->connections;
}

}  // namespace hipr::testing

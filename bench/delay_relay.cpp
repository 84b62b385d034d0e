#include "bench/delay_relay.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "bench/bench.h"
#include "net/socket.h"

namespace hipr::bench {
namespace {

struct Parcel {
  double due;
  std::vector<std::byte> bytes;
};

struct Line {
  double delay, bandwidth;
};

// Carries one direction: one thread reads and stamps, another sends when the time has come.
void carry(net::Socket& from, net::Socket& to, const Line& kind) {
  std::mutex mutex;
  std::condition_variable wake;
  std::deque<Parcel> line;
  bool ended = false;
  std::thread sender([&] {
    std::unique_lock lock(mutex);
    for (;;) {
      wake.wait(lock, [&] { return ended || !line.empty(); });
      if (line.empty()) break;
      Parcel parcel = std::move(line.front());
      line.pop_front();
      lock.unlock();
      std::this_thread::sleep_for(std::chrono::duration<double>(parcel.due - seconds()));
      const bool ok = to.send(parcel.bytes).ok();
      lock.lock();
      if (!ok) break;
    }
    to.shutdown();
  });
  double free = 0;  // when the line has carried what came before
  for (;;) {
    std::vector<std::byte> bytes(kind.bandwidth != 0 ? 64 << 10 : 1 << 20);
    std::size_t got = 0;
    if (!from.receiveSome(bytes.data(), bytes.size(), &got).ok() || got == 0) break;
    bytes.resize(got);
    const double now = seconds();
    free = std::max(free, now) + (kind.bandwidth != 0 ? static_cast<double>(got) / kind.bandwidth : 0);
    {
      std::lock_guard lock(mutex);
      line.push_back({free + kind.delay, std::move(bytes)});
      wake.notify_one();
    }
    // Nothing more is taken until then: whoever sends too fast has to wait. Sleeping takes longer than it should, and
    // what comes late makes up for it.
    if (free - now > 2e-3) std::this_thread::sleep_for(std::chrono::duration<double>(free - now));
  }
  {
    std::lock_guard lock(mutex);
    ended = true;
  }
  wake.notify_one();
  sender.join();
}

[[noreturn]] void serve(net::Socket listener, const net::Endpoint& target, const Line& kind) {
  for (;;) {
    net::Socket client(::accept(listener.fd(), nullptr, nullptr));
    net::Socket worker;
    if (!client.open() || !net::connectTo(target, 10, worker).ok()) _exit(1);
    client.tune(600);
    worker.tune(600);
    std::thread back([&] { carry(worker, client, kind); });
    carry(client, worker, kind);
    back.join();
  }
}

}  // namespace

DelayRelay::DelayRelay(const std::string& host, int port, double oneWay, double bandwidth) {
  net::Socket listener;
  if (!net::listenOn("127.0.0.1", 0, listener, &port_).ok()) std::exit(1);
  process_ = fork();
  if (process_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    serve(std::move(listener), {host, static_cast<std::uint16_t>(port)}, {oneWay, bandwidth});
  }
}

DelayRelay::~DelayRelay() {
  kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
}

}  // namespace hipr::bench

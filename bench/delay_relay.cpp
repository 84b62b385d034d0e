#include "bench/delay_relay.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

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

// Carries one direction: one thread reads and stamps, another sends when the time has come.
void carry(net::Socket& from, net::Socket& to, double delay) {
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
  for (;;) {
    std::vector<std::byte> bytes(1 << 20);
    std::size_t got = 0;
    if (!from.receiveSome(bytes.data(), bytes.size(), &got).ok() || got == 0) break;
    bytes.resize(got);
    std::lock_guard lock(mutex);
    line.push_back({seconds() + delay, std::move(bytes)});
    wake.notify_one();
  }
  {
    std::lock_guard lock(mutex);
    ended = true;
  }
  wake.notify_one();
  sender.join();
}

[[noreturn]] void serve(net::Socket listener, const net::Endpoint& target, double delay) {
  for (;;) {
    net::Socket client(::accept(listener.fd(), nullptr, nullptr));
    net::Socket worker;
    if (!client.open() || !net::connectTo(target, 10, worker).ok()) _exit(1);
    client.tune(600);
    worker.tune(600);
    std::thread back([&] { carry(worker, client, delay); });
    carry(client, worker, delay);
    back.join();
  }
}

}  // namespace

DelayRelay::DelayRelay(const std::string& host, int port, double oneWay) {
  net::Socket listener;
  if (!net::listenOn("127.0.0.1", 0, listener, &port_).ok()) std::exit(1);
  process_ = fork();
  if (process_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    serve(std::move(listener), {host, static_cast<std::uint16_t>(port)}, oneWay);
  }
}

DelayRelay::~DelayRelay() {
  kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
}

}  // namespace hipr::bench

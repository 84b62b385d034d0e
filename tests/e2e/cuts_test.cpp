// A relay between a program and its worker cuts every connection sooner or later, with and without a reset, or halts
// it; the program must not notice. Long form: HIPR_CUTS=10000.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "net/socket.h"
#include "testing/hip.h"
#include "testing/worker_process.h"

namespace hipr {
namespace {

using testing::WorkerProcess;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kGreeting = 16 << 10;  // a cut before the session exists is no cut of it

enum class How { kClose, kReset, kHalt };

class CuttingRelay {
 public:
  struct Plan {
    std::size_t most = 0;  // bytes, both directions together, that a connection lives at most
    std::vector<How> ways{How::kClose, How::kReset};
    unsigned seed = 1;
  };
  CuttingRelay(int workerPort, Plan plan) : workerPort_(workerPort), plan_(std::move(plan)), random_(plan_.seed) {
    std::uint16_t port = 0;
    if (!net::listenOn("127.0.0.1", 0, listener_, &port).ok()) std::abort();
    port_ = port;
    thread_ = std::thread([this] { run(); });
  }
  ~CuttingRelay() {
    stopping_ = true;
    thread_.join();
  }

  int port() const { return port_; }
  int cuts() const { return cuts_; }

 private:
  struct Line {
    net::Socket client, worker;
    std::size_t left;
    How how;
    bool halted = false;
  };

  void run() {
    std::vector<std::unique_ptr<Line>> lines;
    while (!stopping_) {
      std::vector<pollfd> entries{{listener_.fd(), POLLIN, 0}};
      for (const auto& line : lines) {
        entries.push_back({line->halted ? -1 : line->client.fd(), POLLIN, 0});
        entries.push_back({line->halted ? -1 : line->worker.fd(), POLLIN, 0});
      }
      poll(entries.data(), entries.size(), 20);
      std::size_t at = 1;
      std::erase_if(lines, [&](const auto& line) {
        const short client = entries[at++].revents, worker = entries[at++].revents;
        return (client && !pass(*line, line->client, line->worker)) ||
               (worker && !pass(*line, line->worker, line->client));
      });
      if (entries[0].revents) lines.push_back(newLine());
    }
  }

  std::unique_ptr<Line> newLine() {
    auto line = std::make_unique<Line>();
    line->client = net::Socket(accept(listener_.fd(), nullptr, nullptr));
    if (!net::connectTo({"127.0.0.1", static_cast<std::uint16_t>(workerPort_)}, 10, line->worker).ok()) std::abort();
    line->left = (lines_++ ? 100 : kGreeting) + random_() % plan_.most;
    line->how = plan_.ways[random_() % plan_.ways.size()];
    return line;
  }

  bool pass(Line& line, net::Socket& from, net::Socket& to) {
    std::vector<std::byte> buffer(std::min<std::size_t>(line.left, 64 << 10));
    const ssize_t got = recv(from.fd(), buffer.data(), buffer.size(), 0);
    if (got <= 0 || !to.send(std::span(buffer).first(static_cast<std::size_t>(got))).ok()) return false;
    line.left -= static_cast<std::size_t>(got);
    if (line.left) return true;
    ++cuts_;
    if (line.how == How::kHalt) return line.halted = true;
    const linger now{1, 0};
    if (line.how == How::kReset)
      for (const net::Socket* socket : {&line.client, &line.worker})
        setsockopt(socket->fd(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
    return false;
  }

  const int workerPort_;
  const Plan plan_;
  std::minstd_rand random_;
  net::Socket listener_;
  int port_ = 0, lines_ = 0;
  std::atomic<int> cuts_{0};
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

// Copies of many sizes, kernels, events and functions of the host, every result of which is checked.
class Program {
 public:
  Program() {
    if (!hip_.load(testing::remoteLibrary()).ok()) std::abort();
    HIPR_CHECK(hip_, hipStreamCreate(&second_));
    HIPR_CHECK(hip_, hipMalloc(&memory_, kMost));
    HIPR_CHECK(hip_, hipHostMalloc(&pinned_, kMost, 0));
    HIPR_CHECK(hip_, hipEventCreate(&event_));
  }

  // False when something came out wrong.
  bool round(unsigned seed) {
    std::minstd_rand random(seed);
    return copies(1 + random() % (random() % 4 ? 20'000 : kMost), random()) &&
           kernel(1 + static_cast<int>(random() % 50)) && pinned(4096 + random() % 100'000, random());
  }

 private:
  static constexpr std::size_t kMost = 3 << 20;

  bool copies(std::size_t size, unsigned seed) {
    std::vector<unsigned char> there(size), back(size);
    for (std::size_t i = 0; i < size; ++i) there[i] = static_cast<unsigned char>((i * 2654435761u + seed) >> 11);
    HIPR_CHECK(hip_, hipMemcpy(memory_, there.data(), size, hipMemcpyHostToDevice));
    const std::vector<unsigned char> sent = there;
    std::fill(there.begin(), there.end(), 0xEE);  // the call has returned
    HIPR_CHECK(hip_, hipMemcpy(back.data(), memory_, size, hipMemcpyDeviceToHost));
    return back == sent;
  }

  bool kernel(int rounds) {
    float* out = static_cast<float*>(memory_);
    void* arguments[] = {&out, &rounds};
    hip_.launch(hip_.work, 2, 64, arguments);
    HIPR_CHECK(hip_, hipEventRecord(event_, hip_.stream));
    HIPR_CHECK(hip_, hipStreamWaitEvent(second_, event_, 0));
    float results[128] = {};
    HIPR_CHECK(hip_, hipMemcpyAsync(results, memory_, sizeof results, hipMemcpyDeviceToHost, second_));
    HIPR_CHECK(hip_, hipStreamSynchronize(second_));
    for (int i = 0; i < 128; ++i)
      if (results[i] != testing::workResult(i, rounds)) return false;
    return true;
  }

  bool pinned(std::size_t size, unsigned seed) {
    auto* host = static_cast<unsigned char*>(pinned_);
    for (std::size_t i = 0; i < size; ++i) host[i] = static_cast<unsigned char>((i + seed) * 31);
    int called = 0;
    HIPR_CHECK(hip_, hipMemcpyAsync(memory_, host, size, hipMemcpyHostToDevice, second_));
    HIPR_CHECK(hip_, hipLaunchHostFunc(second_, [](void* count) { ++*static_cast<int*>(count); }, &called));
    HIPR_CHECK(hip_, hipMemsetAsync(memory_, 7, size / 2, second_));
    HIPR_CHECK(hip_, hipMemcpyAsync(host, memory_, size, hipMemcpyDeviceToHost, second_));
    HIPR_CHECK(hip_, hipStreamSynchronize(second_));
    for (std::size_t i = 0; i < size; ++i)
      if (host[i] != (i < size / 2 ? 7 : static_cast<unsigned char>((i + seed) * 31))) return false;
    return called == 1;
  }

  testing::Hip hip_;
  hipStream_t second_ = nullptr;
  void *memory_ = nullptr, *pinned_ = nullptr;
  hipEvent_t event_ = nullptr;
};

void use(int port) {
  setenv("TF_WORKER_HOST", "127.0.0.1", 1);
  setenv("TF_WORKER_PORT", std::to_string(port).c_str(), 1);
}

// In a process of its own, so that each has a session of its own. 0: all was right.
template <class Body>
int inChild(Body body, int seconds = 120) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  const auto until = Clock::now() + std::chrono::seconds(seconds);
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (Clock::now() > until) {
      kill(child, SIGKILL);
      waitpid(child, nullptr, 0);
      return -1;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

int wanted() {
  const char* text = std::getenv("HIPR_CUTS");
  return text ? std::atoi(text) : 300;
}

TEST(Cuts, NothingIsLost) {
  const WorkerProcess worker;
  CuttingRelay relay(worker.port(), {.most = 200'000});
  for (unsigned seed = 1; relay.cuts() < wanted() && !::testing::Test::HasFailure(); ++seed) {
    EXPECT_EQ(inChild([&] {
                use(relay.port());
                Program program;
                for (unsigned i = 0; i < 20; ++i)
                  if (!program.round(100 * seed + i)) return 1;
                return 0;
              }),
              0)
        << seed;
  }
}

TEST(Cuts, AConnectionThatHaltsIsReplaced) {
  const WorkerProcess worker;
  CuttingRelay relay(worker.port(), {.most = 3'000'000, .ways = {How::kHalt}, .seed = 5});
  EXPECT_EQ(inChild([&] {
              use(relay.port());
              setenv("TF_IO_TIMEOUT", "2", 1);
              Program program;
              for (unsigned i = 0; i < 10; ++i)
                if (!program.round(i)) return 1;
              return 0;
            }),
            0);
  EXPECT_GT(relay.cuts(), 0);
}

TEST(Cuts, ASessionThatWasEndedIsReported) {
  const WorkerProcess worker;
  EXPECT_EQ(inChild(
                [&] {
                  use(worker.port());
                  testing::Hip hip;
                  if (!hip.load(testing::remoteLibrary()).ok()) return 2;
                  void* memory = nullptr;
                  if (hip.api.hipMalloc(&memory, 4096) != hipSuccess) return 3;
                  for (const pid_t session : worker.sessions()) kill(session, SIGKILL);
                  return hip.api.hipDeviceSynchronize() == hipErrorNotInitialized ? 0 : 1;
                },
                20),
            0);
}

TEST(Cuts, TheMemoryOfAProgramThatDiedIsFreeAtOnce) {
  const WorkerProcess worker;
  inChild([&] {
    use(worker.port());
    testing::Hip hip;
    void* memory = nullptr;
    if (hip.load(testing::remoteLibrary()).ok()) (void)hip.api.hipMalloc(&memory, 1 << 20);
    return raise(SIGKILL);
  });
  const auto until = Clock::now() + std::chrono::seconds(10);
  while (!worker.sessions().empty() && Clock::now() < until) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_TRUE(worker.sessions().empty());
}

}  // namespace
}  // namespace hipr

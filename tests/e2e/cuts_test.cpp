// A relay between a program and its worker cuts every connection sooner or later, with and without a reset, or halts
// it; the program must not notice. Long form: HIPR_CUTS=10000.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "net/socket.h"
#include "testing/worker_process.h"
#include "tests/e2e/checked_program.h"

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
                return checkedRounds(100 * seed, 20);
              }),
              0)
        << seed;
  }
}

// Some of what is uploaded is named instead, because a program before this one has sent it already.
TEST(Cuts, NothingOfNamedUploadsIsLost) {
  const std::string folder = ::testing::TempDir() + "hipr-cuts-" + std::to_string(getpid());
  const WorkerProcess worker({"--runtime", "softgpu", "--grace", "1", "--data-cache", folder});
  for (unsigned run = 0; run < 3; ++run) {
    CuttingRelay relay(worker.port(), {.most = 200'000, .seed = 7 + run});
    EXPECT_EQ(inChild([&] {
                use(relay.port());
                setenv("HIP_REMOTE_DATA_CACHE", "on", 1);
                return checkedRounds(run < 2 ? 0 : 10, 20);  // at last half of it is new
              }),
              0)
        << run;
    EXPECT_GT(relay.cuts(), 0) << run;
  }
  std::filesystem::remove_all(folder);
}

// In a container that has this machine's name and numbers of its own for its processes.
TEST(Cuts, AClientInAnotherProcessNamespaceComesBack) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root";
  const WorkerProcess worker;
  CuttingRelay relay(worker.port(), {.most = 200'000, .seed = 3});
  EXPECT_EQ(inChild([&] {
              if (unshare(CLONE_NEWPID) != 0) return 77;
              return inChild([&] {
                use(relay.port());
                return checkedRounds(0, 10);
              });
            }),
            0);
  EXPECT_GT(relay.cuts(), 0);
}

TEST(Cuts, AConnectionThatHaltsIsReplaced) {
  const WorkerProcess worker;
  CuttingRelay relay(worker.port(), {.most = 3'000'000, .ways = {How::kHalt}, .seed = 5});
  EXPECT_EQ(inChild([&] {
              use(relay.port());
              setenv("TF_IO_TIMEOUT", "2", 1);
              return checkedRounds(0, 10);
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

// A worker that falls silent in the middle of a download, its connection still open: the call fails when TF_IO_TIMEOUT
// has passed. Between client and worker stands a relay that stops passing on what the worker sends.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "testing/hip.h"
#include "testing/worker_process.h"

namespace hipr {
namespace {

using testing::WorkerProcess;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kDownload = 64 << 20, kNever = ~std::size_t{0};
constexpr int kTimeout = 2, kPatience = 10;  // seconds: what the client is told, and more than it needs

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

// Passes everything on, but nothing more to the client after `limit` bytes.
[[noreturn]] void relay(int listener, int workerPort, std::size_t limit) {
  const int client = accept(listener, nullptr, nullptr), worker = socket(AF_INET, SOCK_STREAM, 0);
  const sockaddr_in address = loopback(workerPort);
  if (client < 0 || connect(worker, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) _exit(1);
  std::vector<char> buffer(256 << 10);
  std::size_t toClient = 0;
  for (;;) {
    pollfd waiting[] = {{client, POLLIN, 0}, {toClient < limit ? worker : -1, POLLIN, 0}};
    if (poll(waiting, 2, -1) < 0) _exit(1);
    for (const auto& [from, to] : {std::pair(0, worker), std::pair(1, client)}) {
      if (!waiting[from].revents) continue;
      const ssize_t count = read(waiting[from].fd, buffer.data(), buffer.size());
      if (count <= 0) _exit(0);
      for (ssize_t sent = 0; sent < count;) {
        const ssize_t part = send(to, buffer.data() + sent, static_cast<std::size_t>(count - sent), MSG_NOSIGNAL);
        if (part <= 0) _exit(0);
        sent += part;
      }
      if (to == client) toClient += static_cast<std::size_t>(count);
    }
  }
}

// In a process of its own, ended with this object.
class Relay {
 public:
  Relay(int workerPort, std::size_t limit) {
    const int listener = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address = loopback(0);
    socklen_t size = sizeof address;
    if (bind(listener, reinterpret_cast<sockaddr*>(&address), size) != 0 || listen(listener, 1) != 0 ||
        getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
      std::abort();
    }
    port_ = ntohs(address.sin_port);
    process_ = fork();
    if (process_ == 0) relay(listener, workerPort, limit);
    close(listener);
  }
  ~Relay() {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  int port() const { return port_; }

 private:
  pid_t process_ = -1;
  int port_ = 0;
};

enum Outcome : int { kSucceeded, kFailed, kHung, kBroken };

Outcome download(int port) {
  const pid_t child = fork();
  if (child == 0) {
    setenv("TF_WORKER_HOST", "127.0.0.1", 1);
    setenv("TF_WORKER_PORT", std::to_string(port).c_str(), 1);
    setenv("TF_IO_TIMEOUT", std::to_string(kTimeout).c_str(), 1);
    setenv("HIP_REMOTE_COMPRESS", "off", 1);  // packed, all of it would get through
    testing::Hip hip;
    void* memory = nullptr;
    if (!hip.load(testing::remoteLibrary()).ok() || hip.api.hipMalloc(&memory, kDownload) != hipSuccess) {
      _exit(kBroken);
    }
    std::vector<char> host(kDownload);
    _exit(hip.api.hipMemcpy(host.data(), memory, kDownload, hipMemcpyDeviceToHost) == hipSuccess ? kSucceeded
                                                                                                 : kFailed);
  }
  const auto until = Clock::now() + std::chrono::seconds(kTimeout + kPatience);
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (Clock::now() > until) {
      kill(child, SIGKILL);
      waitpid(child, nullptr, 0);
      return kHung;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return WIFEXITED(status) ? static_cast<Outcome>(WEXITSTATUS(status)) : kBroken;
}

TEST(StalledDownload, ARelayThatPassesEverythingOnIsNotNoticed) {
  const WorkerProcess worker;
  const Relay relay(worker.port(), kNever);
  EXPECT_EQ(download(relay.port()), kSucceeded);
}

TEST(StalledDownload, FailsWhenTheTimeHasPassed) {
  const WorkerProcess worker;
  const Relay relay(worker.port(), kDownload / 4);
  EXPECT_EQ(download(relay.port()), kFailed);
}

}  // namespace
}  // namespace hipr

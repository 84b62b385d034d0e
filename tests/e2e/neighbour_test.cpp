// A neighbour that takes all it may have, of each kind in turn, holds it and goes on asking. What it costs others is
// measured until it is less than a tenth of what they get done, and is an error when it is much more.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <functional>

#include "access/digest.h"
#include "testing/hip.h"
#include "tests/e2e/attack_fixture.h"
#include "tests/e2e/metrics.h"

namespace hipr {
namespace {

using wire::Opcode;
using worker::kTestDeviceBase;
using worker::kTestHostBase;

constexpr std::uint64_t kFirst = wire::kFirstObject, kMiB = 1 << 20;
constexpr auto kWindow = 250ms;
constexpr int kFewestRounds = 3, kMostRounds = 10;
constexpr double kGoal = 0.9,
                 kLeast = 0.7;  // of what it gets done alone; others on this machine disturb the measurement

wire::Bytes kernels() {
  return {static_cast<const std::byte*>(testing::kernelImage()), testing::kernelImageSize()};
}

void loadModule(TestClient& client, std::uint64_t module, wire::Bytes code) {
  std::vector<std::byte> storage;
  (void)client.call<wire::ModuleLoadReply, Opcode::kModuleLoad>({module, 0, access::digestOf(code), code, {}}, storage);
}

// A stream whose first operation never ends.
void holdStream(TestClient& client, std::uint64_t stream) {
  client.send<Opcode::kStreamCreate>({.stream = stream});
  client.send<Opcode::kHostFunction>({stream, stream});
}

struct Attack {
  const char* limit;  // its name, and what it is set to
  const char* value;
  int times;  // that `ask` has to be called until nothing more is given
  std::function<void(TestClient&)> prepare;
  std::function<void(TestClient&, std::uint64_t)> ask;
};

const Attack kAttacks[] = {
    {"device-memory",
     "64M",
     40,
     {},
     [](TestClient& c, std::uint64_t i) { c.send<Opcode::kMapMemory>({0, kTestDeviceBase + i * 2 * kMiB, 2 * kMiB}); }},
    {"streams",
     "64",
     70,
     {},
     [](TestClient& c, std::uint64_t i) { c.send<Opcode::kStreamCreate>({.stream = kFirst + i}); }},
    {"events",
     "1000",
     1010,
     {},
     [](TestClient& c, std::uint64_t i) { c.send<Opcode::kEventCreate>({kFirst + i, 0, 0}); }},
    {"modules", "8", 12, {}, [](TestClient& c, std::uint64_t i) { loadModule(c, kFirst + i, kernels()); }},
    {"functions", "64", 70, [](TestClient& c) { loadModule(c, kFirst, kernels()); },
     [](TestClient& c, std::uint64_t i) { c.send<Opcode::kFunctionGet>({kFirst + 1 + i, kFirst, "work"}); }},
    {"code-memory",
     "1M",
     6,
     {},
     [](TestClient& c, std::uint64_t i) {  // the same kernels in files of different lengths
       std::vector<std::byte> code(kernels().begin(), kernels().end());
       code.resize(200'000 + i);
       loadModule(c, kFirst + i, code);
     }},
    {"host-memory",
     "16M",
     12,
     {},
     [](TestClient& c, std::uint64_t i) {
       c.send<Opcode::kExposeHost>({kTestHostBase + i * 2 * kMiB, 2 * kMiB, i + 1});
     }},
    {"operations", "1000", 1010,
     [](TestClient& c) {
       c.send<Opcode::kMapMemory>({0, kTestDeviceBase, 2 * kMiB});
       holdStream(c, kFirst);
     },
     [](TestClient& c, std::uint64_t) {
       c.send<Opcode::kFillMemory>(worker::fillWith(kFirst, {kTestDeviceBase, 0, 0, 64}, 1, 1));
     }},
    {"held-memory", "4M", 70,
     [](TestClient& c) {
       c.send<Opcode::kMapMemory>({0, kTestDeviceBase, 2 * kMiB});
       holdStream(c, kFirst);
     },
     [](TestClient& c, std::uint64_t) {
       static const std::vector<std::byte> bytes(wire::kMostInline);
       c.send<Opcode::kUpload>(worker::uploadHere(kFirst, {kTestDeviceBase, 0, 0, bytes.size()}, bytes));
     }},
    {"waits", "1000", 1010, [](TestClient& c) { holdStream(c, kFirst); },
     [](TestClient& c, std::uint64_t) { c.send<Opcode::kStreamSynchronize>({kFirst}); }},
    // Each wait is for an event of its own: as many lanes as there are waits, and few threads for them.
    {"threads", "4", 900, [](TestClient& c) { holdStream(c, kFirst); },
     [](TestClient& c, std::uint64_t i) {
       if (i >= 900) return;
       c.send<Opcode::kEventCreate>({kFirst + 1 + i, 0, 0});
       c.send<Opcode::kEventRecord>({kFirst + 1 + i, kFirst});
       c.send<Opcode::kEventSynchronize>({kFirst + 1 + i});
     }},
};

// In a process of its own, until it is ended. `ready` is closed when nothing more is given.
[[noreturn]] void misbehave(const testing::WorkerProcess& worker, const Attack& attack, int ready) {
  TestClient client = connectTo(worker);
  client.hello();
  if (attack.prepare) attack.prepare(client);
  const auto heard = [&] {
    if (client.ask<Opcode::kPing>({}) != hipSuccess) _exit(1);
    client.seen.clear();
  };
  std::uint64_t i = 0;
  while (i < static_cast<std::uint64_t>(attack.times)) {
    attack.ask(client, i++);
    if (i % 64 == 0) heard();
  }
  heard();
  close(ready);
  for (;;) {
    attack.ask(client, i++);
    heard();
    std::this_thread::sleep_for(5ms);
  }
}

class Neighbour : public ::testing::TestWithParam<Attack> {
 protected:
  static void SetUpTestSuite() {
    std::vector<std::string> arguments{"--runtime", "softgpu", "--grace", "1", "--cache", "", "--metrics", "0"};
    for (const Attack& attack : kAttacks)
      arguments.insert(arguments.end(), {"--limit", std::string(attack.limit) + "=" + attack.value});
    worker_ = new testing::WorkerProcess(arguments);
    worker_->use();
    ASSERT_TRUE(hip_.load(testing::remoteLibrary()).ok());
    HIPR_CHECK(hip_, hipMalloc(&memory_, 64 * sizeof(float)));
  }
  static void TearDownTestSuite() { delete worker_; }

  // Launches, copies and waits, for a while; how many.
  static int work() {
    int done = 0, rounds = 100;
    float back[64];
    void* arguments[] = {&memory_, &rounds};
    for (const auto end = std::chrono::steady_clock::now() + kWindow; std::chrono::steady_clock::now() < end; ++done) {
      hip_.launch(hip_.work, 1, 64, arguments);
      HIPR_CHECK(hip_, hipMemcpyAsync(back, memory_, sizeof back, hipMemcpyDeviceToHost, hip_.stream));
      HIPR_CHECK(hip_, hipStreamSynchronize(hip_.stream));
      EXPECT_EQ(back[5], testing::workResult(5, rounds));
    }
    return done;
  }
  static pid_t start(const Attack& attack) {
    int ready[2];
    EXPECT_EQ(pipe2(ready, O_CLOEXEC), 0);
    const pid_t child = fork();
    if (child == 0) {
      setsid();  // somebody else, as far as the system shares out processors
      close(ready[0]);
      misbehave(*worker_, attack, ready[1]);
    }
    close(ready[1]);
    char byte = 0;
    EXPECT_EQ(read(ready[0], &byte, 1), 0);
    close(ready[0]);
    return child;
  }
  static void stop(pid_t child) {
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status)) << "its session did not last";
    EXPECT_LT(secondsUntil(10s, [] { return worker_->sessions().size() <= 2; }), 10);  // ours and the telemetry service
  }

  static testing::WorkerProcess* worker_;
  static testing::Hip hip_;
  static void* memory_;
};
testing::WorkerProcess* Neighbour::worker_ = nullptr;
testing::Hip Neighbour::hip_;
void* Neighbour::memory_ = nullptr;

TEST_P(Neighbour, CostsOthersLittle) {
  const Attack& attack = GetParam();
  int alone = 0, beside = 0, rounds = 0;
  // Other programs on this machine make the numbers differ; with more of them that evens out.
  while (rounds < kFewestRounds || (rounds < kMostRounds && beside < kGoal * alone)) {
    ++rounds;
    alone += work();
    const pid_t child = start(attack);
    beside += work();
    if (std::string(attack.limit) == "threads") {
      EXPECT_LE(metricOfLimit(*worker_, "hip_worker_session_used", "threads"), 4);
    } else {
      EXPECT_GE(metricOfLimit(*worker_, "hip_worker_limit_refusals_total", attack.limit), 1);
    }
    stop(child);
  }
  std::printf("%s: %d alone, %d beside it, in %d rounds\n", attack.limit, alone, beside, rounds);
  EXPECT_GE(beside, kLeast * alone);
}

INSTANTIATE_TEST_SUITE_P(Exhausts, Neighbour, ::testing::ValuesIn(kAttacks), [](const auto& info) {
  std::string name = info.param.limit;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace hipr

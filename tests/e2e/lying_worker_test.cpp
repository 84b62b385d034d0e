// A worker that lies. Between a real worker and the client stands a relay that changes what the worker says in one way
// at a time. Whatever it says, the program neither crashes nor hangs, nor goes on with wrong results: a HIP call fails,
// and a line on stderr says why.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include "testing/hip.h"
#include "testing/worker_process.h"
#include "tests/e2e/relay.h"
#include "wire/platform_codec.h"

namespace hipr {
namespace {

using testing::Relay;
using testing::RelayedBytes;
using testing::RelayedFrame;
using testing::WorkerProcess;
using wire::Opcode;
using Clock = std::chrono::steady_clock;

constexpr int kTimeout = 2, kPatience = 20;  // seconds: what the client is told, and more than it needs
enum Outcome : int { kRight, kFailed, kWrong, kHung, kCrashed };

constexpr std::size_t kLarge = 3 << 20;

// Something of everything. An error is fine, a wrong result is not.
[[noreturn]] void useEverything() {
  testing::Hip hip;
  const auto check = [](hipError_t error) {
    if (error != hipSuccess) std::exit(kFailed);
  };
  if (!hip.load(testing::remoteLibrary()).ok()) std::exit(kFailed);
  const worker::HipTable& api = hip.api;
  std::vector<float> host(64 * 16);
  float *out = nullptr, *pinned = nullptr;
  int rounds = 10;
  check(api.hipMalloc(reinterpret_cast<void**>(&out), kLarge));
  check(api.hipHostMalloc(reinterpret_cast<void**>(&pinned), kLarge, 0));
  std::vector<char> pattern(kLarge, 'p'), back(kLarge);
  check(api.hipMemcpy(out, pattern.data(), kLarge, hipMemcpyHostToDevice));
  check(api.hipMemcpy(back.data(), out, kLarge, hipMemcpyDeviceToHost));
  if (back != pattern) std::exit(kWrong);
  check(api.hipMemsetAsync(out, 'q', kLarge, hip.stream));
  check(api.hipMemcpyAsync(pinned, out, kLarge, hipMemcpyDeviceToHost, hip.stream));
  check(api.hipStreamSynchronize(hip.stream));
  if (std::memcmp(pinned, std::string(kLarge, 'q').data(), kLarge) != 0) std::exit(kWrong);

  static std::atomic<int> called{0};
  hipEvent_t start = nullptr, stop = nullptr;
  check(api.hipEventCreateWithFlags(&start, 0));
  check(api.hipEventCreateWithFlags(&stop, 0));
  check(api.hipEventRecord(start, hip.stream));
  check(api.hipLaunchHostFunc(hip.stream, [](void*) { ++called; }, nullptr));
  void* arguments[] = {&out, &rounds};
  hip.launch(hip.work, 16, 64, arguments);
  check(api.hipEventRecord(stop, hip.stream));
  check(api.hipEventSynchronize(stop));
  if (called != 1) std::exit(kWrong);
  float elapsed = 0;
  check(api.hipEventElapsedTime(&elapsed, start, stop));
  check(api.hipMemcpyAsync(host.data(), out, host.size() * sizeof(float), hipMemcpyDeviceToHost, hip.stream));
  for (int i = 0; i < static_cast<int>(host.size()); ++i)
    if (host[static_cast<std::size_t>(i)] != testing::workResult(i, rounds)) std::exit(kWrong);
  std::size_t free = 0, total = 0;
  check(api.hipMemGetInfo(&free, &total));
  check(api.hipDeviceSynchronize());
  check(api.hipGetLastError());
  std::exit(kRight);
}

struct Result {
  Outcome outcome = kCrashed;
  std::string said;
};

Result runAgainst(int port, const char* compress) {
  int ends[2];
  if (pipe(ends) != 0) std::abort();
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    setenv("TF_WORKER_HOST", "127.0.0.1", 1);
    setenv("TF_WORKER_PORT", std::to_string(port).c_str(), 1);
    setenv("TF_IO_TIMEOUT", std::to_string(kTimeout).c_str(), 1);
    setenv("HIP_REMOTE_COMPRESS", compress, 1);
    useEverything();
  }
  close(ends[1]);
  Result result;
  std::thread listener([&] {
    char text[4096];
    for (ssize_t size; (size = read(ends[0], text, sizeof text)) > 0;)
      result.said.append(text, static_cast<std::size_t>(size));
    close(ends[0]);
  });
  const auto until = Clock::now() + std::chrono::seconds(kPatience);
  int status = 0;
  bool hung = false;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (!hung && Clock::now() > until) {
      hung = true;
      kill(child, SIGKILL);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  listener.join();
  result.outcome = hung ? kHung : WIFEXITED(status) ? static_cast<Outcome>(WEXITSTATUS(status)) : kCrashed;
  return result;
}

class LyingWorker : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { worker_ = new WorkerProcess; }
  static void TearDownTestSuite() {
    delete worker_;
    worker_ = nullptr;
  }

  static Result tampered(Relay::Tamper tamper, const char* compress = "off") {
    const Relay relay(worker_->port(), std::move(tamper));
    return runAgainst(relay.port(), compress);
  }
  // The program fails and says these words.
  static void expectError(const char* lie, const std::string& words, Relay::Tamper tamper,
                          const char* compress = "off") {
    SCOPED_TRACE(lie);
    const auto start = Clock::now();
    const Result result = tampered(std::move(tamper), compress);
    EXPECT_EQ(result.outcome, kFailed) << result.said;
    EXPECT_NE(result.said.find(words), std::string::npos) << result.said;
    EXPECT_LT(Clock::now() - start, std::chrono::seconds(kTimeout + 10));
  }
  // A changed HelloReply.
  static void expectGreetingRefused(const char* lie, const std::string& words,
                                    const std::function<void(wire::HelloReply&)>& change) {
    expectError(lie, words, [change](RelayedFrame& frame, RelayedBytes& out) {
      if (!frame.is(Opcode::kHello)) return out.pass(frame);
      wire::HelloReply reply;
      wire::Reader(frame.payload).get(reply);
      change(reply);
      out.add(Opcode::kHello, frame.header.request, frame.header.flags, reply);
    });
  }
  static void expectDeviceRefused(const char* lie, const std::function<void(hipDeviceProp_tR0600&)>& change) {
    std::vector<std::byte> storage;
    expectGreetingRefused(lie, "impossible", [&storage, change](wire::HelloReply& reply) {
      Platform platform;
      if (!wire::decodePlatform(reply.platform, platform)) _exit(1);
      change(platform.devices[0].props);
      storage.clear();
      wire::encodePlatform(platform, storage);
      reply.platform = storage;
    });
  }
  // `lie` replaces, or comes before, the first frame of this kind.
  static Relay::Tamper atFirst(Opcode opcode, std::function<void(RelayedFrame&, RelayedBytes&)> lie) {
    return [opcode, lie = std::move(lie), told = false](RelayedFrame& frame, RelayedBytes& out) mutable {
      if (told || !frame.is(opcode)) return out.pass(frame);
      told = true;
      lie(frame, out);
    };
  }

  static WorkerProcess* worker_;
};
WorkerProcess* LyingWorker::worker_ = nullptr;

TEST_F(LyingWorker, TheTruthWorks) {
  const Result result = tampered([](RelayedFrame& frame, RelayedBytes& out) { out.pass(frame); });
  EXPECT_EQ(result.outcome, kRight) << result.said;
}

TEST_F(LyingWorker, ImpossibleGreetings) {
  for (const std::uint64_t granularity : {0ull, 3ull, 16ull, 1ull << 40, ~0ull}) {
    expectGreetingRefused("granularity", "granularity", [&](auto& reply) { reply.granularity = granularity; });
  }
  expectGreetingRefused("more credit than addresses", "credit", [](auto& r) { r.credits[0] = ~std::uint64_t{0}; });
  expectGreetingRefused("no credits", "credit", [](auto& r) { r.credits.clear(); });
  expectGreetingRefused("too many credits", "credit", [](auto& r) { r.credits.resize(9); });
  expectGreetingRefused("a range of no size", "range", [](auto& r) { r.deviceSize = 0; });
  expectGreetingRefused("a range larger than offered", "range", [](auto& r) { r.deviceSize *= 2; });
  expectGreetingRefused("a range that wraps", "range", [](auto& r) { r.deviceBase = ~std::uint64_t{0} << 30; });
  expectGreetingRefused("a range within the host's", "range", [](auto& r) { r.deviceBase = 0x300000000000; });
  expectGreetingRefused("no device description", "device description", [](auto& r) { r.platform = {}; });
  expectGreetingRefused("half a device description", "device description",
                        [](auto& r) { r.platform = r.platform.first(r.platform.size() / 2); });
}

TEST_F(LyingWorker, ImpossibleDevices) {
  expectDeviceRefused("waves of nothing", [](auto& props) { props.warpSize = 0; });
  expectDeviceRefused("no compute units", [](auto& props) { props.multiProcessorCount = 0; });
  expectDeviceRefused("blocks of no threads", [](auto& props) { props.maxThreadsPerBlock = 0; });
  expectDeviceRefused("no grid", [](auto& props) { props.maxGridSize[1] = -1; });
}

TEST_F(LyingWorker, GreetingsThatAreNone) {
  expectError("another answer", "malformed greeting", atFirst(Opcode::kHello, [](auto& frame, auto& out) {
                frame.header.opcode = static_cast<std::uint16_t>(Opcode::kMemoryInfo);
                out.pass(frame);
              }));
  expectError("an answer with more behind it", "malformed greeting",
              atFirst(Opcode::kHello, [](auto& frame, auto& out) {
                frame.payload.resize(frame.payload.size() + 1);
                out.pass(frame);
              }));
  expectError("not ours", "protocol",
              atFirst(Opcode::kHello, [](auto&, auto& out) { out.raw(std::vector<std::byte>(100, std::byte{'H'})); }));
  expectError("huge", "greeting of", atFirst(Opcode::kHello, [](auto&, auto& out) {
                std::vector<std::byte> head(wire::kHeaderSize);
                wire::encodeHeader({.opcode = 1, .length = wire::kMaxPayload}, head.data());
                out.raw(std::move(head));
              }));
  expectError("never whole", "TF_IO_TIMEOUT", atFirst(Opcode::kHello, [](auto& frame, auto& out) {
                RelayedBytes whole;
                whole.pass(frame);
                for (const std::byte byte : whole.pieces()[0].bytes) {
                  out.raw({byte});
                  out.pause(300);
                }
              }));
}

TEST_F(LyingWorker, AnswersThatFitNoQuestion) {
  const auto done = [](std::uint32_t request) {
    return [request](auto& frame, auto& out) {
      out.add(Opcode::kStreamSynchronize, request, wire::HIP_REMOTE_FLAG_REPLY, wire::Done{});
      out.pass(frame);
    };
  };
  expectError("nobody asked", "no question", atFirst(Opcode::kModuleLoad, done(4711)));
  expectError("asked for a Ping", "no question", atFirst(Opcode::kModuleLoad, done(0)));
  expectError("another kind", "no question", atFirst(Opcode::kDownload, [](auto& frame, auto& out) {
                frame.header.opcode = static_cast<std::uint16_t>(Opcode::kMemoryInfo);
                out.pass(frame);
              }));
  expectError("twice", "no question", atFirst(Opcode::kDownload, [](auto& frame, auto& out) {
                out.pass(frame);
                out.pass(frame);
              }));
  expectError("too short", "malformed answer", atFirst(Opcode::kEventElapsed, [](auto& frame, auto& out) {
                frame.payload.resize(3);
                out.pass(frame);
              }));
  expectError("too long", "malformed answer", atFirst(Opcode::kMemoryInfo, [](auto& frame, auto& out) {
                frame.payload.resize(100);
                out.pass(frame);
              }));
  expectError("addresses of variables that do not exist", "ModuleLoad",
              atFirst(Opcode::kModuleLoad, [](auto& frame, auto& out) {
                out.add(Opcode::kModuleLoad, frame.header.request, frame.header.flags,
                        wire::ModuleLoadReply{0, {0x1234567000, 0x300000000000}});
              }));
}

TEST_F(LyingWorker, ProgressOfWorkThatWasNeverSent) {
  expectError("progress", "Progress", atFirst(Opcode::kDownload, [](auto& frame, auto& out) {
                out.push(Opcode::kProgress, wire::Progress{wire::kNullStream, ~std::uint64_t{0}});
                out.pass(frame);
              }));
}

TEST_F(LyingWorker, DownloadsThatAreNotWhatWasAskedFor) {
  const auto change = [](std::size_t word, std::uint64_t value) {
    return atFirst(Opcode::kData, [word, value](auto& frame, auto& out) {
      std::memcpy(frame.payload.data() + word * 8, &value, 8);
      out.pass(frame);
    });
  };
  expectError("for nobody", "nobody asked for", change(0, 4711));
  expectError("beyond the end", "outside its download", change(1, 1 << 30));
  expectError("twice", "outside its download", atFirst(Opcode::kData, [](auto& frame, auto& out) {
                out.pass(frame);
                out.pass(frame);
              }));
  expectError("without an offset", "truncated", atFirst(Opcode::kData, [](auto& frame, auto& out) {
                frame.payload.resize(7);
                out.pass(frame);
              }));
  // An answer without the data it promises: what the program would read is whatever was there before.
  expectError("no data", "last byte", [](RelayedFrame& frame, RelayedBytes& out) {
    if (!frame.is(Opcode::kData)) out.pass(frame);
  });
  std::size_t seen = 0;  // of the first two copies; the line may be slow, and a copy come in many frames
  expectError("no data of a copy nobody waits for", "last byte",
              [seen](RelayedFrame& frame, RelayedBytes& out) mutable {
                if (!frame.is(Opcode::kData)) return out.pass(frame);
                seen += frame.payload.size() - wire::kDataPrefix;
                if (seen != 2 * kLarge) out.pass(frame);
              });
  expectError("stalled", "TF_IO_TIMEOUT", atFirst(Opcode::kData, [](auto& frame, auto& out) {
                RelayedBytes whole;
                whole.pass(frame);
                std::vector<std::byte> half = whole.pieces()[0].bytes;
                half.resize(half.size() / 2);
                out.raw(std::move(half));
                out.pause(kPatience * 1000);
              }));
}

TEST_F(LyingWorker, PackedDataThatIsNotWhatItSays) {
  const Result truth = tampered([](RelayedFrame& frame, RelayedBytes& out) { out.pass(frame); }, "on");
  EXPECT_EQ(truth.outcome, kRight) << truth.said;
  const auto changed = [](const char* lie, const char* words, auto change) {
    expectError(lie, words,
                atFirst(Opcode::kPackedData,
                        [change](auto& frame, auto& out) {
                          change(frame.payload);
                          out.pass(frame);
                        }),
                "on");
  };
  const auto word = [](std::size_t which, std::uint64_t value) {
    return [which, value](auto& payload) { std::memcpy(payload.data() + which * 8, &value, 8); };
  };
  changed("for nobody", "nobody asked for", word(0, 4711));
  changed("beyond the end", "outside its download", word(1, 1 << 30));
  changed("huge", "no sensible size", word(2, ~std::uint64_t{0}));
  changed("of no size", "no sensible size", word(2, 0));
  changed("a byte less", "cannot be unpacked", word(2, wire::kMaxDataChunk - 1));
  changed("cut", "cannot be unpacked", [](auto& payload) { payload.pop_back(); });
  changed("more behind it", "cannot be unpacked", [](auto& payload) { payload.push_back({}); });
  changed("noise", "cannot be unpacked",
          [](auto& payload) { std::fill(payload.begin() + wire::kPackedDataPrefix, payload.end(), std::byte{0x5a}); });
  changed("without a size", "truncated", [](auto& payload) { payload.resize(20); });
}

TEST_F(LyingWorker, MessagesThatMakeNoSense) {
  const auto before = [](auto add) {
    return atFirst(Opcode::kDownload, [add](auto& frame, auto& out) {
      add(out);
      out.pass(frame);
    });
  };
  expectError("a function that is none", "RunHostFunction",
              before([](auto& out) { out.push(Opcode::kRunHostFunction, wire::RunHostFunction{4711}); }));
  expectError("a function twice", "RunHostFunction", atFirst(Opcode::kRunHostFunction, [](auto& frame, auto& out) {
                out.pass(frame);
                out.pass(frame);
              }));
  expectError("output for no stream", "Output",
              before([](auto& out) { out.push(Opcode::kOutput, wire::Output{9, {}}); }));
  expectError("a failure that is none", "AsyncFailure",
              before([](auto& out) { out.push(Opcode::kAsyncFailure, wire::AsyncFailure{0, 0, ""}); }));
  expectError("a failure of no name", "hipErrorUnknown",
              before([](auto& out) { out.push(Opcode::kAsyncFailure, wire::AsyncFailure{-12345, 0, "x\n\x1b[2Jy"}); }));
  expectError("changes of no memory", "HostBytes", before([](auto& out) {
                static const std::vector<std::byte> garbage(100, std::byte{0xff});
                out.push(Opcode::kHostBytes, wire::HostBytes{garbage, garbage});
              }));
  expectError("something for workers", "MapMemory",
              before([](auto& out) { out.push(Opcode::kMapMemory, wire::MapMemory{0, 0x200000000000, 1 << 20}); }));
  expectError("no message at all", "header",
              before([](auto& out) { out.raw(std::vector<std::byte>(wire::kHeaderSize, std::byte{0xee})); }));
  expectError("another version", "header", atFirst(Opcode::kDownload, [](auto& frame, auto& out) {
                frame.header.version = 77;
                out.pass(frame);
              }));
}

}  // namespace
}  // namespace hipr

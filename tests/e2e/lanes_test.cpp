// Large uploads over several connections, where one cannot fill the line: every byte comes to its place, also when
// connections are cut in the middle.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <random>
#include <vector>

#include "testing/hip.h"
#include "testing/line_relay.h"
#include "testing/worker_process.h"
#include "tests/e2e/checked_program.h"
#include "tests/e2e/counters.h"
#include "tests/e2e/cutting_relay.h"
#include "wire/append.h"
#include "wire/messages.h"

namespace hipr {
namespace {

using testing::LineRelay;
using testing::WorkerProcess;

constexpr std::size_t kMiB = 1 << 20, kUpload = 96 * kMiB;
// Reading back everything over such a line would take as long again: some of every 64 KiB.
constexpr std::size_t kRow = 64 << 10, kSample = 2 << 10;
// Each connection carries a window in a round trip: 17 MB/s.
constexpr LineRelay::Line kLongLine{.oneWay = 0.015, .window = kMiB / 2};

const std::vector<unsigned char>& noise() {
  static const std::vector<unsigned char> bytes = [] {
    std::vector<unsigned char> out(kUpload);
    std::mt19937_64 random(1);
    for (std::size_t i = 0; i < kUpload; i += 8) {
      const std::uint64_t word = random();
      std::memcpy(out.data() + i, &word, 8);
    }
    return out;
  }();
  return bytes;
}

void check(bool right, const char* what) {
  if (right) return;
  std::fprintf(stderr, "%s\n", what);
  _exit(1);
}

// One copy of pinned memory, which goes on behind the call, and one of memory that changes when the call has returned.
void uploadAndCompare(bool pinned) {
  testing::Hip hip;
  check(hip.load(testing::remoteLibrary()).ok(), "no worker");
  unsigned char* device = nullptr;
  HIPR_CHECK(hip, hipMalloc(reinterpret_cast<void**>(&device), kUpload));
  if (pinned) {
    void* host = nullptr;
    HIPR_CHECK(hip, hipHostMalloc(&host, kUpload, 0));
    std::memcpy(host, noise().data(), kUpload);
    HIPR_CHECK(hip, hipMemcpyAsync(device, host, kUpload, hipMemcpyHostToDevice, hip.stream));
  } else {
    std::vector<unsigned char> host = noise();
    HIPR_CHECK(hip, hipMemcpy(device, host.data(), kUpload, hipMemcpyHostToDevice));
    std::ranges::fill(host, 0xEE);
  }
  HIPR_CHECK(hip, hipMemsetAsync(device, 0, 4, hip.stream));  // comes behind all of it
  std::vector<unsigned char> back(kUpload / kRow * kSample);
  HIPR_CHECK(hip, hipMemcpy2DAsync(back.data(), kSample, device, kRow, kSample, kUpload / kRow, hipMemcpyDeviceToHost,
                                   hip.stream));
  HIPR_CHECK(hip, hipStreamSynchronize(hip.stream));
  for (std::size_t row = 0; row < kUpload / kRow; ++row)
    for (std::size_t i = 0; i < kSample; ++i)
      check(back[row * kSample + i] == (row == 0 && i < 4 ? 0 : noise()[row * kRow + i]), "other bytes");
}

class Lanes : public ::testing::Test {
 protected:
  void TearDown() override {
    for (const char* name : {"HIP_REMOTE_LANES", "HIP_REMOTE_TLS", "HIP_REMOTE_TOKEN", "HIP_REMOTE_TRANSPORT"})
      unsetenv(name);
  }
  static void expectLanes(const Counters& counted) {
    EXPECT_GE(counted["lanes"], 1);
    EXPECT_GE(counted["lane_bytes"], static_cast<long>(kMiB));
  }
};

TEST_F(Lanes, CarryUploadsOverALongLine) {
  const WorkerProcess worker;
  const LineRelay relay("127.0.0.1", worker.port(), kLongLine);
  use(relay.port());
  expectLanes(Counters::of([] { uploadAndCompare(true); }));
  EXPECT_GE(relay.connections(), 2u);
  EXPECT_LE(relay.connections(), 1 + wire::kMostLanes);
}

// A piece takes 40 ms on this line, however short it is: small messages have the session's own connection to
// themselves.
TEST_F(Lanes, CarryBulkDataOverAThinLine) {
  const WorkerProcess worker;
  const LineRelay relay("127.0.0.1", worker.port(), {.oneWay = 0.0001, .bandwidth = 25e6});
  use(relay.port());
  const Counters counted = Counters::of([] { uploadAndCompare(true); });
  expectLanes(counted);
  EXPECT_LT(counted["sent"] - counted["lane_bytes"], static_cast<long>(24 * kMiB)) << "until that was known";
}

TEST_F(Lanes, CarryMemoryThatChangesAfterwards) {
  const WorkerProcess worker;
  const LineRelay relay("127.0.0.1", worker.port(), kLongLine);
  use(relay.port());
  expectLanes(Counters::of([] { uploadAndCompare(false); }));
}

TEST_F(Lanes, AreProtectedLikeTheSession) {
  setenv("HIP_REMOTE_TOKEN", "only for this test", 1);
  setenv("HIP_REMOTE_TLS", "1", 1);
  setenv("HIP_REMOTE_LANES", "on", 1);  // who speaks TLS to its own machine does not ask what stands between
  const WorkerProcess worker;
  const LineRelay relay("127.0.0.1", worker.port(), kLongLine);
  use(relay.port());
  const Counters counted = Counters::of([] { uploadAndCompare(true); });
  expectLanes(counted);
  EXPECT_EQ(counted.text("transport"), "tls");
}

// Cuts of the session's own connection, and of lanes.
TEST_F(Lanes, CutsInTheMiddleLoseNothing) {
  setenv("HIP_REMOTE_LANES", "on", 1);
  const WorkerProcess worker;
  const LineRelay line("127.0.0.1", worker.port(), kLongLine);
  CuttingRelay relay(line.port(), {.most = 24 * kMiB});
  use(relay.port());
  for (const bool pinned : {true, false}) expectLanes(Counters::of([&] { uploadAndCompare(pinned); }));
  EXPECT_GE(relay.cuts(), 2);
}

TEST_F(Lanes, AreNotMadeWhereNobodyWantsThem) {
  const WorkerProcess worker;
  const LineRelay relay("127.0.0.1", worker.port(), kLongLine);
  use(relay.port());
  setenv("HIP_REMOTE_LANES", "off", 1);
  EXPECT_EQ(Counters::of([] { uploadAndCompare(true); })["lanes"], 0);
  EXPECT_EQ(relay.connections(), 1u);
}

TEST_F(Lanes, AreNotMadeWithinAMachine) {
  const WorkerProcess worker;
  use(worker.port());
  setenv("HIP_REMOTE_TRANSPORT", "tcp", 1);
  EXPECT_EQ(Counters::of([] { uploadAndCompare(true); })["lanes"], 0);
}

// Whoever does not know a session's key cannot come in beside its client.
TEST_F(Lanes, OfStrangersAreRefused) {
  const WorkerProcess worker;
  use(worker.port());
  EXPECT_EQ(inChild([&] {
              CheckedProgram program;
              net::Socket stranger;
              if (!net::connectTo({"127.0.0.1", static_cast<std::uint16_t>(worker.port())}, 10, stranger).ok())
                return 1;
              std::vector<std::byte> frame;
              wire::appendFrame(frame, wire::Opcode::kJoin, 0, 0, wire::Join{.lane = 1});
              if (!stranger.send(frame).ok()) return 2;
              std::byte head[wire::kHeaderSize];
              wire::Header header;
              if (!stranger.receive(head, sizeof head).ok() || !wire::decodeHeader(head, header)) return 3;
              if (header.opcode != static_cast<std::uint16_t>(wire::Opcode::kRefused)) return 4;
              return program.round(1) ? 0 : 5;
            }),
            0);
}

}  // namespace
}  // namespace hipr

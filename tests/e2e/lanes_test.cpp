// Large copies over several connections, where one cannot fill the line: every byte comes to its place, and before the
// program is told so, also when connections are cut in the middle.
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

constexpr std::size_t kMiB = 1 << 20, kCopy = 96 * kMiB;
// Reading an upload back as a whole over such a line would take as long again: some of every 64 KiB.
constexpr std::size_t kRow = 64 << 10, kSample = 2 << 10;
// Of downloads: blocks of one value. Pieces begin in the middle of some.
constexpr std::size_t kBlock = 96 << 10;
// Each connection carries a window in a round trip: 17 MB/s.
constexpr LineRelay::Line kLongLine{.oneWay = 0.015, .window = kMiB / 2};

const std::vector<unsigned char>& noise() {
  static const std::vector<unsigned char> bytes = [] {
    std::vector<unsigned char> out(kCopy);
    std::mt19937_64 random(1);
    for (std::size_t i = 0; i < kCopy; i += 8) {
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
  HIPR_CHECK(hip, hipMalloc(reinterpret_cast<void**>(&device), kCopy));
  if (pinned) {
    void* host = nullptr;
    HIPR_CHECK(hip, hipHostMalloc(&host, kCopy, 0));
    std::memcpy(host, noise().data(), kCopy);
    HIPR_CHECK(hip, hipMemcpyAsync(device, host, kCopy, hipMemcpyHostToDevice, hip.stream));
  } else {
    std::vector<unsigned char> host = noise();
    HIPR_CHECK(hip, hipMemcpy(device, host.data(), kCopy, hipMemcpyHostToDevice));
    std::ranges::fill(host, 0xEE);
  }
  HIPR_CHECK(hip, hipMemsetAsync(device, 0, 4, hip.stream));  // comes behind all of it
  std::vector<unsigned char> back(kCopy / kRow * kSample);
  HIPR_CHECK(hip, hipMemcpy2DAsync(back.data(), kSample, device, kRow, kSample, kCopy / kRow, hipMemcpyDeviceToHost,
                                   hip.stream));
  HIPR_CHECK(hip, hipStreamSynchronize(hip.stream));
  for (std::size_t row = 0; row < kCopy / kRow; ++row)
    for (std::size_t i = 0; i < kSample; ++i)
      check(back[row * kSample + i] == (row == 0 && i < 4 ? 0 : noise()[row * kRow + i]), "other bytes");
}

unsigned char valueOf(std::size_t at) {
  return static_cast<unsigned char>(1 + at / kBlock * 37 % 251);
}

// One copy to pinned memory, which goes on behind the call, with work behind it that changes what it reads; or one that
// is there when the call returns.
void downloadAndCompare(bool pinned) {
  testing::Hip hip;
  check(hip.load(testing::remoteLibrary()).ok(), "no worker");
  unsigned char* device = nullptr;
  HIPR_CHECK(hip, hipMalloc(reinterpret_cast<void**>(&device), kCopy));
  for (std::size_t at = 0; at < kCopy; at += kBlock)
    HIPR_CHECK(hip, hipMemsetAsync(device + at, valueOf(at), std::min(kBlock, kCopy - at), hip.stream));
  HIPR_CHECK(hip, hipStreamSynchronize(hip.stream));
  std::vector<unsigned char> pageable(pinned ? 0 : kCopy);
  void* host = pageable.data();
  if (pinned) {
    HIPR_CHECK(hip, hipHostMalloc(&host, kCopy, 0));
    HIPR_CHECK(hip, hipMemcpyAsync(host, device, kCopy, hipMemcpyDeviceToHost, hip.stream));
    HIPR_CHECK(hip, hipMemsetAsync(device, 0xFF, kCopy, hip.stream));
    HIPR_CHECK(hip, hipStreamSynchronize(hip.stream));
  } else {
    HIPR_CHECK(hip, hipMemcpy(host, device, kCopy, hipMemcpyDeviceToHost));
  }
  const auto* bytes = static_cast<const unsigned char*>(host);
  for (std::size_t at = 0; at < kCopy; at += kBlock) {
    const std::size_t end = std::min(at + kBlock, kCopy);
    check(std::all_of(bytes + at, bytes + end, [&](unsigned char byte) { return byte == valueOf(at); }), "other bytes");
  }
}

struct Direction {
  const char* name;
  void (*copyAndCompare)(bool pinned);
  const char *lanes, *laneBytes, *allBytes;  // counters
};

class Lanes : public ::testing::TestWithParam<Direction> {
 protected:
  void SetUp() override { setenv("HIP_REMOTE_COMPRESS", "off", 1); }  // blocks of one value would hardly travel at all
  void TearDown() override {
    for (const char* name :
         {"HIP_REMOTE_COMPRESS", "HIP_REMOTE_LANES", "HIP_REMOTE_TLS", "HIP_REMOTE_TOKEN", "HIP_REMOTE_TRANSPORT"})
      unsetenv(name);
  }
  static Counters copy(bool pinned) {
    return Counters::of([=] { GetParam().copyAndCompare(pinned); });
  }
  static void expectLanes(const Counters& counted) {
    EXPECT_GE(counted[GetParam().lanes], 1);
    EXPECT_GE(counted[GetParam().laneBytes], static_cast<long>(kMiB));
  }
};

INSTANTIATE_TEST_SUITE_P(, Lanes,
                         ::testing::Values(Direction{"Up", uploadAndCompare, "lanes", "lane_bytes", "sent"},
                                           Direction{"Down", downloadAndCompare, "down_lanes", "down_lane_bytes",
                                                     "received"}),
                         [](const auto& info) { return info.param.name; });

TEST_P(Lanes, CarryMuchOverALongLine) {
  const WorkerProcess worker;
  const LineRelay relay("127.0.0.1", worker.port(), kLongLine);
  use(relay.port());
  for (const bool pinned : {true, false}) {
    const std::uint64_t before = relay.connections();
    expectLanes(copy(pinned));
    EXPECT_GE(relay.connections() - before, 2u);
    EXPECT_LE(relay.connections() - before, 1 + wire::kMostLanes);
  }
}

// A piece takes 40 ms on this line, however short it is: small messages have the session's own connection to
// themselves.
TEST_P(Lanes, CarryBulkDataOverAThinLine) {
  const WorkerProcess worker;
  const LineRelay relay("127.0.0.1", worker.port(), {.oneWay = 0.0001, .bandwidth = 25e6});
  use(relay.port());
  const Counters counted = copy(true);
  expectLanes(counted);
  EXPECT_LT(counted[GetParam().allBytes] - counted[GetParam().laneBytes], static_cast<long>(24 * kMiB))
      << "until that was known";
}

TEST_P(Lanes, AreProtectedLikeTheSession) {
  setenv("HIP_REMOTE_TOKEN", "only for this test", 1);
  setenv("HIP_REMOTE_TLS", "1", 1);
  setenv("HIP_REMOTE_LANES", "on", 1);  // who speaks TLS to its own machine does not ask what stands between
  const WorkerProcess worker;
  const LineRelay relay("127.0.0.1", worker.port(), kLongLine);
  use(relay.port());
  const Counters counted = copy(true);
  expectLanes(counted);
  EXPECT_EQ(counted.text("transport"), "tls");
}

// Cuts of the session's own connection, and of lanes.
TEST_P(Lanes, CutsInTheMiddleLoseNothing) {
  setenv("HIP_REMOTE_LANES", "on", 1);
  const WorkerProcess worker;
  const LineRelay line("127.0.0.1", worker.port(), kLongLine);
  CuttingRelay relay(line.port(), {.most = 24 * kMiB});
  use(relay.port());
  for (const bool pinned : {true, false}) expectLanes(copy(pinned));
  EXPECT_GE(relay.cuts(), 2);
}

TEST_P(Lanes, AreNotMadeWhereNobodyWantsThem) {
  const WorkerProcess worker;
  const LineRelay relay("127.0.0.1", worker.port(), kLongLine);
  use(relay.port());
  setenv("HIP_REMOTE_LANES", "off", 1);
  EXPECT_EQ(copy(true)[GetParam().lanes], 0);
  EXPECT_EQ(relay.connections(), 1u);
}

TEST_P(Lanes, AreNotMadeWithinAMachine) {
  const WorkerProcess worker;
  use(worker.port());
  setenv("HIP_REMOTE_TRANSPORT", "tcp", 1);
  EXPECT_EQ(copy(true)[GetParam().lanes], 0);
}

// Whoever does not know a session's key cannot come in beside its client.
TEST(LanesOfStrangers, AreRefused) {
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

// Copies between devices of two workers go from worker to worker, where their owners let them, and through the program
// elsewhere. Either way the bytes are right, and the loss of a worker in the middle is its own.
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <future>

#include "net/socket.h"
#include "testing/eventually.h"
#include "tests/e2e/checked_program.h"
#include "tests/e2e/counters.h"
#include "tests/e2e/relay.h"
#include "tests/e2e/two_workers.h"

namespace hipr {
namespace {

constexpr std::size_t kMiB = 1 << 20, kLarge = 16 * kMiB;

std::vector<std::string> withPeers(const std::string& peers) {
  return {"--runtime", "softgpu", "--grace", "1", "--peers", peers};
}

class Parcels : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { setenv("HIP_REMOTE_SOFTGPU", "gfx90ax2", 1); }
  void SetUp() override {
    setenv("TF_IO_TIMEOUT", "20", 1);
    setenv("HIP_REMOTE_RESUME", "0", 1);
  }
};

// Each MiB of a device's memory has a number of its own; that travels as a fill, and as a byte of each when it is read.
void number(Row& row, int d, std::size_t size) {
  HIPR_CHECK(row.hip, hipSetDevice(d));
  for (std::size_t i = 0; i < size / kMiB; ++i)
    HIPR_CHECK(row.hip, hipMemset(static_cast<char*>(row.memory[d]) + i * kMiB, static_cast<int>(i + 1), kMiB));
}
bool numbered(Row& row, int d, std::size_t size) {
  HIPR_CHECK(row.hip, hipSetDevice(d));
  for (std::size_t i = 0; i < size / kMiB; ++i) {
    unsigned char ends[2] = {};
    const char* const begin = static_cast<const char*>(row.memory[d]) + i * kMiB;
    HIPR_CHECK(row.hip, hipMemcpy(&ends[0], begin, 1, hipMemcpyDeviceToHost));
    HIPR_CHECK(row.hip, hipMemcpy(&ends[1], begin + kMiB - 1, 1, hipMemcpyDeviceToHost));
    if (ends[0] != i + 1 || ends[1] != i + 1) return false;
  }
  return true;
}

// Bytes that a program sent and received that copied from worker to worker and back.
long bytesOf(int first, int second, int copies) {
  const Counters counted = Counters::of([=] {
    Row row(first, second, kLarge);
    number(row, 2, kLarge);
    for (int i = 0; i < copies; ++i) {
      HIPR_CHECK(row.hip, hipMemcpyPeer(row.memory[1], 1, row.memory[2], 2, kLarge));
      HIPR_CHECK(row.hip, hipMemcpyPeerAsync(row.memory[3], 3, row.memory[1], 1, kLarge, row.stream[1]));
      HIPR_CHECK(row.hip, hipStreamSynchronize(row.stream[1]));
    }
    if (copies && (!numbered(row, 1, kLarge) || !numbered(row, 3, kLarge))) _exit(1);
  });
  return counted["sent"] + counted["received"];
}

TEST_F(Parcels, DoNotGoThroughTheProgram) {
  const WorkerProcess first(withPeers("*")), second(withPeers("*"));
  const long without = bytesOf(first.port(), second.port(), 0), with = bytesOf(first.port(), second.port(), 3);
  EXPECT_LT(with - without, 64 << 10) << "of " << 6 * kLarge << " bytes that were copied";
}

TEST_F(Parcels, GoThroughTheProgramWhereTheirOwnerSaysNothing) {
  const WorkerProcess first, second;
  const long without = bytesOf(first.port(), second.port(), 0), with = bytesOf(first.port(), second.port(), 1);
  EXPECT_GT(with - without, static_cast<long>(4 * kLarge));
}

TEST_F(Parcels, GoThroughTheProgramWhereItsOwnerNamesOthers) {
  const WorkerProcess first(withPeers("127.0.0.1:1")), second(withPeers("127.0.0.1:1"));
  const long without = bytesOf(first.port(), second.port(), 0), with = bytesOf(first.port(), second.port(), 1);
  EXPECT_GT(with - without, static_cast<long>(4 * kLarge));
}

TEST_F(Parcels, GoOneWayWhereOneOwnerAllowsIt) {
  const WorkerProcess first, second(withPeers("127.0.0.1:" + std::to_string(first.port())));
  const long without = bytesOf(first.port(), second.port(), 0), with = bytesOf(first.port(), second.port(), 1);
  EXPECT_GT(with - without, static_cast<long>(2 * kLarge));
  EXPECT_LT(with - without, static_cast<long>(3 * kLarge));
}

// The program reaches a worker in a way that the other one has not: the relay takes one connection.
TEST_F(Parcels, GoThroughTheProgramWhereWorkersDoNotReachEachOther) {
  const WorkerProcess first(withPeers("*")), second(withPeers("*"));
  const testing::Relay relay(first.port(), [](auto& frame, auto& out) { out.pass(frame); });
  EXPECT_EQ(inChild([&] {
              Row row(relay.port(), second.port(), kLarge);
              number(row, 2, kLarge);
              HIPR_CHECK(row.hip, hipMemcpyPeer(row.memory[0], 0, row.memory[2], 2, kLarge));
              return numbered(row, 0, kLarge) ? 0 : 1;
            }),
            0);
}

// Workers that ask for a token need none from each other: the ticket is all.
TEST_F(Parcels, NeedNoTokenOfTheOtherWorker) {
  setenv("HIP_REMOTE_TOKEN", "only for this test", 1);
  const WorkerProcess first(withPeers("*")), second(withPeers("*"));
  EXPECT_LT(bytesOf(first.port(), second.port(), 1), static_cast<long>(kLarge));
  unsetenv("HIP_REMOTE_TOKEN");
}

TEST_F(Parcels, KeepEveryByteAndTheOrderOfStreams) {
  const WorkerProcess first(withPeers("*")), second(withPeers("*"));
  EXPECT_EQ(inChild([&] {
              Row row(first, second, kLarge);
              const worker::HipTable& api = row.hip.api;
              constexpr std::size_t kWidth = 3001, kRows = 700, kFrom = 4096, kTo = 5000;
              std::vector<unsigned char> there(kFrom * kRows), back(kTo * kRows);
              for (unsigned round = 1; round <= 3; ++round) {
                for (std::size_t i = 0; i < there.size(); ++i)
                  there[i] = static_cast<unsigned char>((i * 2654435761u + round) >> 11);
                HIPR_CHECK(row.hip, hipSetDevice(2));
                HIPR_CHECK(row.hip, hipMemcpyAsync(row.memory[2], there.data(), there.size(), hipMemcpyHostToDevice,
                                                   row.stream[2]));
                HIPR_CHECK(row.hip, hipMemcpy2DAsync(row.memory[0], kTo, row.memory[2], kFrom, kWidth, kRows,
                                                     hipMemcpyDeviceToDevice, row.stream[2]));
                // Behind it, and nothing of it gets there.
                HIPR_CHECK(row.hip, hipMemsetAsync(row.memory[2], 0xEE, there.size(), row.stream[2]));
                HIPR_CHECK(row.hip, hipStreamSynchronize(row.stream[2]));
                HIPR_CHECK(row.hip, hipSetDevice(0));
                HIPR_CHECK(row.hip, hipMemcpy(back.data(), row.memory[0], back.size(), hipMemcpyDeviceToHost));
                for (std::size_t y = 0; y < kRows; ++y)
                  for (std::size_t x = 0; x < kWidth; ++x)
                    if (back[y * kTo + x] != there[y * kFrom + x]) return 1;
              }
              return api.hipGetLastError() == hipSuccess ? 0 : 2;
            }),
            0);
}

// Whenever it happens: the program is told, and the devices of the other worker go on.
void loseInTheMiddle(const WorkerProcess& first, const WorkerProcess& second, bool source) {
  EXPECT_EQ(inChild([&] {
              Row row(first, second, 4 * kLarge);
              const int lost = source ? 2 : 0, kept = source ? 0 : 2;
              std::atomic<int> copies{0};
              auto copying = std::async(std::launch::async, [&] {
                hipError_t error = hipSuccess;
                while (error == hipSuccess) {
                  error = row.hip.api.hipMemcpyPeer(row.memory[0], 0, row.memory[2], 2, 4 * kLarge);
                  ++copies;
                }
                return error;
              });
              if (!testing::eventually([&] { return copies > 0; })) return 1;
              end(source ? second : first);
              if (copying.wait_for(std::chrono::seconds(60)) != std::future_status::ready) _exit(2);
              if (!testing::eventually([&] { return row.fails(lost) && row.fails(lost + 1); })) return 3;
              // Its null stream may have waited for the copy, and is told then, once.
              if (row.hip.api.hipSetDevice(kept) != hipSuccess) return 4;
              static_cast<void>(row.hip.api.hipDeviceSynchronize());
              return row.works(kept) && row.works(kept + 1) ? 0 : 5;
            }),
            0);
}

TEST_F(Parcels, AreLostWithTheWorkerThatBringsThem) {
  const WorkerProcess first(withPeers("*")), second(withPeers("*"));
  loseInTheMiddle(first, second, true);
}

TEST_F(Parcels, AreLostWithTheWorkerThatGetsThem) {
  const WorkerProcess first(withPeers("*")), second(withPeers("*"));
  loseInTheMiddle(first, second, false);
}

}  // namespace
}  // namespace hipr

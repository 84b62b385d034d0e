// Arrays and textures through the remote core and a session, whose runtime is the worker's small one for tests: in a
// process of its own, as every session is, since both sides have the same addresses.
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <numeric>

#include "client/remote_core.h"
#include "net/socket_transport.h"
#include "wire/platform_codec.h"
#include "worker/fake_credit.h"
#include "worker/fake_hip.h"
#include "worker/session.h"

namespace hipr {
namespace {

using client::RemoteCore;

constexpr std::uint64_t kMiB = 1 << 20;

std::vector<std::byte> onePlatform() {
  Platform platform;
  auto& props = platform.devices.emplace_back().props;
  props.warpSize = 64;
  props.multiProcessorCount = 1;
  props.maxThreadsPerBlock = props.maxThreadsPerMultiProcessor = 1024;
  for (int i = 0; i < 3; ++i) props.maxThreadsDim[i] = props.maxGridSize[i] = 1024;
  props.totalGlobalMem = 96 * kMiB;
  platform.peers.resize(1);
  std::vector<std::byte> bytes;
  wire::encodePlatform(platform, bytes);
  return bytes;
}

// One client after the other. Of each it says in a byte whether it left anything behind.
[[noreturn]] void serve(const net::Socket& listener, int tell, bool places) {
  for (;;) {
    const int connection = ::accept(listener.fd(), nullptr, nullptr);
    if (connection < 0) _exit(1);
    worker::FakeHip fake({.cpuReachesMemory = false, .placesMemory = places});
    worker::Ledger ledger({96 * kMiB}, 1);
    worker::FakeCredit credit(ledger, 0);
    {
      worker::SessionOptions options;
      options.devices = {0};
      options.platform = onePlatform();
      options.credit = &credit;
      worker::Session session(net::overSocket(net::Socket(connection), 60), fake.table(), options);
      (void)session.run();
    }
    const char left = fake.liveObjects() ? 'x' : '.';
    if (write(tell, &left, 1) != 1) _exit(1);
  }
}

struct Server {
  pid_t process = -1;
  std::uint16_t port = 0;
  int told = -1;

  explicit Server(bool places) {
    net::Socket listener;
    int ends[2];
    if (!net::listenOn("127.0.0.1", 0, listener, &port).ok() || pipe(ends) != 0) std::abort();
    told = ends[0];
    process = fork();
    if (process == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);  // also when a test crashes
      serve(listener, ends[1], places);
    }
    close(ends[1]);
  }
  ~Server() { kill(process, SIGKILL); }
};

// One core, and for each test another session. The addresses of memory are given out by the client, or chosen by the
// runtime where HIPR_ALLOCATES is set.
class ImagesTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    server_ = new Server(getenv("HIPR_ALLOCATES") == nullptr);  // before there are threads
    setenv("HIP_REMOTE_TRANSPORT", "tcp", 1);
    setenv("TF_WORKER_HOST", "127.0.0.1", 1);
    setenv("TF_WORKER_PORT", std::to_string(server_->port).c_str(), 1);
    const Platform* platform = nullptr;
    ASSERT_EQ(core.open(&platform), hipSuccess);
  }
  static void TearDownTestSuite() { delete server_; }
  void SetUp() override {
    stream.id = 1;
    stream.flags = hipStreamNonBlocking;
    ASSERT_EQ(core.create(stream), hipSuccess);
  }
  void TearDown() override {
    EXPECT_EQ(core.synchronize(stream), hipSuccess);
    EXPECT_EQ(core.asyncError.take(), hipSuccess);
    EXPECT_EQ(core.destroy(stream), hipSuccess);
    ASSERT_EQ(core.reset(0, true), hipSuccess);
    char left = 0;
    EXPECT_EQ(read(server_->told, &left, 1), 1);
    EXPECT_EQ(left, '.');
  }

  struct OfFloats : Array {
    OfFloats(std::uint64_t number, unsigned width, unsigned height, unsigned depth) {
      id = number;
      texelBytes = 4;
      head.width = width, head.height = height, head.depth = depth;
      head.format = HIP_AD_FORMAT_FLOAT;
    }
  };
  static Plane box(Array& array, std::size_t x = 0, std::size_t y = 0, std::size_t z = 0) {
    return {.kind = MemoryKind::kDevice, .array = &array, .x = x, .y = y, .z = z};
  }
  static Plane rows(void* address, std::size_t pitch, std::size_t slice, MemoryKind kind = MemoryKind::kPageable) {
    return {.address = address, .pitch = pitch, .slice = slice, .kind = kind};
  }
  hipError_t submit(const Copy& copy, Stage until = Stage::kVisible) { return core.submit(stream, copy, until); }

  static inline RemoteCore& core = *new RemoteCore;  // cores live as long as the process
  Stream stream;

 private:
  static inline Server* server_ = nullptr;
};

TEST_F(ImagesTest, RowsAndSlicesComeBack) {
  OfFloats array(1, 5, 4, 3), other(2, 6, 5, 4);
  ASSERT_EQ(core.create(array), hipSuccess);
  ASSERT_EQ(core.create(other), hipSuccess);
  std::vector<float> from(8 * 6 * 3), to(5 * 4 * 3, -1.0f);  // rows of 8, slices of 6 rows
  std::iota(from.begin(), from.end(), 1.0f);
  EXPECT_EQ(submit({box(array), rows(from.data(), 32, 192), 20, 4, 3}), hipSuccess);
  EXPECT_EQ(submit({box(other, 4, 1, 1), box(array), 20, 4, 3}), hipSuccess);
  std::fill(from.begin(), from.end(), 0.0f);  // it is there
  EXPECT_EQ(submit({rows(to.data(), 20, 80), box(other, 4, 1, 1), 20, 4, 3}), hipSuccess);
  for (std::size_t z = 0; z < 3; ++z) {
    for (std::size_t y = 0; y < 4; ++y) {
      for (std::size_t x = 0; x < 5; ++x)
        EXPECT_EQ(to[(z * 4 + y) * 5 + x], 1.0f + static_cast<float>((z * 6 + y) * 8 + x));
    }
  }
  EXPECT_EQ(core.destroy(array), hipSuccess);
  EXPECT_EQ(core.destroy(other), hipSuccess);
}

// More than passes through device memory at once; and with the array, more than half of what there is.
TEST_F(ImagesTest, LargeOnesGoInPieces) {
  constexpr std::size_t kWidth = 1024, kHeight = 14 << 10;  // 56 MiB
  OfFloats array(1, kWidth, kHeight, 0);
  ASSERT_EQ(core.create(array), hipSuccess);
  for (const MemoryKind kind : {MemoryKind::kPageable, MemoryKind::kHost}) {
    Allocation pinned[2];
    std::vector<std::uint32_t> pageable[2];
    std::uint32_t* at[2];
    for (int i = 0; i < 2; ++i) {
      if (kind == MemoryKind::kHost) {
        pinned[i].kind = kind;
        pinned[i].size = kWidth * kHeight * 4;
        ASSERT_EQ(core.allocate(pinned[i]), hipSuccess);
        at[i] = static_cast<std::uint32_t*>(pinned[i].host);
      } else {
        pageable[i].resize(kWidth * kHeight);
        at[i] = pageable[i].data();
      }
    }
    for (std::uint32_t i = 0; i < kWidth * kHeight; ++i) at[0][i] = i * 2654435761u + static_cast<std::uint32_t>(kind);
    const Plane from = rows(at[0], kWidth * 4, 0, kind), to = rows(at[1], kWidth * 4, 0, kind);
    EXPECT_EQ(submit({box(array), from, kWidth * 4, kHeight}, Stage::kSent), hipSuccess);
    EXPECT_EQ(submit({to, box(array), kWidth * 4, kHeight}, Stage::kSent), hipSuccess);
    EXPECT_EQ(core.synchronize(stream), hipSuccess);
    EXPECT_EQ(std::memcmp(at[0], at[1], kWidth * kHeight * 4), 0);
    for (Allocation& memory : pinned) {
      if (!memory.host) continue;
      EXPECT_EQ(core.release(memory), hipSuccess);
    }
  }
  EXPECT_EQ(core.destroy(array), hipSuccess);
}

TEST_F(ImagesTest, WhatAnArrayTookCanBeHadAgain) {
  for (std::uint64_t i = 1; i < 20; ++i) {
    OfFloats array(i, 1024, 16 << 10, 0);  // 64 of 96 MiB
    ASSERT_EQ(core.create(array), hipSuccess) << i;
    OfFloats another(100 + i, 1024, 16 << 10, 0);
    EXPECT_EQ(core.create(another), hipErrorOutOfMemory);
    float value = static_cast<float>(i), back = 0;
    EXPECT_EQ(submit({box(array, 4092, 1000), rows(&value, 4, 4), 4}), hipSuccess);
    EXPECT_EQ(submit({rows(&back, 4, 4), box(array, 4092, 1000), 4}), hipSuccess);
    EXPECT_EQ(back, value);
    Texture texture;
    texture.id = i;
    texture.array = &array;
    EXPECT_EQ(core.create(texture), hipSuccess);
    EXPECT_NE(texture.object, nullptr);
    EXPECT_EQ(core.destroy(array), hipSuccess);
    EXPECT_EQ(core.create(another), hipErrorOutOfMemory);  // the texture shows it
    EXPECT_EQ(core.destroy(texture), hipSuccess);
  }
}

TEST_F(ImagesTest, StepsOfGraphs) {
  OfFloats array(1, 4, 2, 0), other(2, 4, 2, 0);
  ASSERT_EQ(core.create(array), hipSuccess);
  ASSERT_EQ(core.create(other), hipSuccess);
  Allocation pinned{.kind = MemoryKind::kHost, .size = 64};
  ASSERT_EQ(core.allocate(pinned), hipSuccess);
  auto* values = static_cast<float*>(pinned.host);
  GraphExec graph;
  const auto step = [&](const Copy& copy) {
    GraphStep& made = graph.steps.emplace_back();
    made.work = copy;
    if (graph.steps.size() > 1) made.after = {static_cast<std::uint32_t>(graph.steps.size() - 2)};
  };
  step({box(array), rows(values, 16, 32, MemoryKind::kHost), 16, 2});
  step({box(other), box(array), 16, 2});
  step({rows(values + 8, 8, 8, MemoryKind::kHost), box(other, 4, 1), 8});
  ASSERT_EQ(core.create(graph), hipSuccess);
  for (float base : {1.0f, 100.0f}) {
    std::iota(values, values + 8, base);
    EXPECT_EQ(core.submit(stream, GraphLaunch{&graph}, Stage::kSent), hipSuccess);
    EXPECT_EQ(core.synchronize(stream), hipSuccess);
    EXPECT_EQ(values[8], base + 5);
    EXPECT_EQ(values[9], base + 6);
  }
  EXPECT_EQ(core.destroy(graph), hipSuccess);
  EXPECT_EQ(core.release(pinned), hipSuccess);
  EXPECT_EQ(core.destroy(array), hipSuccess);
  EXPECT_EQ(core.destroy(other), hipSuccess);
}

}  // namespace
}  // namespace hipr

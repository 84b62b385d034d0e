// Bulk data is packed where the line is slow and the data shrinks, both ways, and nowhere else; whatever it travels in,
// it arrives as it was. Bytes on the wire are counted, by a line that is slow by design, not times.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <vector>

#include "testing/eventually.h"
#include "testing/hip.h"
#include "testing/line_relay.h"
#include "testing/worker_process.h"
#include "tests/e2e/checked_program.h"
#include "tests/e2e/counters.h"

namespace hipr {
namespace {

using testing::LineRelay;
using testing::WorkerProcess;
using Bytes = std::vector<unsigned char>;

constexpr std::size_t kMiB = 1 << 20;
constexpr LineRelay::Line kSlow{.oneWay = 0.001, .bandwidth = 16e6};

// No byte is 0: nothing in it looks like an address of host memory, which would be sent along.
Bytes words(std::size_t size) {
  std::minstd_rand random(1);
  const std::string all[] = {"stream ", "event ", "kernel ", "copies ", "memory ", "the ", "of "};
  Bytes out;
  while (out.size() < size) {
    const std::string& word = all[(random() >> 8) % std::size(all)];
    out.insert(out.end(), word.begin(), word.end());
  }
  out.resize(size);
  return out;
}

Bytes noise(std::size_t size) {
  std::mt19937 random(2);
  Bytes out(size);
  for (unsigned char& byte : out) byte = static_cast<unsigned char>(1 + random() % 255);
  return out;
}

Bytes floats(std::size_t size) {
  std::mt19937 random(3);
  std::normal_distribution<float> values(0, 0.02f);
  Bytes out(size);
  for (std::size_t i = 0; i + 4 <= size; i += 4) {
    const float value = values(random);
    std::memcpy(out.data() + i, &value, 4);
  }
  return out;
}

Bytes zeros(std::size_t size) {
  return Bytes(size);
}

Bytes halfAndHalf(std::size_t size) {
  Bytes out = noise(size), rest = words(size);
  std::copy(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(size / 2), out.begin());
  return out;
}

// There and back, in the ways that a program can.
class Copies {
 public:
  explicit Copies(std::size_t most) : most_(most) {
    if (!hip_.load(testing::remoteLibrary()).ok()) std::abort();
    HIPR_CHECK(hip_, hipMalloc(&device_, most + kMiB));
    HIPR_CHECK(hip_, hipHostMalloc(&pinned_, most, 0));
  }

  bool blocking(const Bytes& bytes) {
    Bytes source = bytes, back(bytes.size());
    HIPR_CHECK(hip_, hipMemcpy(device_, source.data(), source.size(), hipMemcpyHostToDevice));
    std::fill(source.begin(), source.end(), 0xEE);
    HIPR_CHECK(hip_, hipMemcpy(back.data(), device_, back.size(), hipMemcpyDeviceToHost));
    return back == bytes;
  }
  bool pinned(const Bytes& bytes) {
    auto* const host = static_cast<unsigned char*>(pinned_);
    std::copy(bytes.begin(), bytes.end(), host);
    HIPR_CHECK(hip_, hipMemcpyAsync(device_, host, bytes.size(), hipMemcpyHostToDevice, hip_.stream));
    HIPR_CHECK(hip_, hipStreamSynchronize(hip_.stream));
    std::fill(host, host + bytes.size(), 0xEE);
    HIPR_CHECK(hip_, hipMemcpyAsync(host, device_, bytes.size(), hipMemcpyDeviceToHost, hip_.stream));
    HIPR_CHECK(hip_, hipStreamSynchronize(hip_.stream));
    return std::equal(bytes.begin(), bytes.end(), host);
  }
  bool rows(const Bytes& bytes) {
    constexpr std::size_t kWidth = 3000, kPitch = 3500;
    const std::size_t count = std::min(bytes.size() / kWidth, most_ / kPitch);
    if (count == 0) return true;
    Bytes back(count * kPitch, 0xEE);
    HIPR_CHECK(hip_, hipMemcpy2D(device_, kPitch, bytes.data(), kWidth, kWidth, count, hipMemcpyHostToDevice));
    HIPR_CHECK(hip_, hipMemcpy2D(back.data(), kPitch, device_, kPitch, kWidth, count, hipMemcpyDeviceToHost));
    for (std::size_t y = 0; y < count; ++y) {
      const unsigned char* row = back.data() + y * kPitch;
      if (!std::equal(row, row + kWidth, bytes.data() + y * kWidth)) return false;
      if (!std::all_of(row + kWidth, row + kPitch, [](unsigned char byte) { return byte == 0xEE; })) return false;
    }
    return true;
  }
  bool all(const Bytes& bytes) { return blocking(bytes) && pinned(bytes) && rows(bytes); }

 private:
  testing::Hip hip_;
  const std::size_t most_;
  void *device_ = nullptr, *pinned_ = nullptr;
};

// What a process counts that copies this there and back.
Counters counted(int port, const char* compress, const Bytes& bytes) {
  return Counters::of([&] {
    use(port);
    setenv("HIP_REMOTE_COMPRESS", compress, 1);
    setenv("HIP_REMOTE_DATA_CACHE", "off", 1);
    if (!Copies(bytes.size()).blocking(bytes)) _exit(1);
  });
}

// The line has to be measured first, on the first few MiB of each direction.
TEST(Compression, SendsFarFewerBytesOverASlowLine) {
  const WorkerProcess worker;
  const LineRelay relay("127.0.0.1", worker.port(), kSlow);
  const Bytes bytes = words(24 * kMiB);
  const Counters counters = counted(relay.port(), "auto", bytes);
  EXPECT_GT(counters["packed"], 12 * static_cast<long>(kMiB));
  EXPECT_GT(counters["unpacked"], 12 * static_cast<long>(kMiB));
  EXPECT_LT(relay.up(), bytes.size() * 6 / 10);
  EXPECT_LT(relay.down(), bytes.size() * 6 / 10);
}

TEST(Compression, AddsNothingToWhatDoesNotShrink) {
  const WorkerProcess worker;
  const LineRelay relay("127.0.0.1", worker.port(), kSlow);
  const Bytes bytes = noise(16 * kMiB);
  const Counters counters = counted(relay.port(), "auto", bytes);
  EXPECT_EQ(counters["packed"], 0);
  EXPECT_EQ(counters["unpacked"], 0);
  EXPECT_GT(relay.up(), bytes.size());
  EXPECT_LT(relay.up(), bytes.size() * 101 / 100);
  EXPECT_LT(relay.down(), bytes.size() * 101 / 100);
}

// However slow a busy machine makes it look.
TEST(Compression, IsNothingForOneMachine) {
  const WorkerProcess worker;
  for (const char* transport : {"tcp", "auto"}) {
    setenv("HIP_REMOTE_TRANSPORT", transport, 1);
    const Counters counters = counted(worker.port(), "auto", words(24 * kMiB));
    EXPECT_EQ(counters["packed"], 0) << transport;
    EXPECT_EQ(counters["unpacked"], 0) << transport;
  }
  unsetenv("HIP_REMOTE_TRANSPORT");
}

// It is the first thing that travels, before the line has been measured.
TEST(Compression, IsForCodeToo) {
  const auto sent = [](const char* compress) {
    const WorkerProcess worker({"--runtime", "softgpu", "--grace", "1", "--cache", ""});
    const LineRelay relay("127.0.0.1", worker.port(), kSlow);
    (void)counted(relay.port(), compress, words(1000));
    return relay.up();
  };
  EXPECT_LT(sent("auto") + testing::kernelImageSize() / 2, sent("off"));
}

TEST(Compression, CanBeTurnedOff) {
  const WorkerProcess worker;
  const LineRelay relay("127.0.0.1", worker.port(), kSlow);
  const Bytes bytes = words(10 * kMiB);
  const Counters counters = counted(relay.port(), "off", bytes);
  EXPECT_EQ(counters["packed"], 0);
  EXPECT_EQ(counters["unpacked"], 0);
  EXPECT_GT(relay.up(), bytes.size());
  EXPECT_GT(relay.down(), bytes.size());
}

TEST(Compression, IsExactForEveryKindOfData) {
  const WorkerProcess worker;
  const Counters counters = Counters::of([&] {
    use(worker.port());
    setenv("HIP_REMOTE_TRANSPORT", "tcp", 1);
    setenv("HIP_REMOTE_COMPRESS", "on", 1);
    Copies copies(3 * kMiB);
    for (Bytes (*make)(std::size_t) : {zeros, words, noise, floats, halfAndHalf}) {
      const Bytes most = make(2 * kMiB + 5);
      for (const std::size_t size : {std::size_t{1}, 64 * kMiB / 1024, 64 * kMiB / 1024 + 1, kMiB - 1, kMiB, kMiB + 1,
                                     2 * kMiB - 1, 2 * kMiB, 2 * kMiB + 5})
        if (!copies.all(Bytes(most.begin(), most.begin() + static_cast<std::ptrdiff_t>(size)))) _exit(1);
    }
  });
  EXPECT_GT(counters["packed"], 50 * static_cast<long>(kMiB));
  EXPECT_GT(counters["unpacked"], 50 * static_cast<long>(kMiB));
}

TEST(Compression, GoesWithTls) {
  const std::string token = ::testing::TempDir() + "hipr-compression-" + std::to_string(getpid());
  std::ofstream(token) << "a token that is long enough to be one\n";
  std::filesystem::permissions(token, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  const WorkerProcess worker({"--runtime", "softgpu", "--grace", "1", "--token-file", token});
  const Counters counters = Counters::of([&] {
    use(worker.port());
    setenv("HIP_REMOTE_TOKEN_FILE", token.c_str(), 1);
    setenv("HIP_REMOTE_TLS", "1", 1);
    setenv("HIP_REMOTE_COMPRESS", "on", 1);
    if (!Copies(4 * kMiB).all(halfAndHalf(3 * kMiB))) _exit(1);
  });
  EXPECT_GT(counters["packed"], 0);
  EXPECT_GT(counters["unpacked"], 0);
  EXPECT_EQ(counters.text("transport"), "tls");
  std::filesystem::remove(token);
}

// Blocks that the worker has had are named; of the others, packed, it keeps what they are.
TEST(Compression, GoesWithDataKnownByName) {
  const std::string folder = ::testing::TempDir() + "hipr-compression-data-" + std::to_string(getpid());
  const WorkerProcess worker({"--runtime", "softgpu", "--grace", "1", "--data-cache", folder});
  const Bytes bytes = words(6 * kMiB + 100'000);
  long sent[2] = {}, packed[2] = {};
  for (int i = 0; i < 2; ++i) {
    const Counters counters = Counters::of([&] {
      use(worker.port());
      setenv("HIP_REMOTE_TRANSPORT", "tcp", 1);
      setenv("HIP_REMOTE_COMPRESS", "on", 1);
      setenv("HIP_REMOTE_DATA_CACHE", "on", 1);
      if (!Copies(bytes.size()).blocking(bytes)) _exit(1);
    });
    sent[i] = counters["sent"];
    packed[i] = counters["packed"];
    EXPECT_TRUE(testing::eventually([&] { return worker.sessions().empty(); }));  // it keeps the rest of what it got
  }
  EXPECT_EQ(packed[0], static_cast<long>(bytes.size()));
  EXPECT_LT(sent[0], static_cast<long>(bytes.size()) / 2);
  EXPECT_EQ(packed[1], 0);
  EXPECT_LT(sent[1], 100'000);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace hipr

// What a program uploads a second time, itself or another process of the same identity, does not travel again. Bytes on
// the wire are counted, not times: naming is switched on (HIP_REMOTE_DATA_CACHE=on), as a slow line does by itself.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "testing/eventually.h"
#include "testing/worker_process.h"
#include "tests/e2e/checked_program.h"

namespace hipr {
namespace {

namespace fs = std::filesystem;
using testing::WorkerProcess;

constexpr std::size_t kMiB = 1 << 20, kSize = 6 * kMiB + 123'456;
constexpr std::size_t kAll = 4 * kSize;  // what upload() sends, if nothing of it is known

std::vector<unsigned char> weights(unsigned seed) {
  std::vector<unsigned char> bytes(kSize);
  std::minstd_rand random(seed);
  // No byte is 0: nothing in it looks like an address of host memory, which would be sent along.
  for (unsigned char& byte : bytes) byte = static_cast<unsigned char>(1 + (random() >> 7) % 255);
  return bytes;
}

// Uploads in every way there is, takes the memory back as soon as it may, and looks at what arrived.
class Uploads {
 public:
  Uploads() {
    if (!hip_.load(testing::remoteLibrary()).ok()) std::abort();
    HIPR_CHECK(hip_, hipMalloc(&device_, 2 * kSize));
    HIPR_CHECK(hip_, hipHostMalloc(&pinned_, kSize, 0));
  }
  bool all(const std::vector<unsigned char>& bytes) {
    return blocking(bytes) && pageable(bytes, 1) && pinned(bytes, 2) && rows(bytes, 3);
  }

 private:
  // The same bytes in another order of blocks are other uploads, but the same blocks; so each way gets its own.
  static std::vector<unsigned char> salted(std::vector<unsigned char> bytes, unsigned char salt) {
    for (std::size_t i = 0; i < bytes.size(); i += 4096)
      bytes[i] = static_cast<unsigned char>((bytes[i] ^ salt) | 0x80);
    return bytes;
  }
  bool arrived(const std::vector<unsigned char>& bytes) {
    std::vector<unsigned char> back(bytes.size());
    HIPR_CHECK(hip_, hipMemcpy(back.data(), device_, back.size(), hipMemcpyDeviceToHost));
    return back == bytes;
  }
  bool blocking(const std::vector<unsigned char>& bytes) {
    std::vector<unsigned char> source = bytes;
    HIPR_CHECK(hip_, hipMemcpy(device_, source.data(), source.size(), hipMemcpyHostToDevice));
    std::fill(source.begin(), source.end(), 0xEE);
    return arrived(bytes);
  }
  bool pageable(const std::vector<unsigned char>& plain, unsigned char salt) {
    const std::vector<unsigned char> bytes = salted(plain, salt);
    std::vector<unsigned char> source = bytes;
    HIPR_CHECK(hip_, hipMemcpyAsync(device_, source.data(), source.size(), hipMemcpyHostToDevice, hip_.stream));
    std::fill(source.begin(), source.end(), 0xEE);
    HIPR_CHECK(hip_, hipStreamSynchronize(hip_.stream));
    return arrived(bytes);
  }
  bool pinned(const std::vector<unsigned char>& plain, unsigned char salt) {
    const std::vector<unsigned char> bytes = salted(plain, salt);
    auto* source = static_cast<unsigned char*>(pinned_);
    std::copy(bytes.begin(), bytes.end(), source);
    HIPR_CHECK(hip_, hipMemcpyAsync(device_, source, bytes.size(), hipMemcpyHostToDevice, hip_.stream));
    HIPR_CHECK(hip_, hipStreamSynchronize(hip_.stream));
    std::fill(source, source + bytes.size(), 0xEE);
    return arrived(bytes);
  }
  bool rows(const std::vector<unsigned char>& plain, unsigned char salt) {
    const std::vector<unsigned char> bytes = salted(plain, salt);
    constexpr std::size_t kWidth = 4000, kPitch = 5000, kRows = kSize / kWidth;
    std::vector<unsigned char> source(kPitch * kRows), back(kWidth * kRows);
    for (std::size_t y = 0; y < kRows; ++y)
      std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(y * kWidth), kWidth,
                  source.begin() + static_cast<std::ptrdiff_t>(y * kPitch));
    HIPR_CHECK(hip_, hipMemcpy2DAsync(device_, kPitch, source.data(), kPitch, kWidth, kRows, hipMemcpyHostToDevice,
                                      hip_.stream));
    std::fill(source.begin(), source.end(), 0xEE);
    HIPR_CHECK(hip_, hipMemcpy2DAsync(back.data(), kWidth, device_, kPitch, kWidth, kRows, hipMemcpyDeviceToHost,
                                      hip_.stream));
    HIPR_CHECK(hip_, hipStreamSynchronize(hip_.stream));
    return std::equal(back.begin(), back.end(), bytes.begin());
  }

  testing::Hip hip_;
  void *device_ = nullptr, *pinned_ = nullptr;
};

class DataCacheTest : public ::testing::Test {
 protected:
  DataCacheTest() : folder_(::testing::TempDir() + "hipr-data-cache-" + std::to_string(getpid())) {
    fs::remove_all(folder_);
  }
  ~DataCacheTest() override { fs::remove_all(folder_); }

  std::vector<std::string> options() const {
    return {"--runtime", "softgpu", "--grace", "1", "--data-cache", folder_ + "/data"};
  }
  // Bytes that a process sends which uploads this in every way; 0 when something came out wrong.
  std::uint64_t upload(const WorkerProcess& worker, const std::vector<unsigned char>& bytes,
                       const char* naming = "on") {
    const std::string stats = folder_ + "/stats";
    fs::create_directories(folder_);
    fs::remove(stats);
    const int code = inChild([&] {
      use(worker.port());
      setenv("HIP_REMOTE_TRANSPORT", "tcp", 1);
      setenv("HIP_REMOTE_DATA_CACHE", naming, 1);
      setenv("HIP_REMOTE_STATS", stats.c_str(), 1);
      std::exit(Uploads().all(bytes) ? 0 : 1);  // as programs do: the counters are written then
      return 0;
    });
    EXPECT_EQ(code, 0);
    // A session keeps what is left to be kept before it ends.
    EXPECT_TRUE(testing::eventually([&] { return worker.sessions().empty(); }));
    std::string line;
    std::getline(std::ifstream(stats), line);
    const std::size_t at = line.find(" sent=");
    EXPECT_NE(at, line.npos) << line;
    return code == 0 && at != line.npos ? std::strtoull(line.c_str() + at + 6, nullptr, 10) : 0;
  }
  std::vector<fs::path> blocks() const {
    std::vector<fs::path> out;
    std::error_code none;
    for (fs::recursive_directory_iterator it(folder_, none), end; !none && it != end; it.increment(none))
      if (it->path().extension() == ".block") out.push_back(it->path());
    return out;
  }
  const std::string folder_;
};

constexpr std::uint64_t kLittle = kAll / 20;

TEST_F(DataCacheTest, WhatIsUploadedAgainIsNotSentAgain) {
  const WorkerProcess worker(options());
  const auto bytes = weights(1);
  const std::uint64_t first = upload(worker, bytes);
  EXPECT_GT(first, kAll * 9 / 10);
  EXPECT_LT(first, kAll * 103 / 100);
  const std::uint64_t second = upload(worker, bytes);
  EXPECT_GT(second, 0u);
  EXPECT_LT(second, kLittle);
  // Every second block has changed.
  auto changed = bytes;
  for (std::size_t at = 0; at < kSize; at += 2 * kMiB) changed[at + 1] ^= 0x80;
  const std::uint64_t half = upload(worker, changed);
  EXPECT_GT(half, kAll * 40 / 100);
  EXPECT_LT(half, kAll * 70 / 100);
}

TEST_F(DataCacheTest, OutlivesTheWorker) {
  const auto bytes = weights(2);
  EXPECT_GT(upload(WorkerProcess(options()), bytes), kAll * 9 / 10);
  EXPECT_LT(upload(WorkerProcess(options()), bytes), kLittle);
}

TEST_F(DataCacheTest, WhatWasDamagedIsSentAgain) {
  const WorkerProcess worker(options());
  const auto bytes = weights(3);
  EXPECT_GT(upload(worker, bytes), kAll * 9 / 10);
  ASSERT_GT(blocks().size(), 20u);
  for (const fs::path& file : blocks())
    std::fstream(file, std::ios::in | std::ios::out | std::ios::binary).seekp(33'333).write("damage", 6);
  EXPECT_GT(upload(worker, bytes), kAll * 9 / 10);
  EXPECT_LT(upload(worker, bytes), kLittle);
}

TEST_F(DataCacheTest, IsAMatterOfBothSides) {
  const auto bytes = weights(4);
  {
    const WorkerProcess worker(options());
    for (int i = 0; i < 2; ++i) EXPECT_GT(upload(worker, bytes, "off"), kAll * 99 / 100);
    EXPECT_TRUE(blocks().empty());
  }
  std::vector<std::string> nowhere = options();
  nowhere.back() = "";
  const WorkerProcess worker(nowhere);
  for (int i = 0; i < 2; ++i) EXPECT_GT(upload(worker, bytes), kAll * 99 / 100);
}

TEST_F(DataCacheTest, StaysWithinItsLimit) {
  std::vector<std::string> small = options();
  small.insert(small.end(), {"--data-cache-limit", "12M"});
  const WorkerProcess worker(small);
  for (unsigned seed = 5; seed < 7; ++seed) {
    upload(worker, weights(seed));
    std::uintmax_t total = 0;
    for (const fs::path& file : blocks()) total += fs::file_size(file);
    EXPECT_GT(total, 4 * kMiB);
    EXPECT_LE(total, 12 * kMiB);
  }
}

// Processes of one identity, with less room than they need: blocks go while others look for them.
TEST_F(DataCacheTest, IsSharedByProcessesAtTheSameTime) {
  std::vector<std::string> small = options();
  small.insert(small.end(), {"--data-cache-limit", "16M"});
  const WorkerProcess worker(small);
  std::vector<pid_t> children;
  for (unsigned i = 0; i < 3; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      use(worker.port());
      setenv("HIP_REMOTE_TRANSPORT", "tcp", 1);
      setenv("HIP_REMOTE_DATA_CACHE", "on", 1);
      Uploads uploads;
      for (unsigned round = 0; round < 3; ++round)
        if (!uploads.all(weights(7 + (i + round) % 2))) _exit(1);
      _exit(0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  }
}

}  // namespace
}  // namespace hipr

#include "backends/softgpu/services/hostcall.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <thread>

#include "backends/softgpu/services/device_heap.h"
#include "backends/softgpu/services/test_host.h"

namespace hipr::softgpu {
namespace {

std::uint64_t& word(std::uint64_t address) {
  return *reinterpret_cast<std::uint64_t*>(address);
}
std::uint32_t& half(std::uint64_t address) {
  return *reinterpret_cast<std::uint32_t*>(address);
}

// Stacks and mailbox are shared between waves.
std::uint64_t load(std::uint64_t address) {
  return std::atomic_ref(word(address)).load(std::memory_order_relaxed);
}
void store(std::uint64_t address, std::uint64_t value) {
  std::atomic_ref(word(address)).store(value, std::memory_order_relaxed);
}

// One wave as the device library makes it behave, with nothing but the buffer's address to go by.
class FakeWave {
 public:
  explicit FakeWave(std::uint64_t buffer) : buffer_(buffer) {}

  // slots[lane] are the 8 words of each active lane; returns after pushing the packet.
  void send(std::uint32_t service, std::uint64_t lanes, const std::vector<std::vector<std::uint64_t>>& slots) {
    std::atomic_ref freeStack(word(buffer_ + 24));
    packet_ = freeStack.load();
    while (!freeStack.compare_exchange_weak(packet_, load(header()))) {
    }
    ASSERT_NE(packet_, 0u) << "no free packet";
    half(header() + 16) = service;
    half(header() + 20) = 1;
    word(header() + 8) = lanes;
    for (int lane = 0; lane < 64; ++lane) {
      if (!(lanes >> lane & 1)) continue;
      for (std::size_t i = 0; i < slots[lane].size(); ++i) slot(lane, i) = slots[lane][i];
    }
    std::atomic_ref ready(word(buffer_ + 32));
    std::uint64_t top = ready.load();
    do store(header(), top);
    while (!ready.compare_exchange_weak(top, packet_));
    const std::uint64_t signal = word(buffer_ + 16);
    std::atomic_ref(word(signal + 8)).fetch_add(1);
    const std::uint64_t mailbox = word(signal + 16);
    ASSERT_NE(mailbox, 0u) << "the kernel would not send an interrupt";
    store(mailbox, half(signal + 24));
  }

  bool done() { return (std::atomic_ref(half(header() + 20)).load() & 1) == 0; }

  std::uint64_t result(int lane) { return slot(lane, 0); }

  void giveBack() {
    const std::uint64_t mask = word(buffer_ + 40);
    packet_ += mask + 1;
    if (packet_ == 0) packet_ = mask + 1;
    std::atomic_ref freeStack(word(buffer_ + 24));
    std::uint64_t top = freeStack.load();
    do store(header(), top);
    while (!freeStack.compare_exchange_weak(top, packet_));
  }

 private:
  std::uint64_t index() const { return packet_ & word(buffer_ + 40); }
  std::uint64_t header() const { return word(buffer_) + index() * 24; }
  std::uint64_t& slot(int lane, std::size_t i) {
    return word(word(buffer_ + 8) + index() * 4096 + static_cast<std::uint64_t>(lane) * 64 + i * 8);
  }

  std::uint64_t buffer_;
  std::uint64_t packet_ = 0;
};

class Hostcall : public ::testing::Test {
 protected:
  static constexpr std::uint32_t kWaves = 5;
  std::vector<std::uint64_t> storage_ = std::vector<std::uint64_t>(HostcallBuffer::bytesFor(kWaves) / 8 + 8);
  std::span<std::byte> memory() {
    void* p = storage_.data();
    std::size_t space = storage_.size() * 8;
    std::align(64, HostcallBuffer::bytesFor(kWaves), p, space);
    return {static_cast<std::byte*>(p), HostcallBuffer::bytesFor(kWaves)};
  }

  // One lane's call, from request to result.
  std::uint64_t call(std::uint32_t service, std::vector<std::uint64_t> words, Status* status = nullptr) {
    FakeWave wave(buffer_.address());
    wave.send(service, 1, {words});
    const Status s = buffer_.service();
    if (status) {
      *status = s;
    } else {
      EXPECT_TRUE(s.ok()) << s.message();
    }
    EXPECT_TRUE(wave.done());
    const std::uint64_t result = wave.result(0);
    wave.giveBack();
    return result;
  }

  // The packets __ockl_printf_* would send for a whole message.
  std::uint64_t print(std::uint64_t stream, const std::vector<std::uint64_t>& words) {
    std::uint64_t descriptor = call(2, {33, stream});
    for (std::size_t at = 0; at < words.size(); at += 7) {
      const std::size_t count = std::min<std::size_t>(7, words.size() - at);
      const bool last = at + count == words.size();
      std::vector<std::uint64_t> packet = {(descriptor & ~std::uint64_t{0xe0}) | count << 5 | (last ? 2 : 0)};
      packet.insert(packet.end(), words.begin() + static_cast<std::ptrdiff_t>(at),
                    words.begin() + static_cast<std::ptrdiff_t>(at + count));
      descriptor = call(2, packet);
    }
    return descriptor;
  }

  TestHost host_;
  HostcallBuffer buffer_{memory(), kWaves, host_};
};

TEST_F(Hostcall, PrintfAcrossSeveralPackets) {
  const auto words =
      WordWriter().text("value %d of %s: %5.2f\n").word(42).text("a long string of text").real(2.5).words();
  EXPECT_EQ(print(0, words), 41u);
  EXPECT_EQ(host_.stdoutText, "value 42 of a long string of text:  2.50\n");
  EXPECT_EQ(host_.stderrText, "");
}

TEST_F(Hostcall, AssertTextGoesToStderr) {
  print(1, WordWriter()
               .text("%s:%u: %s: Device-side assertion `%s' failed.\n")
               .text("a.hip")
               .word(12)
               .text("void f()")
               .text("x > 0")
               .words());
  EXPECT_EQ(host_.stderrText, "a.hip:12: void f(): Device-side assertion `x > 0' failed.\n");
}

TEST_F(Hostcall, LanesAreSeparateMessages) {
  FakeWave wave(buffer_.address());
  std::vector<std::vector<std::uint64_t>> slots(64, {33, 0});
  const std::uint64_t lanes = 0x8000000000000005;
  wave.send(2, lanes, slots);
  ASSERT_TRUE(buffer_.service().ok());
  std::vector<std::uint64_t> numbers = {wave.result(0), wave.result(2), wave.result(63)};
  wave.giveBack();
  EXPECT_NE(numbers[0], numbers[1]);
  for (int lane : {0, 2, 63}) {
    auto words = WordWriter().text("lane %d\n").word(static_cast<std::uint64_t>(lane)).words();
    slots[lane] = {numbers[lane == 0 ? 0 : lane == 2 ? 1 : 2] | words.size() << 5 | 2};
    slots[lane].insert(slots[lane].end(), words.begin(), words.end());
  }
  wave.send(2, lanes, slots);
  ASSERT_TRUE(buffer_.service().ok());
  EXPECT_EQ(host_.stdoutText, "lane 0\nlane 2\nlane 63\n");
}

TEST_F(Hostcall, EveryWaveGetsAPacketAndTheEarliestIsServedFirst) {
  std::vector<FakeWave> waves(kWaves, FakeWave(buffer_.address()));
  for (int round = 0; round < 100; ++round) {
    for (std::uint32_t i = 0; i < kWaves; ++i) waves[i].send(3, 1, {{0, 4096}});
    ASSERT_TRUE(buffer_.service().ok());
    for (std::uint32_t i = 0; i < kWaves; ++i) ASSERT_TRUE(waves[i].done());
    for (std::uint32_t i = 1; i < kWaves; ++i) EXPECT_LT(waves[i - 1].result(0), waves[i].result(0));
    for (FakeWave& w : waves) w.giveBack();
  }
  EXPECT_EQ(host_.blocks.size(), 100u * kWaves);
}

TEST_F(Hostcall, DeviceMemory) {
  const std::uint64_t slab = call(3, {0, DeviceHeap::kSlab});
  EXPECT_EQ(slab % DeviceHeap::kSlab, 0u);
  const std::uint64_t large = call(3, {0, 5000});
  EXPECT_NE(large, 0u);
  EXPECT_EQ(large % 4096, 0u);
  EXPECT_EQ(call(3, {0, std::uint64_t{1} << 40}), 0u);  // out of memory
  EXPECT_EQ(call(3, {large, 0}), 0u);
  EXPECT_EQ(host_.blocks.size(), 1u);
  Status status;
  call(3, {large, 0}, &status);
  EXPECT_EQ(status.code(), Code::kInvalid);
}

TEST_F(Hostcall, WhatIsNotProvidedSaysSo) {
  for (std::uint32_t service : {0u, 1u, 4u, 99u}) {
    Status status;
    EXPECT_EQ(call(service, {0xdead, 1, 2, 3, 4, 5, 6, 7}, &status), 0u);
    EXPECT_EQ(status.code(), Code::kUnsupported) << service;
  }
}

TEST_F(Hostcall, UnknownMessagesAreIgnored) {
  EXPECT_EQ(call(2, {std::uint64_t{77} << 8 | 1 << 5 | 2, 0}), 0u);
  EXPECT_EQ(host_.stdoutText, "");
}

TEST_F(Hostcall, ACorruptReadyStackEnds) {
  const std::uint64_t buffer = buffer_.address();
  const std::uint64_t headers = word(buffer);
  word(buffer + 32) = 8;  // a packet that points to itself, never marked ready
  word(headers) = 8;
  EXPECT_FALSE(buffer_.service().ok());
  word(buffer + 32) = ~std::uint64_t{0};
  EXPECT_FALSE(buffer_.service().ok());
  word(buffer) = 0xbad;  // the host does not follow pointers kernels could have overwritten
  word(buffer + 8) = 0xbad;
  word(buffer + 40) = ~std::uint64_t{0};
  word(buffer + 32) = ~std::uint64_t{0};
  EXPECT_FALSE(buffer_.service().ok());
}

TEST_F(Hostcall, ManyThreads) {
  constexpr int kRounds = 300;
  std::vector<std::thread> threads;
  for (std::uint32_t t = 0; t < kWaves; ++t) {
    threads.emplace_back([this] {
      FakeWave wave(buffer_.address());
      for (int i = 0; i < kRounds; ++i) {
        wave.send(3, 3, {{0, 64}, {0, 64}});
        while (!wave.done()) ASSERT_TRUE(buffer_.service().ok());
        ASSERT_NE(wave.result(1), 0u);
        wave.giveBack();
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(host_.blocks.size(), 2u * kRounds * kWaves);
}

}  // namespace
}  // namespace hipr::softgpu

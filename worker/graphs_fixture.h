// Graphs of a session on FakeHip: with a runtime that has them, or one that has not.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "worker/session_fixture.h"

namespace hipr::worker {

using wire::Opcode;

// Steps, and the bytes they refer to.
class Steps {
 public:
  template <Opcode kOp>
  Steps& add(const typename wire::MessageOf<kOp>::Type& message, std::vector<std::uint32_t> after = {},
             int device = 0) {
    auto& bytes = *bytes_.emplace_back(std::make_unique<std::vector<std::byte>>());
    wire::Writer(bytes).put(message);
    list.push_back({static_cast<std::uint16_t>(kOp), device, std::move(after), bytes});
    return *this;
  }
  Steps& joint(std::vector<std::uint32_t> after) {
    list.push_back({0, 0, std::move(after), {}});
    return *this;
  }
  Steps& scale(std::uint64_t data, float factor, std::vector<std::uint32_t> after = {}) {
    const ScaleArguments arguments{data, factor};
    return add<Opcode::kLaunchKernel>(scaleLaunch(0, arguments), std::move(after));
  }
  std::vector<wire::GraphStep> list;

 private:
  std::vector<std::unique_ptr<std::vector<std::byte>>> bytes_;
};

inline wire::DeviceCopy copyOf(const wire::Shape& to, std::uint64_t from, std::uint64_t pitch = 0,
                               std::uint64_t slice = 0) {
  wire::DeviceCopy copy;
  copy.to = to;
  copy.from = from;
  copy.fromPitch = pitch;
  copy.fromSlice = slice;
  return copy;
}

class Graphs : public ::testing::TestWithParam<bool> {
 protected:
  static constexpr std::uint64_t kStream = wire::kFirstObject + 1, kGraph = wire::kFirstObject + 2,
                                 kOther = wire::kFirstObject + 5;
  static constexpr std::uint64_t kA = kTestDeviceBase, kB = kTestDeviceBase + 4096;
  static constexpr std::uint64_t kMiB = 1 << 20;

  explicit Graphs(const Limits& limits = {})
      : s({.cpuReachesMemory = false, .graphs = GetParam()}, std::uint64_t{1} << 30, limits) {}
  void SetUp() override {
    client().hello();
    loadScale(client());
    client().send<Opcode::kMapMemory>({0, kTestDeviceBase, kMiB});
    client().send<Opcode::kStreamCreate>({.stream = kStream, .device = 0, .flags = hipStreamNonBlocking});
  }
  TestClient& client() { return *s.client; }
  bool native() const { return GetParam(); }

  void create(const Steps& steps, std::uint64_t graph = kGraph) {
    client().send<Opcode::kGraphCreate>({graph, 0, steps.list});
  }
  void update(std::vector<std::uint32_t> numbers, const Steps& steps) {
    client().send<Opcode::kGraphUpdate>({kGraph, std::move(numbers), steps.list});
  }
  void launch(std::uint64_t graph = kGraph) { client().send<Opcode::kGraphLaunch>({kStream, graph}); }
  template <class T>
  void set(std::uint64_t address, const T& value) {
    client().send<Opcode::kUpload>(uploadHere(kStream, {address, 0, 0, sizeof value}, bytesOf(value)));
  }
  template <class T>
  T get(std::uint64_t address) {
    T value{};
    EXPECT_EQ(client().ask<Opcode::kDownload>({kStream, {address, 0, 0, sizeof value}, ++transfer_}), hipSuccess);
    const std::vector<std::byte>& bytes = client().received[transfer_];
    EXPECT_EQ(bytes.size(), sizeof value);
    if (bytes.size() == sizeof value) std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }
  hipError_t failure() {
    const auto push = client().expectPush<wire::AsyncFailure>(Opcode::kAsyncFailure);
    return push ? static_cast<hipError_t>(push->status) : hipSuccess;
  }
  void expectNoFailure() {
    EXPECT_EQ(client().ask<Opcode::kDeviceSynchronize>({0}), hipSuccess);
    EXPECT_FALSE(client().sawPush(Opcode::kAsyncFailure));
  }
  std::string refusal() {
    const auto refused = client().expectPush<wire::Refused>(Opcode::kRefused);
    return refused ? refused->text : "";
  }

  SessionOnFake s;

 private:
  std::uint64_t transfer_ = 100;
};

}  // namespace hipr::worker

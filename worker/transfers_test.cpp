// Bulk data: both ways, with the CPU reaching device memory and without, whole and in rows, early and late.
#include "worker/transfers.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "worker/session_fixture.h"

namespace hipr::worker {
namespace {

using wire::Opcode;

void sendAll(TestClient& client, std::uint64_t transfer, std::span<const std::byte> bytes, std::size_t piece = kMiB) {
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    client.sendData(transfer, at, bytes.subspan(at, std::min(piece, bytes.size() - at)));
  }
}

class Transfers : public testing::TestWithParam<bool> {
 protected:
  Transfers() : s({.cpuReachesMemory = GetParam()}, 4096 * kMiB) {
    s.client->hello();
    s.client->send<Opcode::kMapMemory>({0, kTestDeviceBase, 128 * kMiB});
  }
  std::vector<std::byte> download(const wire::Shape& from, std::uint64_t transfer) {
    EXPECT_EQ(s.client->ask<Opcode::kDownload>({kNull, from, transfer}), hipSuccess);
    return s.client->received[transfer];
  }
  void expectNoFailure() {
    EXPECT_EQ(s.client->ask<Opcode::kPing>({}), hipSuccess);
    EXPECT_FALSE(s.client->sawPush(Opcode::kAsyncFailure));
  }
  SessionOnFake s;
};

INSTANTIATE_TEST_SUITE_P(Memory, Transfers, testing::Bool(),
                         [](const auto& info) { return info.param ? "direct" : "staged"; });

TEST_P(Transfers, SmallAndLargeRoundTrip) {
  for (const std::size_t size : {std::size_t{1}, std::size_t{4097}, std::size_t{64 << 10}}) {
    const auto bytes = pattern(size, 1);
    s.client->send<Opcode::kUpload>(uploadHere(kNull, {kTestDeviceBase, 0, 0, size}, bytes));
    EXPECT_EQ(download({kTestDeviceBase, 0, 0, size}, 1000 + size), bytes) << size;
  }
  const auto large = pattern(20 * kMiB + 12345, 2);
  s.client->send<Opcode::kUpload>(uploadLater(kNull, {kTestDeviceBase, 0, 0, large.size()}, 5));
  sendAll(*s.client, 5, large);
  EXPECT_EQ(download({kTestDeviceBase, 0, 0, large.size()}, 6), large);
  expectNoFailure();
}

TEST_P(Transfers, RowsAndSlices) {
  for (const std::uint64_t width : {std::uint64_t{5}, std::uint64_t{5000}}) {
    const wire::Shape shape{kTestDeviceBase + 64, width + 11, (width + 11) * 33 + 7, width, 31, 3};
    const auto bytes = pattern(shape.bytes(), 3);
    s.client->send<Opcode::kFillMemory>(fillWith(kNull, {kTestDeviceBase, 0, 0, kMiB}, 0xee, 1));
    s.client->send<Opcode::kUpload>(uploadLater(kNull, shape, width));
    sendAll(*s.client, width, bytes, 977);
    EXPECT_EQ(download(shape, width + 100000), bytes);
    // What lies between the rows was not touched.
    const auto between = download({kTestDeviceBase + 64 + width, 0, 0, 11}, width + 200000);
    EXPECT_EQ(between, std::vector<std::byte>(11, std::byte{0xee}));
  }
  expectNoFailure();
}

TEST_P(Transfers, EarlyDataWaitsForItsStream) {
  const auto bytes = pattern(8 * kMiB, 4);
  s.fake.hold();
  s.client->send<Opcode::kFillMemory>(fillWith(kNull, {kTestDeviceBase, 0, 0, 8 * kMiB}, 1, 1));
  s.client->send<Opcode::kUpload>(uploadLater(kNull, {kTestDeviceBase, 0, 0, bytes.size()}, 5));
  sendAll(*s.client, 5, bytes);
  EXPECT_EQ(s.client->ask<Opcode::kPing>({}), hipSuccess);
  EXPECT_FALSE(s.client->sawPush(Opcode::kTransferOpen));  // the fill comes first
  s.fake.release();
  EXPECT_EQ(s.client->expectPush<wire::TransferOpen>(Opcode::kTransferOpen)->transfer, 5u);
  EXPECT_EQ(download({kTestDeviceBase, 0, 0, bytes.size()}, 6), bytes);
}

TEST_P(Transfers, AnUploadOnAnIdleStreamIsOpenedAtOnce) {
  s.client->send<Opcode::kUpload>(uploadLater(kNull, {kTestDeviceBase, 0, 0, 40 * kMiB}, 5));
  EXPECT_EQ(s.client->expectPush<wire::TransferOpen>(Opcode::kTransferOpen)->transfer, 5u);
  const auto bytes = pattern(40 * kMiB, 5);  // more than the window
  sendAll(*s.client, 5, bytes);
  EXPECT_EQ(download({kTestDeviceBase, 0, 0, bytes.size()}, 6), bytes);
}

// It would complete its upload once more, in place of whatever comes next in the stream.
TEST_P(Transfers, APieceOfNothingIsRefused) {
  s.client->send<Opcode::kUpload>(uploadLater(kNull, {kTestDeviceBase, 0, 0, 100}, 5));
  s.client->sendData(5, 0, {});
  const auto refused = s.client->expectPush<wire::Refused>(Opcode::kRefused);
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->text, "a piece of no bytes");
}

TEST_P(Transfers, TheWindowIsEnforced) {
  s.fake.hold();
  s.client->send<Opcode::kFillMemory>(fillWith(kNull, {kTestDeviceBase, 0, 0, 100}, 1, 1));
  s.client->send<Opcode::kUpload>(uploadLater(kNull, {kTestDeviceBase, 0, 0, 64 * kMiB}, 5));
  const auto bytes = pattern(33 * kMiB, 6);
  sendAll(*s.client, 5, bytes);
  const auto refused = s.client->expectPush<wire::Refused>(Opcode::kRefused);
  ASSERT_TRUE(refused);
  EXPECT_NE(refused->text.find("window"), std::string::npos);
}

// A client that hears of an open transfer has its part of the window again, for any other.
TEST_P(Transfers, TheWindowIsFreeWhenTheClientHearsOfIt) {
  constexpr std::uint64_t kHeld = wire::kFirstObject;
  const auto bytes = pattern(wire::kEagerWindow, 7);
  s.client->send<Opcode::kStreamCreate>({.stream = kHeld, .device = 0, .flags = hipStreamNonBlocking});
  s.client->send<Opcode::kHostFunction>({kHeld, 1});  // which is not over before the end
  s.client->send<Opcode::kUpload>(uploadLater(kHeld, {kTestDeviceBase + 64 * kMiB, 0, 0, bytes.size()}, 6));
  s.fake.hold();
  s.client->send<Opcode::kFillMemory>(fillWith(kNull, {kTestDeviceBase, 0, 0, 100}, 1, 1));
  s.client->send<Opcode::kUpload>(uploadLater(kNull, {kTestDeviceBase, 0, 0, bytes.size()}, 5));
  sendAll(*s.client, 5, bytes);
  EXPECT_EQ(s.client->ask<Opcode::kPing>({}), hipSuccess);
  s.fake.release();
  EXPECT_EQ(s.client->expectPush<wire::TransferOpen>(Opcode::kTransferOpen)->transfer, 5u);
  sendAll(*s.client, 6, bytes);
  expectNoFailure();
  EXPECT_EQ(download({kTestDeviceBase, 0, 0, bytes.size()}, 7), bytes);
  s.client->send<Opcode::kHostFunctionDone>({1});
  EXPECT_EQ(s.client->expectPush<wire::TransferOpen>(Opcode::kTransferOpen)->transfer, 6u);
  EXPECT_EQ(s.client->ask<Opcode::kStreamSynchronize>({kHeld}), hipSuccess);
  EXPECT_EQ(download({kTestDeviceBase + 64 * kMiB, 0, 0, bytes.size()}, 8), bytes);
}

TEST_P(Transfers, ManyStreamsInterleaved) {
  constexpr int kStreams = 4;
  std::vector<std::vector<std::byte>> bytes;
  for (int i = 0; i < kStreams; ++i) {
    const std::uint64_t stream = wire::kFirstObject + static_cast<unsigned>(i);
    bytes.push_back(pattern(5 * kMiB, static_cast<unsigned>(i)));
    s.client->send<Opcode::kStreamCreate>({.stream = stream, .device = 0, .flags = hipStreamNonBlocking});
    s.client->send<Opcode::kUpload>(uploadLater(stream,
                                                {kTestDeviceBase + static_cast<unsigned>(i) * 8 * kMiB, 0, 0, 5 * kMiB},
                                                100u + static_cast<unsigned>(i)));
  }
  for (std::size_t at = 0; at < 5 * kMiB; at += kMiB) {
    for (unsigned i = 0; i < kStreams; ++i) {
      s.client->sendData(100 + i, at, std::span(bytes[i]).subspan(at, kMiB));
    }
  }
  std::vector<std::uint32_t> requests;
  for (unsigned i = 0; i < kStreams; ++i) {
    requests.push_back(s.client->send<Opcode::kDownload>(
        {wire::kFirstObject + i, {kTestDeviceBase + i * 8 * kMiB, 0, 0, 5 * kMiB}, 200 + i}));
  }
  // Answers come in any order.
  for (std::size_t left = requests.size(); left;) {
    auto frame = s.client->next();
    ASSERT_TRUE(frame);
    if (frame->isReply()) {
      EXPECT_EQ(TestClient::decode<wire::Done>(*frame).status, hipSuccess);
      --left;
    } else if (frame->opcode() == Opcode::kData) {
      std::uint64_t transfer = 0;
      std::memcpy(&transfer, frame->payload.data(), 8);
      auto& into = s.client->received[transfer];
      into.insert(into.end(), frame->payload.begin() + wire::kDataPrefix, frame->payload.end());
    }
  }
  for (unsigned i = 0; i < kStreams; ++i) EXPECT_EQ(s.client->received[200 + i], bytes[i]) << i;
}

TEST_P(Transfers, SmallUploadsWaitInTheirStreamWithoutHoldingTheReader) {
  s.fake.hold();
  s.client->send<Opcode::kFillMemory>(fillWith(kNull, {kTestDeviceBase, 0, 0, 400}, 1, 1));
  for (int i = 0; i < 100; ++i) {
    s.client->send<Opcode::kUpload>(
        uploadHere(kNull, {kTestDeviceBase + static_cast<unsigned>(i) * 4, 0, 0, 4}, std::as_bytes(std::span(&i, 1))));
  }
  EXPECT_EQ(s.client->ask<Opcode::kPing>({}), hipSuccess);
  s.fake.release();
  const auto all = download({kTestDeviceBase, 0, 0, 400}, 9);
  for (int i = 0; i < 100; ++i) {
    int value = -1;
    std::memcpy(&value, all.data() + i * 4, 4);
    EXPECT_EQ(value, i);
  }
}

TEST_P(Transfers, CopiesAndFillsOnTheDevice) {
  const auto bytes = pattern(64 << 10, 8);
  s.client->send<Opcode::kUpload>(uploadHere(kNull, {kTestDeviceBase, 0, 0, bytes.size()}, bytes));
  s.client->send<Opcode::kDeviceCopy>(
      {.stream = kNull, .to = {kTestDeviceBase + kMiB, 100, 0, 60, 50}, .from = kTestDeviceBase, .fromPitch = 60});
  EXPECT_EQ(download({kTestDeviceBase + kMiB, 100, 0, 60, 50}, 1),
            std::vector<std::byte>(bytes.begin(), bytes.begin() + 3000));
  for (const std::uint32_t size : {1u, 2u, 4u}) {
    s.client->send<Opcode::kFillMemory>(fillWith(kNull, {kTestDeviceBase, 64, 64 * 4, 10, 3, 2}, 0x04030201, size));
    const auto rows = download({kTestDeviceBase, 64, 64 * 4, 10 * size, 3, 2}, 10 + size);
    for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_EQ(rows[i], static_cast<std::byte>(i % size + 1)) << size;
  }
  expectNoFailure();
}

TEST_P(Transfers, AnUploadThatCannotBeStillSwallowsItsData) {
  s.client->send<Opcode::kUpload>(uploadLater(kNull, {kTestDeviceBase + 127 * kMiB, 0, 0, 3 * kMiB}, 5));
  EXPECT_TRUE(s.client->expectPush<wire::AsyncFailure>(Opcode::kAsyncFailure));
  sendAll(*s.client, 5, pattern(3 * kMiB, 1));
  EXPECT_EQ(s.client->ask<Opcode::kPing>({}), hipSuccess);
  // Nothing known at this address.
  EXPECT_EQ(s.client->ask<Opcode::kDownload>({kNull, {0x1234, 0, 0, 4}, 7}), hipErrorInvalidDevicePointer);
  EXPECT_EQ(s.client->ask<Opcode::kDownload>({kNull, {kTestDeviceBase + 128 * kMiB - 2, 0, 0, 4}, 8}),
            hipErrorInvalidDevicePointer);
}

TEST(TransferRefuses, DataThatDoesNotBelong) {
  const auto misbehave = [](auto&& with) {
    SessionOnFake s;
    s.client->hello();
    s.client->send<Opcode::kMapMemory>({0, kTestDeviceBase, kMiB});
    s.client->send<Opcode::kUpload>(uploadLater(kNull, {kTestDeviceBase, 0, 0, 100000}, 5));
    with(*s.client);
    EXPECT_TRUE(s.client->expectPush<wire::Refused>(Opcode::kRefused));
  };
  const auto bytes = pattern(200000, 1);
  misbehave([&](TestClient& c) { c.sendData(6, 0, bytes); });                        // unknown
  misbehave([&](TestClient& c) { c.sendData(5, 10, std::span(bytes).first(10)); });  // out of order
  misbehave([&](TestClient& c) { c.sendData(5, 0, bytes); });                        // too much
  misbehave([&](TestClient& c) { c.send<Opcode::kUpload>(uploadLater(kNull, {kTestDeviceBase, 0, 0, 100000}, 5)); });
  misbehave([&](TestClient& c) { c.send<Opcode::kUpload>(uploadHere(kNull, {kTestDeviceBase, 0, 0, 8}, {})); });
}

TEST(Shapes, ExtentsAreCheckedForOverflow) {
  EXPECT_EQ(extentOf({0, 0, 0, 10}), 10u);
  EXPECT_EQ(extentOf({0, 16, 0, 10, 3}), 42u);
  EXPECT_EQ(extentOf({0, 16, 64, 10, 3, 2}), 106u);
  EXPECT_EQ(extentOf({0, 9, 0, 10, 3}), 0u);  // rows overlap
  EXPECT_EQ(extentOf({0, 16, 40, 10, 3, 2}), 0u);
  EXPECT_EQ(extentOf({0, 0, 0, 0}), 0u);
  EXPECT_EQ(extentOf({0, 0, 0, ~0ull}), 0u);
  EXPECT_EQ(extentOf({0, ~0ull, 0, 1, 2}), 0u);
  EXPECT_EQ(extentOf({0, 1ull << 40, 0, 1, 1ull << 40}), 0u);
  EXPECT_EQ(extentOf({0, 1, ~0ull, 1, 1, ~0ull}), 0u);
  EXPECT_EQ(extentOf({0, 0, 0, 1ull << 47}, 4), 0u);
}

// What has all come before its stream gets there ends the moment it starts.
TEST(EarlyUpload, IsInItsPlaceWhenTheStreamComesToIt) {
  for (const bool reaches : {true, false}) {
    SessionOnFake s({.cpuReachesMemory = reaches});
    s.client->hello();
    s.client->send<Opcode::kMapMemory>({0, kTestDeviceBase, 1 << 20});
    const std::vector<std::byte> bytes(5000, std::byte{0x5a});
    for (std::uint64_t i = 1; i <= 20; ++i) {
      const wire::Shape to{kTestDeviceBase + i * 8192, 0, 0, bytes.size()};
      s.client->send<Opcode::kHostFunction>({wire::kNullStream, i});
      s.client->send<Opcode::kUpload>(uploadLater(wire::kNullStream, to, i));
      s.client->sendData(i, 0, bytes);
      EXPECT_EQ(s.client->ask<Opcode::kPing>({}), hipSuccess);
      EXPECT_EQ(s.client->expectPush<wire::RunHostFunction>(Opcode::kRunHostFunction)->id, i);
      s.client->send<Opcode::kHostFunctionDone>({i});
      EXPECT_EQ(s.client->ask<Opcode::kDownload>({wire::kNullStream, to, 100 + i}), hipSuccess);
      EXPECT_EQ(s.client->received[100 + i], bytes);
    }
  }
}

// A piece of data that takes its time, as over a thin line, holds up no answer.
TEST_P(Transfers, AnswersComeWhileDataIsBeingRead) {
  constexpr std::uint64_t kOther = wire::kFirstObject + 50;
  s.client->send<Opcode::kStreamCreate>({.stream = kOther, .flags = hipStreamNonBlocking});
  s.client->send<Opcode::kUpload>(uploadLater(kNull, {kTestDeviceBase, 0, 0, 2 * kMiB}, 5));
  s.client->expectPush<wire::TransferOpen>(Opcode::kTransferOpen);
  s.fake.hold();
  // In one go, so that the reader finds the data as soon as it has read the question.
  std::vector<std::byte> together;
  appendFrame(together, Opcode::kFillMemory, 0, 0, fillWith(kOther, {kTestDeviceBase + 4 * kMiB, 0, 0, 100}, 7, 1));
  appendFrame(together, Opcode::kStreamSynchronize, 4711, 0, wire::StreamSynchronize{kOther});
  const std::vector<std::byte> bytes(kMiB, std::byte{1});
  const std::size_t head = together.size();
  appendFrame(together, Opcode::kData, 0, 0, wire::Data{5, 0});
  wire::encodeHeader({.opcode = static_cast<std::uint16_t>(Opcode::kData), .length = wire::kDataPrefix + kMiB},
                     together.data() + head);
  together.insert(together.end(), bytes.begin(), bytes.begin() + kMiB / 2);
  ASSERT_TRUE(s.client->socket().send(together).ok());
  s.fake.release();
  EXPECT_EQ(s.client->status(4711), hipSuccess);
  ASSERT_TRUE(s.client->socket().send(std::span(bytes).subspan(kMiB / 2)).ok());
  s.client->sendData(5, kMiB, bytes);
  EXPECT_EQ(s.client->ask<Opcode::kStreamSynchronize>({kNull}), hipSuccess);
}

}  // namespace
}  // namespace hipr::worker

// Uploads whose blocks are packed for their way: whatever they travel in, what arrives is what the program had.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "client/outbox_fixture.h"
#include "net/packing.h"

namespace hipr::client {
namespace {

using wire::Opcode;

constexpr std::size_t kMiB = 1 << 20;

class PackedUploads : public OutboxTest {
 protected:
  BulkUploadPtr start(std::vector<std::byte>& data, bool late = true, std::size_t width = 0, std::size_t pitch = 0) {
    auto upload = std::make_shared<BulkUpload>();
    upload->transfer = 5;
    upload->from = {data.data(), data.size(), data.size(), data.size()};
    if (width) upload->from = {data.data(), pitch, data.size(), width, data.size() / pitch};
    upload->late = late;
    outbox_.append(Opcode::kUpload, 0, 0, uploadOf(5), false, [&] { outbox_.enqueue(upload); });
    EXPECT_EQ(next().header.opcode, static_cast<std::uint16_t>(Opcode::kUpload));
    return upload;
  }
  // Takes pieces until so much has come; which of them were packed, by offset.
  std::vector<std::byte> receiveUpload(std::size_t size) {
    std::vector<std::byte> out(size);
    for (std::size_t got = 0; got < size;) {
      const Frame frame = next();
      const bool packed = frame.header.opcode == static_cast<std::uint16_t>(Opcode::kPackedData);
      EXPECT_TRUE(packed || frame.header.opcode == static_cast<std::uint16_t>(Opcode::kData));
      std::uint64_t prefix[3] = {};
      const std::size_t prefixed = packed ? wire::kPackedDataPrefix : wire::kDataPrefix;
      std::memcpy(prefix, frame.payload.data(), prefixed);
      const wire::Bytes bytes = wire::Bytes(frame.payload).subspan(prefixed);
      const std::size_t length = packed ? prefix[2] : bytes.size();
      if (prefix[1] + length > size) {
        ADD_FAILURE() << "beyond the end";
        break;
      }
      const std::span<std::byte> place = std::span(out).subspan(prefix[1], length);
      if (packed) {
        ++packed_;
        EXPECT_LT(bytes.size(), length);
        EXPECT_TRUE(unpacker_.unpack(bytes, place));
      } else {
        ++plain_;
        std::copy(bytes.begin(), bytes.end(), place.begin());
      }
      got += length;
    }
    while (outbox_.uploading()) std::this_thread::yield();  // it goes on to use the memory for a moment
    return out;
  }
  static std::vector<std::byte> mixed(std::size_t size) {  // every third block is noise
    std::vector<std::byte> out(size);
    std::uint32_t state = 1;
    for (std::size_t i = 0; i < size; ++i) {
      state = state * 1664525 + 1013904223;
      out[i] = static_cast<std::byte>(i / kMiB % 3 == 1 ? state >> 24 : i % 11);
    }
    return out;
  }

  net::Unpacker unpacker_;
  int packed_ = 0, plain_ = 0;
};

TEST_F(PackedUploads, ArriveAsTheyWere) {
  outbox_.packBlocks(net::When::kAlways);
  for (const std::size_t size : {std::size_t{70'000}, kMiB - 1, kMiB, kMiB + 1, 5 * kMiB + 77}) {
    std::vector<std::byte> data = mixed(size);
    start(data);
    EXPECT_EQ(receiveUpload(size), data) << size;
  }
  EXPECT_GT(packed_, 6);
  EXPECT_GT(plain_, 1);
  EXPECT_GT(outbox_.bytesPacked(), 5 * kMiB);
}

TEST_F(PackedUploads, OfRowsArriveAsTheyWere) {
  outbox_.packBlocks(net::When::kAlways);
  constexpr std::size_t kWidth = 3000, kPitch = 4096, kRows = 1000;
  std::vector<std::byte> data = mixed(kPitch * kRows), packed;
  for (std::size_t y = 0; y < kRows; ++y)
    packed.insert(packed.end(), data.begin() + static_cast<std::ptrdiff_t>(y * kPitch),
                  data.begin() + static_cast<std::ptrdiff_t>(y * kPitch + kWidth));
  start(data, true, kWidth, kPitch);
  EXPECT_EQ(receiveUpload(packed.size()), packed);
  EXPECT_GT(packed_, 0);
}

TEST_F(PackedUploads, LeaveTheMemoryToTheProgramWhenTheCallReturns) {
  outbox_.packBlocks(net::When::kAlways);
  std::vector<std::byte> data = mixed(4 * kMiB);
  const std::vector<std::byte> before = data;
  const BulkUploadPtr upload = start(data, false);
  std::vector<std::byte> arrived;
  std::thread receiver([&] { arrived = receiveUpload(before.size()); });
  outbox_.waitSent(upload);
  std::fill(data.begin(), data.end(), std::byte{0xEE});
  receiver.join();
  EXPECT_EQ(arrived, before);
}

TEST_F(PackedUploads, OnlyWhereTheLineHasBeenMeasuredAndIsSlow) {
  outbox_.packBlocks(net::When::kWhereItPays);
  std::vector<std::byte> data = mixed(3 * kMiB);
  start(data);
  EXPECT_EQ(receiveUpload(data.size()), data);
  EXPECT_EQ(packed_, 0);
  EXPECT_EQ(outbox_.bytesPacked(), 0u);
}

// What is named and not known is packed too; also a copy, when the program has its memory back.
TEST_F(PackedUploads, ThatWereNamedAndAreWanted) {
  outbox_.nameBlocks(net::When::kAlways, [](wire::Bytes) { return wire::Bits256{}; });
  outbox_.packBlocks(net::When::kAlways);
  std::vector<std::byte> data = mixed(4 * kMiB);
  const std::vector<std::byte> before = data;
  const BulkUploadPtr upload = start(data, false);
  outbox_.waitSent(upload);
  std::fill(data.begin(), data.end(), std::byte{0xEE});
  for (int i = 0; i < 4; ++i) EXPECT_EQ(next().header.opcode, static_cast<std::uint16_t>(Opcode::kNamedData));
  for (std::uint64_t i = 0; i < 4; ++i) EXPECT_TRUE(outbox_.answered({5, i * kMiB, false}));
  EXPECT_EQ(receiveUpload(before.size()), before);
  EXPECT_EQ(packed_, 3);
  EXPECT_EQ(plain_, 1);
}

TEST_F(PackedUploads, AConnectionThatIsLostEndsThem) {
  outbox_.packBlocks(net::When::kAlways);
  std::vector<std::byte> data = mixed(8 * kMiB);
  const BulkUploadPtr upload = start(data, false);
  outbox_.fail();
  outbox_.waitSent(upload);
  data.clear();  // nobody reads it any more
  data.shrink_to_fit();
}

}  // namespace
}  // namespace hipr::client

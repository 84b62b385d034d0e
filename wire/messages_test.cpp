#include "wire/messages.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include "tests/fuzz/mutate.h"
#include "wire/frame.h"
#include "wire/platform_codec.h"
#include "wire/sample.h"

namespace hipr::wire {
namespace {

std::string hex(Bytes bytes) {
  static const char* digits = "0123456789abcdef";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto b = static_cast<unsigned>(bytes[i]);
    out += digits[b >> 4];
    out += digits[b & 15];
    if (i % 32 == 31) out += '\n';
  }
  if (out.empty() || out.back() != '\n') out += '\n';
  return out;
}

// The committed bytes are the protocol: a change that breaks this test breaks every client already installed, and needs
// a new protocol version. HIPR_UPDATE_GOLDEN=1 writes the files anew.
void expectGolden(const std::string& name, Bytes bytes) {
  const std::string path = std::string(HIPR_GOLDEN_DIR) + "/" + name + ".hex";
  if (std::getenv("HIPR_UPDATE_GOLDEN")) {
    std::ofstream(path) << hex(bytes);
    return;
  }
  std::ifstream file(path);
  ASSERT_TRUE(file) << path << " is missing";
  std::stringstream golden;
  golden << file.rdbuf();
  EXPECT_EQ(hex(bytes), golden.str()) << name;
}

TEST(Messages, GoldenBytes) {
  for (const Payload& payload : payloads()) {
    std::uint64_t value = 0;
    expectGolden(payload.name, payload.sample([&] { return value += 3; }));
  }
}

TEST(Messages, GoldenHeader) {
  std::byte bytes[kHeaderSize];
  encodeHeader({.version = 0x0102, .opcode = 0x0304, .request = 0x05060708, .flags = 0x090a0b0c, .length = 0x0d0e0f},
               bytes);
  EXPECT_EQ(hex(bytes),
            "525049480201040308070605"
            "0c0b0a090f0e0d0000000000\n");
  Header back;
  ASSERT_TRUE(decodeHeader(bytes, back));
  EXPECT_EQ(back.version, 0x0102);
  EXPECT_EQ(back.opcode, 0x0304);
  EXPECT_EQ(back.request, 0x05060708u);
  EXPECT_EQ(back.flags, 0x090a0b0cu);
  EXPECT_EQ(back.length, 0x0d0e0fu);
}

TEST(Messages, HeaderRefusesForeignBytesAndHugePayloads) {
  std::byte bytes[kHeaderSize];
  Header back;
  encodeHeader({.length = kMaxPayload}, bytes);
  EXPECT_TRUE(decodeHeader(bytes, back));
  encodeHeader({.length = kMaxPayload + 1}, bytes);
  EXPECT_FALSE(decodeHeader(bytes, back));
  encodeHeader({}, bytes);
  bytes[0] ^= std::byte{1};
  EXPECT_FALSE(decodeHeader(bytes, back));
}

TEST(Messages, RoundTripOfRandomContents) {
  fuzz::Random random(2024);
  for (int i = 0; i < 200; ++i) {
    for (const Payload& payload : payloads()) {
      const std::vector<std::byte> bytes = payload.sample([&] { return random.next(); });
      const auto back = payload.recode(bytes);
      ASSERT_TRUE(back) << payload.name;
      ASSERT_TRUE(back->whole) << payload.name;
      ASSERT_EQ(hex(back->bytes), hex(bytes)) << payload.name;
    }
  }
}

TEST(Messages, EveryShortReadFails) {
  fuzz::Random random(7);
  for (const Payload& payload : payloads()) {
    const std::vector<std::byte> bytes = payload.sample([&] { return random.next(); });
    for (std::size_t size = 0; size < bytes.size(); ++size)
      ASSERT_FALSE(payload.recode(Bytes(bytes).first(size))) << payload.name << " cut to " << size;
  }
}

// What a compiler makes is larger than any text.
TEST(Messages, ACompiledProgramMayBeLong) {
  const CompileSourceReply reply{0, {std::string(3 << 20, 'x')}};
  std::vector<std::byte> bytes;
  Writer(bytes).put(reply);
  CompileSourceReply back;
  Reader reader(bytes);
  reader.get(back);
  EXPECT_TRUE(reader.ok() && reader.atEnd());
  EXPECT_TRUE(back.result.bytes == reply.result.bytes);
}

TEST(Messages, HostileLengthsFailWithoutAllocating) {
  std::vector<std::byte> bytes;
  Writer(bytes).put(std::uint32_t{0xffffffff});
  std::vector<std::string> list;
  Reader lists(bytes);
  lists.get(list);
  EXPECT_FALSE(lists.ok());
  EXPECT_TRUE(list.empty());

  std::string text;
  Reader texts(bytes);
  texts.get(text);
  EXPECT_FALSE(texts.ok());

  Blob blob;
  Reader blobs(bytes);
  blobs.get(blob);
  EXPECT_FALSE(blobs.ok());

  bytes.clear();
  Writer(bytes).put(~std::uint64_t{0});
  Bytes view;
  Reader views(bytes);
  views.get(view);
  EXPECT_FALSE(views.ok());
  EXPECT_TRUE(view.empty());
}

TEST(Messages, FailureIsStickyAndReadsZeros) {
  const std::vector<std::byte> bytes(4, std::byte{0xff});
  Reader reader(bytes);
  std::uint64_t wide = 1;
  reader.get(wide);
  EXPECT_EQ(wide, 0u);
  std::uint8_t narrow = 1;
  reader.get(narrow);  // there are bytes, but it has failed already
  EXPECT_EQ(narrow, 0u);
  EXPECT_FALSE(reader.ok());
}

TEST(Messages, ABoolIsZeroOrOneWhateverTheByte) {
  const std::vector<std::byte> bytes(1, std::byte{0x82});
  bool value = false;
  Reader reader(bytes);
  reader.get(value);
  EXPECT_EQ(value, true);
  std::vector<std::byte> again;
  Writer(again).put(value);
  EXPECT_EQ(again[0], std::byte{1});
}

TEST(Messages, EveryOpcodeHasItsName) {
  std::set<std::string> names;
#define MESSAGE(number, Name, verb)        \
  EXPECT_STREQ(opcodeName(number), #Name); \
  names.insert(#Name);
#include "wire/messages.def"
  EXPECT_GT(names.size(), 40u);
  EXPECT_STREQ(opcodeName(0xffff), "?");
}

Platform samplePlatform() {
  Platform platform;
  platform.driverVersion = 70000001;
  platform.runtimeVersion = 70000002;
  for (int i = 0; i < 2; ++i) {
    DeviceInfo& device = platform.devices.emplace_back();
    std::snprintf(device.props.name, sizeof device.props.name, "device %d", i);
    device.props.totalGlobalMem = 1000000 + static_cast<std::size_t>(i);
    device.props.hdpMemFlushCntl = reinterpret_cast<unsigned*>(0x1234);
    device.attributes.set(hipDeviceAttributeWarpSize, 64);
    device.attributes.set(AttributeTable::kAmdBase + 3, -5);
    device.limits.push_back({hipLimitMallocHeapSize, 77});
    device.leastStreamPriority = 1;
    device.greatestStreamPriority = -1;
  }
  platform.peers.resize(4);
  platform.peers[1] = {true, {1, 2, 3, 4}, 2, 1};
  return platform;
}

TEST(PlatformCodec, RoundTrip) {
  std::vector<std::byte> bytes;
  encodePlatform(samplePlatform(), bytes);
  Platform back;
  ASSERT_TRUE(decodePlatform(bytes, back));
  ASSERT_EQ(back.devices.size(), 2u);
  EXPECT_EQ(back.driverVersion, 70000001);
  EXPECT_STREQ(back.devices[1].props.name, "device 1");
  EXPECT_EQ(back.devices[1].props.totalGlobalMem, 1000001u);
  EXPECT_EQ(back.devices[0].props.hdpMemFlushCntl, nullptr);  // an address of the worker's process
  EXPECT_EQ(back.devices[0].attributes.get(hipDeviceAttributeWarpSize), 64);
  EXPECT_EQ(back.devices[0].attributes.get(AttributeTable::kAmdBase + 3), -5);
  EXPECT_EQ(back.devices[0].attributes.get(hipDeviceAttributeClockRate), std::nullopt);
  ASSERT_EQ(back.devices[0].limits.size(), 1u);
  EXPECT_EQ(back.devices[0].limits[0].value, 77u);
  EXPECT_EQ(back.devices[0].greatestStreamPriority, -1);
  EXPECT_TRUE(back.peer(0, 1).canAccess);
  EXPECT_FALSE(back.peer(1, 0).canAccess);
  EXPECT_EQ(back.peer(0, 1).p2p[2], 3);
}

TEST(PlatformCodec, NamesSayNothingToATerminal) {
  Platform platform = samplePlatform(), back;
  std::strcpy(platform.devices[0].props.name, "A\x1b]0;title\a\nname\x7f");
  std::memset(platform.devices[0].props.gcnArchName, '\r', sizeof platform.devices[0].props.gcnArchName);
  std::vector<std::byte> bytes;
  encodePlatform(platform, bytes);
  ASSERT_TRUE(decodePlatform(bytes, back));
  EXPECT_STREQ(back.devices[0].props.name, "A?]0;title??name?");
  EXPECT_EQ(std::string(back.devices[0].props.gcnArchName), std::string(255, '?'));
}

TEST(PlatformCodec, GoldenBytes) {
  std::vector<std::byte> bytes;
  encodePlatform(samplePlatform(), bytes);
  expectGolden("Platform", bytes);
}

TEST(PlatformCodec, EveryShortReadFails) {
  std::vector<std::byte> bytes;
  encodePlatform(samplePlatform(), bytes);
  for (std::size_t size = 0; size < bytes.size(); size += 7) {
    Platform back;
    EXPECT_FALSE(decodePlatform(Bytes(bytes).first(size), back)) << size;
  }
  bytes.push_back({});
  Platform back;
  EXPECT_FALSE(decodePlatform(bytes, back));  // too long is wrong too
}

}  // namespace
}  // namespace hipr::wire

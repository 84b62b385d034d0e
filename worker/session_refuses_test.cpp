// What ends a session: whatever no client of ours would send.
#include <gtest/gtest.h>

#include "worker/session_fixture.h"

namespace hipr::worker {
namespace {

using wire::Opcode;

template <class F>
std::string refusalOf(F&& misbehave) {
  SessionOnFake s;
  s.client->hello();
  misbehave(*s.client);
  const auto refused = s.client->expectPush<wire::Refused>(Opcode::kRefused);
  EXPECT_FALSE(s.client->next().has_value());  // it is the last frame
  s.client->socket().shutdown();
  EXPECT_EQ(s.finish().code(), Code::kInvalid);
  return refused ? refused->text : "";
}

TEST(SessionRefuses, UnknownObjects) {
  EXPECT_NE(refusalOf([](auto& c) { c.template send<Opcode::kStreamDestroy>({kStream}); }).find("stream"),
            std::string::npos);
  EXPECT_NE(refusalOf([](auto& c) { c.template send<Opcode::kEventRecord>({kEvent, 1}); }).find("event"),
            std::string::npos);
  EXPECT_NE(refusalOf([](auto& c) { c.template send<Opcode::kModuleUnload>({kModule}); }).find("module"),
            std::string::npos);
  EXPECT_NE(
      refusalOf([](auto& c) { c.template send<Opcode::kLaunchKernel>({.stream = 1, .function = 3}); }).find("function"),
      std::string::npos);
  EXPECT_NE(refusalOf([](auto& c) { c.template send<Opcode::kDeviceSynchronize>({7}); }).find("device"),
            std::string::npos);
  EXPECT_NE(refusalOf([](auto& c) { c.template send<Opcode::kHostFunctionDone>({7}); }).find("host function"),
            std::string::npos);
}

TEST(SessionRefuses, NumbersThatAreTaken) {
  refusalOf([](auto& c) {
    c.template send<Opcode::kStreamCreate>({.stream = kStream});
    c.template send<Opcode::kStreamCreate>({.stream = kStream});
  });
  refusalOf([](auto& c) { c.template send<Opcode::kStreamCreate>({.stream = 5}); });
}

// 4 x 4 x 2 texels of two bytes.
template <class F>
std::string refusalWithArray(F&& misbehave) {
  return refusalOf([&](auto& c) {
    EXPECT_EQ(c.template ask<Opcode::kArrayCreate>({kArray, 0, 4, 4, 2, HIP_AD_FORMAT_UNSIGNED_INT16, 1, 0}),
              hipSuccess);
    misbehave(c);
  });
}

TEST(SessionRefuses, ArraysAndTexturesThatDoNotExist) {
  const auto says = [](const std::string& refusal, const char* what) {
    EXPECT_NE(refusal.find(what), std::string::npos) << refusal;
  };
  says(refusalOf([](auto& c) { c.template send<Opcode::kArrayDestroy>({kArray}); }), "array");
  says(refusalOf([](auto& c) { c.template send<Opcode::kTextureDestroy>({kTexture}); }), "texture");
  says(refusalOf([](auto& c) {
         c.template send<Opcode::kTextureCreate>({.texture = kTexture, .source = {.array = kArray}});
       }),
       "array");
  says(refusalWithArray(
           [](auto& c) { c.template send<Opcode::kArrayCopy>({kNull, {.array = kArray}, {.array = kArray + 9}, 2}); }),
       "array");
  says(refusalWithArray([](auto& c) {
         c.template send<Opcode::kArrayDestroy>({kArray});
         c.template send<Opcode::kTextureCreate>({.texture = kTexture, .source = {.array = kArray}});
       }),
       "array");
  says(refusalOf([](auto& c) {
         c.template send<Opcode::kArrayCreate>({kArray, 1, 4, 4, 2, HIP_AD_FORMAT_UNSIGNED_INT16, 1, 0});
       }),
       "device");
  says(refusalWithArray([](auto& c) {
         c.template send<Opcode::kTextureCreate>({.texture = kTexture, .device = -1, .source = {.array = kArray}});
       }),
       "device");
}

TEST(SessionRefuses, NumbersOfArraysAndTexturesThatAreTaken) {
  refusalWithArray(
      [](auto& c) { c.template send<Opcode::kArrayCreate>({kArray, 0, 4, 4, 2, HIP_AD_FORMAT_UNSIGNED_INT16, 1, 0}); });
  refusalOf(
      [](auto& c) { c.template send<Opcode::kArrayCreate>({7, 0, 4, 4, 2, HIP_AD_FORMAT_UNSIGNED_INT16, 1, 0}); });
  refusalWithArray([](auto& c) {
    c.template send<Opcode::kTextureCreate>({.texture = kTexture, .source = {.array = kArray}});
    c.template send<Opcode::kTextureCreate>({.texture = kTexture, .source = {.array = kArray}});
  });
}

TEST(SessionRefuses, BoxesOutsideTheirArray) {
  const auto copy = [](const wire::ArraySide& box, std::uint64_t width, std::uint64_t height = 1,
                       std::uint64_t depth = 1) {
    const std::string refusal = refusalWithArray([&](auto& c) {
      c.template send<Opcode::kArrayCopy>(
          {kNull, box, {.address = kTestDeviceBase, .pitch = 8, .slice = 32}, width, height, depth});
    });
    EXPECT_NE(refusal.find("does not have"), std::string::npos) << refusal;
  };
  constexpr std::uint64_t kHuge = ~std::uint64_t{0} - 1;
  copy({.array = kArray}, 10);
  copy({.array = kArray}, 8, 5);
  copy({.array = kArray}, 8, 4, 3);
  copy({.array = kArray, .x = 2}, 8);
  copy({.array = kArray, .y = 4}, 8);
  copy({.array = kArray, .z = 1}, 8, 4, 2);
  copy({.array = kArray, .x = kHuge}, 4);
  copy({.array = kArray, .y = kHuge}, 8, 4);
  copy({.array = kArray, .z = kHuge}, 8, 4, 2);
  copy({.array = kArray}, kHuge, kHuge, kHuge);
  copy({.array = kArray, .x = 1}, 2);  // not whole texels
  copy({.array = kArray}, 3);
  copy({.array = kArray}, 0);
  copy({.array = kArray}, 8, 0);
  copy({.array = kArray}, 8, 4, 0);
  EXPECT_NE(
      refusalWithArray([](auto& c) {
        c.template send<Opcode::kArrayCopy>({kNull, {.address = kTestDeviceBase}, {.address = kTestDeviceBase}, 8});
      }).find("without an array"),
      std::string::npos);
}

TEST(SessionRefuses, StepsOfGraphsThatCopyWhatIsNotThere) {
  const auto step = [](const wire::ArrayCopy& copy) {
    return refusalWithArray([&](auto& c) {
      std::vector<std::byte> work;
      wire::Writer(work).put(copy);
      c.template send<Opcode::kGraphCreate>(
          {kArray, 0, {{static_cast<std::uint16_t>(Opcode::kArrayCopy), 0, {}, work}}});
    });
  };
  EXPECT_NE(step({0, {.array = kArray}, {.array = kArray + 1}, 2}).find("does not exist"), std::string::npos);
  EXPECT_NE(step({0, {.array = kArray}, {.array = kArray}, 10}).find("does not have"), std::string::npos);
  EXPECT_NE(step({kNull, {.array = kArray}, {.array = kArray}, 2}).find("malformed"), std::string::npos);
}

TEST(SessionRefuses, ADownloadWithoutANumber) {
  EXPECT_NE(refusalOf([](auto& c) {
              c.template send<Opcode::kDownload>({wire::kNullStream, {kTestDeviceBase, 0, 0, kMiB}, 0});
            }).find("number"),
            std::string::npos);
}

TEST(SessionRefuses, TruncatedAndOverlongPayloads) {
  refusalOf([](auto& c) {
    std::byte frame[wire::kHeaderSize + 3]{};
    wire::encodeHeader({.opcode = static_cast<std::uint16_t>(Opcode::kStreamDestroy), .length = 3}, frame);
    (void)c.socket().send(frame);
  });
  refusalOf([](auto& c) {
    std::byte frame[wire::kHeaderSize + 9]{};
    wire::encodeHeader({.opcode = static_cast<std::uint16_t>(Opcode::kStreamDestroy), .length = 9}, frame);
    (void)c.socket().send(frame);
  });
}

TEST(SessionRefuses, ForeignBytesOldVersionsAndPushes) {
  refusalOf([](auto& c) { (void)c.socket().send(std::vector<std::byte>(64, std::byte{'G'})); });
  const std::string version = refusalOf([](auto& c) {
    std::byte frame[wire::kHeaderSize];
    wire::encodeHeader({.version = 99, .opcode = static_cast<std::uint16_t>(Opcode::kPing)}, frame);
    (void)c.socket().send(frame);
  });
  EXPECT_NE(version.find("99"), std::string::npos);
  refusalOf([](auto& c) { c.template send<Opcode::kProgress>({1, 1}); });
}

TEST(SessionRefuses, AnythingBeforeHello) {
  SessionOnFake s;
  s.client->send<Opcode::kDeviceSynchronize>({0});
  s.client->expectPush<wire::Refused>(Opcode::kRefused);
}

TEST(SessionRefuses, ASecondHello) {
  EXPECT_EQ(refusalOf([](auto& c) { c.template send<Opcode::kHello>({}); }), "a second Hello");
}

TEST(SessionRefuses, HelloOnceItsAnswerHasBeenAccepted) {
  SessionOnFake s({.ignoresHint = true});
  s.client->hello();
  EXPECT_EQ(s.client->hello().status, hipSuccess);  // the client does not have that range: it asks again
  s.client->send<Opcode::kExposeHost>({kTestHostBase, 4096, 1});
  s.client->send<Opcode::kHello>({});
  EXPECT_EQ(s.client->expectPush<wire::Refused>(Opcode::kRefused)->text, "a second Hello");
}

TEST(SessionRefuses, ALargeHello) {
  SessionOnFake s;
  wire::Hello hello;
  hello.program = std::string(9000, 'x');
  s.client->send<Opcode::kHello>(hello);
  EXPECT_NE(s.client->expectPush<wire::Refused>(Opcode::kRefused)->text.find("a Hello of"), std::string::npos);
}

TEST(SessionRefuses, WhatComesAfterGoodbye) {
  EXPECT_EQ(refusalOf([](auto& c) {
              std::vector<std::byte> frames;
              appendFrame(frames, Opcode::kGoodbye, 1, 0, wire::Goodbye{});
              appendFrame(frames, Opcode::kDeviceSynchronize, 2, 0, wire::DeviceSynchronize{0});
              (void)c.socket().send(frames);
            }),
            "DeviceSynchronize after Goodbye");
}

}  // namespace
}  // namespace hipr::worker

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

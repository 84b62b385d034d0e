// Both ends of a greeting, and the ends of greetings that must not succeed.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <thread>
#include <tuple>

#include "access/admit.h"
#include "access/challenge.h"
#include "access/digest.h"
#include "access/token.h"
#include "net/socket_transport.h"

namespace hipr::access {
namespace {

constexpr char kToken[] = "an ordinary token of some length";
constexpr int kPatience = 10;

class Greeting : public ::testing::Test {
 protected:
  void SetUp() override { std::tie(client_, worker_) = net::loopback(); }

  // What both sides think of it.
  void greet(const std::string& clients, const std::string& workers) {
    std::thread worker([&] {
      admitted_ = admit(*worker_, workers, kPatience, next_);
      if (admitted_.ok()) return;
      std::vector<std::byte> frame;
      wire::appendFrame(frame, wire::Opcode::kRefused, 0, 0, wire::Refused{0, admitted_.message()});
      (void)worker_->send(net::Transport::Part(frame));  // to a client that may have left
      worker_->shutdown();
    });
    presented_ = present(*client_, clients, {}, kPatience);
    if (presented_.ok()) send(*client_, wire::Opcode::kHello, wire::Hello{});
    if (!presented_.ok()) client_->shutdown();
    worker.join();
  }

  static std::shared_ptr<const Keyring> keyring() {
    auto out = std::make_shared<Keyring>();
    out->addToken(kToken, {});
    return out;
  }

  template <class Message>
  static void send(net::Transport& transport, wire::Opcode opcode, const Message& message) {
    std::vector<std::byte> frame;
    wire::appendFrame(frame, opcode, 0, 0, message);
    EXPECT_TRUE(transport.send(net::Transport::Part(frame)).ok());
  }

  net::TransportPtr client_, worker_;
  Status presented_, admitted_;
  wire::Header next_;
};

TEST_F(Greeting, TheSameTokenOpensTheDoorToTheNextMessage) {
  greet(kToken, kToken);
  EXPECT_TRUE(presented_.ok()) << presented_.message();
  EXPECT_TRUE(admitted_.ok()) << admitted_.message();
  EXPECT_EQ(next_.opcode, static_cast<std::uint16_t>(wire::Opcode::kHello));
}

TEST_F(Greeting, WithoutTokensNothingIsSaid) {
  greet("", "");
  EXPECT_TRUE(presented_.ok());
  EXPECT_TRUE(admitted_.ok());
  EXPECT_EQ(next_.opcode, static_cast<std::uint16_t>(wire::Opcode::kHello));
}

// And a stranger gets nothing from the worker that tokens could be tried on.
TEST_F(Greeting, AWorkerWithAnotherTokenSaysSo) {
  greet(kToken, std::string(kToken) + "!");
  EXPECT_NE(presented_.message().find("the token is wrong"), std::string::npos) << presented_.message();
  EXPECT_FALSE(admitted_.ok());
}

// Somebody who poses as the worker and knows which token it is, but not the token.
TEST_F(Greeting, TheClientFindsOutAWorkerThatCannotProveIt) {
  std::thread liar([&] {
    wire::Header header;
    std::vector<std::byte> payload, frame;
    ASSERT_TRUE(receiveFrame(*worker_, 1000, header, payload).ok());
    wire::appendFrame(frame, wire::Opcode::kChallenge, 0, wire::HIP_REMOTE_FLAG_REPLY, wire::ChallengeReply{});
    ASSERT_TRUE(worker_->send(net::Transport::Part(frame)).ok());
  });
  presented_ = present(*client_, kToken, {}, kPatience);
  liar.join();
  EXPECT_NE(presented_.message().find("another token"), std::string::npos) << presented_.message();
}

TEST_F(Greeting, AWorkerWithoutTokenSaysSo) {
  greet(kToken, "");
  EXPECT_NE(presented_.message().find("has no token"), std::string::npos) << presented_.message();
}

TEST_F(Greeting, AClientWithoutTokenIsToldWhatToSet) {
  greet("", kToken);
  EXPECT_NE(admitted_.message().find("HIP_REMOTE_TOKEN"), std::string::npos);
  wire::Header header;
  std::vector<std::byte> payload;
  EXPECT_NE(receiveFrame(*client_, 1000, header, payload).message().find("HIP_REMOTE_TOKEN"), std::string::npos);
}

// Somebody who does not know the token, but says everything else as a client would.
TEST_F(Greeting, AGuessIsRefused) {
  std::thread worker([&] { admitted_ = admit(*worker_, kToken, kPatience, next_); });
  wire::Header header;
  std::vector<std::byte> payload;
  wire::ChallengeReply reply;
  send(*client_, wire::Opcode::kChallenge, wire::Challenge{tokenNumber(kToken), {}});
  ASSERT_TRUE(receiveFrame(*client_, 1000, header, payload).ok());
  ASSERT_TRUE(decode(payload, reply));
  send(*client_, wire::Opcode::kProof, wire::Proof{reply.proof});  // the worker's own proof, sent back to it
  worker.join();
  EXPECT_TRUE(admitted_.message().starts_with("the token is wrong")) << admitted_.message();
}

TEST_F(Greeting, AnotherMessageInThePlaceOfTheProofIsRefused) {
  std::thread worker([&] { admitted_ = admit(*worker_, kToken, kPatience, next_); });
  send(*client_, wire::Opcode::kChallenge, wire::Challenge{tokenNumber(kToken), {}});
  send(*client_, wire::Opcode::kHello, wire::Hello{});
  worker.join();
  EXPECT_FALSE(admitted_.ok());
}

TEST_F(Greeting, AChallengeIsTakenOnce) {
  std::thread worker([&] { admitted_ = admit(*worker_, kToken, kPatience, next_); });
  for (int i = 0; i < 2; ++i) send(*client_, wire::Opcode::kChallenge, wire::Challenge{tokenNumber(kToken), {}});
  worker.join();
  EXPECT_FALSE(admitted_.ok());
}

TEST_F(Greeting, AProofWithoutAChallengeIsRefused) {
  send(*client_, wire::Opcode::kProof, wire::Proof{prove(Side::kClient, kToken, {}, {})});
  EXPECT_FALSE(admit(*worker_, kToken, kPatience, next_).ok());
}

// On a protected connection the proof comes without a question, and is worth nothing on another connection.
TEST_F(Greeting, AProofIsBoundToItsConnection) {
  wire::Bits256 here, elsewhere;
  here.fill(1);
  elsewhere.fill(2);
  const auto offer = [&](const std::string& token, const wire::Bits256& binding) {
    Admission admission(keyring());
    EXPECT_TRUE(admission.shielded({}, {}, here).ok());
    EXPECT_TRUE(present(*client_, token, binding, kPatience).ok());
    wire::Header header;
    std::vector<std::byte> payload, reply;
    EXPECT_TRUE(receiveFrame(*worker_, 1000, header, payload).ok());
    const Status status = admission.take(header, payload, reply);
    EXPECT_TRUE(reply.empty());
    EXPECT_EQ(admission.open().ok(), status.ok());
    return status.ok();
  };
  EXPECT_TRUE(offer(kToken, here));
  EXPECT_FALSE(offer(kToken, elsewhere));
  EXPECT_FALSE(offer(std::string(kToken) + "!", here));
}

TEST_F(Greeting, NobodyAsksTheWorkerToProveItselfOnAProtectedConnection) {
  Admission admission(keyring());
  EXPECT_TRUE(admission.shielded({}, {}, {}).ok());
  std::vector<std::byte> reply;
  wire::Header header;
  header.opcode = static_cast<std::uint16_t>(wire::Opcode::kChallenge);
  EXPECT_FALSE(admission.take(header, std::vector<std::byte>(40), reply).ok());
  EXPECT_TRUE(reply.empty());
}

TEST_F(Greeting, AVanishingClientIsNotAdmitted) {
  send(*client_, wire::Opcode::kChallenge, wire::Challenge{tokenNumber(kToken), {}});
  client_.reset();
  EXPECT_FALSE(admit(*worker_, kToken, kPatience, next_).ok());
}

TEST(Proof, IsHmacSha256) {
  // Computed with Python: hmac.new(key, label + 32 * b"\1" + 32 * b"\2", "sha256").
  wire::Bits256 client, worker;
  client.fill(1);
  worker.fill(2);
  const auto hex = [](const wire::Bits256& bits) {
    std::string out;
    for (const std::uint8_t byte : bits) {
      char text[3];
      std::snprintf(text, sizeof text, "%02x", byte);
      out += text;
    }
    return out;
  };
  EXPECT_EQ(hex(prove(Side::kClient, kToken, client, worker)),
            "86b8dc3dd3e6c4574cd0a669400cbf786fc04b9ac577e6aeb0c4dc223c1a004d");
  EXPECT_EQ(hex(prove(Side::kWorker, kToken, client, worker)),
            "acb736167bf000babe73575ac8c5ee66636d1e0f72ed750294fc2aefef3d3310");
}

TEST(Token, ComesFromTheEnvironmentOrAFile) {
  const std::string path = ::testing::TempDir() + "hipr_token";
  std::string token = "left over";
  unsetenv("HIP_REMOTE_TOKEN");
  unsetenv("HIP_REMOTE_TOKEN_FILE");
  EXPECT_TRUE(tokenFromEnvironment(token).ok());
  EXPECT_EQ(token, "");
  std::ofstream(path) << kToken << " \r\nwhat follows is a remark\n";
  setenv("HIP_REMOTE_TOKEN_FILE", path.c_str(), 1);
  EXPECT_TRUE(tokenFromEnvironment(token).ok());
  EXPECT_EQ(token, kToken);
  setenv("HIP_REMOTE_TOKEN", "the other token, which comes first", 1);
  EXPECT_TRUE(tokenFromEnvironment(token).ok());
  EXPECT_EQ(token, "the other token, which comes first");
  setenv("HIP_REMOTE_TOKEN", "short", 1);
  EXPECT_FALSE(tokenFromEnvironment(token).ok());
  unsetenv("HIP_REMOTE_TOKEN");
  std::ofstream(path).close();
  EXPECT_FALSE(tokenFromEnvironment(token).ok());  // an empty file is a mistake, not a missing token
  unsetenv("HIP_REMOTE_TOKEN_FILE");
  EXPECT_FALSE(readTokenFile(path + ".none", token).ok());
}

TEST(Token, EveryWorkerOfASecretHasItsOwn) {
  // As openssl dgst -sha256 -hmac "..." says: clients and workers of other releases must find the same.
  EXPECT_EQ(tokenOfWorker("a secret of sixteen or more", "pod-tf-vgpu-1"),
            "4fcd6df44f09dd9d1b00713702d5aa5371202482cbb8449f983289e4a2bd2863");
  EXPECT_NE(tokenOfWorker("a secret of sixteen or more", "pod-tf-vgpu-2"),
            tokenOfWorker("a secret of sixteen or more", "pod-tf-vgpu-1"));
  EXPECT_NE(tokenOfWorker("another secret of the kind", "pod-tf-vgpu-1"),
            tokenOfWorker("a secret of sixteen or more", "pod-tf-vgpu-1"));
}

TEST(Digest, IsKeyedSha256) {
  // As openssl dgst -sha256 -hmac "HIP Remote" says.
  const std::string text = "abc";
  EXPECT_EQ(hexOf(digestOf(std::as_bytes(std::span(text)))),
            "59fa4fffbc4331594962948d2f600c5956b3f8587527f4edc675f6f48d8998a8");
}

}  // namespace
}  // namespace hipr::access

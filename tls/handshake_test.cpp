// Handshakes between the two sides, without a network: who gets through, who does not, and what they are told.
#include "tls/handshake.h"

#include <gtest/gtest.h>

#include <cstring>

#include "tls/record.h"
#include "tls/test_certificates.h"

namespace hipr::tls {
namespace {

constexpr char kToken[] = "a token of the ordinary length";

std::vector<std::vector<std::byte>> records(std::span<const std::byte> bytes) {
  std::vector<std::vector<std::byte>> out;
  while (bytes.size() >= kRecordHeader) {
    const std::size_t size = recordSize(bytes.first<kRecordHeader>());
    if (size == 0 || size > bytes.size()) {
      ADD_FAILURE() << "not a record";
      break;
    }
    out.emplace_back(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
    bytes = bytes.subspan(size);
  }
  return out;
}

class Shaking : public ::testing::Test {
 protected:
  struct Ends {
    Handshake client, server;
    Status clients, servers;
    bool done() const { return clients.ok() && servers.ok() && client.done() && server.done(); }
  };

  static ServerContext::FindToken knows(const std::string& token) {
    return [key = keyOfToken(token)](const std::string& name) {
      return name == key.name ? std::optional(key) : std::nullopt;
    };
  }
  static ServerContext::FindToken knowsNone() {
    return [](const std::string&) { return std::nullopt; };
  }

  static Ends shake(const CertificateFiles& clientFiles, const std::string& token, const CertificateFiles& serverFiles,
                    ServerContext::FindToken find, bool mustShow = false, const std::string& host = "worker") {
    std::shared_ptr<const ClientContext> clients;
    std::shared_ptr<const ServerContext> servers;
    const Status a =
        ClientContext::make(clientFiles, token.empty() ? std::nullopt : std::optional(keyOfToken(token)), clients);
    const Status b = ServerContext::make(serverFiles, std::move(find), mustShow, servers);
    EXPECT_TRUE(a.ok() && b.ok()) << a.message() << b.message();
    Ends ends{Handshake(clients, host), Handshake(servers), {}, {}};
    std::vector<std::byte> toServer, toClient;
    ends.clients = ends.client.take({}, toServer);
    for (int turn = 0; turn < 4; ++turn) {
      for (const auto& record : records(std::exchange(toServer, {})))
        if (ends.servers.ok() && !ends.server.done()) ends.servers = ends.server.take(record, toClient);
      for (const auto& record : records(std::exchange(toClient, {}))) {
        if (ends.clients.ok() && !ends.client.done()) {
          ends.clients = ends.client.take(record, toServer);
        } else if (ends.clients.ok()) {  // a refusal of what the client said last
          std::vector<std::byte> copy = record;
          std::span<std::byte> plain;
          ends.clients = Opener(ends.client.shield().cipher, ends.client.shield().receiving).open(copy, plain);
        }
      }
    }
    return ends;
  }

  const std::string folder_ = ::testing::TempDir();
  const TestAuthority authority_{"the authority"}, stranger_{"another authority"};
};

TEST_F(Shaking, ATokenIsEnough) {
  Ends ends = shake({}, kToken, {}, knows(kToken));
  ASSERT_TRUE(ends.done()) << ends.clients.message() << ends.servers.message();
  EXPECT_EQ(ends.server.tokenName(), keyOfToken(kToken).name);
  EXPECT_EQ(ends.client.tokenName(), keyOfToken(kToken).name);
  EXPECT_FALSE(ends.server.certificate());
  EXPECT_EQ(ends.client.binding(), ends.server.binding());
  const Shield client = ends.client.shield(), server = ends.server.shield();
  EXPECT_EQ(client.sending.secret, server.receiving.secret);
  EXPECT_EQ(client.receiving.secret, server.sending.secret);
  EXPECT_NE(client.sending.secret, client.receiving.secret);
}

TEST_F(Shaking, NoTwoConnectionsShareASecret) {
  Ends one = shake({}, kToken, {}, knows(kToken)), two = shake({}, kToken, {}, knows(kToken));
  EXPECT_NE(one.client.shield().sending.secret, two.client.shield().sending.secret);
  EXPECT_NE(one.client.binding(), two.client.binding());
}

TEST_F(Shaking, AnotherTokenIsRefusedByTheWorker) {
  Ends ends = shake({}, kToken, {}, knows("some other token of that length"));
  EXPECT_FALSE(ends.servers.ok());
  EXPECT_EQ(ends.clients.code(), Code::kUnavailable);
  EXPECT_FALSE(ends.client.done());
}

// Whoever knows the name of a key, which is no secret, has not got the key.
TEST_F(Shaking, TheNameOfAKeyIsNotTheKey) {
  TokenKey forged = keyOfToken("some other token of that length");
  forged.name = keyOfToken(kToken).name;
  Ends asWorker = shake({}, kToken, {}, [&](const std::string&) { return std::optional(forged); });
  EXPECT_FALSE(asWorker.servers.ok());
  EXPECT_FALSE(asWorker.client.done() && asWorker.clients.ok());
}

TEST_F(Shaking, AClientWithATokenTakesNoCertificateInstead) {
  authority_.issue(folder_, "worker", 1);
  Ends ends = shake({}, kToken, {folder_ + "worker.crt", folder_ + "worker.key", ""}, knowsNone());
  EXPECT_FALSE(ends.clients.ok());
  EXPECT_FALSE(ends.server.done());
}

class Certificates : public Shaking {
 protected:
  void SetUp() override {
    authority_.issue(folder_, "worker", 1);
    authority_.issue(folder_, "late", -1);
    authority_.issue(folder_, "client", 1);
    stranger_.issue(folder_, "stranger", 1);
    authority_.write(folder_ + "ca.crt");
    stranger_.write(folder_ + "other-ca.crt");
  }
  CertificateFiles files(const std::string& name, const std::string& authority) const {
    CertificateFiles out;
    if (!name.empty()) out.certificate = folder_ + name + ".crt", out.key = folder_ + name + ".key";
    if (!authority.empty()) out.authority = folder_ + authority;
    return out;
  }
};

TEST_F(Certificates, TheWorkersIsVerified) {
  Ends ends = shake(files("", "ca.crt"), "", files("worker", ""), knowsNone());
  ASSERT_TRUE(ends.done()) << ends.clients.message() << ends.servers.message();
  EXPECT_FALSE(ends.server.tokenName());
  EXPECT_FALSE(ends.server.certificate());
  EXPECT_EQ(ends.client.certificate(), "worker");
  EXPECT_EQ(ends.client.binding(), ends.server.binding());
}

TEST_F(Certificates, OfAnotherAuthorityAnotherHostOrAnotherTimeAreRefused) {
  EXPECT_FALSE(shake(files("", "other-ca.crt"), "", files("worker", ""), knowsNone()).clients.ok());
  EXPECT_FALSE(shake(files("", "ca.crt"), "", files("worker", ""), knowsNone(), false, "elsewhere").clients.ok());
  EXPECT_FALSE(shake(files("", "ca.crt"), "", files("worker", ""), knowsNone(), false, "10.0.0.1").clients.ok());
  EXPECT_TRUE(shake(files("", "ca.crt"), "", files("worker", ""), knowsNone(), false, "127.0.0.1").clients.ok());
  const Ends late = shake(files("", "ca.crt"), "", files("late", ""), knowsNone(), false, "late");
  EXPECT_NE(late.clients.message().find("expired"), std::string::npos) << late.clients.message();
}

TEST_F(Certificates, BothSidesShowTheirs) {
  Ends ends = shake(files("client", "ca.crt"), "", files("worker", "ca.crt"), knowsNone(), true);
  ASSERT_TRUE(ends.done()) << ends.clients.message() << ends.servers.message();
  EXPECT_EQ(ends.server.certificate(), "client");
}

TEST_F(Certificates, AClientsWrongOneIsRefusedAndItIsTold) {
  const Ends wrong = shake(files("stranger", "ca.crt"), "", files("worker", "ca.crt"), knowsNone(), true);
  EXPECT_FALSE(wrong.servers.ok());
  EXPECT_NE(wrong.clients.message().find("trust"), std::string::npos) << wrong.clients.message();
  const Ends late = shake(files("late", "ca.crt"), "", files("worker", "ca.crt"), knowsNone(), true);
  EXPECT_NE(late.clients.message().find("expired"), std::string::npos) << late.clients.message();
  const Ends none = shake(files("", "ca.crt"), "", files("worker", "ca.crt"), knowsNone(), true);
  EXPECT_FALSE(none.servers.ok());
  EXPECT_NE(none.clients.message().find("wants a certificate"), std::string::npos) << none.clients.message();
}

TEST_F(Certificates, AWorkerTakesBothTokensAndCertificates) {
  Ends token = shake({}, kToken, files("worker", "ca.crt"), knows(kToken), true);
  EXPECT_TRUE(token.done()) << token.clients.message() << token.servers.message();
  Ends certificate = shake(files("client", "ca.crt"), "", files("worker", "ca.crt"), knows(kToken), true);
  EXPECT_TRUE(certificate.done()) << certificate.clients.message() << certificate.servers.message();
}

TEST_F(Certificates, FilesThatAreNoneAreNamed) {
  std::shared_ptr<const ServerContext> out;
  const Status status =
      ServerContext::make({folder_ + "worker.key", folder_ + "worker.key", ""}, knowsNone(), false, out);
  EXPECT_NE(status.message().find("worker.key"), std::string::npos) << status.message();
  EXPECT_FALSE(ServerContext::make({folder_ + "worker.crt", "", ""}, knowsNone(), false, out).ok());
  EXPECT_FALSE(ServerContext::make(files("worker", "none.crt"), knowsNone(), false, out).ok());
}

TEST_F(Shaking, NoiseIsRefused) {
  std::shared_ptr<const ServerContext> servers;
  ASSERT_TRUE(ServerContext::make({}, knows(kToken), false, servers).ok());
  std::vector<std::byte> noise(200, std::byte{0x55}), reply;
  const unsigned char header[] = {22, 3, 1, 0, 195};
  std::memcpy(noise.data(), header, sizeof header);
  Handshake handshake(servers);
  EXPECT_FALSE(handshake.take(noise, reply).ok());
  EXPECT_FALSE(handshake.done());
}

}  // namespace
}  // namespace hipr::tls

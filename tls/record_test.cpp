// Our records against OpenSSL's own: each must understand the other.
#include "tls/record.h"

#include <gtest/gtest.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "tls/handshake_callbacks.h"
#include "tls/openssl.h"

namespace hipr::tls {
namespace {

std::vector<std::byte> pattern(std::size_t size) {
  std::vector<std::byte> out(size);
  for (std::size_t i = 0; i < size; ++i) out[i] = static_cast<std::byte>(i * 7 + i / 251);
  return out;
}

// A handshake of OpenSSL with itself, of whose client we then take the part.
class AgainstOpenssl : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    std::shared_ptr<const ClientContext> clients;
    std::shared_ptr<const ServerContext> servers;
    const TokenKey token = keyOfToken("whatever both sides know");
    ASSERT_TRUE(ClientContext::make({}, token, clients).ok());
    ASSERT_TRUE(ServerContext::make({}, [=](const std::string&) { return token; }, false, servers).ok());
    clientNotes_.client = clients;
    serverNotes_.server = servers;
    client_ = SSL_new(clients->parts->context.get());
    server_ = SSL_new(servers->parts->context.get());
    ASSERT_EQ(SSL_set_ciphersuites(client_, GetParam()), 1);
    SSL_set_app_data(client_, &clientNotes_);
    SSL_set_app_data(server_, &serverNotes_);
    toServer_ = BIO_new(BIO_s_mem());
    toClient_ = BIO_new(BIO_s_mem());
    BIO_up_ref(toServer_);
    BIO_up_ref(toClient_);
    SSL_set_bio(client_, toClient_, toServer_);
    SSL_set_bio(server_, toServer_, toClient_);
    SSL_set_connect_state(client_);
    SSL_set_accept_state(server_);
    for (int i = 0; i < 3; ++i) {
      SSL_do_handshake(client_);
      SSL_do_handshake(server_);
    }
    ASSERT_TRUE(SSL_is_init_finished(client_) && SSL_is_init_finished(server_));
    const Cipher cipher = std::strstr(GetParam(), "CHACHA") ? Cipher::kChaCha20Poly1305 : Cipher::kAes128Gcm;
    sealer_ = std::make_unique<Sealer>(cipher, Direction{*clientNotes_.ofClient, 0});
    opener_ = std::make_unique<Opener>(cipher, Direction{*clientNotes_.ofServer, 0});
  }
  void TearDown() override {
    SSL_free(client_);
    SSL_free(server_);
  }

  // What OpenSSL reads when it is sent that.
  std::vector<std::byte> theyRead(const std::vector<std::byte>& sealed) {
    BIO_write(toServer_, sealed.data(), static_cast<int>(sealed.size()));
    std::vector<std::byte> out(1 << 20);
    std::size_t size = 0;
    for (int n; (n = SSL_read(server_, out.data() + size, static_cast<int>(out.size() - size))) > 0;)
      size += static_cast<std::size_t>(n);
    out.resize(size);
    return out;
  }
  Status weRead(std::vector<std::byte>& out) {
    char* data = nullptr;
    const long size = BIO_get_mem_data(toClient_, &data);
    std::vector<std::byte> bytes(reinterpret_cast<std::byte*>(data), reinterpret_cast<std::byte*>(data + size));
    (void)BIO_reset(toClient_);
    for (std::span<std::byte> left = bytes; !left.empty();) {
      const std::size_t record = recordSize(left.first<kRecordHeader>());
      std::span<std::byte> plain;
      if (Status status = opener_->open(left.first(record), plain); !status.ok()) return status;
      out.insert(out.end(), plain.begin(), plain.end());
      left = left.subspan(record);
    }
    return {};
  }

  HandshakeNotes clientNotes_, serverNotes_;
  SSL *client_ = nullptr, *server_ = nullptr;
  BIO *toServer_ = nullptr, *toClient_ = nullptr;
  std::unique_ptr<Sealer> sealer_;
  std::unique_ptr<Opener> opener_;
};

TEST_P(AgainstOpenssl, ItReadsWhatWeSeal) {
  for (const std::size_t size : {1u, 2u, 100u, 16384u, 16385u, 100000u}) {
    const std::vector<std::byte> bytes = pattern(size);
    std::vector<std::byte> sealed;
    sealer_->seal(Sealer::Part(bytes), sealed);
    EXPECT_EQ(theyRead(sealed), bytes) << size;
  }
}

TEST_P(AgainstOpenssl, ItReadsRecordsOfManyParts) {
  const std::vector<std::byte> bytes = pattern(20000);
  Sealer::Part parts[] = {Sealer::Part(bytes).first(1), Sealer::Part(bytes).subspan(1, 9999),
                          Sealer::Part(bytes).subspan(10000)};
  std::span<Sealer::Part> left(parts);
  std::vector<std::byte> sealed;
  sealer_->seal(left, sealed);
  EXPECT_EQ(sealed.size(), kMostPlain + kSealCost);
  sealer_->seal(left, sealed);
  EXPECT_TRUE(left.empty());
  EXPECT_EQ(theyRead(sealed), bytes);
}

TEST_P(AgainstOpenssl, WeReadWhatItSends) {
  for (const std::size_t size : {1u, 5000u, 16384u, 70000u}) {
    const std::vector<std::byte> bytes = pattern(size);
    ASSERT_EQ(SSL_write(server_, bytes.data(), static_cast<int>(size)), static_cast<int>(size));
    std::vector<std::byte> got;
    ASSERT_TRUE(weRead(got).ok());
    EXPECT_EQ(got, bytes);
  }
}

TEST_P(AgainstOpenssl, KeysAreRenewedByBothSides) {
  for (int turn = 0; turn < 3; ++turn) {
    const std::vector<std::byte> bytes = pattern(1000);
    std::vector<std::byte> sealed, got;
    sealer_->renewKey(sealed);
    sealer_->seal(Sealer::Part(bytes), sealed);
    EXPECT_EQ(theyRead(sealed), bytes);
    ASSERT_EQ(SSL_key_update(server_, SSL_KEY_UPDATE_NOT_REQUESTED), 1);
    ASSERT_EQ(SSL_write(server_, bytes.data(), 1000), 1000);
    ASSERT_TRUE(weRead(got).ok());
    EXPECT_EQ(got, bytes);
  }
}

TEST_P(AgainstOpenssl, ItsFarewellIsTheEnd) {
  SSL_shutdown(server_);
  std::vector<std::byte> got;
  EXPECT_EQ(weRead(got).message(), "the peer closed the connection");
}

INSTANTIATE_TEST_SUITE_P(Ciphers, AgainstOpenssl,
                         ::testing::Values("TLS_AES_128_GCM_SHA256", "TLS_CHACHA20_POLY1305_SHA256"));

TEST(Record, EveryChangedBitIsNoticed) {
  const Direction direction{{1, 2, 3}, 5};
  std::vector<std::byte> sealed;
  const std::vector<std::byte> bytes = pattern(40);
  Sealer(Cipher::kAes128Gcm, direction).seal(Sealer::Part(bytes), sealed);
  for (std::size_t bit = 0; bit < 8 * sealed.size(); ++bit) {
    std::vector<std::byte> copy = sealed;
    copy[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
    std::span<std::byte> plain;
    EXPECT_FALSE(Opener(Cipher::kAes128Gcm, direction).open(copy, plain).ok()) << bit;
    EXPECT_TRUE(plain.empty());
  }
  std::span<std::byte> plain;
  EXPECT_TRUE(Opener(Cipher::kAes128Gcm, direction).open(sealed, plain).ok());
  EXPECT_TRUE(std::ranges::equal(plain, bytes));
}

TEST(Record, OrderCounts) {
  Sealer sealer(Cipher::kAes128Gcm, {});
  Opener opener(Cipher::kAes128Gcm, {});
  std::vector<std::byte> one, two;
  const std::vector<std::byte> bytes = pattern(8);
  sealer.seal(Sealer::Part(bytes), one);
  sealer.seal(Sealer::Part(bytes), two);
  EXPECT_NE(one, two);
  std::span<std::byte> plain;
  EXPECT_FALSE(opener.open(two, plain).ok());
}

TEST(Record, OnlyWhatLooksLikeOneHasALength) {
  const auto size = [](std::initializer_list<int> bytes) {
    std::array<std::byte, kRecordHeader> header;
    std::ranges::transform(bytes, header.begin(), [](int b) { return static_cast<std::byte>(b); });
    return recordSize(header);
  };
  EXPECT_EQ(size({23, 3, 3, 1, 0}), 5u + 256);
  EXPECT_EQ(size({22, 3, 1, 0, 1}), 6u);
  EXPECT_EQ(size({23, 3, 3, 0, 0}), 0u);
  EXPECT_EQ(size({23, 3, 3, 0x41, 1}), 0u);  // longer than any may be
  EXPECT_EQ(size({19, 3, 3, 1, 0}), 0u);
  EXPECT_EQ(size({24, 3, 3, 1, 0}), 0u);
  EXPECT_EQ(size({'H', 'I', 'P', 'R', 0}), 0u);
}

}  // namespace
}  // namespace hipr::tls

// The file of identities, and who is found by what.
#include "access/keyring.h"

#include <gtest/gtest.h>

#include <fstream>

#include "access/admission.h"
#include "access/challenge.h"
#include "access/token.h"

namespace hipr::access {
namespace {

constexpr char kAlices[] = "the token that alice has", kBobs[] = "the token that bob has";

class Identities : public ::testing::Test {
 protected:
  Status read(const std::string& text) {
    std::ofstream(path_) << text;
    keyring_ = std::make_shared<Keyring>();
    return readIdentities(path_, *keyring_);
  }
  const std::string path_ = ::testing::TempDir() + "hipr_identities";
  std::shared_ptr<Keyring> keyring_;
};

TEST_F(Identities, HaveLimits) {
  std::ofstream(path_ + ".bob") << kBobs << "\n";
  std::string text =
      "# who   what\n\nalice token=ALICES vram=16g devices=3,0 sessions=4 priority=low # a remark\nbob\ttoken-file=" +
      path_ + ".bob\r\ncarol certificate=carol.example sessions=2\n";
  const std::string token = "abcdefghijklmnop";
  text.replace(text.find("ALICES"), 6, token);
  ASSERT_TRUE(read(text).ok());
  EXPECT_EQ(keyring_->size(), 3u);
  const Keyring::Key* alice = keyring_->find(tokenNumber(token));
  ASSERT_TRUE(alice);
  EXPECT_EQ(alice->identity.name, "alice");
  EXPECT_EQ(alice->identity.memory, std::uint64_t{16} << 30);
  EXPECT_EQ(alice->identity.sessions, 4);
  EXPECT_TRUE(alice->identity.standsBack);
  EXPECT_EQ(alice->identity.devices, (std::vector<std::int32_t>{3, 0}));
  const Keyring::Key* bob = keyring_->ofTlsKey(tls::keyOfToken(kBobs).name);
  ASSERT_TRUE(bob);
  EXPECT_EQ(bob->identity.name, "bob");
  EXPECT_EQ(bob->identity.sessions, 0);
  EXPECT_TRUE(bob->identity.devices.empty());
  EXPECT_FALSE(keyring_->ofCertificate("carol.example"));  // nobody has said yet that certificates are verified
  keyring_->trustCertificates();
  EXPECT_EQ(keyring_->ofCertificate("carol.example")->sessions, 2);
  EXPECT_FALSE(keyring_->ofCertificate("mallory.example"));
  EXPECT_FALSE(keyring_->find(tokenNumber("nobody's token, this")));
}

TEST_F(Identities, MistakesAreNamedWithTheirLine) {
  for (const char* text : {"alice", "alice token=short", "alice token", "alice token=abcdefghijklmnop certificate=x",
                           "alice sessions=1", "alice token=abcdefghijklmnop colour=red",
                           "alice token=abcdefghijklmnop vram=much", "alice token=abcdefghijklmnop vram=0",
                           "alice token=abcdefghijklmnop devices=", "alice token=abcdefghijklmnop devices=0,x",
                           "alice token=abcdefghijklmnop devices=1,1", "alice token=abcdefghijklmnop devices=-1",
                           "alice token=abcdefghijklmnop sessions=0", "alice token=abcdefghijklmnop priority=high",
                           "alice token=abcdefghijklmnop\nalice token=ABCDEFGHIJKLMNOP",
                           "a token=abcdefghijklmnop\nb token=abcdefghijklmnop", "alice token-file=/nowhere/at/all"}) {
    const Status status = read(std::string("\n") + text + "\n");
    EXPECT_FALSE(status.ok()) << text;
    EXPECT_NE(status.message().find("line "), std::string::npos) << status.message();
    EXPECT_EQ(status.message().find("abcdefghijklmnop"), std::string::npos) << "a token is no business of a log";
  }
  EXPECT_FALSE(readIdentities(path_ + ".none", *keyring_).ok());
}

TEST_F(Identities, ACertificateIsEnoughWhereAnyIs) {
  Keyring keyring;
  EXPECT_TRUE(keyring.open());
  keyring.trustCertificates();
  EXPECT_FALSE(keyring.open());
  EXPECT_EQ(keyring.ofCertificate("anybody")->name, "anybody");
}

TEST_F(Identities, AreToldByTheirProof) {
  auto keyring = std::make_shared<Keyring>();
  Identity alice, bob;
  alice.name = "alice";
  bob.name = "bob";
  keyring->addToken(kAlices, alice);
  keyring->addToken(kBobs, bob);
  wire::Bits256 binding;
  binding.fill(9);
  EXPECT_EQ(keyring->findProof(binding, proveBound(kBobs, binding))->identity.name, "bob");
  EXPECT_FALSE(keyring->findProof(binding, proveBound("another token, of nobody", binding)));

  Admission byKey(keyring);
  ASSERT_TRUE(byKey.shielded(tls::keyOfToken(kAlices).name, {}, binding).ok());
  EXPECT_TRUE(byKey.open().ok());
  EXPECT_EQ(byKey.identity().name, "alice");

  Admission unknown(keyring);
  EXPECT_FALSE(unknown.shielded({}, "a certificate", binding).ok());
  Admission silent(keyring);
  EXPECT_TRUE(silent.shielded({}, {}, binding).ok());
  EXPECT_FALSE(silent.open().ok());
}

}  // namespace
}  // namespace hipr::access

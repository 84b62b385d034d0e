#include "tls/test_certificates.h"

#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <cstdio>
#include <cstdlib>

namespace hipr::tls {
namespace {

constexpr long kDay = 24 * 60 * 60;

struct Made {
  EVP_PKEY* key = EVP_EC_gen("P-256");
  X509* certificate = X509_new();
  ~Made() {
    X509_free(certificate);
    EVP_PKEY_free(key);
  }
};

void extend(X509* certificate, X509* issuer, int kind, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* const extension = X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str());
  if (!extension) std::abort();
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

void describe(X509* certificate, EVP_PKEY* key, const std::string& name, long from, long until) {
  static long serial = 1;
  X509_set_version(certificate, X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate), ++serial);
  X509_gmtime_adj(X509_getm_notBefore(certificate), from);
  X509_gmtime_adj(X509_getm_notAfter(certificate), until);
  X509_set_pubkey(certificate, key);
  X509_NAME_add_entry_by_NID(X509_get_subject_name(certificate), NID_commonName, MBSTRING_UTF8,
                             reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
}

void writeCertificate(const std::string& path, X509* certificate) {
  std::FILE* const file = std::fopen(path.c_str(), "w");
  if (!file || PEM_write_X509(file, certificate) != 1) std::abort();
  std::fclose(file);
}

}  // namespace

struct TestAuthority::Parts : Made {};

TestAuthority::TestAuthority(const std::string& name) : parts_(new Parts) {
  describe(parts_->certificate, parts_->key, name, -kDay, kDay);
  X509_set_issuer_name(parts_->certificate, X509_get_subject_name(parts_->certificate));
  extend(parts_->certificate, parts_->certificate, NID_basic_constraints, "critical,CA:TRUE");
  extend(parts_->certificate, parts_->certificate, NID_key_usage, "critical,keyCertSign");
  if (X509_sign(parts_->certificate, parts_->key, EVP_sha256()) == 0) std::abort();
}

TestAuthority::~TestAuthority() {
  delete parts_;
}

void TestAuthority::issue(const std::string& folder, const std::string& name, int days) const {
  const Made made;
  describe(made.certificate, made.key, name, -10 * kDay, days * kDay);
  X509_set_issuer_name(made.certificate, X509_get_subject_name(parts_->certificate));
  extend(made.certificate, parts_->certificate, NID_subject_alt_name, "DNS:" + name + ",DNS:localhost,IP:127.0.0.1");
  if (X509_sign(made.certificate, parts_->key, EVP_sha256()) == 0) std::abort();
  writeCertificate(folder + "/" + name + ".crt", made.certificate);
  std::FILE* const file = std::fopen((folder + "/" + name + ".key").c_str(), "w");
  if (!file || PEM_write_PrivateKey(file, made.key, nullptr, nullptr, 0, nullptr, nullptr) != 1) std::abort();
  std::fclose(file);
}

void TestAuthority::write(const std::string& path) const {
  writeCertificate(path, parts_->certificate);
}

}  // namespace hipr::tls

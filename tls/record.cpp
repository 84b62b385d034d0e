#include "tls/record.h"

#include <openssl/evp.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "platform/secrets.h"
#include "tls/alert.h"

namespace hipr::tls {
namespace {

enum Kind : std::uint8_t { kAlert = 21, kHandshake = 22, kData = 23 };
constexpr std::size_t kTag = 16;
constexpr std::uint8_t kKeyUpdate[] = {24, 0, 0, 1, 0};  // the peer need not renew its own

// RFC 8446, 7.1. One block of SHA-256 is as much as anything here needs.
platform::Hash256 expand(const Secret& secret, std::string_view label, std::size_t size) {
  std::vector<unsigned char> info{0, static_cast<unsigned char>(size), static_cast<unsigned char>(label.size() + 6)};
  for (const std::string_view text : {std::string_view("tls13 "), label})
    info.insert(info.end(), text.begin(), text.end());
  info.push_back(0);  // no context
  info.push_back(1);  // the first block
  return platform::hmacSha256({reinterpret_cast<const char*>(secret.data()), secret.size()}, {info});
}

const unsigned char* bytes(const void* data) {
  return static_cast<const unsigned char*>(data);
}
unsigned char* bytes(void* data) {
  return static_cast<unsigned char*>(data);
}

// Of calls that cannot fail as we use them: going on would send something unprotected.
void must(int result) {
  if (result <= 0) std::abort();
}

}  // namespace

struct RecordKey::Context {
  EVP_CIPHER_CTX* const cipher = EVP_CIPHER_CTX_new();
  const EVP_CIPHER* kind = nullptr;
  std::size_t keySize = 0;
  bool sealing = false;
  ~Context() { EVP_CIPHER_CTX_free(cipher); }
};

RecordKey::RecordKey(Cipher cipher, const Direction& direction, bool sealing)
    : context_(std::make_unique<Context>()), direction_(direction) {
  context_->kind = cipher == Cipher::kAes128Gcm ? EVP_aes_128_gcm() : EVP_chacha20_poly1305();
  context_->keySize = cipher == Cipher::kAes128Gcm ? 16 : 32;
  context_->sealing = sealing;
  install();
}

RecordKey::RecordKey(RecordKey&&) noexcept = default;
RecordKey::~RecordKey() = default;

void RecordKey::install() {
  const platform::Hash256 key = expand(direction_.secret, "key", context_->keySize);
  const platform::Hash256 nonce = expand(direction_.secret, "iv", nonce_.size());
  std::copy_n(nonce.begin(), nonce_.size(), nonce_.begin());
  must(EVP_CipherInit_ex(context_->cipher, context_->kind, nullptr, key.data(), nullptr, context_->sealing));
}

void RecordKey::renew() {
  direction_ = {expand(direction_.secret, "traffic upd", direction_.secret.size()), 0};
  install();
}

void RecordKey::nextNonce() {
  std::array<std::uint8_t, 12> nonce = nonce_;
  for (int i = 0; i < 8; ++i)
    nonce[nonce.size() - 1 - static_cast<std::size_t>(i)] ^= static_cast<std::uint8_t>(direction_.records >> (8 * i));
  ++direction_.records;
  must(EVP_CipherInit_ex(context_->cipher, nullptr, nullptr, nullptr, nonce.data(), -1));
}

std::size_t recordSize(std::span<const std::byte, kRecordHeader> header) {
  const auto at = [&](std::size_t i) { return std::to_integer<std::size_t>(header[i]); };
  const std::size_t body = at(3) << 8 | at(4);
  if (at(0) < 20 || at(0) > kData || at(1) != 3 || body == 0 || body > kMostBody) return 0;
  return kRecordHeader + body;
}

// --- sealing

void Sealer::sealAs(std::uint8_t kind, std::span<Part>& parts, std::size_t size, std::vector<std::byte>& out) {
  nextNonce();
  const std::size_t body = size + 1 + kTag, start = out.size();
  out.resize(start + kRecordHeader + body);
  auto* at = bytes(out.data() + start);
  const unsigned char header[kRecordHeader] = {kData, 3, 3, static_cast<unsigned char>(body >> 8),
                                               static_cast<unsigned char>(body)};
  std::memcpy(at, header, sizeof header);
  EVP_CIPHER_CTX* const cipher = context_->cipher;
  int n = 0;
  must(EVP_EncryptUpdate(cipher, nullptr, &n, header, sizeof header));
  at += sizeof header;
  while (size) {
    const std::size_t now = std::min(size, parts.front().size());
    must(EVP_EncryptUpdate(cipher, at, &n, bytes(parts.front().data()), static_cast<int>(now)));
    at += now;
    size -= now;
    parts.front() = parts.front().subspan(now);
    if (parts.front().empty()) parts = parts.subspan(1);
  }
  must(EVP_EncryptUpdate(cipher, at, &n, &kind, 1));
  must(EVP_EncryptFinal_ex(cipher, at + 1, &n));
  must(EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_GET_TAG, kTag, at + 1));
}

void Sealer::seal(std::span<Part>& parts, std::vector<std::byte>& out) {
  if (direction().records >= kRecordsPerKey) renewKey(out);
  std::size_t size = 0;
  for (const Part& part : parts) size += std::min(part.size(), kMostPlain);
  sealAs(kData, parts, std::min(size, kMostPlain), out);
}

void Sealer::seal(Part bytes, std::vector<std::byte>& out) {
  std::span<Part> parts(&bytes, bytes.empty() ? 0 : 1);
  while (!parts.empty()) seal(parts, out);
}

void Sealer::renewKey(std::vector<std::byte>& out) {
  Part message = std::as_bytes(std::span(kKeyUpdate));
  std::span<Part> parts(&message, 1);
  sealAs(kHandshake, parts, message.size(), out);
  renew();
}

// --- opening

Status Opener::open(std::span<std::byte> record, std::span<std::byte>& plain) {
  plain = {};
  const std::span<std::byte> body = record.subspan(kRecordHeader);
  if (std::to_integer<int>(record[0]) != kData || body.size() < kTag + 1)
    return Status::invalid("a TLS record that is not protected");
  nextNonce();
  EVP_CIPHER_CTX* const cipher = context_->cipher;
  const std::span<std::byte> sealed = body.first(body.size() - kTag);
  int n = 0;
  const bool genuine =
      EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_SET_TAG, kTag, bytes(body.last(kTag).data())) > 0 &&
      EVP_DecryptUpdate(cipher, nullptr, &n, bytes(record.data()), kRecordHeader) > 0 &&
      EVP_DecryptUpdate(cipher, bytes(sealed.data()), &n, bytes(sealed.data()), static_cast<int>(sealed.size())) > 0 &&
      EVP_DecryptFinal_ex(cipher, bytes(body.last(kTag).data()), &n) > 0;
  if (!genuine) return Status::invalid("a TLS record was changed on its way");
  // Behind the content stands what it is, and then zeros if the sender likes.
  std::size_t end = sealed.size();
  while (end && sealed[end - 1] == std::byte{0}) --end;
  if (end == 0) return Status::invalid("a TLS record of nothing");
  const std::span<std::byte> content = sealed.first(end - 1);
  if (content.size() > kMostPlain) return Status::invalid("a TLS record that is too long");
  switch (std::to_integer<int>(sealed[end - 1])) {
    case kData:
      plain = content;
      return {};
    case kHandshake:
      return handshakeMessage(content);
    case kAlert:
      return alertStatus(content);
    default:
      return Status::invalid("a TLS record of an unknown kind");
  }
}

Status Opener::handshakeMessage(std::span<const std::byte> message) {
  if (!std::ranges::equal(message, std::as_bytes(std::span(kKeyUpdate))))
    return Status::invalid("a TLS message that we never asked for");
  renew();
  return {};
}

}  // namespace hipr::tls

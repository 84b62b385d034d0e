#include "access/admission.h"

#include "access/challenge.h"
#include "access/frame.h"
#include "platform/secrets.h"

namespace hipr::access {
namespace {

constexpr auto kChallenge = static_cast<std::uint16_t>(wire::Opcode::kChallenge);
constexpr auto kProof = static_cast<std::uint16_t>(wire::Opcode::kProof);
constexpr char kWrong[] = "the token is wrong; HIP_REMOTE_TOKEN or HIP_REMOTE_TOKEN_FILE must have the worker's";

}  // namespace

bool Admission::concerns(const wire::Header& header) {
  return header.opcode == kChallenge || header.opcode == kProof;
}

Status Admission::admit(const Keyring::Key* key, bool proved) {
  if (!key || !proved) return Status::unavailable(kWrong);
  stage_ = Stage::kProved;
  identity_ = key->identity;
  return {};
}

Status Admission::shielded(const std::optional<std::string>& tokenName, const std::optional<std::string>& certificate,
                           const wire::Bits256& binding) {
  binding_ = binding;
  if (tokenName) return admit(keyring_->ofTlsKey(*tokenName), true);
  if (!certificate) return {};
  const std::optional<Identity> identity = keyring_->ofCertificate(*certificate);
  if (!identity) return Status::unavailable("this worker does not serve \"" + *certificate + "\"");
  stage_ = Stage::kProved;
  identity_ = *identity;
  return {};
}

Status Admission::take(const wire::Header& header, std::span<const std::byte> payload, std::vector<std::byte>& reply) {
  wire::Challenge challenge;
  wire::Proof proof;
  if (stage_ == Stage::kProved && header.opcode == kProof && binding_) return {};  // a certificate was enough
  if (!keyring_->hasTokens()) {
    return Status::unavailable(
        "this worker has no token; start it with --token-file, or unset HIP_REMOTE_TOKEN and HIP_REMOTE_TOKEN_FILE");
  }
  if (stage_ == Stage::kNew && binding_ && header.opcode == kProof && decode(payload, proof))
    return admit(keyring_->findProof(*binding_, proof.proof), true);
  if (stage_ == Stage::kNew && !binding_ && header.opcode == kChallenge && decode(payload, challenge)) {
    key_ = keyring_->find(challenge.token);
    if (!key_) return Status::unavailable(kWrong);
    client_ = challenge.number;
    worker_ = randomNumber();
    wire::appendFrame(reply, wire::Opcode::kChallenge, header.request, wire::HIP_REMOTE_FLAG_REPLY,
                      wire::ChallengeReply{worker_, prove(Side::kWorker, key_->token, client_, worker_)});
    stage_ = Stage::kChallenged;
    return {};
  }
  if (stage_ == Stage::kChallenged && header.opcode == kProof && decode(payload, proof))
    return admit(key_, platform::equalSecrets(proof.proof, prove(Side::kClient, key_->token, client_, worker_)));
  return Status::invalid("a malformed greeting");
}

Status Admission::open() const {
  if (keyring_->open() || stage_ == Stage::kProved) return {};
  if (stage_ == Stage::kChallenged) return Status::unavailable("no proof that the client knows the token");
  if (!keyring_->hasTokens())
    return Status::unavailable(
        "this worker wants a certificate; set HIP_REMOTE_TLS_CERT, HIP_REMOTE_TLS_KEY and "
        "HIP_REMOTE_TLS_CA");
  return Status::unavailable("this worker wants a token; set HIP_REMOTE_TOKEN or HIP_REMOTE_TOKEN_FILE");
}

}  // namespace hipr::access

#include "access/token.h"

#include <cerrno>
#include <cstring>
#include <fstream>

#include "access/digest.h"
#include "base/env.h"
#include "platform/secrets.h"

namespace hipr::access {
namespace {

std::span<const unsigned char> bytes(std::string_view text) {
  return {reinterpret_cast<const unsigned char*>(text.data()), text.size()};
}

}  // namespace

Status acceptToken(std::string text, std::string& token) {
  text.erase(text.find_last_not_of(" \t\r") + 1);  // npos + 1 is 0: nothing but blanks
  if (text.size() < kShortestToken) {
    return Status::invalid("a token has at least " + std::to_string(kShortestToken) +
                           " characters; `openssl rand -hex 32` makes a good one");
  }
  token = std::move(text);
  return {};
}

Status readTokenFile(const std::string& path, std::string& token) {
  std::ifstream file(path);
  std::string line;
  if (!file) return Status::notFound("token file " + path + ": " + std::strerror(errno));
  std::getline(file, line);
  return acceptToken(std::move(line), token).within("token file " + path);
}

bool sameToken(const std::string& token, std::string_view offered) {
  return platform::equalSecrets(bytes(token), bytes(offered));
}

std::uint64_t tokenNumber(const std::string& token) {
  constexpr unsigned char kLabel[] = {'n', 'u', 'm', 'b', 'e', 'r'};
  const platform::Hash256 hash = platform::hmacSha256(token, {kLabel});
  std::uint64_t out = 0;
  std::memcpy(&out, hash.data(), sizeof out);
  return out;
}

std::string tokenOfWorker(const std::string& secret, std::string_view worker) {
  return hexOf(platform::hmacSha256(secret, {bytes("token of TensorFusion pod "), bytes(worker)}));
}

Status tokenFromEnvironment(std::string& token) {
  if (const auto text = envText("HIP_REMOTE_TOKEN")) return acceptToken(*text, token).within("HIP_REMOTE_TOKEN");
  if (const auto path = envText("HIP_REMOTE_TOKEN_FILE")) return readTokenFile(*path, token);
  token.clear();
  return {};
}

}  // namespace hipr::access

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <set>
#include <sstream>

#include "access/keyring.h"
#include "access/token.h"
#include "base/env.h"

namespace hipr::access {
namespace {

constexpr int kMostSessions = 4096, kMostDevices = 256;

// "0,2": each once.
std::optional<std::vector<std::int32_t>> devicesOf(const std::string& text) {
  std::vector<std::int32_t> out;
  std::istringstream numbers(text + ",");
  for (std::string word; std::getline(numbers, word, ',');) {
    const auto number = parseNumber(word, 0, kMostDevices - 1);
    if (!number || std::ranges::count(out, *number)) return std::nullopt;
    out.push_back(static_cast<std::int32_t>(*number));
  }
  return out;
}

struct Line {
  Identity identity;
  std::string token, certificate;
};

Status apply(const std::string& key, const std::string& value, Line& line) {
  bool known = true;
  if (key == "token") {
    return acceptToken(value, line.token);
  } else if (key == "token-file") {
    return readTokenFile(value, line.token);
  } else if (key == "certificate") {
    line.certificate = value;
    known = !value.empty();
  } else if (key == "vram") {
    known = parseAmount(value, line.identity.memory).ok();
  } else if (key == "sessions") {
    const auto number = parseNumber(value, 1, kMostSessions);
    known = number.has_value();
    line.identity.sessions = static_cast<int>(number.value_or(0));
  } else if (key == "devices") {
    const auto devices = devicesOf(value);
    known = devices.has_value();
    line.identity.devices = devices.value_or(std::vector<std::int32_t>{});
  } else if (key == "priority") {
    known = value == "normal" || value == "low";
    line.identity.standsBack = value == "low";
  } else {
    return Status::invalid("\"" + key +
                           "\" is none of token, token-file, certificate, devices, vram, sessions, priority");
  }
  return known ? Status{} : Status::invalid("\"" + key + "=" + value + "\" makes no sense");
}

Status parse(const std::string& text, Line& line) {
  std::istringstream words(text);
  words >> line.identity.name;
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) return Status::invalid("\"" + word + "\" is not KEY=VALUE");
    if (Status status = apply(word.substr(0, equals), word.substr(equals + 1), line); !status.ok()) return status;
  }
  if (line.token.empty() == line.certificate.empty())
    return Status::invalid(line.identity.name + " needs a token or a certificate's name, and not both");
  return {};
}

}  // namespace

Status readIdentities(const std::string& path, Keyring& out) {
  std::ifstream file(path);
  if (!file) return Status::notFound("identities " + path + ": " + std::strerror(errno));
  std::set<std::string> names, tokens, certificates;
  int number = 0;
  for (std::string text; std::getline(file, text);) {
    ++number;
    text.erase(std::min(text.find('#'), text.size()));
    if (text.find_first_not_of(" \t\r") == std::string::npos) continue;
    Line line;
    Status status = parse(text, line);
    if (status.ok() && !names.insert(line.identity.name).second)
      status = Status::invalid("there is a " + line.identity.name + " already");
    if (status.ok() && !(line.token.empty() ? certificates.insert(line.certificate) : tokens.insert(line.token)).second)
      status = Status::invalid(line.identity.name + " is known by what somebody else has, too");
    if (!status.ok()) return status.within("identities " + path + ", line " + std::to_string(number));
    if (line.token.empty()) {
      out.addCertificate(line.certificate, std::move(line.identity));
    } else {
      out.addToken(line.token, std::move(line.identity));
    }
  }
  return {};
}

}  // namespace hipr::access

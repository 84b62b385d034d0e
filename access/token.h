// The token: a secret that a worker and its clients share. Only its proof ever travels (challenge.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace hipr::access {

// Short ones could be guessed from a recorded greeting.
inline constexpr std::size_t kShortestToken = 16;

Status acceptToken(std::string text, std::string& token);  // with what it says of those that are none

// The first line of a file. Read anew for every connection, so that a token can be replaced while things run.
Status readTokenFile(const std::string& path, std::string& token);

// In the same time wherever they differ.
bool sameToken(const std::string& token, std::string_view offered);

// Tells tokens apart within a machine, where it may be quick to try them.
std::uint64_t tokenNumber(const std::string& token);

// The token of one worker among several that were given the same secret: who knows that of one does not know the
// others'.
std::string tokenOfWorker(const std::string& secret, std::string_view worker);

// HIP_REMOTE_TOKEN, or the file that HIP_REMOTE_TOKEN_FILE names; empty when neither is set.
Status tokenFromEnvironment(std::string& token);

}  // namespace hipr::access

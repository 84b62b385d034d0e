// Tokens in the user's own configuration, in files that nobody else can read: those of workers that this user was given
// (`hip-remote pair`), and the one that a worker has made for itself (`hip-worker --pairing`).
#pragma once

#include <string>

#include "base/status.h"
#include "net/socket.h"

namespace hipr::access {

std::string configurationFolder();                       // empty: this user has none
std::string keptTokenFile(const net::Endpoint& worker);  // whether or not it exists; empty: there is no folder
Status keepToken(const net::Endpoint& worker, const std::string& token, std::string& path);

// Writes a new random token there, unless the file exists.
Status makeTokenFile(const std::string& path);

}  // namespace hipr::access

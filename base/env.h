// Environment variables, read once where they are needed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/status.h"

namespace hipr {

std::optional<std::string> envText(const char* name);  // nullopt when unset or empty
bool envFlag(const char* name);                        // set, and neither "0" nor "false" nor "off"

// A decimal number within [low, high]; anything else logs one line and gives the fallback.
std::int64_t envNumber(const char* name, std::int64_t fallback, std::int64_t low, std::int64_t high);

// The same rule for text that came from elsewhere (a flag, a field of a list).
std::optional<std::int64_t> parseNumber(const std::string& text, std::int64_t low, std::int64_t high);
Status parseAmount(const std::string& text, std::uint64_t& out);  // from 1: "4096", "4K", "4k"

}  // namespace hipr

// A name for bytes that only those bytes have: SHA-256, keyed so that every system has it at hand. Nobody can find
// other bytes of the same name, so what was stored under it can be given to anyone who asks by it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace hipr::access {

inline constexpr std::string_view kDigestKey = "HIP Remote";
using Digest = std::array<std::uint8_t, 32>;

Digest digestOf(std::span<const std::byte> bytes);
std::string hexOf(const Digest& digest);

}  // namespace hipr::access

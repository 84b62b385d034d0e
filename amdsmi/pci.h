// The two ways libamd_smi writes a place on the PCI bus, from "0000:03:00.0".
#pragma once

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>

namespace hipr::smi {

// amdsmi_bdf_t: function in 3 bits, device in 5, bus in 8, domain above.
inline std::optional<std::uint64_t> packedBdf(const std::string& text) {
  unsigned domain = 0, bus = 0, device = 0, function = 0;
  if (std::sscanf(text.c_str(), "%x:%x:%x.%x", &domain, &bus, &device, &function) != 4) return std::nullopt;
  return std::uint64_t{domain} << 16 | std::uint64_t{bus & 0xFF} << 8 | (device & 0x1F) << 3 | (function & 7);
}

// amdsmi_get_gpu_bdf_id: domain in the upper half.
inline std::optional<std::uint64_t> bdfId(const std::string& text) {
  const auto packed = packedBdf(text);
  if (!packed) return std::nullopt;
  return *packed >> 16 << 32 | (*packed & 0xFFFF);
}

}  // namespace hipr::smi

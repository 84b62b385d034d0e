// Values as people read them. What a GPU does not have is "N/A".
#pragma once

#include <cstdint>
#include <string>

#include "types/gpu.h"

namespace hipr::smi {

inline constexpr char kAbsent[] = "N/A";

std::string printable(const std::string& text);      // foreign text without control characters
std::string orAbsent(const std::string& text);       // printable, or N/A when empty
std::string bytesText(std::uint64_t bytes);          // "1.5 GiB"
std::string numberText(double value, int decimals);  // "12.3"

// Any absent value is N/A; `unit` follows a present one ("61 C").
template <class T>
std::string valueText(const telemetry::Maybe<T>& value, const char* unit = "", int decimals = 0) {
  if (!value) return kAbsent;
  return numberText(static_cast<double>(*value), decimals) + unit;
}
std::string bytesText(const telemetry::Maybe<std::uint64_t>& bytes);
std::string yesNo(const telemetry::Maybe<bool>& value);
std::string hexText(const telemetry::Maybe<std::uint32_t>& value);  // "0x740f"

}  // namespace hipr::smi

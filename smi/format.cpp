#include "smi/format.h"

#include <cstdio>

namespace hipr::smi {

std::string printable(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    out += byte < 0x20 || byte >= 0x7f ? '?' : c;
  }
  return out;
}

std::string orAbsent(const std::string& text) {
  return text.empty() ? kAbsent : printable(text);
}

std::string numberText(double value, int decimals) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

std::string bytesText(std::uint64_t bytes) {
  constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < std::size(kUnits)) {
    value /= 1024;
    ++unit;
  }
  const bool whole = unit == 0 || value == static_cast<double>(static_cast<std::uint64_t>(value));
  return numberText(value, whole ? 0 : 1) + " " + kUnits[unit];
}

std::string bytesText(const telemetry::Maybe<std::uint64_t>& bytes) {
  return bytes ? bytesText(*bytes) : kAbsent;
}

std::string yesNo(const telemetry::Maybe<bool>& value) {
  return !value ? kAbsent : *value ? "yes" : "no";
}

std::string hexText(const telemetry::Maybe<std::uint32_t>& value) {
  if (!value) return kAbsent;
  char text[16];
  std::snprintf(text, sizeof text, "0x%04x", *value);
  return text;
}

}  // namespace hipr::smi

#include "amdsmi/names.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "base/text.h"

namespace hipr::smi {
namespace {

constexpr char kHexDigits[] = "0123456789abcdefABCDEF";
constexpr char kUuidForm[] = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";

bool isUuid(const std::string& text) {
  return text.size() == sizeof kUuidForm - 1 && std::ranges::equal(text, std::string(kUuidForm), [](char c, char form) {
           return form == '-' ? c == '-' : std::string(kHexDigits).find(c) != std::string::npos;
         });
}

// FNV-1a.
std::uint64_t hash(std::uint64_t seed, const std::string& text) {
  for (const unsigned char c : text) seed = (seed ^ c) * 0x100000001b3;
  return seed;
}

}  // namespace

std::string hexadecimal(const std::string& serial) {
  return serial.find_first_not_of(kHexDigits) == std::string::npos ? serial : "";
}

std::optional<std::uint64_t> targetVersion(const std::string& target) {
  if (!target.starts_with("gfx")) return std::nullopt;
  const std::string digits =
      target.substr(3, target.find(':') == std::string::npos ? std::string::npos : target.find(':') - 3);
  if (digits.empty() || digits.find_first_not_of(kHexDigits) != std::string::npos) return std::nullopt;
  return std::strtoull(digits.c_str(), nullptr, 16);
}

std::uint32_t memoryType(const std::string& name, MemoryNumbers numbers) {
  struct Row {
    const char* name;
    std::uint32_t since62, before62;
  };
  static constexpr Row kRows[] = {
      {"HBM", 1, 6},    {"HBM2", 2, 6},   {"HBM2E", 3, 6},  {"HBM3", 4, 6},   {"HBM3E", 5, 6},   {"DDR2", 10, 2},
      {"DDR3", 11, 7},  {"DDR4", 12, 8},  {"DDR5", 13, 0},  {"GDDR1", 17, 1}, {"GDDR2", 18, 0},  {"GDDR3", 19, 3},
      {"GDDR4", 20, 4}, {"GDDR5", 21, 5}, {"GDDR6", 22, 9}, {"GDDR7", 23, 0}, {"LPDDR4", 30, 0}, {"LPDDR5", 31, 0}};
  for (const Row& row : kRows)
    if (sameIgnoringCase(row.name, name)) return numbers == MemoryNumbers::Before62 ? row.before62 : row.since62;
  return 0;
}

std::string uuidText(const std::string& label) {
  if (isUuid(label)) return label;
  const std::uint64_t high = hash(0xcbf29ce484222325, label), low = hash(high, label);
  char text[sizeof kUuidForm];
  // Version 8 of the standard is for digits made in a way of one's own.
  std::snprintf(text, sizeof text, "%08x-%04x-8%03x-%04x-%012llx", static_cast<unsigned>(high >> 32),
                static_cast<unsigned>(high >> 16 & 0xFFFF), static_cast<unsigned>(high & 0xFFF),
                static_cast<unsigned>(0x8000 | (low >> 48 & 0x3FFF)),
                static_cast<unsigned long long>(low & 0xFFFF'FFFF'FFFF));
  return text;
}

}  // namespace hipr::smi

#include "base/env.h"

#include <cctype>
#include <charconv>
#include <cstdlib>

#include "base/log.h"

namespace hipr {

std::optional<std::string> envText(const char* name) {
  const char* value = std::getenv(name);
  if (!value || !*value) return std::nullopt;
  return value;
}

bool envFlag(const char* name) {
  const auto value = envText(name);
  return value && *value != "0" && *value != "false" && *value != "off";
}

std::optional<std::int64_t> parseNumber(const std::string& text, std::int64_t low, std::int64_t high) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < low || number > high) return std::nullopt;
  return number;
}

Status parseAmount(const std::string& text, std::uint64_t& out) {
  std::string digits = text;
  int shift = 0;
  if (!digits.empty()) {
    const std::size_t unit = std::string("KMGT").find(static_cast<char>(std::toupper(digits.back())));
    if (unit != std::string::npos) {
      shift = 10 * static_cast<int>(unit + 1);
      digits.pop_back();
    }
  }
  const auto value = parseNumber(digits, 1, INT64_MAX >> shift);
  if (!value) return Status::invalid("\"" + text + "\" must be a number from 1, and may end in K, M, G or T");
  out = static_cast<std::uint64_t>(*value) << shift;
  return {};
}

std::int64_t envNumber(const char* name, std::int64_t fallback, std::int64_t low, std::int64_t high) {
  const auto text = envText(name);
  if (!text) return fallback;
  const auto number = parseNumber(*text, low, high);
  if (!number) {
    logError("%s=%s is not a number from %lld to %lld; using %lld", name, text->c_str(), static_cast<long long>(low),
             static_cast<long long>(high), static_cast<long long>(fallback));
  }
  return number.value_or(fallback);
}

}  // namespace hipr

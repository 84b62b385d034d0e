#include "backends/softgpu/services/printf_format.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>

namespace hipr::softgpu {
namespace {

// C promises 4095 characters per conversion; these limits keep a kernel from filling the host's memory.
constexpr int kMaxWidth = 1 << 16;
constexpr std::size_t kMaxOutput = std::size_t{16} << 20;

struct Conversion {
  std::string flags;  // a subset of "-+ #0'", each once
  int width = -1;
  int precision = -1;
  std::string length;  // "", "hh", "h", "l", "ll", "j", "z", "t", "L"
  char type = 0;
};

int clampWidth(std::int64_t value) {
  return static_cast<int>(std::min<std::int64_t>(value, kMaxWidth));
}

// A number in the format string, or one taken from the arguments for '*'. -1 when there is none.
std::int64_t readNumber(std::string_view& rest, PrintfArgs& args) {
  if (rest.starts_with('*')) {
    rest.remove_prefix(1);
    return static_cast<std::int32_t>(args.word());
  }
  std::int64_t value = -1;
  while (!rest.empty() && rest[0] >= '0' && rest[0] <= '9') {
    value = std::min<std::int64_t>(std::max<std::int64_t>(value, 0) * 10 + (rest[0] - '0'), kMaxWidth);
    rest.remove_prefix(1);
  }
  return value;
}

// Parses what follows a '%'. False when the text ends first.
bool parseConversion(std::string_view& rest, PrintfArgs& args, Conversion& c) {
  constexpr std::string_view kFlags = "-+ #0'";
  while (!rest.empty() && kFlags.find(rest[0]) != std::string_view::npos) {
    if (c.flags.find(rest[0]) == std::string::npos) c.flags += rest[0];
    rest.remove_prefix(1);
  }
  const bool fromArgs = rest.starts_with('*');
  std::int64_t width = readNumber(rest, args);
  if (fromArgs && width < 0) {  // C: a negative '*' means left-justified
    c.flags += c.flags.find('-') == std::string::npos ? "-" : "";
    width = -width;
  }
  c.width = clampWidth(width);
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    const bool star = rest.starts_with('*');
    const std::int64_t precision = readNumber(rest, args);
    c.precision = star && precision < 0 ? -1 : clampWidth(std::max<std::int64_t>(precision, 0));
  }
  while (!rest.empty() && std::string_view("hljztL").find(rest[0]) != std::string_view::npos && c.length.size() < 2) {
    c.length += rest[0];
    rest.remove_prefix(1);
  }
  if (rest.empty()) return false;
  c.type = rest[0];
  rest.remove_prefix(1);
  return true;
}

// "%-08.3" + suffix. Width and precision are numbers by now, so the C library sees one argument only.
std::string specification(const Conversion& c, std::string_view suffix) {
  std::string spec = "%" + c.flags;
  if (c.width >= 0) spec += std::to_string(c.width);
  if (c.precision >= 0) spec += "." + std::to_string(c.precision);
  return spec.append(suffix);
}

template <class T>
void print(std::string& out, const std::string& spec, T value) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  const int size = std::snprintf(nullptr, 0, spec.c_str(), value);
  if (size <= 0) return;
  const std::size_t at = out.size();
  out.resize(at + static_cast<std::size_t>(size) + 1);
  std::snprintf(out.data() + at, static_cast<std::size_t>(size) + 1, spec.c_str(), value);
  out.pop_back();
#pragma GCC diagnostic pop
}

void printInteger(std::string& out, const Conversion& c, std::uint64_t value) {
  const bool isSigned = c.type == 'd' || c.type == 'i';
  if (c.length == "hh") {
    value = isSigned ? static_cast<std::uint64_t>(static_cast<std::int8_t>(value)) : static_cast<std::uint8_t>(value);
  } else if (c.length == "h") {
    value = isSigned ? static_cast<std::uint64_t>(static_cast<std::int16_t>(value)) : static_cast<std::uint16_t>(value);
  } else if (c.length.empty()) {
    value = isSigned ? static_cast<std::uint64_t>(static_cast<std::int32_t>(value)) : static_cast<std::uint32_t>(value);
  }
  print(out, specification(c, std::string("ll") + c.type), value);
}

void printText(std::string& out, const Conversion& c, std::string_view text) {
  if (c.precision >= 0) text = text.substr(0, static_cast<std::size_t>(c.precision));
  const std::size_t width = c.width > 0 ? static_cast<std::size_t>(c.width) : 0;
  const std::size_t pad = width > text.size() ? width - text.size() : 0;
  const bool left = c.flags.find('-') != std::string::npos;
  if (!left) out.append(pad, ' ');
  out.append(text);
  if (left) out.append(pad, ' ');
}

void convert(std::string& out, const Conversion& c, std::string_view source, PrintfArgs& args) {
  switch (c.type) {
    case 'd':
    case 'i':
    case 'u':
    case 'o':
    case 'x':
    case 'X':
      return printInteger(out, c, args.word());
    case 'a':
    case 'A':
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
      return print(out, specification(c, std::string(1, c.type)), args.real());
    case 'c':
      return print(out, specification(c, "c"), static_cast<int>(static_cast<unsigned char>(args.word())));
    case 's':
      return printText(out, c, args.text());
    case 'p':
      return print(out, specification(c, "p"), reinterpret_cast<void*>(args.word()));
    case 'n':  // takes an argument and prints nothing; storing through it from here would be wrong
      args.word();
      return;
    case '%':
      out += '%';
      return;
    default:  // not a conversion: as the C library does, show it as it is written
      out.append(source);
  }
}

}  // namespace

std::uint64_t PrintfArgs::word() {
  std::uint64_t value = 0;
  const std::size_t size = std::min(bytes_.size(), sizeof value);
  if (size) std::memcpy(&value, bytes_.data(), size);
  bytes_ = bytes_.subspan(size);
  return value;
}

double PrintfArgs::real() {
  return std::bit_cast<double>(word());
}

std::string_view PrintfArgs::text() {
  const std::string_view all(reinterpret_cast<const char*>(bytes_.data()), bytes_.size());
  const std::string_view text = all.substr(0, all.find('\0'));
  const std::size_t used = (text.size() + 1 + 7) & ~std::size_t{7};
  bytes_ = bytes_.subspan(std::min(used, bytes_.size()));
  return text;
}

std::string formatPrintf(std::string_view format, PrintfArgs& args) {
  std::string out;
  while (!format.empty() && out.size() < kMaxOutput) {
    const std::size_t percent = format.find('%');
    out.append(format.substr(0, percent));
    if (percent == std::string_view::npos) break;
    const std::string_view source = format.substr(percent);
    format = source.substr(1);
    Conversion c;
    if (!parseConversion(format, args, c)) {
      out.append(source);
      break;
    }
    convert(out, c, source.substr(0, source.size() - format.size()), args);
  }
  return out;
}

}  // namespace hipr::softgpu

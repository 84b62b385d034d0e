#include "rtc/codec.h"

#include <cstdint>
#include <cstring>

namespace hipr::rtc {

namespace {

using Number = std::uint32_t;

class Writer {
 public:
  void number(std::size_t value) {
    const auto n = static_cast<Number>(value);
    bytes.append(reinterpret_cast<const char*>(&n), sizeof(n));
  }
  void text(const std::string& s) {
    number(s.size());
    bytes += s;
  }
  void texts(const std::vector<std::string>& all) {
    number(all.size());
    for (const std::string& s : all) text(s);
  }
  std::string bytes;
};

// After something impossible everything is empty, and end() is false.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : left_(bytes) {}
  Number number() {
    Number n = 0;
    if (left_.size() < sizeof(n)) return fail();
    std::memcpy(&n, left_.data(), sizeof(n));
    left_.remove_prefix(sizeof(n));
    return n;
  }
  // Of things that take four bytes each, at least.
  Number count() {
    const Number n = number();
    return n <= left_.size() / sizeof(Number) ? n : fail();
  }
  std::string text() {
    const Number n = number();
    if (n > left_.size()) {
      fail();
      return {};
    }
    std::string s(left_.substr(0, n));
    left_.remove_prefix(n);
    return s;
  }
  std::vector<std::string> texts() {
    std::vector<std::string> all(count());
    for (std::string& s : all) s = text();
    return all;
  }
  bool end() const { return good_ && left_.empty(); }

 private:
  Number fail() {
    good_ = false;
    left_ = {};
    return 0;
  }
  std::string_view left_;
  bool good_ = true;
};

}  // namespace

std::string encode(const Request& r) {
  Writer out;
  out.text(r.source);
  out.text(r.name);
  out.number(r.headers.size());
  for (const auto& [name, text] : r.headers) {
    out.text(name);
    out.text(text);
  }
  out.texts(r.options);
  out.texts(r.expressions);
  return std::move(out.bytes);
}

std::string encode(const Result& r) {
  Writer out;
  out.number(r.status);
  out.text(r.log);
  out.text(r.code);
  out.text(r.bitcode);
  out.texts(r.lowered);
  return std::move(out.bytes);
}

bool decode(std::string_view bytes, Request& r) {
  Reader in(bytes);
  r.source = in.text();
  r.name = in.text();
  r.headers.resize(in.count());
  for (auto& [name, text] : r.headers) {
    name = in.text();
    text = in.text();
  }
  r.options = in.texts();
  r.expressions = in.texts();
  return in.end();
}

bool decode(std::string_view bytes, Result& r) {
  Reader in(bytes);
  r.status = static_cast<hiprtcResult>(in.number());
  r.log = in.text();
  r.code = in.text();
  r.bitcode = in.text();
  r.lowered = in.texts();
  return in.end();
}

}  // namespace hipr::rtc

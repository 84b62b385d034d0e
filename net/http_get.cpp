#include "net/http_get.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <span>

#include "base/env.h"
#include "base/text.h"
#include "net/socket.h"

namespace hipr::net {
namespace {

constexpr std::size_t kMaxReply = 256 << 10;  // headers and body; what we ask for is a line or a small JSON object

bool printable(std::string_view text) {
  return std::none_of(text.begin(), text.end(),
                      [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; });
}

struct Url {
  std::string authority;  // as the Host header wants it
  Endpoint endpoint;
  std::string target;
};

Status parseUrl(const std::string& text, Url& out) {
  constexpr std::string_view kScheme = "http://";
  if (text.rfind(kScheme, 0) != 0) return Status::unsupported("\"" + text + "\" does not begin with http://");
  const std::size_t begin = kScheme.size();
  const std::size_t end = std::min(text.find_first_of("/?", begin), text.size());
  out.authority = text.substr(begin, end - begin);
  out.target = text.substr(end);
  if (out.authority.empty()) return Status::invalid("\"" + text + "\" names no host");
  if (out.target.empty() || out.target.front() != '/') out.target.insert(0, "/");
  // Whatever could end the request line early has no business in it.
  if (!printable(text) || text.find(' ') != std::string::npos) {
    return Status::invalid("the URL has a space or a control character");
  }
  return parseEndpoint(out.authority, 80, out.endpoint);
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

std::optional<std::string_view> takeLine(std::string_view& bytes) {
  const std::size_t end = bytes.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view line = trimmed(bytes.substr(0, end));
  bytes.remove_prefix(end + 1);
  return line;
}

// `complete` stays false while pieces are missing.
Status parseChunks(std::string_view bytes, std::string& body, bool& complete) {
  for (;;) {
    const auto line = takeLine(bytes);
    if (!line) return {};
    std::size_t size = 0;
    std::string_view digits = trimmed(line->substr(0, line->find(';')));
    if (digits.empty() || digits.size() > 6) return Status::invalid("malformed chunk in an HTTP reply");
    for (const char c : digits) {
      const int digit = c >= '0' && c <= '9'   ? c - '0'
                        : c >= 'a' && c <= 'f' ? c - 'a' + 10
                        : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                               : -1;
      if (digit < 0) return Status::invalid("malformed chunk in an HTTP reply");
      size = size * 16 + static_cast<std::size_t>(digit);
    }
    if (size == 0) {
      complete = true;  // trailers do not concern us
      return {};
    }
    if (bytes.size() < size) return {};
    body.append(bytes.substr(0, size));
    bytes.remove_prefix(size);
    if (bytes.empty()) return {};
    const auto end = takeLine(bytes);
    if (!end && bytes.size() < 2) return {};
    if (!end || !end->empty()) return Status::invalid("malformed chunk in an HTTP reply");
  }
}

}  // namespace

Status parseHttpReply(std::string_view bytes, bool closed, HttpReply& out, bool& complete) {
  complete = false;
  out = {};
  std::optional<std::int64_t> status;
  bool chunked = false;
  std::optional<std::size_t> length;
  do {  // an interim reply (1xx) is followed by the real one
    const auto first = takeLine(bytes);
    if (!first) return closed ? Status::invalid("no HTTP reply") : Status();
    const std::size_t space = first->find(' ');
    if (first->rfind("HTTP/1.", 0) != 0 || space == std::string_view::npos) return Status::invalid("not an HTTP reply");
    status = parseNumber(std::string(first->substr(space + 1, 3)), 100, 599);
    if (!status) return Status::invalid("not an HTTP reply");
    for (;;) {
      const auto line = takeLine(bytes);
      if (!line) return closed ? Status::invalid("the HTTP reply ends within its headers") : Status();
      if (line->empty()) break;
      const std::size_t colon = line->find(':');
      if (colon == std::string_view::npos) return Status::invalid("malformed header in an HTTP reply");
      const std::string_view name = trimmed(line->substr(0, colon)), value = trimmed(line->substr(colon + 1));
      if (sameIgnoringCase(name, "Transfer-Encoding")) chunked = sameIgnoringCase(value, "chunked");
      if (sameIgnoringCase(name, "Content-Length")) {
        const auto number = parseNumber(std::string(value), 0, kMaxReply);
        if (!number) return Status::invalid("an HTTP reply of length \"" + std::string(value) + "\"");
        length = static_cast<std::size_t>(*number);
      }
    }
  } while (*status < 200);
  out.status = static_cast<int>(*status);
  if (chunked) {
    if (Status parsed = parseChunks(bytes, out.body, complete); !parsed.ok()) return parsed;
  } else if (length) {
    complete = bytes.size() >= *length;
    out.body = bytes.substr(0, *length);
  } else {
    complete = closed;
    out.body = bytes;
  }
  if (closed && !complete) return Status::invalid("the HTTP reply ends early");
  return {};
}

Status httpGet(const std::string& url, const HttpHeaders& headers, int timeoutSeconds, HttpReply& out) {
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + std::chrono::seconds(timeoutSeconds);
  Url parsed;
  if (Status status = parseUrl(url, parsed); !status.ok()) return status;
  Socket socket;
  if (Status status = connectTo(parsed.endpoint, timeoutSeconds, socket); !status.ok()) return status;

  std::string request = "GET " + parsed.target + " HTTP/1.1\r\nHost: " + parsed.authority +
                        "\r\nAccept: */*\r\nUser-Agent: hip-remote\r\nConnection: close\r\n";
  for (const auto& [name, value] : headers) {
    if (!printable(value)) return Status::invalid("the value for " + name + " has a control character");
    request += name + ": " + value + "\r\n";
  }
  request += "\r\n";
  if (Status status = socket.send(std::as_bytes(std::span(request))); !status.ok()) return status;

  std::string bytes;
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return Status::unavailable("no complete answer in " + std::to_string(timeoutSeconds) + " s");
    socket.setReceiveTimeout(std::chrono::milliseconds(left));
    char piece[4096];
    std::size_t got = 0;
    if (Status status = socket.receiveSome(piece, sizeof piece, &got); !status.ok()) return status;
    bytes.append(piece, got);
    if (bytes.size() > kMaxReply) return Status::invalid("an HTTP reply without end");
    bool complete = false;
    if (Status status = parseHttpReply(bytes, got == 0, out, complete); !status.ok()) return status;
    if (complete) return {};
  }
}

}  // namespace hipr::net

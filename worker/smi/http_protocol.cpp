#include <algorithm>
#include <string>

#include "base/text.h"
#include "page.h"
#include "platform/process.h"
#include "worker/smi/protocol.h"

namespace hipr::worker {
namespace {

void answer(std::vector<std::byte>& out, const char* status, const char* type, const std::string& body,
            bool withBody = true) {
  std::string text = std::string("HTTP/1.1 ") + status + "\r\nContent-Type: " + type +
                     "\r\nContent-Length: " + std::to_string(body.size()) + "\r\nConnection: close\r\n\r\n";
  if (withBody) text += body;
  const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
  out.insert(out.end(), bytes, bytes + text.size());
}

// The value of a header field, whose name is given in small letters; empty when there is none.
std::string_view field(std::string_view head, std::string_view name) {
  for (std::size_t at = head.find('\n'); at != std::string_view::npos; at = head.find('\n', at + 1)) {
    std::string_view line = head.substr(at + 1, head.find_first_of("\r\n", at + 1) - at - 1);
    const bool named = line.size() > name.size() && line[name.size()] == ':' &&
                       std::equal(name.begin(), name.end(), line.begin(),
                                  [](char a, char b) { return a == (b >= 'A' && b <= 'Z' ? b - 'A' + 'a' : b); });
    if (!named) continue;
    line.remove_prefix(name.size() + 1);
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    return line.substr(0, line.find_last_not_of(" \t") + 1);
  }
  return {};
}

// Whether what a request calls this machine is its own name or address. A page of somebody else's in a browser here can
// ask, too, by a name of its own that it lets lead here; it is to learn no more than any stranger.
bool namesThisMachine(std::string_view host) {
  if (host.empty() || host.starts_with('[')) return true;  // an address of IPv6
  host = host.substr(0, host.find(':'));
  const bool address = host.find_first_not_of("0123456789.") == std::string_view::npos;
  return address || sameIgnoringCase(host, "localhost") || sameIgnoringCase(host, platform::hostName());
}

constexpr const char* kPlain = "text/plain; charset=utf-8";
// The page loads nothing from elsewhere, and cannot be made to.
constexpr const char* kHtml =
    "text/html; charset=utf-8\r\nContent-Security-Policy: default-src 'none'; script-src 'unsafe-inline'; "
    "style-src 'unsafe-inline'; connect-src 'self'";
constexpr const char* kExposition = "text/plain; version=0.0.4; charset=utf-8";

}  // namespace

HttpProtocol::Trust HttpProtocol::trust(std::string_view head) const {
  const std::string_view offered = field(head, "authorization");
  constexpr std::string_view kBearer = "Bearer ";
  const bool local = line_ == Line::kLocal && namesThisMachine(field(head, "host"));
  const Trust byLine = local ? Trust::kFull : Trust::kNone;
  if (offered.empty()) return byLine;
  const bool bearer = offered.starts_with(kBearer);
  const std::optional<bool> known = knows_(bearer ? offered.substr(kBearer.size()) : "");
  if (!known) return byLine;
  if (line_ == Line::kOpen) return Trust::kSpiltToken;
  return *known && bearer ? Trust::kFull : Trust::kWrongToken;
}

Protocol::Next HttpProtocol::serve(std::vector<std::byte>& in, std::vector<std::byte>& out) {
  const std::string_view text(reinterpret_cast<const char*>(in.data()), in.size());
  std::size_t end = text.find("\r\n\r\n");
  if (end == std::string_view::npos) end = text.find("\n\n");
  if (end == std::string_view::npos) {
    if (in.size() < kMaxInput) return Next::kWait;
    answer(out, "431 Request Header Fields Too Large", kPlain, "the request is too long\n");
    return Next::kEnd;
  }
  const std::string_view line = text.substr(0, text.find_first_of("\r\n"));
  const std::size_t first = line.find(' '), second = line.find(' ', first + 1);
  const std::string_view method = line.substr(0, first);
  if (first == std::string_view::npos || second == std::string_view::npos ||
      !line.substr(second + 1).starts_with("HTTP/1.")) {
    answer(out, "400 Bad Request", kPlain, "this is not HTTP/1\n");
    return Next::kEnd;
  }
  std::string_view path = line.substr(first + 1, second - first - 1);
  path = path.substr(0, path.find('?'));
  const bool head = method == "HEAD";
  if (method != "GET" && !head) {
    answer(out, "405 Method Not Allowed", kPlain, "only GET\n");
  } else if (path == "/metrics") {
    const Trust trusted = trust(text.substr(0, end));
    if (trusted == Trust::kWrongToken) {
      answer(out, "401 Unauthorized", kPlain, "the token is wrong\n", !head);
    } else if (trusted == Trust::kSpiltToken) {
      answer(out, "403 Forbidden", kPlain, "a token belongs on a protected connection; others can read this one\n",
             !head);
    } else {
      answer(out, "200 OK", kExposition, station_.metricsPage(trusted == Trust::kFull), !head);
    }
  } else if (path == "/") {
    if (line_ == Line::kLocal)
      answer(out, "200 OK", kHtml, kPage, !head);
    else
      answer(out, "403 Forbidden", kPlain,
             "the page is for this machine; from another one: ssh -L PORT:localhost:PORT\n", !head);
  } else if (path == "/healthz") {
    answer(out, "200 OK", kPlain, "ok\n", !head);
  } else {
    answer(out, "404 Not Found", kPlain, "there are /, /metrics and /healthz\n", !head);
  }
  in.clear();
  return Next::kEnd;
}

}  // namespace hipr::worker

// One HTTP/1.1 GET, for asking services of a cluster where something is. Plain text only: what it is used for answers
// inside the cluster, without TLS.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"

namespace hipr::net {

struct HttpReply {
  int status = 0;
  std::string body;
};

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

// "http://host[:port]/path"; a name, an IPv4 address or an IPv6 address in brackets. Any status is a success here.
// kUnavailable: nobody answered; kInvalid: the URL or the answer makes no sense; kUnsupported: not http.
Status httpGet(const std::string& url, const HttpHeaders& headers, int timeoutSeconds, HttpReply& out);

// Reads a reply as far as it has arrived. `complete` tells whether that is all of it; a reply that gives no length ends
// with the connection (`closed`).
Status parseHttpReply(std::string_view bytes, bool closed, HttpReply& out, bool& complete);

}  // namespace hipr::net

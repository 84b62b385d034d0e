// Fuzzes the reading of HTTP replies: the first byte tells whether the connection has been closed.
#include <cstdlib>

#include "net/http_get.h"
#include "tests/fuzz/fuzz.h"

using namespace hipr;

std::vector<fuzz::Input> fuzz::seeds() {
  std::vector<fuzz::Input> out;
  for (const char* reply :
       {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", "HTTP/1.1 100 C\r\n\r\nHTTP/1.1 404 N\r\n\r\nx",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"}) {
    fuzz::Input input(1);
    for (const char* c = reply; *c; ++c) input.push_back(static_cast<std::uint8_t>(*c));
    out.push_back(input);
    input[0] = 1;
    out.push_back(input);
  }
  return out;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (!size) return 0;
  net::HttpReply reply;
  bool complete = false;
  const std::string_view bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  const Status status = net::parseHttpReply(bytes, data[0] & 1, reply, complete);
  if (complete && (!status.ok() || reply.status < 200 || reply.body.size() > size)) std::abort();
  return 0;
}

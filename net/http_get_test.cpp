#include "net/http_get.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <span>
#include <thread>

#include "net/socket.h"

namespace hipr::net {
namespace {

struct Parsed {
  Status status;
  HttpReply reply;
  bool complete = false;
};
Parsed parse(std::string_view bytes, bool closed) {
  Parsed out;
  out.status = parseHttpReply(bytes, closed, out.reply, out.complete);
  return out;
}

// The same reply however it arrives: no prefix is an error, none but the whole is complete.
void expectReply(const std::string& bytes, int status, const std::string& body, bool needsClose = false) {
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const Parsed part = parse(std::string_view(bytes).substr(0, size), false);
    ASSERT_TRUE(part.status.ok()) << size << ": " << part.status.message();
    // What follows the last chunk is not needed.
    if (part.complete) {
      ASSERT_EQ(bytes.substr(size).find_first_not_of("\r\n"), std::string::npos) << size;
    }
  }
  const Parsed whole = parse(bytes, needsClose);
  ASSERT_TRUE(whole.status.ok()) << whole.status.message();
  EXPECT_TRUE(whole.complete);
  EXPECT_EQ(whole.reply.status, status);
  EXPECT_EQ(whole.reply.body, body);
}

TEST(HttpReply, WithALength) {
  expectReply("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\ncontent-length: 5\r\n\r\nhello", 200, "hello");
  expectReply("HTTP/1.0 404 Not Found\nContent-Length: 0\n\n", 404, "");
}
TEST(HttpReply, InChunks) {
  expectReply("HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n5;x=y\r\nhello\r\n1\r\n!\r\n0\r\n\r\n", 200,
              "hello!");
}
TEST(HttpReply, UntilTheEnd) {
  expectReply("HTTP/1.1 200 OK\r\n\r\nhello", 200, "hello", true);
}
TEST(HttpReply, AfterInterimReplies) {
  expectReply(
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 x\r\nA: b\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx", 200,
      "x");
}
TEST(HttpReply, NonsenseIsRefused) {
  for (const char* bytes :
       {"SSH-2.0-OpenSSH\r\n", "HTTP/1.1\r\n\r\n", "HTTP/1.1 xyz\r\n\r\n", "HTTP/1.1 200 OK\r\nbroken\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffff\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nxyz\r\n0\r\n\r\n"}) {
    EXPECT_EQ(parse(bytes, false).status.code(), Code::kInvalid) << bytes;
  }
  for (const char* bytes : {"", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell"}) {
    EXPECT_EQ(parse(bytes, true).status.code(), Code::kInvalid) << bytes;
  }
}

// Answers one request with `reply`, in pieces, and hands back the request.
std::string serveOnce(const std::string& address, const std::string& reply, const std::string& path,
                      const HttpHeaders& headers, HttpReply& out, Status& status) {
  Socket listener;
  std::uint16_t port = 0;
  EXPECT_TRUE(listenOn(address, 0, listener, &port).ok());
  std::string request;
  std::thread server([&] {
    Socket socket(::accept(listener.fd(), nullptr, nullptr));
    char piece[512];
    std::size_t got = 1;
    while (got && request.find("\r\n\r\n") == std::string::npos) {
      if (!socket.receiveSome(piece, sizeof piece, &got).ok()) return;
      request.append(piece, got);
    }
    for (std::size_t at = 0; at < reply.size(); at += 7) {
      const std::string part = reply.substr(at, 7);
      if (!socket.send(std::as_bytes(std::span(part))).ok()) return;
    }
  });
  const std::string host = address.find(':') == std::string::npos ? address : "[" + address + "]";
  status = httpGet("http://" + host + ":" + std::to_string(port) + path, headers, 20, out);
  server.join();
  return request;
}

TEST(HttpGet, AsksAsAServerExpects) {
  HttpReply reply;
  Status status;
  const std::string token(6000, 't');
  const std::string request =
      serveOnce("127.0.0.1", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nabcd\r\n0\r\n\r\n",
                "/api/connection?name=a&namespace=b", {{"Authorization", "Bearer " + token}}, reply, status);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(reply.body, "abcd");
  EXPECT_EQ(request.rfind("GET /api/connection?name=a&namespace=b HTTP/1.1\r\nHost: 127.0.0.1:", 0), 0u) << request;
  EXPECT_NE(request.find("\r\nAuthorization: Bearer " + token + "\r\n"), std::string::npos);
  EXPECT_EQ(request.find("Accept-Encoding"), std::string::npos);
}

TEST(HttpGet, IPv6AndAServerThatHangsUpEarly) {
  HttpReply reply;
  Status status;
  const std::string request =
      serveOnce("::1", "HTTP/1.1 503 Busy\r\nContent-Length: 3\r\n\r\nno\n", "", {}, reply, status);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(reply.status, 503);
  EXPECT_EQ(request.rfind("GET / HTTP/1.1\r\nHost: [::1]:", 0), 0u) << request;
  serveOnce("127.0.0.1", "HTTP/1.1 200 OK\r\nContent-Length: 30\r\n\r\nno", "/", {}, reply, status);
  EXPECT_FALSE(status.ok());
}

TEST(HttpGet, WhatCannotBeAskedIsRefused) {
  HttpReply reply;
  EXPECT_EQ(httpGet("https://a/", {}, 1, reply).code(), Code::kUnsupported);
  EXPECT_EQ(httpGet("http:///x", {}, 1, reply).code(), Code::kInvalid);
  EXPECT_EQ(httpGet("http://a/\r\nX: y", {}, 1, reply).code(), Code::kInvalid);
  EXPECT_EQ(httpGet("http://a:http/", {}, 1, reply).code(), Code::kInvalid);
  EXPECT_EQ(httpGet("http://127.0.0.1:1/", {}, 5, reply).code(), Code::kUnavailable);
}

}  // namespace
}  // namespace hipr::net

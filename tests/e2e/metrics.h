// The metrics page of a worker, for tests.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "net/socket.h"
#include "testing/worker_process.h"

namespace hipr {

// With everything that HTTP puts before it. REQUIRES: the worker has --metrics 0
inline std::string httpPage(const testing::WorkerProcess& worker, const std::string& path,
                            const std::string& fields = "") {
  net::Socket socket;
  EXPECT_TRUE(net::connectTo({"127.0.0.1", static_cast<std::uint16_t>(worker.metricsPort())}, 5, socket).ok());
  const std::string request = "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n" + fields + "\r\n";
  EXPECT_TRUE(socket.send(std::as_bytes(std::span(request))).ok());
  socket.setReceiveTimeout(std::chrono::seconds(10));
  std::string page;
  char text[4096];
  for (std::size_t got = 0; socket.receiveSome(text, sizeof text, &got).ok() && got;) page.append(text, got);
  return page;
}

inline std::string metricsPage(const testing::WorkerProcess& worker) {
  return httpPage(worker, "/metrics");
}

// The largest value of `name` for this kind of limit; -1 when there is none.
inline double metricOfLimit(const testing::WorkerProcess& worker, const std::string& name, const std::string& limit) {
  const std::string page = metricsPage(worker), label = "limit=\"" + limit + "\"} ";
  double largest = -1;
  for (std::size_t at = 0; (at = page.find("\n" + name + "{", at)) != std::string::npos; ++at) {
    const std::string line = page.substr(at + 1, page.find('\n', at + 1) - at - 1);
    if (const std::size_t found = line.find(label); found != std::string::npos)
      largest = std::max(largest, std::stod(line.substr(found + label.size())));
  }
  return largest;
}

}  // namespace hipr

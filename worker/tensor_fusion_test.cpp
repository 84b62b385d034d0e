#include "worker/tensor_fusion.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/socket.h>

#include <span>
#include <thread>

#include "net/socket.h"

namespace hipr::worker {
namespace {

TEST(TensorFusion, KnowsItselfByName) {
  EXPECT_TRUE(startedByTensorFusion("./tensor-fusion-worker"));
  EXPECT_TRUE(startedByTensorFusion("tensor-fusion-worker"));
  EXPECT_FALSE(startedByTensorFusion("/usr/bin/hip-worker"));
  EXPECT_FALSE(startedByTensorFusion("tensor-fusion-worker/hip-worker"));
}

TEST(TensorFusion, LimitOfAPod) {
  std::uint64_t bytes = 1;
  EXPECT_TRUE(
      parsePodLimit(R"({"success":true,"data":{"pod_name":"p","vram_limit":10737418240},"message":"x"})", bytes).ok());
  EXPECT_EQ(bytes, std::uint64_t{10} << 30);
  EXPECT_TRUE(parsePodLimit(R"({"success":true,"data":{"pod_name":"p"},"message":"x"})", bytes).ok());
  EXPECT_EQ(bytes, 0u);
  EXPECT_TRUE(parsePodLimit(R"({"success":true,"data":{"vram_limit":-5}})", bytes).ok());
  EXPECT_EQ(bytes, 0u);
  EXPECT_NE(parsePodLimit(R"({"success":false,"message":"Pod p not found"})", bytes).message().find("not found"),
            std::string::npos);
  for (const char* bad : {"", "[]", "{}", "<html>", R"({"success":"yes"})", R"({"success":true,"data":null})"}) {
    EXPECT_FALSE(parsePodLimit(bad, bytes).ok()) << bad;
  }
}

class Limits : public ::testing::Test {
 protected:
  void TearDown() override {
    for (const char* name : {"TF_GPU_MEMORY_LIMIT", "TF_CUDA_MEMORY_LIMIT", "TF_CUDA_SM_PERCENT_LIMIT", "HYPERVISOR_IP",
                             "HYPERVISOR_PORT", "CONTAINER_NAME"}) {
      unsetenv(name);
    }
  }
};

TEST_F(Limits, FromTheEnvironment) {
  EXPECT_EQ(memoryLimit(), 0u);
  setenv("TF_CUDA_MEMORY_LIMIT", "512", 1);
  EXPECT_EQ(memoryLimit(), std::uint64_t{512} << 20);
  setenv("TF_GPU_MEMORY_LIMIT", "1024", 1);
  EXPECT_EQ(memoryLimit(), std::uint64_t{1} << 30);
}

TEST_F(Limits, OfComputeUnits) {
  EXPECT_EQ(computeLimit(), 100u);
  setenv("TF_CUDA_SM_PERCENT_LIMIT", "25", 1);
  EXPECT_EQ(computeLimit(), 25u);
  for (const char* nonsense : {"0", "101", "-5", "much"}) {  // said in the log, and no limit
    setenv("TF_CUDA_SM_PERCENT_LIMIT", nonsense, 1);
    EXPECT_EQ(computeLimit(), 100u);
  }
}

TEST_F(Limits, FromTheHypervisor) {
  net::Socket listener;
  std::uint16_t port = 0;
  ASSERT_TRUE(net::listenOn("127.0.0.1", 0, listener, &port).ok());
  std::string request;
  std::thread hypervisor([&] {
    net::Socket client(::accept(listener.fd(), nullptr, nullptr));
    char piece[1024];
    std::size_t got = 1;
    while (got && request.find("\r\n\r\n") == std::string::npos) {
      if (!client.receiveSome(piece, sizeof piece, &got).ok()) return;
      request.append(piece, got);
    }
    const std::string body = R"({"success":true,"data":{"vram_limit":2147483648},"message":""})";
    const std::string reply = "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
    EXPECT_TRUE(client.send(std::as_bytes(std::span(reply))).ok());
  });
  setenv("HYPERVISOR_IP", "127.0.0.1", 1);
  setenv("HYPERVISOR_PORT", std::to_string(port).c_str(), 1);
  setenv("CONTAINER_NAME", "tensorfusion-worker", 1);
  EXPECT_EQ(memoryLimit(), std::uint64_t{2} << 30);
  hypervisor.join();
  EXPECT_EQ(request.rfind("GET /api/v1/pod?container_name=tensorfusion-worker HTTP/1.1\r\n", 0), 0u) << request;
  listener.close();
  EXPECT_EQ(memoryLimit(), 0u) << "a hypervisor that is not there limits nothing";
}

}  // namespace
}  // namespace hipr::worker

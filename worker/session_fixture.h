// A session on a FakeHip, served by a thread, and a client that talks to it.
#pragma once

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "access/digest.h"
#include "code_object/test_image.h"
#include "net/socket_transport.h"
#include "worker/fake_credit.h"
#include "worker/fake_hip.h"
#include "worker/session.h"
#include "worker/test_client.h"

namespace hipr::worker {

// Where a session keeps what was uploaded.
struct DataPlace {
  std::string folder{}, identity{};
  std::uint64_t limit = std::uint64_t{1} << 30;
};

// How it meets other workers, if it does.
struct Peering {
  std::function<Descriptor(wire::Bits256& ticket)> invite{};
  std::function<Descriptor(const std::string& worker)> connect{};
};

class SessionOnFake {
 public:
  explicit SessionOnFake(const FakeHip::Settings& settings = {}, std::uint64_t memory = std::uint64_t{1} << 30,
                         const Limits& limits = {}, const DataPlace& data = {}, const Peering& peering = {})
      : fake(settings),
        ledger(std::vector<std::uint64_t>(static_cast<std::size_t>(settings.devices), memory), 2,
               limits[Quota::kDeviceBytes]) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) std::abort();
    client = std::make_unique<TestClient>(net::Socket(ends[0]));
    SessionOptions options;
    for (int i = 0; i < settings.devices; ++i) options.devices.push_back(i);
    options.credit = &credit;
    options.limits = limits;
    options.dataFolder = data.folder;
    options.dataLimit = data.limit;
    options.identity = data.identity;
    options.invite = peering.invite;
    options.connect = peering.connect;
    session_ = std::make_unique<Session>(net::overSocket(net::Socket(ends[1]), 60), fake.table(), options);
    server_ = std::thread([this] { result = session_->run(); });
  }
  ~SessionOnFake() { end(); }

  Session& session() { return *session_; }

  // Closes the connection and waits until the session has given everything back.
  void end() {
    if (!session_) return;
    client->socket().shutdown();
    (void)finish();
  }
  // Waits for a session that ends by itself.
  Status finish() {
    if (server_.joinable()) server_.join();
    fake.release();
    session_.reset();
    return result;
  }

  FakeHip fake;
  Ledger ledger;
  FakeCredit credit{ledger, 0};
  std::unique_ptr<TestClient> client;
  Status result;

 private:
  std::unique_ptr<Session> session_;
  std::thread server_;
};

inline constexpr std::uint64_t kMiB = 1 << 20, kNull = wire::kNullStream;
inline constexpr std::uint64_t kStream = wire::kFirstObject + 1, kEvent = wire::kFirstObject + 2;

inline Limits with(Quota quota, std::uint64_t value) {
  Limits limits;
  limits.set(quota, value);
  return limits;
}

// Bytes of which every MiB is another one. Most are made by what sanitizers do not look at word by word.
inline std::vector<std::byte> pattern(std::size_t size, unsigned seed = 0) {
  std::vector<std::byte> out(size);
  for (std::size_t i = 0; i < std::min<std::size_t>(size, kMiB); ++i)
    out[i] = static_cast<std::byte>((i * 2654435761u + seed * 40503u) >> 13);
  for (std::size_t at = kMiB; at < size; at += kMiB) {
    std::memcpy(out.data() + at, out.data(), std::min<std::size_t>(kMiB, size - at));
    std::memcpy(out.data() + at, &at, std::min(sizeof at, size - at));
  }
  return out;
}

inline constexpr std::uint64_t kArray = wire::kFirstObject + 5, kTexture = wire::kFirstObject + 6;

// --- the one kernel of FakeHip
inline constexpr std::uint64_t kModule = wire::kFirstObject + 3, kFunction = wire::kFirstObject + 4;

struct ScaleArguments {
  std::uint64_t data;
  float factor;
};

template <class T>
wire::Bytes bytesOf(const T& value) {
  return std::as_bytes(std::span(&value, 1));
}

inline void loadScale(TestClient& client) {
  const code::testing::Buffer code = code::testing::sampleElf();
  std::vector<std::byte> storage;
  const auto reply = client.call<wire::ModuleLoadReply, wire::Opcode::kModuleLoad>(
      {kModule, 0, access::digestOf(code), code, {"counter"}}, storage);
  ASSERT_EQ(reply.status, hipSuccess);
  ASSERT_EQ(reply.addresses.size(), 1u);
  EXPECT_NE(reply.addresses[0], 0u);
  client.send<wire::Opcode::kFunctionGet>({kFunction, kModule, "scale"});
}

inline wire::LaunchKernel scaleLaunch(std::uint64_t stream, const ScaleArguments& arguments) {
  wire::LaunchKernel launch{.stream = stream, .function = kFunction, .groups = {1, 1, 1}, .block = {1, 1, 1}};
  launch.arguments = wire::Bytes(bytesOf(arguments)).first(12);
  return launch;
}

}  // namespace hipr::worker

// What a client that is let in may try: messages out of order, and leaving in the middle of things. Its session ends,
// soon, and nobody else notices.
#include <linux/filter.h>
#include <signal.h>
#include <sys/socket.h>

#include <fstream>
#include <limits>
#include <set>

#include "access/digest.h"
#include "code_object/code_object.h"
#include "testing/hip.h"
#include "tests/e2e/attack_fixture.h"

namespace hipr {
namespace {

using wire::Opcode;
using worker::kTestDeviceBase;
using worker::kTestHostBase;

constexpr std::uint64_t kModule = wire::kFirstObject, kWork = kModule + 1;

std::string refusal(TestClient& client) {
  const auto refused = client.expectPush<wire::Refused>(Opcode::kRefused);
  EXPECT_FALSE(client.next().has_value());
  return refused ? refused->text : "";
}

class Attack : public ::testing::Test {
 protected:
  bool sessionsGone() const { return worker_.sessions().empty(); }
  void expectHealthy() {
    TestClient client = connectTo(worker_);
    EXPECT_EQ(client.hello().status, hipSuccess);
    EXPECT_EQ(client.ask<Opcode::kPing>({}), hipSuccess);
    client.send<Opcode::kGoodbye>({});
    EXPECT_LT(secondsUntil(10s, [&] { return sessionsGone(); }), 10);
  }
  testing::WorkerProcess worker_{{"--runtime", "softgpu", "--grace", "1", "--cache", "", "--peer-timeout", "2"}};
};

// A kernel that takes longer than any test.
void launchEndlessKernel(TestClient& client) {
  const wire::Bytes code(static_cast<const std::byte*>(testing::kernelImage()), testing::kernelImageSize());
  std::vector<std::byte> storage;
  const auto loaded =
      client.call<wire::ModuleLoadReply, Opcode::kModuleLoad>({kModule, 0, access::digestOf(code), code, {}}, storage);
  ASSERT_EQ(loaded.status, hipSuccess);
  client.send<Opcode::kFunctionGet>({kWork, kModule, "work"});
  client.send<Opcode::kMapMemory>({0, kTestDeviceBase, 2 << 20});
  struct {
    std::uint64_t out = kTestDeviceBase;
    std::int32_t rounds = std::numeric_limits<std::int32_t>::max();
  } arguments;
  wire::LaunchKernel launch;
  launch.stream = wire::kNullStream;
  launch.function = kWork;
  launch.groups = {64, 1, 1};
  launch.block = {64, 1, 1};
  launch.arguments = {reinterpret_cast<const std::byte*>(&arguments), 12};
  client.send<Opcode::kLaunchKernel>(launch);
  EXPECT_EQ(client.ask<Opcode::kPing>({}), hipSuccess);
  EXPECT_FALSE(client.sawPush(Opcode::kAsyncFailure));
}

TEST_F(Attack, HelloIsSaidOnce) {
  TestClient client = connectTo(worker_);
  client.hello();
  client.send<Opcode::kExposeHost>({kTestHostBase, 4096, 1});
  wire::Hello again;
  again.deviceBase = kTestDeviceBase;
  again.deviceSize = worker::kTestDeviceSize;
  again.hostBase = kTestHostBase + (std::uint64_t{1} << 40);  // another range: the first would be unmapped
  again.hostSize = worker::kTestHostSize;
  client.send<Opcode::kHello>(again);
  EXPECT_EQ(refusal(client), "a second Hello");
  expectHealthy();
}

// A client says where a copy is to go (Bring). The worker goes nowhere but where its owner said.
TEST_F(Attack, AWorkerKnocksOnlyWhereItsOwnerSaid) {
  net::Socket listener;
  std::uint16_t port = 0;
  ASSERT_TRUE(net::listenOn("127.0.0.1", 0, listener, &port).ok());
  const std::string there = "127.0.0.1:" + std::to_string(port);
  const auto bring = [&](TestClient& client, const std::string& where) {
    client.hello();
    client.send<Opcode::kMapMemory>({0, kTestDeviceBase, 2 << 20});
    return client.send<Opcode::kBring>({wire::kNullStream, {kTestDeviceBase, 0, 0, 1 << 20}, where, {}});
  };
  const testing::WorkerProcess mute, narrow({"--runtime", "softgpu", "--grace", "1", "--peers", "127.0.0.1:1"}),
      open({"--runtime", "softgpu", "--grace", "1", "--peers", there});
  for (const testing::WorkerProcess* worker : {&mute, &narrow}) {
    for (const std::string& where :
         {there, "localhost:" + std::to_string(port), std::string("unix:/run/docker.sock")}) {
      TestClient client = connectTo(*worker);
      EXPECT_EQ(client.status(bring(client, where)), hipErrorNotSupported) << where;
    }
  }
  EXPECT_FALSE(listener.readable()) << "somebody knocked";
  TestClient client = connectTo(open);
  const std::uint32_t request = bring(client, there);
  net::Socket knocking(accept(listener.fd(), nullptr, nullptr));
  std::byte first{};
  ASSERT_TRUE(knocking.receive(&first, 1).ok());
  EXPECT_EQ(std::to_integer<int>(first), 22);  // TLS, and whoever cannot answer it hears nothing more
  knocking.close();
  EXPECT_NE(client.status(request), hipSuccess);
}

TEST_F(Attack, EveryMessageButHelloIsRefusedBeforeIt) {
#define MESSAGE(number, Name, verb)                                               \
  if (Opcode::k##Name != Opcode::kHello && Opcode::k##Name != Opcode::kSmiOpen) { \
    TestClient client = connectTo(worker_);                                       \
    std::vector<std::byte> frame(wire::kHeaderSize);                              \
    wire::encodeHeader({.opcode = number}, frame.data());                         \
    ASSERT_TRUE(client.socket().send(frame).ok());                                \
    EXPECT_FALSE(refusal(client).empty()) << #Name;                               \
  }
#include "wire/messages.def"
  EXPECT_TRUE(sessionsGone());  // none of them got as far as a process
  expectHealthy();
}

TEST_F(Attack, WhatBelongsBeforeHelloIsRefusedAfterIt) {
  const auto refused = [&](auto&& send) {
    TestClient client = connectTo(worker_);
    client.hello();
    send(client);
    return refusal(client);
  };
  EXPECT_NE(refused([](TestClient& c) { c.send<Opcode::kChallenge>({}); }).find("before Hello"), std::string::npos);
  EXPECT_NE(refused([](TestClient& c) { c.send<Opcode::kProof>({}); }).find("before Hello"), std::string::npos);
  EXPECT_NE(refused([](TestClient& c) { c.send<Opcode::kSmiOpen>({}); }).find("before Hello"), std::string::npos);
  EXPECT_NE(refused([](TestClient& c) { c.send<Opcode::kRefused>({}); }).find("for the worker"), std::string::npos);
}

TEST_F(Attack, NothingIsHeardAfterGoodbye) {
  TestClient client = connectTo(worker_);
  client.hello();
  std::vector<std::byte> frames;
  wire::appendFrame(frames, Opcode::kGoodbye, 1, 0, wire::Goodbye{});
  wire::appendFrame(frames, Opcode::kDeviceSynchronize, 2, 0, wire::DeviceSynchronize{0});
  ASSERT_TRUE(client.socket().send(frames).ok());
  EXPECT_EQ(refusal(client), "DeviceSynchronize after Goodbye");
}

// What one session learns of addresses is worth nothing in another, and nothing against the supervisor.
TEST_F(Attack, EveryProcessHasAnAddressLayoutOfItsOwn) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "the thread sanitizer wants things where they always are";
#endif
  std::vector<TestClient> clients;
  for (int i = 0; i < 4; ++i) {
    clients.push_back(connectTo(worker_));
    clients.back().hello();
  }
  TestClient smi = connectTo(worker_);
  std::vector<std::byte> storage;
  (void)smi.call<wire::SmiOpenReply, Opcode::kSmiOpen>({}, storage);
  std::vector<pid_t> processes = worker_.sessions();
  ASSERT_EQ(processes.size(), 5u);  // and the telemetry service
  processes.push_back(worker_.pid());
  std::set<std::string> programs, heaps;
  for (const pid_t process : processes) {
    std::ifstream maps("/proc/" + std::to_string(process) + "/maps");
    std::string program, heap;
    for (std::string line; std::getline(maps, line);) {
      if (line.ends_with("/hip-worker") && program.empty()) program = line.substr(0, line.find('-'));
      if (line.ends_with("[heap]")) heap = line.substr(0, line.find('-'));
    }
    programs.insert(program);
    heaps.insert(heap);
  }
  EXPECT_EQ(programs.size(), 6u);
  EXPECT_EQ(heaps.size(), 6u);
}

TEST_F(Attack, ASessionEndsWithItsConnectionWhateverTheGpuDoes) {
  TestClient client = connectTo(worker_);
  client.hello();
  client.send<Opcode::kExposeHost>({kTestHostBase, 8192, 1});
  launchEndlessKernel(client);
  client.send<Opcode::kHostFunction>({wire::kNullStream, 5});
  client.send<Opcode::kConcealHost>({kTestHostBase});
  client.send<Opcode::kExposeHost>({kTestHostBase, 8192, 2});  // the same memory
  client.send<Opcode::kConcealHost>({kTestHostBase});
  client.send<Opcode::kExposeHost>({kTestHostBase, 4096, 3});  // a part of it: the rest has to go first
  client.send<Opcode::kUnmapMemory>({kTestDeviceBase});
  client.send<Opcode::kMapMemory>({0, kTestDeviceBase, 4 << 20});
  client.socket().close();
  EXPECT_LT(secondsUntil(20s, [&] { return sessionsGone(); }), 10);
  expectHealthy();
}

// A session that does not even look: stopped, as one that hangs in a driver would be.
TEST_F(Attack, TheSupervisorEndsASessionThatDoesNotNotice) {
  TestClient client = connectTo(worker_);
  client.hello();
  ASSERT_EQ(worker_.sessions().size(), 1u);
  kill(worker_.sessions()[0], SIGSTOP);
  client.socket().close();
  EXPECT_LT(secondsUntil(20s, [&] { return sessionsGone(); }), 10);
  expectHealthy();
}

// Whoever has all the sessions it may have does not end those of others by asking for more.
TEST(AttackOnOthers, ARefusalEndsNobodysSession) {
  constexpr char kAlice[] = "the-token-of-alice", kBob[] = "the-token-of-bob";
  const std::string file = ::testing::TempDir() + "hipr-attack-" + std::to_string(getpid());
  std::ofstream(file) << "alice sessions=1 token=" << kAlice << "\nbob token=" << kBob << "\n";
  const testing::WorkerProcess worker(
      {"--runtime", "softgpu", "--grace", "1", "--cache", "", "--max-sessions", "2", "--identities", file});
  const auto enter = [&](const char* token) {
    TestClient client = connectTo(worker);
    prove(client, token);
    return client;
  };
  TestClient bob = enter(kBob), alice = enter(kAlice);
  std::vector<std::byte> storage;
  const wire::Hello hello{.deviceBase = kTestDeviceBase,
                          .deviceSize = worker::kTestDeviceSize,
                          .hostBase = kTestHostBase,
                          .hostSize = worker::kTestHostSize,
                          .hostName = "another machine",
                          .program = "",
                          .resumable = true};
  EXPECT_EQ((bob.call<wire::HelloReply, Opcode::kHello>(hello, storage).status), hipSuccess);
  EXPECT_EQ(bob.ask<Opcode::kPing>({}), hipSuccess);
  EXPECT_EQ(alice.hello().status, hipSuccess);
  const std::vector<pid_t> before = worker.sessions();
  ASSERT_EQ(before.size(), 2u);
  bob.socket().close();  // he is cut off, and his session waits for him
  std::this_thread::sleep_for(500ms);
  TestClient again = enter(kAlice);
  again.send<Opcode::kHello>({});
  EXPECT_NE(refusal(again).find("as many as it may"), std::string::npos);
  std::this_thread::sleep_for(500ms);
  EXPECT_EQ(worker.sessions(), before);
  unlink(file.c_str());
}

// A machine that was unplugged says no goodbye. Here the client's own end drops whatever arrives for it.
TEST_F(Attack, APeerThatVanishesIsNoticedInSeconds) {
  TestClient client = connectTo(worker_), bystander = connectTo(worker_);
  client.hello();
  bystander.hello();
  sock_filter drop[] = {{BPF_RET | BPF_K, 0, 0, 0}};
  const sock_fprog program{1, drop};
  ASSERT_EQ(setsockopt(client.socket().fd(), SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program), 0);
  EXPECT_LT(secondsUntil(20s, [&] { return worker_.sessions().size() == 1; }), 10);
  EXPECT_EQ(bystander.ask<Opcode::kPing>({}), hipSuccess);  // silent as well, but its machine answered
}

}  // namespace
}  // namespace hipr

// What somebody may try who does not know the token: slow words, long words, silence, many connections. Those who know
// it are served all the while.
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <optional>

#include "net/socket_transport.h"
#include "tests/e2e/attack_fixture.h"
#include "tls/client.h"

namespace hipr {
namespace {

using wire::Opcode;

constexpr char kToken[] = "open sesame, open sesame";

class Strangers : public ::testing::Test {
 protected:
  Strangers() {
    std::ofstream(file_) << kToken << "\n";
    worker_ = std::make_unique<testing::WorkerProcess>(std::vector<std::string>{
        "--runtime", "softgpu", "--grace", "1", "--cache", "", "--max-sessions", "4", "--token-file", file_});
  }
  ~Strangers() override { unlink(file_.c_str()); }

  // Seconds until somebody who knows the token has been greeted.
  double welcome() {
    const auto start = std::chrono::steady_clock::now();
    TestClient client = connectTo(*worker_);
    prove(client, kToken);
    client.socket().setReceiveTimeout(std::chrono::seconds(20));
    EXPECT_EQ(client.hello().status, hipSuccess);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  static double processorSeconds(pid_t process) {
    std::ifstream file("/proc/" + std::to_string(process) + "/stat");
    std::string word;
    double ticks = 0;  // the 14th and the 15th word
    for (int i = 1; i <= 15 && file >> word; ++i)
      if (i >= 14) ticks += std::stod(word);
    return ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
  }
  std::vector<TestClient> crowd(int size) {
    std::vector<TestClient> out;
    for (int i = 0; i < size; ++i) out.push_back(connectTo(*worker_));
    return out;
  }
  // What is left of a connection after so many seconds.
  static bool closed(TestClient& client) {
    client.socket().setReceiveTimeout(std::chrono::seconds(1));
    std::byte byte;
    std::size_t got = 1;
    return client.socket().receiveSome(&byte, 1, &got).ok() && got == 0;
  }

  const std::string file_ = ::testing::TempDir() + "hipr-strangers-" + std::to_string(getpid());
  std::unique_ptr<testing::WorkerProcess> worker_;
};

TEST_F(Strangers, SilenceTakesNobodysPlace) {
  const std::vector<TestClient> silent = crowd(100);
  EXPECT_LT(welcome(), 2);
  EXPECT_TRUE(secondsUntil(5s, [&] { return worker_->sessions().empty(); }) < 5);  // there is no process for strangers
}

TEST_F(Strangers, ABeginningOfAGreetingTakesNobodysPlace) {
  std::vector<TestClient> slow = crowd(100);
  std::vector<std::byte> frame;
  wire::appendFrame(frame, Opcode::kChallenge, 1, 0, wire::Challenge{access::tokenNumber(kToken), {}});
  for (std::size_t i = 0; i < slow.size(); ++i) {
    const std::size_t part = i % (frame.size() - 1);
    ASSERT_TRUE(slow[i].socket().send(std::span(frame).first(part)).ok());
  }
  EXPECT_LT(welcome(), 2);
}

TEST_F(Strangers, AChallengeWithoutAProofTakesNobodysPlace) {
  std::vector<TestClient> unproved = crowd(100);
  for (TestClient& client : unproved) client.send<Opcode::kChallenge>({access::tokenNumber(kToken), {}});
  for (TestClient& client : unproved) EXPECT_TRUE(client.next().has_value());
  EXPECT_LT(welcome(), 2);
}

// One byte now and then does not buy more time.
TEST_F(Strangers, AGreetingHasOneDeadline) {
  std::vector<TestClient> slow = crowd(3);
  std::vector<std::byte> frame;
  wire::appendFrame(frame, Opcode::kChallenge, 1, 0, wire::Challenge{access::tokenNumber(kToken), {}});
  std::size_t sent = 0;
  const double seconds = secondsUntil(30s, [&] {
    for (TestClient& client : slow) (void)client.socket().send(std::span(frame).subspan(sent, 1));
    sent = std::min(sent + 1, frame.size() - 2);
    return closed(slow[0]);  // waits for a second
  });
  EXPECT_LT(seconds, 14);
}

TEST_F(Strangers, LongGreetingsAreRefusedAtOnce) {
  for (const std::uint64_t length : {std::uint64_t{65}, std::uint64_t{64} << 10, std::uint64_t{200} << 20}) {
    TestClient client = connectTo(*worker_);
    std::vector<std::byte> head(wire::kHeaderSize);
    wire::encodeHeader({.opcode = static_cast<std::uint16_t>(Opcode::kChallenge), .length = length}, head.data());
    ASSERT_TRUE(client.socket().send(head).ok());
    EXPECT_TRUE(client.expectPush<wire::Refused>(Opcode::kRefused)) << length;
  }
}

TEST_F(Strangers, WhoeverHasWaitedLongestMakesRoom) {
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  std::vector<TestClient> silent = crowd(400);
  EXPECT_LT(welcome(), 2);
  EXPECT_TRUE(closed(silent.front()));
  EXPECT_FALSE(closed(silent.back()));
}

TEST_F(Strangers, AGreetingWithoutAnEndIsRefused) {
  TestClient client = connectTo(*worker_);
  for (int i = 0; i < 100; ++i) client.send<Opcode::kNearby>({});
  const auto refused = client.expectPush<wire::Refused>(Opcode::kRefused);
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->text, "a greeting without an end");
  EXPECT_LT(client.seen.size(), 20u);  // answers
}

// The same over TLS, by somebody who knows the token.
TEST_F(Strangers, AProtectedGreetingWithoutAnEndIsRefused) {
  net::Socket socket;
  ASSERT_TRUE(net::connectTo({"127.0.0.1", static_cast<std::uint16_t>(worker_->port())}, 5, socket).ok());
  net::TransportPtr shielded;
  std::optional<tls::Binding> binding;
  ASSERT_TRUE(
      tls::connect(net::overSocket(std::move(socket), 5), {kToken, "", "", ""}, "worker", 5, shielded, binding).ok());
  std::vector<std::byte> proof;
  wire::appendFrame(proof, Opcode::kProof, 0, wire::HIP_REMOTE_FLAG_NO_REPLY, wire::Proof{});
  for (int i = 0; i < 100; ++i) (void)shielded->send(proof);  // each is a record of its own
  shielded->setTimeout(5000);
  std::byte head[wire::kHeaderSize];
  ASSERT_TRUE(shielded->receiveAll(head).ok());
  wire::Header header;
  ASSERT_TRUE(wire::decodeHeader(head, header));
  EXPECT_EQ(header.opcode, static_cast<std::uint16_t>(Opcode::kRefused));
}

// Whoever never stops talking neither keeps the supervisor from listening to others nor keeps it busy.
TEST_F(Strangers, AFloodOfGreetingsDelaysNobody) {
  std::vector<std::byte> flood;
  for (int i = 0; i < 8192; ++i) wire::appendFrame(flood, Opcode::kNearby, 0, 0, wire::Nearby{});
  TestClient client = connectTo(*worker_);
  std::thread attacker([&] {
    while (client.socket().send(flood).ok()) {
    }
  });
  std::this_thread::sleep_for(500ms);
  const double before = processorSeconds(worker_->pid());
  for (int i = 0; i < 3; ++i) EXPECT_LT(welcome(), 2);
  std::this_thread::sleep_for(2s);
  EXPECT_LT(processorSeconds(worker_->pid()) - before, 0.5);
  client.socket().shutdown();
  attacker.join();
}

// Garbage costs nobody anything either.
TEST_F(Strangers, NoiseIsTurnedAway) {
  for (int i = 0; i < 20; ++i) {
    TestClient client = connectTo(*worker_);
    sendBytes(client, 4096);
    EXPECT_TRUE(client.expectPush<wire::Refused>(Opcode::kRefused));
  }
  EXPECT_LT(welcome(), 2);
}

}  // namespace
}  // namespace hipr

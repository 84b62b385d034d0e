// Connections that are protected, as programs and workers make them: over loopback, where both are told to. What others
// see of them, who gets through, and who does not.
#include <gtest/gtest.h>

#include <algorithm>

#include "access/challenge.h"
#include "access/frame.h"
#include "net/socket_transport.h"
#include "telemetry/remote.h"
#include "testing/worker_process.h"
#include "tests/e2e/recorder.h"
#include "tests/e2e/tls_client.h"
#include "tls/client.h"
#include "tls/test_certificates.h"

namespace hipr {
namespace {

using testing::Outcome;
using testing::Recorder;
using testing::runClient;
using Environment = std::map<std::string, std::string>;

constexpr char kToken[] = "open sesame, open sesame", kOther[] = "open barley, open barley";

class Tls : public ::testing::Test {
 protected:
  Tls() {
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ + "token") << kToken << "\n";
  }
  ~Tls() override { std::filesystem::remove_all(folder_); }

  void start(const std::vector<std::string>& options) {
    std::vector<std::string> all{"--runtime", "softgpu", "--grace", "1", "--cache", "", "--require-tls"};
    all.insert(all.end(), options.begin(), options.end());
    worker_ = std::make_unique<testing::WorkerProcess>(all);
  }
  void startWithToken() { start({"--token-file", folder_ + "token"}); }

  Environment at(int port, Environment more = {}) const {
    more["TF_WORKER_HOST"] = "127.0.0.1";
    more["HIP_REMOTE_TRANSPORT"] = "tcp";
    more["TF_WORKER_PORT"] = std::to_string(port);
    if (!more.count("HIP_REMOTE_INSECURE")) more.emplace("HIP_REMOTE_TLS", "1");
    return more;
  }
  Environment withToken(int port, const std::string& token) const { return at(port, {{"HIP_REMOTE_TOKEN", token}}); }

  static void expectRefused(const Outcome& outcome, const std::string& why) {
    EXPECT_EQ(outcome.code, hipErrorNotInitialized);
    EXPECT_NE(outcome.said.find(why), std::string::npos) << outcome.said;
  }

  const std::string folder_ = ::testing::TempDir() + "hipr-tls-" + std::to_string(getpid()) + "/";
  std::unique_ptr<testing::WorkerProcess> worker_;
};

// The handshake, and Hello: no more round trips than with a token on a connection that is not protected.
TEST_F(Tls, ATokenIsAllItTakes) {
  startWithToken();
  const Outcome outcome = runClient(withToken(worker_->port(), kToken));
  EXPECT_EQ(outcome.code, 0) << outcome.said;
  Outcome plain;
  {
    const testing::WorkerProcess open({"--runtime", "softgpu", "--grace", "1", "--cache", ""});
    plain = runClient(at(open.port(), {{"HIP_REMOTE_INSECURE", "1"}}));
  }
  const auto waited = [](const Outcome& run) {
    const std::size_t found = run.stats.find(" waited=");
    return found == std::string::npos ? -1 : std::atoi(run.stats.c_str() + found + 8);
  };
  EXPECT_GT(waited(plain), 0);
  EXPECT_EQ(waited(outcome), waited(plain) + 1);
}

TEST_F(Tls, AListenerLearnsNothing) {
  startWithToken();
  const Recorder recorder(worker_->port());
  const Outcome outcome = runClient(withToken(recorder.port(), kToken));
  ASSERT_EQ(outcome.code, 0) << outcome.said;
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").filename();
  for (const std::string& bytes : {recorder.fromClient(), recorder.fromWorker()}) {
    EXPECT_GT(bytes.size(), 1u << 20);
    const std::vector<int> kinds = testing::recordKinds(bytes);
    EXPECT_EQ(std::ranges::count(kinds, -1), 0);
    for (const std::string& secret : {std::string("what a listener"), std::string(kToken), std::string("RPIH"),
                                      std::string("HIPR"), std::string("gfx90a"), program})
      EXPECT_EQ(bytes.find(secret), std::string::npos) << secret;
  }
}

TEST_F(Tls, AWrongTokenGetsAnAlertAndNothingElse) {
  startWithToken();
  const Recorder recorder(worker_->port());
  expectRefused(runClient(withToken(recorder.port(), kOther)), "the worker refused the token");
  const std::string said = recorder.fromWorker();
  EXPECT_EQ(testing::recordKinds(said), std::vector<int>{21});
  EXPECT_LT(said.size(), 16u);
  EXPECT_TRUE(worker_->sessions().empty());
}

TEST_F(Tls, WhoeverDoesNotSpeakItIsToldSo) {
  startWithToken();
  expectRefused(runClient(at(worker_->port(), {{"HIP_REMOTE_TOKEN", kToken}, {"HIP_REMOTE_INSECURE", "1"}})),
                "speaks TLS only");
}

TEST_F(Tls, AProgramWithNothingToShowIsToldWhatToSet) {
  startWithToken();
  expectRefused(runClient(at(worker_->port())), "HIP_REMOTE_TOKEN_FILE");
}

// Somebody in between answers for a worker that, it seems, speaks no TLS. A program with a token does not fall for it.
TEST_F(Tls, NobodyTalksAProgramOutOfIt) {
  net::Socket listener;
  std::uint16_t port = 0;
  ASSERT_TRUE(net::listenOn("127.0.0.1", 0, listener, &port).ok());
  std::string heard;
  std::thread liar([&] {
    net::Socket client(::accept(listener.fd(), nullptr, nullptr));
    std::vector<std::byte> frame;
    wire::appendFrame(frame, wire::Opcode::kRefused, 0, 0, wire::Refused{0, "speak plainly"});
    (void)client.send(frame);
    char buffer[4096];
    client.setReceiveTimeout(5);
    for (std::size_t got = 1; client.receiveSome(buffer, sizeof buffer, &got).ok() && got;) heard.append(buffer, got);
  });
  expectRefused(runClient(withToken(port, kToken)), "does not speak TLS");
  liar.join();
  const std::vector<int> kinds = testing::recordKinds(heard);
  EXPECT_EQ(kinds, std::vector<int>{22}) << "its greeting, and nothing after the lie";
}

TEST_F(Tls, ATokenCanBeReplacedWhileASessionGoesOn) {
  startWithToken();
  int ready[2], go[2];
  ASSERT_TRUE(pipe(ready) == 0 && pipe(go) == 0);
  const pid_t child = fork();
  if (child == 0) {
    for (const auto& [name, value] : withToken(worker_->port(), kToken)) setenv(name.c_str(), value.c_str(), 1);
    worker::HipTable api;
    void* memory = nullptr;
    if (!loadHip(testing::remoteLibrary(), api).ok() || api.hipMalloc(&memory, 4096) != hipSuccess ||
        api.hipDeviceSynchronize() != hipSuccess)
      _exit(1);
    char byte = 'r';
    if (write(ready[1], &byte, 1) != 1 || read(go[0], &byte, 1) != 1) _exit(2);
    _exit(api.hipMemset(memory, 1, 4096) == hipSuccess && api.hipDeviceSynchronize() == hipSuccess ? 0 : 3);
  }
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  std::ofstream(folder_ + "token") << kOther << "\n";
  EXPECT_EQ(runClient(withToken(worker_->port(), kOther)).code, 0);
  expectRefused(runClient(withToken(worker_->port(), kToken)), "the worker refused the token");
  ASSERT_EQ(write(go[1], &byte, 1), 1);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

TEST_F(Tls, TelemetryIsProtectedToo) {
  startWithToken();
  const Recorder recorder(worker_->port());
  const telemetry::RemoteOptions options{{"127.0.0.1", static_cast<std::uint16_t>(recorder.port())}, 10, 10};
  std::unique_ptr<telemetry::Remote> remote;
  setenv("HIP_REMOTE_TLS", "1", 1);
  setenv("HIP_REMOTE_TOKEN", kToken, 1);
  const Status status = telemetry::Remote::connect(options, remote);
  ASSERT_TRUE(status.ok()) << status.message();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(remote->read().size(), 1u);
  EXPECT_TRUE(remote->failure().ok());
  remote.reset();
  setenv("HIP_REMOTE_TOKEN", kOther, 1);
  EXPECT_NE(telemetry::Remote::connect(options, remote).message().find("refused the token"), std::string::npos);
  unsetenv("HIP_REMOTE_TLS");
  unsetenv("HIP_REMOTE_TOKEN");
  EXPECT_EQ(std::ranges::count(testing::recordKinds(recorder.fromClient()), -1), 0);
  EXPECT_EQ(std::ranges::count(testing::recordKinds(recorder.fromWorker()), -1), 0);
  EXPECT_EQ(recorder.fromWorker().find("gfx"), std::string::npos);
}

class TlsCertificates : public Tls {
 protected:
  TlsCertificates() {
    authority_.issue(folder_, "worker", 1);
    authority_.issue(folder_, "late", -1);
    authority_.issue(folder_, "alice", 1);
    authority_.issue(folder_, "bob", 1);
    stranger_.issue(folder_, "mallory", 1);
    authority_.write(folder_ + "ca.crt");
    stranger_.write(folder_ + "other-ca.crt");
  }
  std::vector<std::string> shows(const std::string& name, std::vector<std::string> more = {}) const {
    more.insert(more.end(), {"--tls-cert", folder_ + name + ".crt", "--tls-key", folder_ + name + ".key"});
    return more;
  }
  Environment trusting(const std::string& authority, const std::string& name = "",
                       const std::string& token = "") const {
    Environment out = at(worker_->port(), {{"HIP_REMOTE_TLS_CA", folder_ + authority}});
    if (!name.empty()) {
      out["HIP_REMOTE_TLS_CERT"] = folder_ + name + ".crt";
      out["HIP_REMOTE_TLS_KEY"] = folder_ + name + ".key";
    }
    if (!token.empty()) out["HIP_REMOTE_TOKEN"] = token;
    return out;
  }
  const tls::TestAuthority authority_{"the authority"}, stranger_{"another authority"};
};

TEST_F(TlsCertificates, OfTheWorkerAndAToken) {
  start(shows("worker", {"--token-file", folder_ + "token"}));
  const Outcome right = runClient(trusting("ca.crt", "", kToken));
  EXPECT_EQ(right.code, 0) << right.said;
  expectRefused(runClient(trusting("ca.crt", "", kOther)), "the token is wrong");
  expectRefused(runClient(trusting("ca.crt")), "wants a token");
  expectRefused(runClient(trusting("other-ca.crt", "", kToken)), "certificate");
  EXPECT_EQ(runClient(withToken(worker_->port(), kToken)).code, 0);  // without looking at the certificate
}

TEST_F(TlsCertificates, ThatHaveExpiredAreRefused) {
  start(shows("late", {"--token-file", folder_ + "token"}));
  expectRefused(runClient(trusting("ca.crt", "", kToken)), "expired");
}

TEST_F(TlsCertificates, OfBothSides) {
  start(shows("worker", {"--tls-client-ca", folder_ + "ca.crt"}));
  const Outcome right = runClient(trusting("ca.crt", "alice"));
  EXPECT_EQ(right.code, 0) << right.said;
  expectRefused(runClient(trusting("ca.crt", "mallory")), "does not trust who signed our certificate");
  expectRefused(runClient(trusting("ca.crt", "late")), "expired");
  expectRefused(runClient(trusting("ca.crt")), "wants a certificate");
  expectRefused(runClient(trusting("other-ca.crt", "alice")), "certificate");
  expectRefused(runClient(withToken(worker_->port(), kToken)), "the worker refused the token");
}

TEST_F(TlsCertificates, AreReplacedWhileTheWorkerRuns) {
  start(shows("late", {"--token-file", folder_ + "token"}));
  expectRefused(runClient(trusting("ca.crt", "", kToken)), "expired");
  for (const char* ending : {".key", ".crt"})
    std::filesystem::copy_file(folder_ + "worker" + ending, folder_ + "late" + ending,
                               std::filesystem::copy_options::overwrite_existing);
  EXPECT_EQ(runClient(trusting("ca.crt", "", kToken)).code, 0);
}

TEST_F(TlsCertificates, IdentitiesHaveTheirOwnTokensCertificatesAndNumberOfSessions) {
  std::ofstream(folder_ + "who") << "carol token=" << "carols-own-secret-token"
                                 << " sessions=1\nalice certificate=alice\n";
  start(shows("worker", {"--tls-client-ca", folder_ + "ca.crt", "--identities", folder_ + "who"}));
  EXPECT_EQ(runClient(trusting("ca.crt", "alice")).code, 0);
  EXPECT_EQ(runClient(withToken(worker_->port(), "carols-own-secret-token")).code, 0);
  expectRefused(runClient(trusting("ca.crt", "bob")), "does not serve \"bob\"");
  expectRefused(runClient(withToken(worker_->port(), kToken)), "the worker refused the token");
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    for (const auto& [name, value] : withToken(worker_->port(), "carols-own-secret-token"))
      setenv(name.c_str(), value.c_str(), 1);
    worker::HipTable api;
    char byte = loadHip(testing::remoteLibrary(), api).ok() && api.hipInit(0) == hipSuccess ? 'y' : 'n';
    if (write(ready[1], &byte, 1) != 1) _exit(1);
    pause();
    _exit(0);
  }
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  EXPECT_EQ(byte, 'y');
  expectRefused(runClient(withToken(worker_->port(), "carols-own-secret-token")), "carol has 1 sessions already");
  EXPECT_EQ(runClient(trusting("ca.crt", "alice")).code, 0);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  // Out of the file, out of the worker, which is told by SIGHUP or notices.
  std::ofstream(folder_ + "who") << "alice certificate=alice\n";
  kill(worker_->pid(), SIGHUP);
  expectRefused(runClient(withToken(worker_->port(), "carols-own-secret-token")), "the worker refused the token");
  std::ofstream(folder_ + "who") << "nonsense\n";
  EXPECT_EQ(runClient(trusting("ca.crt", "alice")).code, 0) << "what was true before stays so";
}

TEST_F(Tls, AnIdentityGetsItsShareOfTheMemoryAndNoMore) {
  std::ofstream(folder_ + "who") << "dave token=daves-own-secret-token vram=64M\n";
  start({"--identities", folder_ + "who"});
  const pid_t child = fork();
  if (child == 0) {
    for (const auto& [name, value] : withToken(worker_->port(), "daves-own-secret-token"))
      setenv(name.c_str(), value.c_str(), 1);
    worker::HipTable api;
    void* memory = nullptr;
    if (!loadHip(testing::remoteLibrary(), api).ok() || api.hipMalloc(&memory, 48 << 20) != hipSuccess) _exit(1);
    _exit(api.hipMalloc(&memory, 48 << 20) == hipErrorOutOfMemory ? 0 : 2);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

// A worker that a client trusts passes the client's proof on to another worker with the same token.
TEST_F(TlsCertificates, AProofThatIsRelayedIsWorthNothing) {
  start(shows("worker", {"--token-file", folder_ + "token"}));
  const auto hello = [&](bool relayed) {
    net::Socket socket;
    EXPECT_TRUE(net::connectTo({"127.0.0.1", static_cast<std::uint16_t>(worker_->port())}, 5, socket).ok());
    net::TransportPtr transport;
    std::optional<tls::Binding> binding;
    tls::ClientIdentity identity;
    identity.authority = folder_ + "ca.crt";
    Status status = tls::connect(net::overSocket(std::move(socket), 10), identity, "localhost", 10, transport, binding);
    EXPECT_TRUE(status.ok() && binding) << status.message();
    tls::Binding victims = *binding;
    if (relayed) victims[0] ^= 1;
    EXPECT_TRUE(access::present(*transport, kToken, victims, 10).ok());
    std::vector<std::byte> frame, payload;
    wire::appendFrame(frame, wire::Opcode::kSmiOpen, 1, 0, wire::SmiOpen{});
    (void)transport->send(net::Transport::Part(frame));
    wire::Header header;
    transport->setTimeout(10000);
    return access::receiveFrame(*transport, 1 << 20, header, payload);
  };
  EXPECT_TRUE(hello(false).ok());
  const Status refused = hello(true);
  EXPECT_TRUE(refused.message().starts_with("refused: the token is wrong")) << refused.message();
}

}  // namespace
}  // namespace hipr

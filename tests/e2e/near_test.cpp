// A client and a worker on one machine share memory, unless told otherwise or somebody stands between them. Each
// program runs in a process of its own; which way its bytes went is what the library itself counts.
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <vector>

#include "net/ring.h"
#include "net/ring_transport.h"
#include "net/socket_transport.h"
#include "platform/unix_socket.h"
#include "testing/hip.h"
#include "tests/e2e/attack_fixture.h"
#include "wire/append.h"

namespace hipr {
namespace {

using testing::Hip;

constexpr int kCannotConnect = 77;

// Kernels, copies of all paths, host memory that a kernel writes.
void useEverything() {
  Hip hip;
  if (!hip.load(testing::remoteLibrary()).ok()) _exit(kCannotConnect);
  constexpr std::size_t kSize = 9 << 20;
  std::vector<unsigned char> out(kSize), in(kSize);
  for (std::size_t i = 0; i < kSize; ++i) out[i] = static_cast<unsigned char>(i * 2654435761u >> 13);
  void *device = nullptr, *pinned = nullptr;
  HIPR_CHECK(hip, hipMalloc(&device, kSize));
  HIPR_CHECK(hip, hipMemcpy(device, out.data(), kSize, hipMemcpyHostToDevice));
  HIPR_CHECK(hip, hipMemcpy(in.data(), device, kSize, hipMemcpyDeviceToHost));
  if (in != out) _exit(3);
  HIPR_CHECK(hip, hipHostMalloc(&pinned, 64 * sizeof(float), 0));
  int rounds = 5;
  for (int i = 0; i < 200; ++i) {
    void* arguments[] = {&pinned, &rounds};
    hip.launch(hip.work, 1, 64, arguments);
    HIPR_CHECK(hip, hipStreamSynchronize(hip.stream));
    for (int item = 0; item < 64; ++item)
      if (static_cast<float*>(pinned)[item] != testing::workResult(item, rounds)) _exit(4);
  }
}

struct Outcome {
  int status = -1;
  std::string transport;  // as the library counts it
  long long bytes = -1;   // both ways, likewise
};

Outcome run(const std::function<void()>& program, const std::vector<std::pair<std::string, std::string>>& environment) {
  char file[] = "/tmp/hip-remote-near-XXXXXX";
  close(mkstemp(file));
  const pid_t child = fork();
  if (child == 0) {
    setenv("HIP_REMOTE_STATS", file, 1);
    for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
    program();
    std::exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  std::string line;
  std::ifstream in(file);
  std::getline(in, line);
  std::filesystem::remove(file);
  const std::size_t at = line.find("transport=");
  const auto number = [&line](const char* name) {
    const std::size_t found = line.find(name);
    return found == std::string::npos ? 0 : std::atoll(line.c_str() + found + std::string_view(name).size());
  };
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status),
          at == std::string::npos ? "" : line.substr(at + 10), number(" sent=") + number(" received=")};
}

Outcome run(const std::vector<std::pair<std::string, std::string>>& environment) {
  return run(useEverything, environment);
}

const std::vector<std::string> kSoftgpu = {"--runtime", "softgpu", "--grace", "1"};

std::vector<std::string> with(std::vector<std::string> more) {
  more.insert(more.begin(), kSoftgpu.begin(), kSoftgpu.end());
  return more;
}

struct Near : ::testing::Test {
  Near() { unsetenv("HIP_REMOTE_TRANSPORT"); }
};

TEST_F(Near, TcpWithinAMachineBecomesSharedMemory) {
  testing::WorkerProcess worker;
  worker.use();
  for (const char* way : {"auto", "shm"}) {
    const Outcome outcome = run({{"HIP_REMOTE_TRANSPORT", way}});
    EXPECT_EQ(outcome.status, 0);
    EXPECT_EQ(outcome.transport, "shm");
  }
}

TEST_F(Near, TcpStaysTcpWhenToldSo) {
  testing::WorkerProcess worker;
  worker.use();
  const Outcome outcome = run({{"HIP_REMOTE_TRANSPORT", "tcp"}});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.transport, "tcp");
}

TEST_F(Near, AUnixSocketIsAWorkersAddressToo) {
  const std::string path = "/tmp/hip-remote-near-" + std::to_string(getpid()) + ".sock";
  testing::WorkerProcess worker(with({"--bind", "127.0.0.1", "--bind", "unix:" + path}));
  const Outcome shared = run({{"TF_WORKER_HOST", "unix:" + path}});
  EXPECT_EQ(shared.status, 0);
  EXPECT_EQ(shared.transport, "shm");
  const Outcome socket = run({{"TF_WORKER_HOST", "unix:" + path}, {"HIP_REMOTE_TRANSPORT", "tcp"}});
  EXPECT_EQ(socket.status, 0);
  EXPECT_EQ(socket.transport, "tcp");
  EXPECT_EQ(worker.terminate(), 0);
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(Near, NonsenseIsAnError) {
  testing::WorkerProcess worker;
  worker.use();
  EXPECT_EQ(run({{"HIP_REMOTE_TRANSPORT", "carrier pigeon"}}).status, kCannotConnect);
}

// Whoever put something between the two meant it.
TEST_F(Near, ARelayIsNotAvoided) {
  testing::WorkerProcess worker;
  net::Socket listener;
  std::uint16_t port = 0;
  ASSERT_TRUE(net::listenOn("127.0.0.1", 0, listener, &port).ok());
  std::atomic<bool> over{false};
  std::atomic<int> served{0};
  std::thread relay([&] {
    while (!over) {
      pollfd entry{listener.fd(), POLLIN, 0};
      if (poll(&entry, 1, 50) <= 0) continue;
      net::Socket client(accept(listener.fd(), nullptr, nullptr)), there;
      if (!net::connectTo({"127.0.0.1", static_cast<std::uint16_t>(worker.port())}, 5, there).ok()) continue;
      ++served;
      for (bool open = true; open;) {
        pollfd both[] = {{client.fd(), POLLIN, 0}, {there.fd(), POLLIN, 0}};
        poll(both, 2, -1);
        for (int i : {0, 1}) {
          if (!both[i].revents) continue;
          std::byte bytes[64 << 10];
          std::size_t got = 0;
          net::Socket &from = i ? there : client, &to = i ? client : there;
          open = open && from.receiveSome(bytes, sizeof bytes, &got).ok() && got &&
                 to.send(std::span<const std::byte>(bytes, got)).ok();
        }
      }
    }
  });
  const std::string host = "127.0.0.1:" + std::to_string(port);
  const Outcome outcome = run({{"TF_WORKER_HOST", host}});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.transport, "tcp");
  EXPECT_EQ(served, 1);
  EXPECT_EQ(run({{"TF_WORKER_HOST", host}, {"HIP_REMOTE_TRANSPORT", "shm"}}).status, kCannotConnect);
  over = true;
  relay.join();
}

// Somebody else at a worker's port leads the client to no socket but one with a worker's name.
TEST_F(Near, NoOtherNameIsTaken) {
  const std::string digits = "0123456789abcdef0123456789abcdef";
  for (const std::string& name : {"@hip-remote-" + digits.substr(1), "@hip-remote-" + digits + "0",
                                  "@hip-remote-" + digits.substr(1) + "X", "@elsewhere-" + digits}) {
    SCOPED_TRACE(name);
    net::Socket listener, elsewhere;
    std::uint16_t port = 0;
    ASSERT_TRUE(net::listenOn("127.0.0.1", 0, listener, &port).ok());
    ASSERT_TRUE(net::listenUnix(name, elsewhere).ok());
    std::atomic<bool> over{false};
    std::thread liar([&] {
      while (!over) {
        pollfd entry{listener.fd(), POLLIN, 0};
        if (poll(&entry, 1, 50) <= 0) continue;
        net::Socket client(accept(listener.fd(), nullptr, nullptr));
        client.setReceiveTimeout(5);
        std::byte head[wire::kHeaderSize];
        wire::Header header;
        if (!client.receive(head, sizeof head).ok() || !wire::decodeHeader(head, header)) continue;
        std::vector<std::byte> payload(header.length), answer;
        if (!client.receive(payload.data(), payload.size()).ok()) continue;
        if (static_cast<wire::Opcode>(header.opcode) != wire::Opcode::kNearby) continue;
        wire::appendFrame(answer, wire::Opcode::kNearby, 0, wire::HIP_REMOTE_FLAG_REPLY, wire::NearbyReply{name});
        EXPECT_TRUE(client.send(answer).ok());
      }
    });
    const std::string host = "127.0.0.1:" + std::to_string(port);
    EXPECT_EQ(run({{"TF_WORKER_HOST", host}, {"TF_IO_TIMEOUT", "5"}}).status, kCannotConnect);
    over = true;
    liar.join();
    pollfd entry{elsewhere.fd(), POLLIN, 0};
    EXPECT_EQ(poll(&entry, 1, 0), 0) << "the client came";
  }
}

TEST_F(Near, ATokenIsWantedAsEverywhere) {
  const std::string file = "/tmp/hip-remote-near-token-" + std::to_string(getpid());
  std::ofstream(file) << "0123456789abcdef0123456789abcdef\n";
  std::filesystem::permissions(file, std::filesystem::perms::owner_read);
  testing::WorkerProcess worker(with({"--token-file", file}));
  worker.use();
  EXPECT_EQ(run({}).status, kCannotConnect);
  const Outcome outcome = run({{"HIP_REMOTE_TOKEN_FILE", file}});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.transport, "shm");
  std::filesystem::remove(file);
}

TEST_F(Near, ASessionEndsWithItsClient) {
  testing::WorkerProcess worker;
  worker.use();
  EXPECT_EQ(run(
                [] {
                  Hip hip;
                  if (!hip.load(testing::remoteLibrary()).ok()) _exit(kCannotConnect);
                  raise(SIGKILL);
                },
                {})
                .status,
            -SIGKILL);
  EXPECT_LT(secondsUntil(5s, [&] { return worker.sessions().empty(); }), 5);
}

TEST_F(Near, AClientLearnsThatItsSessionIsGone) {
  testing::WorkerProcess worker;
  worker.use();
  const Outcome outcome = run(
      [&] {
        Hip hip;
        if (!hip.load(testing::remoteLibrary()).ok()) _exit(kCannotConnect);
        HIPR_CHECK(hip, hipDeviceSynchronize());
        for (const pid_t session : worker.sessions()) kill(session, SIGKILL);
        std::size_t free = 0, total = 0;
        if (hip.api.hipMemGetInfo(&free, &total) == hipSuccess) _exit(5);
        _exit(0);
      },
      {});
  EXPECT_EQ(outcome.status, 0);
}

// The refusal comes through memory, and in words.
TEST_F(Near, WhoeverIsNotServedIsToldSo) {
  testing::WorkerProcess worker(with({"--max-sessions", "1"}));
  worker.use();
  const Outcome outcome = run(
      [] {
        Hip first;
        if (!first.load(testing::remoteLibrary()).ok()) _exit(kCannotConnect);
        const Outcome second = run({});
        _exit(second.status == kCannotConnect ? 0 : 6);
      },
      {});
  EXPECT_EQ(outcome.status, 0);
}

// --- host memory

TEST_F(Near, PinnedMemoryIsSharedAndNotSent) {
  testing::WorkerProcess worker;
  worker.use();
  const auto program = [] {
    constexpr std::size_t kSize = 64 << 20;
    Hip hip;
    if (!hip.load(testing::remoteLibrary()).ok()) _exit(kCannotConnect);
    void *device = nullptr, *one = nullptr, *other = nullptr;
    HIPR_CHECK(hip, hipMalloc(&device, kSize));
    HIPR_CHECK(hip, hipHostMalloc(&one, kSize, 0));
    HIPR_CHECK(hip, hipMallocManaged(&other, kSize, hipMemAttachGlobal));
    auto* words = static_cast<std::uint32_t*>(one);
    for (std::size_t i = 0; i < kSize / 4; ++i) words[i] = static_cast<std::uint32_t>(i * 2654435761u);
    HIPR_CHECK(hip, hipMemcpyAsync(device, one, kSize, hipMemcpyHostToDevice, hip.stream));
    HIPR_CHECK(hip, hipMemcpyAsync(other, device, kSize, hipMemcpyDeviceToHost, hip.stream));
    HIPR_CHECK(hip, hipStreamSynchronize(hip.stream));
    if (std::memcmp(one, other, kSize) != 0) _exit(3);
    HIPR_CHECK(hip, hipMemcpy(device, other, kSize, hipMemcpyHostToDevice));
    std::memset(other, 0, kSize);  // after the call has returned: what it read was there
    HIPR_CHECK(hip, hipMemcpy(other, device, kSize, hipMemcpyDeviceToHost));
    if (std::memcmp(one, other, kSize) != 0) _exit(4);
    HIPR_CHECK(hip, hipHostFree(one));
    HIPR_CHECK(hip, hipHostMalloc(&one, kSize, 0));  // at the same address: another memory
    for (std::size_t i = 0; i < kSize; ++i)
      if (static_cast<char*>(one)[i]) _exit(5);
    HIPR_CHECK(hip, hipMemcpy(one, device, kSize, hipMemcpyDeviceToHost));
    if (std::memcmp(one, other, kSize) != 0) _exit(6);
  };
  const Outcome near = run(program, {{"HIP_REMOTE_TRANSPORT", "shm"}});
  EXPECT_EQ(near.status, 0);
  EXPECT_LT(near.bytes, 1 << 20);
  // A busy machine makes a slow line, over which nothing would be sent twice.
  const Outcome far = run(program, {{"HIP_REMOTE_TRANSPORT", "tcp"}, {"HIP_REMOTE_DATA_CACHE", "off"}});
  EXPECT_EQ(far.status, 0);
  EXPECT_GT(far.bytes, 300 << 20);
}

TEST_F(Near, ManyAllocationsAtOnceKeepTheirOrder) {
  testing::WorkerProcess worker;
  worker.use();
  const Outcome outcome = run(
      [] {
        Hip hip;
        if (!hip.load(testing::remoteLibrary()).ok()) _exit(kCannotConnect);
        int* device = nullptr;
        HIPR_CHECK(hip, hipMalloc(reinterpret_cast<void**>(&device), sizeof(int)));
        std::vector<std::thread> threads;
        for (int t = 0; t < 4; ++t) {
          threads.emplace_back([&hip, t] {
            for (int i = 0; i < 500; ++i) {
              const std::size_t size = 4096 * (1 + static_cast<std::size_t>(i * 7 + t) % 5);
              void *from = nullptr, *to = nullptr;
              HIPR_CHECK(hip, hipHostMalloc(&from, size, 0));
              HIPR_CHECK(hip, hipHostMalloc(&to, size, 0));
              std::memset(from, i + t, size);
              HIPR_CHECK(hip, hipMemcpy(to, from, size, hipMemcpyHostToHost));
              if (std::memcmp(from, to, size) != 0) _exit(3);
              HIPR_CHECK(hip, hipHostFree(from));
              HIPR_CHECK(hip, hipHostFree(to));
            }
          });
        }
        for (std::thread& thread : threads) thread.join();
      },
      {});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.transport, "shm");
}

// What is 0 through a network is what it is on the device where host and kernels have the same memory.
TEST_F(Near, AttributesSayWhatIsTrue) {
  testing::WorkerProcess worker;
  worker.use();
  const auto asked = [](const std::string& library) {
    Hip hip;
    if (!hip.load(library).ok()) _exit(kCannotConnect);
    int bits = 0;
    for (const hipDeviceAttribute_t attribute :
         {hipDeviceAttributeHostNativeAtomicSupported, hipDeviceAttributeConcurrentManagedAccess,
          hipDeviceAttributeDirectManagedMemAccessFromHost, hipDeviceAttributePageableMemoryAccess}) {
      int value = 0;
      HIPR_CHECK(hip, hipDeviceGetAttribute(&value, attribute, 0));
      bits = 2 * bits + (value != 0);
    }
    std::exit(bits);
  };
  const auto remotely = [&] { asked(testing::remoteLibrary()); };
  const int direct = run([&] { asked(testing::softgpuLibrary()); }, {}).status;
  EXPECT_EQ(run(remotely, {{"HIP_REMOTE_TRANSPORT", "shm"}}).status, direct & ~1);
  EXPECT_EQ(run(remotely, {{"HIP_REMOTE_TRANSPORT", "tcp"}}).status, 0);
}

// --- those who share what they should not

struct Stranger : Near {
  const std::string path = "/tmp/hip-remote-stranger-" + std::to_string(getpid()) + ".sock";
  testing::WorkerProcess worker{with({"--bind", "127.0.0.1", "--bind", "unix:" + path})};

  net::Socket connect() {
    net::Socket socket;
    EXPECT_TRUE(net::connectUnix(path, socket).ok());
    socket.setReceiveTimeout(5);
    return socket;
  }

  static std::vector<std::byte> shareFrame() {
    std::vector<std::byte> frame;
    wire::appendFrame(frame, wire::Opcode::kShare, 0, wire::HIP_REMOTE_FLAG_NO_REPLY,
                      wire::Share{net::ringMemorySize()});
    return frame;
  }

  static std::uint16_t answerTo(net::Socket& socket) {
    std::byte head[wire::kHeaderSize];
    wire::Header header;
    if (!socket.receive(head, sizeof head).ok() || !wire::decodeHeader(head, header)) return 0;
    return header.opcode;
  }

  void expectRefusal(int descriptor) {
    net::Socket socket = connect();
    if (descriptor >= 0) {
      ASSERT_TRUE(platform::sendDescriptor(socket.fd(), shareFrame(), descriptor));
    } else {
      ASSERT_TRUE(socket.send(std::span<const std::byte>(shareFrame())).ok());
    }
    EXPECT_EQ(answerTo(socket), static_cast<std::uint16_t>(wire::Opcode::kRefused));
    if (descriptor >= 0) close(descriptor);
  }

  void expectService() {
    EXPECT_EQ(run({{"TF_WORKER_HOST", "unix:" + path}}).status, 0);
    EXPECT_LT(secondsUntil(5s, [&] { return worker.sessions().empty(); }), 5);
  }
};

TEST_F(Stranger, MemoryThatIsNotWhatItShouldBeIsRefused) {
  const int before = worker.openDescriptors();
  expectRefusal(-1);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  expectRefusal(ends[0]);
  close(ends[1]);
  const int shrinkable = memfd_create("shrinkable", MFD_ALLOW_SEALING);
  ASSERT_EQ(ftruncate(shrinkable, static_cast<off_t>(net::ringMemorySize())), 0);
  expectRefusal(shrinkable);
  platform::SharedMemory small;
  ASSERT_TRUE(platform::SharedMemory::make(4096, small).ok());
  expectRefusal(dup(small.descriptor()));
  EXPECT_LT(secondsUntil(5s, [&] { return worker.openDescriptors() <= before; }), 5);
  expectService();
}

TEST_F(Stranger, MemoryDoesNotTravelOverTcp) {
  net::Socket socket;
  ASSERT_TRUE(net::connectTo({"127.0.0.1", static_cast<std::uint16_t>(worker.port())}, 5, socket).ok());
  socket.setReceiveTimeout(5);
  ASSERT_TRUE(socket.send(std::span<const std::byte>(shareFrame())).ok());
  EXPECT_EQ(answerTo(socket), static_cast<std::uint16_t>(wire::Opcode::kRefused));
}

TEST_F(Stranger, WhoeverLiesAboutPositionsLosesItsSessionOnly) {
  for (const std::uint64_t lie : {std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
    net::Socket socket = connect();
    platform::SharedMemory memory;
    ASSERT_TRUE(net::makeRingMemory(memory).ok());
    ASSERT_TRUE(platform::sendDescriptor(socket.fd(), shareFrame(), memory.descriptor()));
    reinterpret_cast<net::RingWords*>(memory.bytes().data())->written = lie;
    const std::byte bell{};
    ASSERT_TRUE(socket.send({&bell, 1}).ok());
    std::byte byte;
    std::size_t got = 1;
    EXPECT_TRUE(socket.receiveSome(&byte, 1, &got).ok());  // its end, at most after a ring
    EXPECT_LT(secondsUntil(5s, [&] { return worker.sessions().empty(); }), 5);
  }
  expectService();
}

TEST_F(Stranger, HostMemoryThatIsNotWhatItShouldBeEndsTheSession) {
  platform::SharedMemory small;
  ASSERT_TRUE(platform::SharedMemory::make(4096, small).ok());
  const int shrinkable = memfd_create("shrinkable", MFD_ALLOW_SEALING);
  ASSERT_EQ(ftruncate(shrinkable, 8192), 0);
  for (const int descriptor : {-1, small.descriptor(), shrinkable}) {
    net::Socket socket = connect();
    platform::SharedMemory memory;
    ASSERT_TRUE(net::makeRingMemory(memory).ok());
    ASSERT_TRUE(platform::sendDescriptor(socket.fd(), shareFrame(), memory.descriptor()));
    const std::byte bell{};
    if (descriptor >= 0) {
      ASSERT_TRUE(platform::sendDescriptor(socket.fd(), {&bell, 1}, descriptor));
    }
    net::TransportPtr ring;
    ASSERT_TRUE(
        net::overRing(net::overSocket(std::move(socket), 5), std::move(memory), net::RingSide::kFirst, 5, ring).ok());
    ring->setTimeout(5000);
    std::vector<std::byte> frames;
    wire::Hello hello;
    hello.deviceBase = worker::kTestDeviceBase;
    hello.deviceSize = worker::kTestDeviceSize;
    hello.hostBase = worker::kTestHostBase;
    hello.hostSize = worker::kTestHostSize;
    wire::appendFrame(frames, wire::Opcode::kHello, 1, 0, hello);
    wire::appendFrame(frames, wire::Opcode::kShareHost, 0, wire::HIP_REMOTE_FLAG_NO_REPLY,
                      wire::ShareHost{worker::kTestHostBase, 8192});
    ASSERT_TRUE(ring->send(net::Transport::Part(frames)).ok());
    for (bool refused = false; !refused;) {
      std::byte head[wire::kHeaderSize];
      wire::Header header;
      ASSERT_TRUE(ring->receiveAll(head).ok());
      ASSERT_TRUE(wire::decodeHeader(head, header));
      std::vector<std::byte> payload(header.length);
      ASSERT_TRUE(ring->receiveAll(payload).ok());
      refused = header.opcode == static_cast<std::uint16_t>(wire::Opcode::kRefused);
    }
    ring.reset();
    EXPECT_LT(secondsUntil(5s, [&] { return worker.sessions().empty(); }), 5);
  }
  close(shrinkable);
  expectService();
}

// Half a frame must not keep the supervisor busy: it would take all of a processor.
TEST_F(Stranger, HalfAFrameCostsNothing) {
  net::Socket socket = connect();
  ASSERT_TRUE(socket.send(std::span<const std::byte>(shareFrame()).first(10)).ok());
  const auto ticks = [this] {
    std::ifstream stat("/proc/" + std::to_string(worker.pid()) + "/stat");
    std::string text;
    for (int i = 0; i < 13; ++i) stat >> text;
    long user = 0, system = 0;
    stat >> user >> system;
    return user + system;
  };
  const long before = ticks();
  std::this_thread::sleep_for(1s);
  EXPECT_LT(ticks() - before, sysconf(_SC_CLK_TCK) / 4);
  expectService();
}

}  // namespace
}  // namespace hipr

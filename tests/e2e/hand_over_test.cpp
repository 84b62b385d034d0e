// A worker is upgraded or restarted while programs use it: sessions go on, nobody is turned away, and the books are
// right afterwards.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <optional>

#include "net/socket.h"
#include "testing/eventually.h"
#include "testing/worker_process.h"
#include "tests/e2e/checked_program.h"

namespace hipr {
namespace {

using testing::eventually;
using testing::WorkerProcess;
using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

// A program that checks its results until it is told to stop, and then says whether they were right.
class BusyProgram {
 public:
  explicit BusyProgram(int port) {
    signal(SIGPIPE, SIG_IGN);  // it may have ended when it is told to
    int ends[2], ready[2];
    if (pipe(ends) != 0 || pipe(ready) != 0) std::abort();
    child_ = fork();
    if (child_ == 0) {
      close(ends[1]);
      use(port);
      CheckedProgram program;
      bool right = program.round(1);
      (void)!write(ready[1], "r", 1);
      pollfd stop{ends[0], POLLIN, 0};
      for (unsigned i = 2; right && poll(&stop, 1, 0) == 0; ++i) right = program.round(i);
      _exit(right && program.round(0) ? 0 : 1);
    }
    close(ends[0]);
    close(ready[1]);
    stop_ = ends[1];
    char c = 0;
    started_ = read(ready[0], &c, 1) == 1;
    close(ready[0]);
  }
  bool started() const { return started_; }
  int finish() {
    (void)!write(stop_, "s", 1);  // closing is not enough: programs that were started later have this end, too
    close(stop_);
    return outcome();
  }
  // Of one that ends by itself.
  int outcome() {
    int status = 0;
    const bool ended = eventually([&] { return waitpid(child_, &status, WNOHANG) == child_; }, 60s);
    if (!ended) kill(child_, SIGKILL);
    return ended && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  pid_t child_ = -1;
  int stop_ = -1;
  bool started_ = false;
};

int shortProgram(int port) {
  return inChild([&] {
    use(port);
    CheckedProgram program;
    return program.round(3) ? 0 : 1;
  });
}

// How much device memory a new program could have.
std::size_t freeMemory(int port) {
  int ends[2];
  std::size_t free = 0;
  if (pipe(ends) != 0) std::abort();
  inChild([&] {
    use(port);
    testing::Hip hip;
    std::size_t total = 0;
    if (!hip.load(testing::remoteLibrary()).ok() || hip.api.hipMemGetInfo(&free, &total) != hipSuccess) return 1;
    return write(ends[1], &free, sizeof free) == sizeof free ? 0 : 1;
  });
  EXPECT_EQ(read(ends[0], &free, sizeof free), static_cast<ssize_t>(sizeof free));
  for (const int end : ends) close(end);
  return free;
}

// A program image that is replaced says so: the time at which this process' image was put in place.
bool becameAnew(const WorkerProcess& worker, std::string& last) {
  std::ifstream file("/proc/" + std::to_string(worker.pid()) + "/stat");
  std::string text{std::istreambuf_iterator<char>(file), {}};
  std::istringstream fields(text.substr(text.rfind(')') + 1));
  std::vector<std::string> all{std::istream_iterator<std::string>(fields), {}};
  const std::string code = all.size() > 24 ? all[23] + all[25] : "";  // startcode, startstack: another layout each time
  const bool other = !code.empty() && code != last;
  if (other) last = code;
  return other;
}

TEST(HandOver, TenUpgradesInTheMiddleOfWork) {
  WorkerProcess worker({"--runtime", "softgpu", "--grace", "1", "--max-sessions", "4"});
  const std::size_t before = freeMemory(worker.port());
  BusyProgram first(worker.port()), second(worker.port());
  ASSERT_TRUE(first.started() && second.started());
  std::atomic<bool> stop{false};
  std::atomic<int> wrong{0}, right{0};
  std::thread newcomers([&] {
    while (!stop) ++(shortProgram(worker.port()) == 0 ? right : wrong);
  });
  std::string image;
  becameAnew(worker, image);
  for (int i = 0; i < 10; ++i) {
    kill(worker.pid(), SIGUSR2);
    EXPECT_TRUE(eventually([&] { return becameAnew(worker, image); })) << i;
    std::this_thread::sleep_for(50ms);
  }
  stop = true;
  newcomers.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(right, 0);
  EXPECT_EQ(first.finish(), 0);
  EXPECT_EQ(second.finish(), 0);
  EXPECT_TRUE(eventually([&] { return worker.sessions().empty(); }));
  EXPECT_EQ(freeMemory(worker.port()), before);
}

TEST(HandOver, LimitsHoldForSessionsThatWereThereBefore) {
  WorkerProcess worker({"--runtime", "softgpu", "--grace", "1", "--max-sessions", "2"});
  std::string image;
  becameAnew(worker, image);
  BusyProgram first(worker.port()), second(worker.port());
  ASSERT_TRUE(first.started() && second.started());
  const int descriptors = worker.openDescriptors();
  kill(worker.pid(), SIGUSR2);
  ASSERT_TRUE(eventually([&] { return becameAnew(worker, image); }));
  EXPECT_NE(shortProgram(worker.port()), 0);  // there are two already
  EXPECT_TRUE(eventually([&] { return worker.openDescriptors() <= descriptors; }));
  EXPECT_EQ(first.finish(), 0);
  EXPECT_TRUE(eventually([&] { return worker.sessions().size() == 1; }));
  EXPECT_EQ(shortProgram(worker.port()), 0);
  EXPECT_EQ(second.finish(), 0);
}

// One program makes a handle, the worker is replaced, and another program opens it.
TEST(HandOver, SharedMemoryStaysShared) {
  WorkerProcess worker;
  std::string image;
  becameAnew(worker, image);
  constexpr std::uint64_t kValue = 0x0123456789abcdef;
  constexpr unsigned kLazyPeerAccess = 1;  // the only flag that there is, and needed
  int handles[2], over[2];
  ASSERT_EQ(pipe(handles) | pipe(over), 0);
  const pid_t owner = fork();
  if (owner == 0) {
    use(worker.port());
    testing::Hip hip;
    void* memory = nullptr;
    hipIpcMemHandle_t handle{};
    if (!hip.load(testing::remoteLibrary()).ok()) _exit(2);
    HIPR_CHECK(hip, hipMalloc(&memory, sizeof kValue));
    HIPR_CHECK(hip, hipMemcpy(memory, &kValue, sizeof kValue, hipMemcpyHostToDevice));
    HIPR_CHECK(hip, hipIpcGetMemHandle(&handle, memory));
    char c = 0;
    (void)!write(handles[1], &handle, sizeof handle);
    _exit(read(over[0], &c, 1) == 1 ? 0 : 3);
  }
  hipIpcMemHandle_t handle{};
  ASSERT_EQ(read(handles[0], &handle, sizeof handle), static_cast<ssize_t>(sizeof handle));
  kill(worker.pid(), SIGUSR2);
  ASSERT_TRUE(eventually([&] { return becameAnew(worker, image); }));
  EXPECT_EQ(inChild([&] {
              use(worker.port());
              testing::Hip hip;
              void* memory = nullptr;
              std::uint64_t got = 0;
              if (!hip.load(testing::remoteLibrary()).ok()) return 2;
              HIPR_CHECK(hip, hipIpcOpenMemHandle(&memory, handle, kLazyPeerAccess));
              HIPR_CHECK(hip, hipMemcpy(&got, memory, sizeof got, hipMemcpyDeviceToHost));
              return got == kValue ? 0 : 1;
            }),
            0);
  EXPECT_EQ(write(over[1], "o", 1), 1);
  int status = 0;
  EXPECT_EQ(waitpid(owner, &status, 0), owner);
  EXPECT_EQ(status, 0);
  for (const int end : {handles[0], handles[1], over[0], over[1]}) close(end);
}

TEST(HandOver, SessionsThatEndMeanwhileAreBuried) {
  WorkerProcess worker;
  std::string image;
  becameAnew(worker, image);
  for (int i = 0; i < 5; ++i) {
    BusyProgram program(worker.port());
    ASSERT_TRUE(program.started());
    kill(worker.pid(), SIGSTOP);  // so that it can notice neither before the other
    for (const pid_t session : worker.sessions()) kill(session, SIGKILL);
    kill(worker.pid(), SIGUSR2);
    kill(worker.pid(), SIGCONT);
    EXPECT_TRUE(eventually([&] { return becameAnew(worker, image); }));
    EXPECT_TRUE(eventually([&] { return worker.sessions().empty(); }));
    program.finish();
  }
}

TEST(HandOver, AProgramThatCannotGoOnIsNotGivenTheSessions) {
  namespace fs = std::filesystem;
  // A copy of the worker that is replaced on disk by something else.
  const fs::path folder = fs::temp_directory_path() / ("hand_over_" + std::to_string(getpid()));
  fs::create_directories(folder);
  const fs::path bin = fs::read_symlink("/proc/self/exe").parent_path(), copy = folder / "hip-worker";
  fs::copy_file(bin / "hip-worker", copy);
  const fs::path runtime = bin.parent_path() / "lib" / "softgpu" / "libamdhip64.so.7";
  {
    WorkerProcess worker({"--runtime", runtime.string(), "--grace", "1"}, copy.string());
    BusyProgram program(worker.port());
    ASSERT_TRUE(program.started());
    fs::remove(copy);
    fs::create_symlink("/bin/false", copy);
    kill(worker.pid(), SIGUSR2);
    std::this_thread::sleep_for(300ms);
    EXPECT_EQ(shortProgram(worker.port()), 0);
    EXPECT_EQ(program.finish(), 0);
  }
  fs::remove_all(folder);
}

// systemd as far as this needs it: keeps descriptors for a service between two processes of it.
class Keeper {
 public:
  Keeper() : path_("/tmp/hip-keeper-" + std::to_string(getpid())) {
    socket_ = net::Socket(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    path_.copy(name.sun_path, sizeof name.sun_path - 1);
    unlink(path_.c_str());
    if (bind(socket_.fd(), reinterpret_cast<sockaddr*>(&name), sizeof name) != 0) std::abort();
    listener_ = std::thread([this] { listen(); });
  }
  ~Keeper() {
    if (process_ > 0) stop();
    stopping_ = true;
    listener_.join();
    unlink(path_.c_str());
  }

  void start() {
    process_ = fork();
    if (process_ == 0) {
      std::string names;
      std::vector<int> high;
      for (const auto& [name, item] : kept_) {
        names += (names.empty() ? "" : ":") + name;
        high.push_back(fcntl(item.fd(), F_DUPFD, 200));
      }
      for (std::size_t i = 0; i < high.size(); ++i) dup2(high[i], static_cast<int>(3 + i));
      close_range(static_cast<unsigned>(3 + high.size()), ~0U, 0);
      setenv("NOTIFY_SOCKET", path_.c_str(), 1);
      setenv("LISTEN_PID", std::to_string(getpid()).c_str(), 1);
      setenv("LISTEN_FDS", std::to_string(high.size()).c_str(), 1);
      setenv("LISTEN_FDNAMES", names.c_str(), 1);
      const std::string program = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "hip-worker";
      execl(program.c_str(), "hip-worker", "--keep-sessions", "-p", std::to_string(port_).c_str(), "--runtime",
            "softgpu", "--max-sessions", "3", nullptr);
      _exit(127);
    }
  }
  // As `systemctl stop` does, but for what follows it.
  void stop() {
    kill(process_, SIGTERM);
    int status = 0;
    EXPECT_TRUE(eventually([&] { return waitpid(process_, &status, WNOHANG) == process_; }));
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    process_ = -1;
  }
  void forget() {  // nobody starts it again
    const std::lock_guard lock(mutex_);
    kept_.clear();
  }
  bool answers() const {
    net::Socket socket;
    return net::connectTo({"127.0.0.1", static_cast<std::uint16_t>(port_)}, 1, socket).ok();
  }
  int port() const { return port_; }
  std::size_t kept() {
    const std::lock_guard lock(mutex_);
    return kept_.size();
  }

 private:
  void listen() {
    while (!stopping_) {
      pollfd entry{socket_.fd(), POLLIN, 0};
      if (poll(&entry, 1, 20) != 1) continue;
      char words[512];
      iovec part{words, sizeof words};
      alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))];
      msghdr message{};
      message.msg_iov = &part;
      message.msg_iovlen = 1;
      message.msg_control = control;
      message.msg_controllen = sizeof control;
      const ssize_t size = recvmsg(socket_.fd(), &message, MSG_CMSG_CLOEXEC);
      if (size <= 0) continue;
      net::Socket item;
      if (const cmsghdr* header = CMSG_FIRSTHDR(&message)) {
        int descriptor = -1;
        std::memcpy(&descriptor, CMSG_DATA(header), sizeof descriptor);
        item = net::Socket(descriptor);
      }
      const std::string text(words, static_cast<std::size_t>(size));
      const std::size_t name = text.find("FDNAME=");
      const std::lock_guard lock(mutex_);
      if (text.starts_with("FDSTORE=1")) kept_[text.substr(name + 7)] = std::move(item);
      if (text.starts_with("FDSTOREREMOVE=1")) kept_.erase(text.substr(name + 7));
    }
  }

  static int freePort() {
    net::Socket listener;
    std::uint16_t port = 0;
    if (!net::listenOn("127.0.0.1", 0, listener, &port).ok()) std::abort();
    return port;
  }

  std::string path_;
  net::Socket socket_;
  std::mutex mutex_;
  std::map<std::string, net::Socket> kept_;
  std::atomic<bool> stopping_{false};
  std::thread listener_;
  pid_t process_ = -1;
  const int port_ = freePort();
};

TEST(HandOver, SessionsOutliveARestart) {
  Keeper keeper;
  keeper.start();
  ASSERT_TRUE(eventually([&] { return keeper.answers(); }));
  const std::size_t before = freeMemory(keeper.port());
  BusyProgram program(keeper.port());
  ASSERT_TRUE(program.started());
  for (int i = 0; i < 3; ++i) {
    keeper.stop();
    EXPECT_GT(keeper.kept(), 5u);
    EXPECT_TRUE(keeper.answers());  // by the socket that is kept
    keeper.start();
    EXPECT_EQ(shortProgram(keeper.port()), 0);
    EXPECT_TRUE(eventually([&] { return keeper.kept() == 0; }));
  }
  // Sessions of programs that have ended may take a moment.
  std::optional<BusyProgram> second, third;
  for (auto* other : {&second, &third})
    ASSERT_TRUE(eventually([&] { return other->emplace(keeper.port()).started(); }));
  EXPECT_NE(shortProgram(keeper.port()), 0);  // there are three already
  for (BusyProgram* busy : {&program, &*second, &*third}) EXPECT_EQ(busy->finish(), 0);
  std::size_t after = 0;
  EXPECT_TRUE(eventually([&] { return (after = freeMemory(keeper.port())) == before; })) << after << " " << before;
}

TEST(HandOver, SessionsEndWithAWorkerThatNobodyFollows) {
  Keeper keeper;
  keeper.start();
  ASSERT_TRUE(eventually([&] { return keeper.answers(); }));
  BusyProgram program(keeper.port());
  ASSERT_TRUE(program.started());
  keeper.stop();
  keeper.forget();
  EXPECT_EQ(program.outcome(), 1);  // it hears of the loss
}

}  // namespace
}  // namespace hipr

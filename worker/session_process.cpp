#include "worker/session_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <thread>

#include "base/log.h"
#include "net/ring_transport.h"
#include "net/socket_transport.h"
#include "platform/thread.h"
#include "tls/tls_transport.h"
#include "worker/close_from.h"
#include "worker/session.h"

extern char** environ;

namespace hipr::worker {
namespace {

constexpr char kName[] = "hip-worker-session";
constexpr char kOption[] = "--session";
constexpr int kGreetingTimeout = 15;
constexpr int kBackmost = 15;  // of 19: still runs where others do

// What a session finds open, besides the standard streams.
enum Inherited { kClient = 3, kTicket, kPage, kControl, kDoor, kMemory, kProgram };
constexpr int kFree = 32;  // above all of them

Status failure(const char* what) {
  return Status::exhausted(std::string("starting a session: ") + what + ": " + std::strerror(errno));
}

struct File {
  explicit File(int fd) : fd(fd) {}
  ~File() {
    if (fd >= 0) close(fd);
  }
  File(const File&) = delete;
  const int fd;
};

// The ticket as a file in memory that nobody can change any more.
int write(const SessionTicket& ticket) {
  std::vector<std::byte> bytes;
  wire::Writer(bytes).put(ticket);
  const int fd = memfd_create("hip-session-ticket", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0) return fd;
  if (::write(fd, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()) &&
      fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
    return fd;
  close(fd);
  return -1;
}

// Between fork and exec; no memory is allocated here.
[[noreturn]] void become(std::array<int, 7> files, char** environment) {
  signal(SIGINT, SIG_IGN);  // Ctrl-C is the supervisor's to deal with
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  for (int& fd : files) fd = fcntl(fd, F_DUPFD_CLOEXEC, kFree);  // -1 stays that, and is not there
  for (int i = 0; i < static_cast<int>(files.size()); ++i)
    dup3(files[static_cast<std::size_t>(i)], kClient + i, kClient + i == kProgram ? O_CLOEXEC : 0);
  closeFrom(kProgram + 1);
  char name[] = "hip-worker", option[sizeof kOption];
  std::memcpy(option, kOption, sizeof kOption);
  char* argv[] = {name, option, nullptr};
  fexecve(kProgram, argv, environment);
  _exit(127);
}

std::vector<char*> environmentWithoutSecrets() {
  std::vector<char*> out;
  for (char** entry = environ; *entry; ++entry)
    if (std::strncmp(*entry, "HIP_REMOTE_TOKEN=", 17) != 0 && std::strncmp(*entry, "NOTIFY_SOCKET=", 14) != 0)
      out.push_back(*entry);
  out.push_back(nullptr);
  return out;
}

[[noreturn]] void end(const SessionTicket& ticket, const Status& status) {
  logError("session for %s: %s", ticket.peer.c_str(), status.message().c_str());
  _exit(1);
}

// Who has the other end of our socket is our supervisor, one after the other; when nobody has, there will be none.
void endWithSupervisors() {
  std::thread([] {
    platform::nameThisThread("hip-lifeline");
    pollfd entry{kControl, 0, 0};
    while (poll(&entry, 1, -1) != 1) {
    }
    _exit(1);
  }).detach();
}

// The bytes are where the ticket's `platform` points to.
bool read(std::vector<std::byte>& bytes, SessionTicket& ticket) {
  struct stat info{};
  if (fstat(kTicket, &info) != 0) return false;
  bytes.resize(static_cast<std::size_t>(info.st_size));
  if (pread(kTicket, bytes.data(), bytes.size(), 0) != info.st_size) return false;
  close(kTicket);
  wire::Reader reader(bytes);
  reader.get(ticket);
  return reader.ok() && reader.atEnd();
}

Status comeNear(int ioTimeout, net::TransportPtr& transport) {
  platform::SharedMemory memory;
  if (Status status = platform::SharedMemory::take(kMemory, net::ringMemorySize(), memory); !status.ok()) return status;
  return net::overRing(std::move(transport), std::move(memory), net::RingSide::kSecond, ioTimeout, transport);
}

}  // namespace

Status startSession(const SessionTicket& ticket, const net::Socket& client, int memory, int page,
                    const net::Socket& control, const net::Socket& door, pid_t& process) {
  // By descriptor: a session is what its supervisor is, even when the file has been replaced since.
  static const int program = open("/proc/self/exe", O_PATH | O_CLOEXEC);
  const File written(write(ticket));
  if (program < 0 || written.fd < 0) return failure("no file");
  const std::vector<char*> environment = environmentWithoutSecrets();
  process = fork();
  if (process < 0) return failure("fork");
  if (process == 0)
    become({client.fd(), written.fd, page, control.fd(), door.fd(), memory, program},
           const_cast<char**>(environment.data()));
  return {};
}

bool isSessionProcess(int argc, char** argv) {
  return argc == 2 && std::strcmp(argv[1], kOption) == 0;
}

void runSession() {
  setLogName("hip-worker");
  prctl(PR_SET_NAME, kName);
  setsid();  // Linux shares processors out among such groups (autogroup): one session's many threads are one
  std::vector<std::byte> bytes;
  SessionTicket ticket;
  if (!read(bytes, ticket)) {
    logError("%s is for the worker itself to use", kOption);
    _exit(2);
  }
  for (int fd : {kClient, kPage, kControl, kDoor, kMemory}) fcntl(fd, F_SETFD, FD_CLOEXEC);
  if (ticket.verbose) setDebug(true);
  if (!ticket.usageFolder.empty()) setenv("HIP_REMOTE_SOFTGPU_USAGE", ticket.usageFolder.c_str(), 1);
  ticket.compute.tellRuntime(ticket.devices);
  if (!ticket.sandbox.temporary.empty()) setenv("TMPDIR", ticket.sandbox.temporary.c_str(), 1);

  SessionOptions options;
  options.page = SessionPage::map(kPage);
  close(kPage);
  if (!options.page) end(ticket, failure("its page"));
  if (ticket.standsBack) setpriority(PRIO_PROCESS, 0, kBackmost);
  HipTable hip;
  SandboxReport report;
  if (Status status = loadHip(ticket.runtime, hip); !status.ok()) end(ticket, status);
  if (Status status = confine(ticket.sandbox, report); !status.ok()) end(ticket, status.within("sandbox"));
  if (ticket.outlives) {
    endWithSupervisors();
  } else {
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // now: becoming another user undoes it
    if (getppid() != ticket.supervisor) _exit(1);
  }
  hip.hipInit(0);  // opens devices. Whether there are any is for the client to find out
  SupervisorLink supervisor{net::Socket(kControl)};
  AskedCredit credit(supervisor);
  SharedMemory shared(supervisor);
  options.credit = &credit;
  options.shared = &shared;
  const int ioTimeout = 3 * ticket.peerTimeout;  // longer for a client that is alive and takes nothing
  ReturnDoor door(net::Socket(kDoor), ioTimeout);
  options.door = &door;
  options.resumeSeconds = ticket.resumeSeconds;
  options.resumeKey = ticket.resumeKey;
  options.devices.assign(ticket.devices.begin(), ticket.devices.end());
  options.platform.assign(ticket.platform.begin(), ticket.platform.end());
  options.cacheFolder = ticket.cacheFolder;
  options.identity = ticket.identity;
  options.cacheLimit = ticket.cacheLimit;
  options.dataFolder = ticket.dataFolder;
  options.dataLimit = ticket.dataLimit;
  options.limits = ticket.limits;
  if (ticket.compiles) {
    options.compiler = [&supervisor] {
      Descriptor socket;
      supervisor.ask({.wish = Wish::kCompile}, -1, &socket);
      return socket;
    };
  }
  options.memoryLimit = ticket.memoryLimit;
  options.compute = ticket.compute.devices;
  options.greetingTimeout = kGreetingTimeout;
  const std::unique_ptr<OutputRelay> output = OutputRelay::capture();
  options.output = output.get();
  sealCalls(ticket.sandbox.mode, report);
  logDebug("sandbox of %s: %s", ticket.peer.c_str(), report.text().c_str());
  net::TransportPtr transport = net::overSocket(net::Socket(kClient), ioTimeout);
  if (ticket.shield) transport = tls::overTls(std::move(transport), *ticket.shield);
  if (ticket.shares)
    if (Status status = comeNear(ioTimeout, transport); !status.ok()) end(ticket, status);
  Session session(std::move(transport), hip, std::move(options));
  const Status status = session.run();
  if (status.code() == Code::kInvalid) {
    logError("ended the session of %s: %s", ticket.peer.c_str(), status.message().c_str());
  } else if (!status.ok()) {
    logDebug("session of %s: %s", ticket.peer.c_str(), status.message().c_str());
  }
  _exit(0);  // without destructors: the process is the session, and its end frees everything
}

}  // namespace hipr::worker

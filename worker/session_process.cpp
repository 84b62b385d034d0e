#include "worker/session_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <thread>

#include "base/log.h"
#include "net/ring_transport.h"
#include "net/socket_transport.h"
#include "platform/thread.h"
#include "tls/ticket.h"
#include "tls/tls_transport.h"
#include "worker/own_image.h"
#include "worker/session.h"

namespace hipr::worker {
namespace {

constexpr char kName[] = "hip-worker-session";
constexpr char kOption[] = "--session";
constexpr int kGreetingTimeout = 15;
constexpr int kBackmost = 15;  // of 19: still runs where others do

// What a session finds open, besides the standard streams.
enum Inherited { kClient = kFirstFile, kPage, kControl, kDoor, kMemory };

Status failure(const char* what) {
  return Status::exhausted(std::string(what) + ": " + std::strerror(errno));
}

// Behind the others: among processes, and as the group that setsid() has made of this one.
void standBack() {
  setpriority(PRIO_PROCESS, 0, kBackmost);
  for (int tries = 3; tries > 0; --tries) {  // the system lets ordinary users do that ten times a second, all together
    std::ofstream group("/proc/self/autogroup");
    if (group << kBackmost << std::flush || errno != EAGAIN) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(110));
  }
}

[[noreturn]] void end(const SessionBrief& brief, const Status& status) {
  logError("session for %s: %s", brief.peer.c_str(), status.message().c_str());
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

Status comeNear(int ioTimeout, net::TransportPtr& transport) {
  platform::SharedMemory memory;
  if (Status status = platform::SharedMemory::take(kMemory, net::ringMemorySize(), memory); !status.ok()) return status;
  return net::overRing(std::move(transport), std::move(memory), net::RingSide::kSecond, ioTimeout, transport);
}

}  // namespace

Status startSession(const SessionBrief& brief, const net::Socket& client, int memory, int page,
                    const net::Socket& control, const net::Socket& door, pid_t& process) {
  return startImage(kOption, written(brief), {client.fd(), page, control.fd(), door.fd(), memory}, process)
      .within("starting a session");
}

bool isSessionProcess(int argc, char** argv) {
  return isImage(argc, argv, kOption);
}

void runSession() {
  setLogName("hip-worker");
  prctl(PR_SET_NAME, kName);
  setsid();  // Linux shares processors out among such groups (autogroup): one session's many threads are one
  std::vector<std::byte> bytes;
  SessionBrief brief;
  if (!takeBrief(bytes, brief)) {
    logError("%s is for the worker itself to use", kOption);
    _exit(2);
  }
  for (int fd : {kClient, kPage, kControl, kDoor, kMemory}) fcntl(fd, F_SETFD, FD_CLOEXEC);
  if (brief.verbose) setDebug(true);
  if (!brief.usageFolder.empty()) setenv("HIP_REMOTE_SOFTGPU_USAGE", brief.usageFolder.c_str(), 1);
  brief.compute.tellRuntime(brief.devices);
  if (!brief.sandbox.temporary.empty()) setenv("TMPDIR", brief.sandbox.temporary.c_str(), 1);

  SessionOptions options;
  options.page = SessionPage::map(kPage);
  close(kPage);
  if (!options.page) end(brief, failure("its page"));
  if (brief.standsBack) standBack();
  HipTable hip;
  SandboxReport report;
  if (Status status = loadHip(brief.runtime, hip); !status.ok()) end(brief, status);
  if (Status status = confine(brief.sandbox, report); !status.ok()) end(brief, status.within("sandbox"));
  if (brief.outlives) {
    endWithSupervisors();
  } else {
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // now: becoming another user undoes it
    if (getppid() != brief.supervisor) _exit(1);
  }
  hip.hipInit(0);  // opens devices. Whether there are any is for the client to find out
  SupervisorLink supervisor{net::Socket(kControl)};
  AskedCredit credit(supervisor);
  SharedMemory shared(supervisor);
  options.credit = &credit;
  options.shared = &shared;
  const int ioTimeout = 3 * brief.peerTimeout;  // longer for a client that is alive and takes nothing
  ReturnDoor door(net::Socket(kDoor), ioTimeout);
  options.door = &door;
  options.resumeSeconds = brief.resumeSeconds;
  options.resumeKey = brief.resumeKey;
  options.devices.assign(brief.devices.begin(), brief.devices.end());
  options.platform.assign(brief.platform.begin(), brief.platform.end());
  options.cacheFolder = brief.cacheFolder;
  options.identity = brief.identity;
  options.cacheLimit = brief.cacheLimit;
  options.dataFolder = brief.dataFolder;
  options.dataLimit = brief.dataLimit;
  options.limits = brief.limits;
  if (brief.compiles) {
    options.compiler = [&supervisor] {
      Descriptor socket;
      supervisor.ask({.wish = Wish::kCompile}, -1, &socket);
      return socket;
    };
  }
  options.invite = [&supervisor](wire::Bits256& out) {
    Descriptor door;
    out = supervisor.ask({.wish = Wish::kInvite}, -1, &door).ticket;
    return door;
  };
  if (brief.meetsPeers) {
    options.connect = [&supervisor](const std::string& worker) {
      Question question{.wish = Wish::kConnect};
      Descriptor socket;
      if (worker.size() < question.worker.size()) {
        worker.copy(question.worker.data(), worker.size());
        supervisor.ask(question, -1, &socket);
      }
      return socket;
    };
  }
  options.memoryLimit = brief.memoryLimit;
  options.compute = brief.compute.devices;
  options.greetingTimeout = kGreetingTimeout;
  const std::unique_ptr<OutputRelay> output = OutputRelay::capture();
  options.output = output.get();
  sealCalls(brief.sandbox, report);
  logDebug("sandbox of %s: %s", brief.peer.c_str(), report.text().c_str());
  net::TransportPtr transport = net::overSocket(net::Socket(kClient), ioTimeout);
  if (brief.shield) transport = tls::overTls(std::move(transport), *brief.shield);
  if (brief.key) {
    tls::Shield shield;
    if (Status status = tls::awaitTicket(*transport, *brief.key, kGreetingTimeout, shield); !status.ok())
      end(brief, status);
    transport = tls::overTls(std::move(transport), shield);
  }
  if (brief.shares)
    if (Status status = comeNear(ioTimeout, transport); !status.ok()) end(brief, status);
  Session session(std::move(transport), hip, std::move(options));
  const Status status = session.run();
  if (status.code() == Code::kInvalid) {
    logError("ended the session of %s: %s", brief.peer.c_str(), status.message().c_str());
  } else if (!status.ok()) {
    logDebug("session of %s: %s", brief.peer.c_str(), status.message().c_str());
  }
  _exit(0);  // without destructors: the process is the session, and its end frees everything
}

}  // namespace hipr::worker

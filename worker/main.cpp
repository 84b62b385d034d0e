#include <unistd.h>

#include <climits>
#include <cstdio>

#include "base/log.h"
#include "runtime/platform.h"
#include "wire/platform_codec.h"
#include "worker/code_cache.h"
#include "worker/options.h"
#include "worker/probe.h"
#include "worker/session.h"
#include "worker/supervisor.h"

namespace hipr::worker {
namespace {

constexpr std::uint64_t kCacheLimit = std::uint64_t{1} << 30;
constexpr int kIoTimeout = 60;
constexpr int kGreetingTimeout = 15;

std::string executablePath() {
  char path[PATH_MAX];
  const ssize_t n = readlink("/proc/self/exe", path, sizeof path);
  return n > 0 ? std::string(path, static_cast<std::size_t>(n)) : "hip-worker";
}

void printDevices(const Platform& platform) {
  for (std::size_t i = 0; i < platform.devices.size(); ++i) {
    const hipDeviceProp_tR0600& props = platform.devices[i].props;
    std::printf("[HIP-Worker] Device: %s\n", props.name);
    std::printf("[HIP-Worker]   Memory: %.1f GB\n", static_cast<double>(props.totalGlobalMem) / (1 << 30));
    std::printf("[HIP-Worker]   Compute: %d.%d\n", props.major, props.minor);
    std::printf("[HIP-Worker]   Target: %s\n", props.gcnArchName);
  }
}

void printRuntime(const ProbeResult& found, const Options& options) {
  std::printf("[HIP-Worker] Initializing HIP on device %d...\n", options.device < 0 ? 0 : options.device);
  std::printf("[HIP-Worker] Runtime: %s\n", found.path.c_str());
  for (const std::string& note : found.passedOver) std::printf("[HIP-Worker]   instead of %s\n", note.c_str());
  if (found.status != hipSuccess) std::printf("[HIP-Worker] No device: %s\n", found.statusName.c_str());
}

// Device memory that may be promised to clients: a little stays back for code, stacks and staging.
std::vector<std::uint64_t> capacities(const std::vector<std::uint64_t>& freeMemory) {
  std::vector<std::uint64_t> out;
  for (const std::uint64_t bytes : freeMemory) out.push_back(bytes - bytes / 32);
  return out;
}

// In the session's process. Exits without destructors: the process is the session, and its end frees everything.
[[noreturn]] void serve(SessionSeat seat, const ProbeResult& found, const Options& options, Ledger& ledger) {
  HipTable hip;
  if (Status status = loadHip(found.path, hip); !status.ok()) {
    logError("session for %s: %s", seat.peer.c_str(), status.message().c_str());
    _exit(1);
  }
  seat.socket.tune(kIoTimeout);
  SessionOptions sessionOptions;
  sessionOptions.devices.assign(found.devices.begin(), found.devices.end());
  sessionOptions.platform = found.platform;
  sessionOptions.cacheFolder = options.cacheFolder;
  sessionOptions.greetingTimeout = kGreetingTimeout;
  sessionOptions.ledger = &ledger;
  sessionOptions.account = seat.account;
  const std::unique_ptr<OutputRelay> output = OutputRelay::capture();
  sessionOptions.output = output.get();
  Session session(std::move(seat.socket), hip, std::move(sessionOptions));
  const Status status = session.run();
  if (!status.ok()) {
    if (status.code() == Code::kInvalid) {
      logError("ended the session of %s: %s", seat.peer.c_str(), status.message().c_str());
    } else {
      logDebug("session of %s: %s", seat.peer.c_str(), status.message().c_str());
    }
  }
  _exit(0);
}

int run(int argc, char** argv) {
  setLogName("hip-worker");
  const Options options = parseOptions(argc, argv);
  if (options.verbose) setDebug(true);

  ProbeResult found;
  if (Status status = probe(runtimeCandidates(options.runtime, executablePath()), options.device, found);
      !status.ok()) {
    logError("%s", status.message().c_str());
    return 1;
  }
  Platform platform;
  if (!wire::decodePlatform(found.platform, platform)) {
    logError("the description of the devices is malformed");
    return 1;
  }
  if (found.status == hipSuccess && options.device >= static_cast<int>(platform.devices.size())) {
    logError("there is no device %d, only %zu", options.device, platform.devices.size());
    return 1;
  }
  CodeCache(options.cacheFolder).trim(kCacheLimit);

  net::Socket listener;
  std::uint16_t port = 0;
  if (Status status = net::listenOn(options.bind, options.port, listener, &port); !status.ok()) {
    logError("%s", status.message().c_str());
    return 1;
  }
  Ledger ledger(capacities(found.freeMemory), options.maxSessions);
  Supervisor supervisor(options, std::move(listener), ledger);
  printRuntime(found, options);
  printDevices(platform);
  std::printf("[HIP-Worker] Listening on port %u\n", port);
  std::fflush(stdout);

  SessionSeat seat;
  if (supervisor.run(seat)) return 0;
  serve(std::move(seat), found, options, ledger);
}

}  // namespace
}  // namespace hipr::worker

// Processes:
//
//   supervisor        listens, forks, reaps, keeps the ledger. Single-threaded; never loads a GPU library, because a
//    |                process that has one cannot be forked safely
//    +- probe         once, at start: loads the runtime, describes its devices through a pipe, exits
//    +- session ...   one per connection, forked before anything is known about the client: loads the runtime, serves
//                     that client, exits. The exit is what frees its memory, streams and threads, so a crash or a
//                     kill -9 leaves nothing behind and disturbs nobody
int main(int argc, char** argv) {
  return hipr::worker::run(argc, argv);
}

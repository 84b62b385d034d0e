// hip-worker: serves the GPUs of this machine. Its processes:
//
// clang-format off
//   supervisor       listens, hears what each connection wants (reception.h), starts, watches and reaps the others,
//    |               keeps the ledger. Single-threaded; never loads a GPU library, because a process that has one
//    |               cannot be forked safely
//    +- probe        once, at start: loads the runtime, describes its devices through a pipe, exits
//    +- session ...  one per client, from the moment the client has proved that it may have one: this program anew,
//    |               with an address layout of its own (session_process.h). Loads the runtime, serves that client,
//    |               exits. The exit is what frees its memory, streams and threads, so a crash or a kill -9 leaves
//    |               nothing behind and disturbs nobody
//    +- bridge ...   one per client that comes over UCX, between it and its session (ucx_process.h): this program anew,
//    |               with the UCX library, which may open what no session may
//    +- compiler ... one per program that a session has compiled, with --compile: hip-compile (compile_process.h)
//    +- telemetry    at most one, from the first such client on (with --http: from the start): this program anew as
//                    well. Reads the GPUs' sensors once for everybody who asks. When it dies it is started again; no
//                    session notices
// clang-format on
//
// When the worker is upgraded or restarted, sessions stay as they are and get another supervisor (hand_over.h).
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdio>
#include <optional>

#include "access/kept_token.h"
#include "access/token.h"
#include "base/env.h"
#include "base/log.h"
#include "platform/process.h"
#include "telemetry/softgpu_usage.h"
#include "types/platform.h"
#include "wire/platform_codec.h"
#include "worker/code_cache.h"
#include "worker/compile_process.h"
#include "worker/hand_over.h"
#include "worker/listeners.h"
#include "worker/options.h"
#include "worker/probe.h"
#include "worker/session_process.h"
#include "worker/smi/service.h"
#include "worker/supervisor.h"
#include "worker/tensor_fusion.h"
#include "worker/ucx_process.h"

namespace hipr::worker {
namespace {

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
std::vector<std::uint64_t> capacities(const std::vector<std::uint64_t>& freeMemory, std::uint64_t limit) {
  std::vector<std::uint64_t> out;
  for (const std::uint64_t bytes : freeMemory) {
    const std::uint64_t usable = bytes - bytes / 32;
    out.push_back(limit ? std::min(usable, limit) : usable);
  }
  return out;
}

// Programs size their caches by what the device says it has.
void limitMemory(std::uint64_t limit, Platform& platform, ProbeResult& found) {
  if (!limit) return;
  for (DeviceInfo& device : platform.devices) {
    device.props.totalGlobalMem = std::min<std::size_t>(device.props.totalGlobalMem, limit);
  }
  found.platform.clear();
  wire::encodePlatform(platform, found.platform);
}

Status limitCompute(Options& options, ComputeParts& parts, Platform& platform, ProbeResult& found) {
  const std::string folder = envText("HIP_REMOTE_COMPUTE_FOLDER").value_or("/run/hip-remote");
  const auto ofSession = static_cast<std::uint32_t>(options.limits[Quota::kCompute]);
  options.compute = &parts;
  if (Status status = parts.take(computeLimit(), ofSession, folder, isSoftgpu(platform), platform); !status.ok())
    return status;
  if (!parts.limited()) return {};
  found.platform.clear();
  wire::encodePlatform(platform, found.platform);
  return {};
}

bool loopback(const std::string& address) {
  return address.empty() || address == "localhost" || address == "::1" || address.starts_with("127.");
}

// Beyond this machine nobody is served on trust, and nothing travels for everybody to read, unless somebody said so.
Status mayListen(const Options& options, Gate& gate) {
  if (options.gate.tlsOnly && options.gate.plainFromAnywhere)
    return Status::invalid("--require-tls and --insecure contradict each other");
  if (loopback(options.bind)) return {};
  if (gate.keyring()->open() && !options.gate.plainFromAnywhere) {
    return Status::invalid(
        "--bind " + options.bind +
        " would let anybody who reaches this port use these GPUs. Give clients a token:\n"
        "  (umask 077; openssl rand -hex 32 > token)\n"
        "  hip-worker --bind '" +
        options.bind +
        "' --token-file token\n"
        "and set HIP_REMOTE_TOKEN_FILE to a copy of it there. Or give them certificates (--tls-cert, --tls-key, "
        "--tls-client-ca). Or say --insecure");
  }
  gate.prepareForTokens();
  return {};
}

void printProtection(const Options& options, const Gate& gate) {
  const bool far = !loopback(options.bind), open = gate.keyring()->open();
  if (gate.keyring()->hasTokens()) std::printf("[HIP-Worker] Clients need the token\n");
  if (!options.gate.tls.authority.empty())
    std::printf("[HIP-Worker] Clients need a certificate that %s has signed%s\n", options.gate.tls.authority.c_str(),
                gate.keyring()->hasTokens() ? ", or the token" : "");
  if (far && !options.gate.plainFromAnywhere) std::printf("[HIP-Worker] TLS 1.3 from other machines\n");
  if (far && options.gate.plainFromAnywhere) {
    logError("INSECURE: without TLS, whoever can read or change the network can read and change what clients send%s",
             open ? "; and without a token, anybody who reaches this port can use these GPUs" : "");
  }
}

// For the person who started it and asked for it: a log of services is no place for a token.
void printPairing(const Options& options, std::uint16_t port) {
  std::string token;
  if (!access::readTokenFile(options.gate.tokenFile, token).ok()) return;
  std::printf(
      "[HIP-Worker] On the machine that is to use these GPUs:\n\n    hip-remote pair %s:%u\n\n"
      "[HIP-Worker] and when it asks for the token (%s):\n\n    %s\n\n",
      platform::hostName().c_str(), port, options.gate.tokenFile.c_str(), token.c_str());
}

// Devices that are in use are known, and what is free of them is in the books.
Status findDevices(const Options& options, const std::optional<HandedState>& handed, ProbeResult& found) {
  if (!handed) return probe(runtimeCandidates(options.runtime, options.program), options.device, found);
  found = handed->probeResult();
  return {};
}

// Every session costs the supervisor a few descriptors.
void raiseFileLimit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

// Sessions that were there before keep their places, also when there are to be fewer from now on.
int seats(const Options& options, const std::optional<HandedState>& handed) {
  int most = options.maxSessions;
  if (handed)
    for (const HandedSession& session : handed->sessions) most = std::max(most, session.account + 1);
  return most;
}

// Whoever may come in is known, and the worker may serve them.
Status openGate(const Options& options, Gate& gate) {
  Status status = options.pairing ? access::makeTokenFile(options.gate.tokenFile) : Status{};
  if (status.ok()) status = gate.open();
  return status.ok() ? mayListen(options, gate) : status;
}

// For one that wonders whether it could become this program.
int wouldRun(int argc, char** argv) {
  const Options options = parseOptions(argc, argv);
  Gate gate(options.gate);
  const Status status = openGate(options, gate);
  if (!status.ok()) logError("%s", status.message().c_str());
  return status.ok() ? 0 : 2;
}

int run(int argc, char** argv) {
  Options options = parseOptions(argc, argv);
  if (options.verbose) setDebug(true);
  options.program = executablePath();
  Heritage heritage = Heritage::found();
  const std::optional<HandedState> handed = readState(heritage);

  ProbeResult found;
  if (Status status = findDevices(options, handed, found); !status.ok()) {
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
  options.memoryLimit = memoryLimit();
  limitMemory(options.memoryLimit, platform, found);
  ComputeParts compute;
  if (Status status = limitCompute(options, compute, platform, found); !status.ok()) {
    logError("%s", status.message().c_str());
    return 2;
  }
  Gate gate(options.gate);
  if (Status status = openGate(options, gate); !status.ok()) {
    logError("%s", status.message().c_str());
    return 2;
  }
  const SessionHomes homes(options, found.path, isSoftgpu(platform), handed ? handed->folder : "");
  if (isSoftgpu(platform) && compute.limited()) compute.use(telemetry::makeSoftgpuComputeFile(homes.plan(0, "").group));
  if (options.compile && compileProgram().empty()) {
    logError("--compile: hip-compile is not beside this program");
    return 2;
  }

  raiseFileLimit();
  SessionBoard board(seats(options, handed));
  Shared shared{board, {}, {}, {}};
  Listeners listeners;
  for (const Status& status : {openListeners(options, handed, heritage, listeners), Doorway::make(shared.doorway),
                               TokenDesk::make(shared.tokenDesk)}) {
    if (status.ok()) continue;
    logError("%s", status.message().c_str());
    return 1;
  }
  Supervisor supervisor(options, found, homes, capacities(found.freeMemory, options.memoryLimit),
                        std::move(listeners.doors), gate, shared);
  shared.metrics = std::move(listeners.metrics);
  if (handed) supervisor.inherit(*handed, heritage);
  heritage.accepted();
  printRuntime(found, options);
  printDevices(platform);
  if (options.memoryLimit) {
    std::printf("[HIP-Worker] Memory limit: %.1f GB of each device\n",
                static_cast<double>(options.memoryLimit) / (1 << 30));
  }
  if (compute.limited()) {
    std::printf("[HIP-Worker] Compute limit: %u%% of each device, %llu%% for each client\n", computeLimit(),
                static_cast<unsigned long long>(options.limits[Quota::kCompute]));
  }
  if (shared.metrics.open()) std::printf("[HIP-Worker] Metrics at %s\n", listeners.metricsUrl.c_str());
  std::printf("[HIP-Worker] Sandbox %s\n", homes.describe().c_str());
  printProtection(options, gate);
  if (options.pairing) printPairing(options, listeners.port);
  if (!options.unixPath.empty()) std::printf("[HIP-Worker] Listening on unix:%s\n", options.unixPath.c_str());
  if (!options.bind.empty()) std::printf("[HIP-Worker] Listening on port %u\n", listeners.port);
  std::fflush(stdout);

  supervisor.run();
  if (!options.unixPath.empty() && options.unixPath.front() != '@') unlink(options.unixPath.c_str());
  return 0;
}

}  // namespace
}  // namespace hipr::worker

int main(int argc, char** argv) {
  unsetenv("HIP_REMOTE_TRACE");  // of the programs, not of the runtime that serves them
  if (hipr::worker::isSessionProcess(argc, argv)) hipr::worker::runSession();
  if (hipr::worker::isUcxProcess(argc, argv)) hipr::worker::runUcxBridge();
  if (hipr::worker::isTelemetryProcess(argc, argv)) hipr::worker::runTelemetry(HIPR_VERSION);
  hipr::setLogName("hip-worker");
  bool knowsFormat = false;
  if (hipr::worker::isAskedToTakeOver(argc, argv, knowsFormat))
    return knowsFormat ? hipr::worker::wouldRun(argc, argv) : 1;
  return hipr::worker::run(argc, argv);
}

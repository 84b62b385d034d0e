#include "worker/options.h"

#include <getopt.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "access/kept_token.h"
#include "base/env.h"
#include "wire/frame.h"
#include "worker/code_cache.h"
#include "worker/tensor_fusion.h"

namespace hipr::worker {
namespace {

constexpr int kLastUser = 2'000'000'000;

constexpr const char* kUsage =
    R"(usage: hip-worker [options]
Serves the GPUs of this machine to programs that use HIP Remote.

  -p, --port PORT        port to listen on (TF_WORKER_PORT; default 18515; 0 picks a free one)
      --bind ADDRESS     address to listen on (default 127.0.0.1; * for all); unix:/PATH: a unix socket, instead of an
                         address or, with a second --bind, besides
  -d, --device DEVICE    the GPU that clients see as device 0 (TF_DEVICE_ID; default 0)
      --runtime WHICH    auto, rocm, softgpu, or the path of a libamdhip64 (default auto)
      --token-file FILE  serve only clients that know the token in FILE (HIP_REMOTE_TOKEN_FILE, HIP_REMOTE_TOKEN). From
                         other machines it makes the connection, too: they speak TLS 1.3 with a key made of it
      --pairing          make a token if FILE does not exist (~/.config/hip-remote/token unless named), and print what to
                         type on the other machine
      --identities FILE  serve those whom FILE names, each with its own token or certificate and limits (docs/security.md)
      --tls-cert FILE, --tls-key FILE
                         show this certificate to clients that want one (HIP_REMOTE_TLS_CA)
      --tls-client-ca FILE
                         serve clients with a certificate that this authority has signed
      --require-tls      also from connections within this machine
      --insecure         serve other machines without TLS: whoever can read or change the network can do the same with
                         your data, and, without a token, use the GPUs
      --max-sessions N   clients served at a time (default 64)
      --limit NAME=N     how much of NAME a client may have; repeat it; --limit help names them
      --sandbox MODE     what a session may do: strict (for softgpu), gpu (what a GPU's runtime needs), off; default:
                         whichever of the first two fits
      --session-uid N    as root: sessions become the users N+1, N+2, ... of the group N; 0: stay root (default: 1900000000,
                         or 60000 where that does not exist)
      --cache DIR        where code objects are kept ("" for nowhere; default ~/.cache/hip-remote, as root
                         /var/cache/hip-remote)
      --cache-limit N    bytes of code that are kept there for clients of one identity (default 1G)
      --data-cache DIR   where data that clients upload over slow lines is kept, so that it need not travel again ("" for
                         nowhere; default: where --cache keeps code)
      --data-cache-limit N
                         bytes of it that are kept there for clients of one identity (default 16G)
      --compile          compile kernels for clients that have no hiprtc, with AMD's that is installed here; each in a
                         process of its own with limited time and memory (default off)
      --peers WORKERS    other workers, HOST[:PORT],..., to which this one brings copies that clients of both ask for; "*":
                         to wherever a client says (default none: such copies go through the client)
      --http ADDRESS:PORT
                         serve http://ADDRESS:PORT/metrics for Prometheus, and at / a page for people on this machine
                         (PORT alone: on loopback; default off); --metrics is the same
      --grace SECONDS    how long sessions may go on after SIGTERM (default 5)
      --peer-timeout SECONDS
                         give up a connection to a machine that is silent for so long (default 20)
      --keep-sessions    on SIGTERM leave running sessions to the next hip-worker that systemd starts in place of this one
                         (docs/security.md); without systemd it stops as usual
      --resume SECONDS   how long a session waits for a client whose connection broke (default 60; 0: not at all)
  -v, --verbose          say more (TF_DEBUG=1)
      --version          print the version
  -h, --help             print this
)";

enum Long {
  kBind = 256,
  kRuntime,
  kTokenFile,
  kPairing,
  kIdentities,
  kTlsCert,
  kTlsKey,
  kTlsClientCa,
  kRequireTls,
  kInsecure,
  kMaxSessions,
  kSandbox,
  kSessionUid,
  kCache,
  kCompile,
  kPeers,
  kGrace,
  kPeerTimeout,
  kResume,
  kKeepSessions,
  kMetrics,
  kLimit,
  kCacheLimit,
  kDataCache,
  kDataCacheLimit,
  kVersion
};

constexpr option kLong[] = {
    {"port", required_argument, nullptr, 'p'},
    {"bind", required_argument, nullptr, kBind},
    {"device", required_argument, nullptr, 'd'},
    {"runtime", required_argument, nullptr, kRuntime},
    {"token-file", required_argument, nullptr, kTokenFile},
    {"pairing", no_argument, nullptr, kPairing},
    {"identities", required_argument, nullptr, kIdentities},
    {"tls-cert", required_argument, nullptr, kTlsCert},
    {"tls-key", required_argument, nullptr, kTlsKey},
    {"tls-client-ca", required_argument, nullptr, kTlsClientCa},
    {"require-tls", no_argument, nullptr, kRequireTls},
    {"insecure", no_argument, nullptr, kInsecure},
    {"max-sessions", required_argument, nullptr, kMaxSessions},
    {"sandbox", required_argument, nullptr, kSandbox},
    {"session-uid", required_argument, nullptr, kSessionUid},
    {"cache", required_argument, nullptr, kCache},
    {"compile", no_argument, nullptr, kCompile},
    {"peers", required_argument, nullptr, kPeers},
    {"cache-limit", required_argument, nullptr, kCacheLimit},
    {"data-cache", required_argument, nullptr, kDataCache},
    {"data-cache-limit", required_argument, nullptr, kDataCacheLimit},
    {"grace", required_argument, nullptr, kGrace},
    {"peer-timeout", required_argument, nullptr, kPeerTimeout},
    {"resume", required_argument, nullptr, kResume},
    {"keep-sessions", no_argument, nullptr, kKeepSessions},
    {"http", required_argument, nullptr, kMetrics},
    {"metrics", required_argument, nullptr, kMetrics},  // its first name
    {"limit", required_argument, nullptr, kLimit},
    {"verbose", no_argument, nullptr, 'v'},
    {"version", no_argument, nullptr, kVersion},
    {"help", no_argument, nullptr, 'h'},
    {},
};

int number(const char* what, const char* text, int low, int high) {
  if (const auto value = parseNumber(text, low, high)) return static_cast<int>(*value);
  std::fprintf(stderr, "hip-worker: %s must be a number from %d to %d, not \"%s\"\n", what, low, high, text);
  std::exit(2);
}

std::optional<SandboxMode> sandboxMode(const std::string& text) {
  if (text == "auto") return std::nullopt;
  if (text == "strict") return SandboxMode::kStrict;
  if (text == "gpu") return SandboxMode::kGpu;
  if (text == "off") return SandboxMode::kOff;
  std::fprintf(stderr, "hip-worker: --sandbox must be auto, strict, gpu or off, not \"%s\"\n", text.c_str());
  std::exit(2);
}

// Where a worker keeps the token that it has made for itself.
std::string ownTokenFile() {
  if (const auto file = envText("HIP_REMOTE_TOKEN_FILE")) return *file;
  const std::string folder = access::configurationFolder();
  return folder.empty() ? "" : folder + "/token";
}

[[noreturn]] void fail(const char* option, const Status& status) {
  std::fprintf(stderr, "hip-worker: %s: %s\n", option, status.message().c_str());
  std::exit(2);
}

void setLimit(Limits& limits, const std::string& text) {
  if (text == "help") {
    std::fputs(Limits::help().c_str(), stdout);
    std::exit(0);
  }
  if (const Status status = limits.set(text); !status.ok()) fail("--limit", status);
}

// `address`: one has been named already.
void bindTo(const std::string& where, Options& o, bool& address) {
  constexpr std::string_view kUnix = "unix:";
  if (!where.starts_with(kUnix)) {
    o.bind = where;
    address = true;
    return;
  }
  o.unixPath = where.substr(kUnix.size());
  if (o.unixPath.empty()) fail("--bind", Status::invalid("unix:/PATH needs a path"));
  if (!address) o.bind.clear();
}

}  // namespace

Options parseOptions(int argc, char** argv) {
  Options o;
  o.port = static_cast<std::uint16_t>(envNumber("TF_WORKER_PORT", wire::kDefaultPort, 0, 65535));
  o.device = static_cast<int>(envNumber("TF_DEVICE_ID", -1, 0, 255));
  o.verbose = envFlag("TF_DEBUG");
  // Sessions of a worker that runs as root are other users, who do not reach into root's home.
  o.cacheFolder = geteuid() == 0 ? "/var/cache/hip-remote" : defaultCacheFolder();
  if (startedByTensorFusion(argv[0])) {
    o.bind = "*";
    o.gate.plainFromAnywhere = true;  // the operator decides who reaches whom, and hands out no tokens
    o.graceSeconds = 3;               // its pods have five
    if (!envText("HIP_REMOTE_SOFTGPU")) o.runtime = "rocm";  // never a software GPU where a real one was asked for
  }
  bool bound = false;
  for (int c; (c = getopt_long(argc, argv, "p:d:vh", kLong, nullptr)) != -1;) {
    switch (c) {
      case 'p':
        o.port = static_cast<std::uint16_t>(number("--port", optarg, 0, 65535));
        break;
      case 'd':
        o.device = number("--device", optarg, 0, 255);
        break;
      case 'v':
        o.verbose = true;
        break;
      case kBind:
        bindTo(optarg, o, bound);
        break;
      case kRuntime:
        o.runtime = optarg;
        break;
      case kTokenFile:
        o.gate.tokenFile = optarg;
        break;
      case kPairing:
        o.pairing = true;
        break;
      case kIdentities:
        o.gate.identities = optarg;
        break;
      case kTlsCert:
        o.gate.tls.certificate = optarg;
        break;
      case kTlsKey:
        o.gate.tls.key = optarg;
        break;
      case kTlsClientCa:
        o.gate.tls.authority = optarg;
        break;
      case kRequireTls:
        o.gate.tlsOnly = true;
        break;
      case kInsecure:
        o.gate.plainFromAnywhere = true;
        break;
      case kMaxSessions:
        o.maxSessions = number("--max-sessions", optarg, 1, 4096);
        break;
      case kSandbox:
        o.sandbox = sandboxMode(optarg);
        break;
      case kSessionUid:
        o.sessionUser = number("--session-uid", optarg, 0, kLastUser);
        break;
      case kCache:
        o.cacheFolder = optarg;
        break;
      case kCacheLimit:
        if (Status status = parseAmount(optarg, o.cacheLimit); !status.ok()) fail("--cache-limit", status);
        break;
      case kDataCache:
        o.dataFolder = optarg;
        break;
      case kDataCacheLimit:
        if (Status status = parseAmount(optarg, o.dataLimit); !status.ok()) fail("--data-cache-limit", status);
        break;
      case kCompile:
        o.compile = true;
        break;
      case kPeers:
        if (Status status = o.peers.allow(optarg); !status.ok()) fail("--peers", status);
        break;
      case kGrace:
        o.graceSeconds = number("--grace", optarg, 0, 86400);
        break;
      case kPeerTimeout:
        o.peerTimeout = number("--peer-timeout", optarg, 1, 86400);
        break;
      case kResume:
        o.resumeSeconds = number("--resume", optarg, 0, 86400);
        break;
      case kKeepSessions:
        o.keepSessions = true;
        break;
      case kMetrics:
        o.metrics = optarg;
        break;
      case kLimit:
        setLimit(o.limits, optarg);
        break;
      case kVersion:
        std::puts("hip-worker " HIPR_VERSION);
        std::exit(0);
      case 'h':
        std::fputs(kUsage, stdout);
        std::exit(0);
      default:
        std::fputs(kUsage, stderr);
        std::exit(2);
    }
  }
  if (optind < argc) {
    std::fprintf(stderr, "hip-worker: unexpected argument \"%s\"\n%s", argv[optind], kUsage);
    std::exit(2);
  }
  if (!o.dataFolder) o.dataFolder = o.cacheFolder;
  if (o.pairing && o.gate.tokenFile.empty()) o.gate.tokenFile = ownTokenFile();
  return o;
}

}  // namespace hipr::worker

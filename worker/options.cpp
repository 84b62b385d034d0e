#include "worker/options.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "access/kept_token.h"
#include "base/env.h"
#include "base/options.h"
#include "net/pod_socket.h"
#include "net/ring_transport.h"
#include "wire/frame.h"
#include "worker/code_cache.h"
#include "worker/tensor_fusion.h"

namespace hipr::worker {
namespace {

constexpr int kLastUser = 2'000'000'000;

Status setSandbox(const std::string& value, std::optional<SandboxMode>& out) {
  if (value == "auto") {
    out.reset();
  } else if (value == "strict") {
    out = SandboxMode::kStrict;
  } else if (value == "gpu") {
    out = SandboxMode::kGpu;
  } else if (value == "off") {
    out = SandboxMode::kOff;
  } else {
    return Status::invalid("must be auto, strict, gpu or off, not \"" + value + "\"");
  }
  return {};
}

// Where a worker keeps the token that it has made for itself.
std::string ownTokenFile() {
  if (const auto file = envText("HIP_REMOTE_TOKEN_FILE")) return *file;
  const std::string folder = access::configurationFolder();
  return folder.empty() ? "" : folder + "/token";
}

Status setLimit(Limits& limits, const std::string& value) {
  if (value != "help") return limits.set(value);
  std::fputs(Limits::help().c_str(), stdout);
  std::exit(0);
}

// `address`: one has been named already.
Status bindTo(const std::string& where, Options& o, bool& address) {
  constexpr std::string_view kUnix = "unix:";
  if (!where.starts_with(kUnix)) {
    o.bind = where;
    address = true;
    return {};
  }
  o.unixPath = where.substr(kUnix.size());
  if (o.unixPath.empty()) return Status::invalid("unix:/PATH needs a path");
  if (!address) o.bind.clear();
  return {};
}

// What the command line can change; REQUIRES: `o` and `once` outlive it.
struct Once {  // what does not stand in Options
  bool bound = false, version = false, help = false;
};
std::vector<Option> optionTable(Options& o, Once& once) {
  using Text = const std::string&;
  return {
      {"port", 'p', "PORT", number(o.port, 0, 65535),
       "port to listen on (TF_WORKER_PORT; default 18515; 0 picks a free one)"},
      {"bind", 0, "ADDRESS", [&](Text value) { return bindTo(value, o, once.bound); },
       "address to listen on (default 127.0.0.1; * for all); unix:/PATH: a unix socket, instead of an address or, with "
       "a second --bind, besides"},
      {"device", 'd', "DEVICE", number(o.device, 0, 255),
       "the GPU that clients see as device 0 (TF_DEVICE_ID; default 0)"},
      {"runtime", 0, "WHICH", text(o.runtime), "auto, rocm, softgpu, or the path of a libamdhip64 (default auto)"},
      {"token-file", 0, "FILE", text(o.gate.tokenFile),
       "serve only clients that know the token in FILE (HIP_REMOTE_TOKEN_FILE, HIP_REMOTE_TOKEN). From other machines "
       "it makes the connection, too: they speak TLS 1.3 with a key made of it"},
      {"pairing", 0, nullptr, flag(o.pairing),
       "make a token if FILE does not exist (~/.config/hip-remote/token unless named), and print what to type on the "
       "other machine"},
      {"identities", 0, "FILE", text(o.gate.identities),
       "serve those whom FILE names, each with its own token or certificate and limits (docs/security.md)"},
      {"tls-cert", 0, "FILE", text(o.gate.tls.certificate),
       "show this certificate to clients that want one (HIP_REMOTE_TLS_CA)"},
      {"tls-key", 0, "FILE", text(o.gate.tls.key), "the key of that certificate"},
      {"tls-client-ca", 0, "FILE", text(o.gate.tls.authority),
       "serve clients with a certificate that this authority has signed"},
      {"require-tls", 0, nullptr, flag(o.gate.tlsOnly), "serve nobody without TLS, not even programs of this machine"},
      {"insecure", 0, nullptr, flag(o.gate.plainFromAnywhere),
       "serve other machines without TLS: whoever can read or change the network can do the same with your data, and, "
       "without a token, use the GPUs"},
      {"max-sessions", 0, "N", number(o.maxSessions, 1, 4096), "clients served at a time (default 64)"},
      {"limit", 0, "NAME=N", [&](Text value) { return setLimit(o.limits, value); },
       "how much of NAME a client may have; repeat it; --limit help names them"},
      {"sandbox", 0, "MODE", [&](Text value) { return setSandbox(value, o.sandbox); },
       "what a session may do: strict (for softgpu), gpu (what a GPU's runtime needs), off, or auto (default): "
       "whichever of the first two fits"},
      {"session-uid", 0, "N", number(o.sessionUser, 0, kLastUser),
       "as root: sessions become the users N+1, N+2, ... of the group N; 0: stay root (default: 1900000000, or 60000 "
       "where that does not exist)"},
      {"cache", 0, "DIR", text(o.cacheFolder),
       "where code objects are kept (\"\" for nowhere; default ~/.cache/hip-remote, as root /var/cache/hip-remote)"},
      {"cache-limit", 0, "N", [&](Text value) { return parseAmount(value, o.cacheLimit); },
       "bytes of code that are kept there for clients of one identity (default 1G)"},
      {"data-cache", 0, "DIR", text(o.dataFolder),
       "where data that clients upload over slow lines is kept, so that it need not travel again (\"\" for nowhere; "
       "default: where --cache keeps code)"},
      {"data-cache-limit", 0, "N", [&](Text value) { return parseAmount(value, o.dataLimit); },
       "bytes of it that are kept there for clients of one identity (default 16G)"},
      {"compile", 0, nullptr, flag(o.compile),
       "compile kernels for clients that have no hiprtc, with AMD's that is installed here; each in a process of its "
       "own with limited time and memory (default off)"},
      {"peers", 0, "WORKERS", [&](Text value) { return o.peers.allow(value); },
       "other workers, HOST[:PORT],..., to which this one brings copies that clients of both ask for; \"*\": to "
       "wherever a client says (default none: such copies go through the client)"},
      {"ucx", 0, nullptr, flag(o.ucx),
       "serve clients over UCX, too, which has to be installed here (HIP_REMOTE_TRANSPORT=ucx)"},
      {"http", 0, "ADDRESS:PORT", text(o.metrics),
       "serve http://ADDRESS:PORT/metrics for Prometheus, and at / a page for people on this machine (PORT alone: on "
       "loopback; default off); --metrics is the same"},
      {"metrics", 0, "ADDRESS:PORT", text(o.metrics), nullptr},  // its first name
      {"grace", 0, "SECONDS", number(o.graceSeconds, 0, 86400),
       "how long sessions may go on after SIGTERM (default 5)"},
      {"peer-timeout", 0, "SECONDS", number(o.peerTimeout, 1, 86400),
       "give up a connection to a machine that is silent for so long (default 20)"},
      {"keep-sessions", 0, nullptr, flag(o.keepSessions),
       "on SIGTERM leave running sessions to the next hip-worker that systemd starts in place of this one "
       "(docs/scale.md); without systemd it stops as usual"},
      {"resume", 0, "SECONDS", number(o.resumeSeconds, 0, 86400),
       "how long a session waits for a client whose connection broke (default 60; 0: not at all)"},
      {"verbose", 'v', nullptr, flag(o.verbose), "say more (TF_DEBUG=1)"},
      {"version", 0, nullptr, flag(once.version), "print the version"},
      {"help", 'h', nullptr, flag(once.help), "print this"},
  };
}

// How TensorFusion starts a worker in the pod of its client: -n shmem -m NAME -M MEGABYTES. The volume with that name
// is the pod's own, whose containers may be any users. Each client shares a ring's memory with its worker: there are no
// more of them than fit into so many megabytes.
struct InPod {
  std::string transport = "native", name;
  int megabytes = 0;
};
void addOptions(InPod& in, std::vector<Option>& out) {
  out.push_back({"transport", 'n', "HOW", text(in.transport), nullptr});
  out.push_back({"shared-memory", 'm', "NAME", text(in.name), nullptr});
  out.push_back({"shared-memory-size", 'M', "MEGABYTES", number(in.megabytes, 1, 1 << 20), nullptr});
}
Status apply(const InPod& in, Options& o) {
  if (in.transport == "native") return {};
  if (in.transport != "shmem") return Status::invalid("-n is native or shmem, not \"" + in.transport + "\"");
  o.unixPath = net::podSocket(in.name);
  if (o.unixPath.empty()) return Status::invalid("-n shmem needs -m NAME, without a \"/\"");
  o.bind.clear();
  o.unixForAll = true;
  if (in.megabytes == 0) return {};
  const std::size_t clients = (static_cast<std::size_t>(in.megabytes) << 20) / net::ringMemorySize();
  if (clients == 0) return Status::invalid("-M " + std::to_string(in.megabytes) + " is too little for one client");
  o.maxSessions = static_cast<int>(std::min(clients, static_cast<std::size_t>(o.maxSessions)));
  return {};
}

// Whatever the program does otherwise, --help and --version are all it does then.
void answer(const Once& once, const std::vector<Option>& options) {
  if (once.version) std::puts("hip-worker " HIPR_VERSION);
  if (once.help)
    std::printf("usage: hip-worker [options]\nServes the GPUs of this machine to programs that use HIP Remote.\n\n%s",
                describe(options).c_str());
  if (once.version || once.help) std::exit(0);
}

}  // namespace

Options parseOptions(int argc, char** argv) {
  Options o;
  o.port = static_cast<std::uint16_t>(envNumber("TF_WORKER_PORT", wire::kDefaultPort, 0, 65535));
  o.device = static_cast<int>(envNumber("TF_DEVICE_ID", -1, 0, 255));
  o.verbose = envFlag("TF_DEBUG");
  // Sessions of a worker that runs as root are other users, who do not reach into root's home.
  o.cacheFolder = geteuid() == 0 ? "/var/cache/hip-remote" : defaultCacheFolder();
  const bool tensorFusion = startedByTensorFusion(argv[0]);
  if (tensorFusion) {
    o.bind = "*";
    o.gate.plainFromAnywhere = true;  // the operator decides who reaches whom, and hands out no tokens
    o.gate.pod = envText("POD_NAME").value_or("");
    o.graceSeconds = 3;                                      // its pods have five
    if (!envText("HIP_REMOTE_SOFTGPU")) o.runtime = "rocm";  // never a software GPU where a real one was asked for
  }
  Once once;
  std::vector<std::string> words;
  auto options = optionTable(o, once);
  InPod inPod;
  if (tensorFusion) addOptions(inPod, options);
  Status status = takeOptions(options, {argv + 1, static_cast<std::size_t>(argc - 1)}, words);
  answer(once, options);
  if (status.ok()) status = apply(inPod, o);
  if (status.ok() && !words.empty()) status = Status::invalid("unexpected argument \"" + words[0] + "\"");
  if (!status.ok()) {
    std::fprintf(stderr, "hip-worker: %s; see hip-worker --help\n", status.message().c_str());
    std::exit(2);
  }
  if (!o.dataFolder) o.dataFolder = o.cacheFolder;
  if (o.pairing && o.gate.tokenFile.empty()) o.gate.tokenFile = ownTokenFile();
  return o;
}

}  // namespace hipr::worker

// The way to the worker, one step after the other: a name, a connection, somebody who speaks our protocol, the token.
#include <cctype>
#include <string_view>

#include "access/token.h"
#include "base/env.h"
#include "cli/doctor/checks.h"
#include "telemetry/remote.h"
#include "wire/frame.h"

namespace hipr::doctor {
namespace {

bool says(const Status& status, std::string_view words) {
  return status.message().find(words) != std::string::npos;
}

constexpr std::string_view kOurs = "RPIH";  // how frames begin (wire/frame.h)

// Whoever speaks first, or answers nonsense, gives away what it is.
std::string whatSpeaksThere(const net::Endpoint& endpoint, int timeout) {
  net::Socket socket;
  char bytes[64] = {};
  std::size_t got = 0;
  if (!net::connectTo(endpoint, timeout, socket).ok()) return "";
  socket.setReceiveTimeout(timeout);
  constexpr std::string_view kQuestion = "GET / HTTP/1.0\r\n\r\n";  // what most services answer somehow
  if (!socket.send(std::as_bytes(std::span(kQuestion))).ok()) return "";
  if (!socket.receiveSome(bytes, sizeof bytes, &got).ok() || got == 0) return "";
  const std::string_view said(bytes, got);
  if (said.starts_with(kOurs)) return "";
  if (said.starts_with("HTTP/")) return "a web server";
  if (said.starts_with("SSH-")) return "an SSH server";
  if (said[0] == 0x15 || said[0] == 0x16) return "a server that wants TLS";
  std::string shown;
  for (const char c : said.substr(0, said.find('\n'))) shown += std::isprint(static_cast<unsigned char>(c)) ? c : '.';
  return "something that says \"" + shown + "\"";
}

bool greets(telemetry::RemoteOptions options) {
  std::unique_ptr<telemetry::Remote> remote;
  return telemetry::Remote::connect(options, remote).ok();
}

// What would make a worker listen there. Of this machine nobody has to show anything.
std::string howToStart(const net::Endpoint& worker) {
  const std::string command = "hip-worker --port " + std::to_string(worker.port);
  if (worker.host == "localhost" || worker.host == "127.0.0.1" || worker.host == "::1")
    return "start one here: " + command +
           " (--runtime softgpu where there is no GPU); or name another machine: --worker HOST; or do without: "
           "--softgpu";
  return "on " + worker.host + ": " + command +
         " --bind '*' --token-file FILE  (without --bind it serves its own machine only)";
}

bool checkUnixSocket(const net::Endpoint& worker, Report& report) {
  net::Socket socket;
  if (Status status = net::connectTo(worker, 0, socket); !status.ok()) {
    report.problem("connection", "no-worker", "no worker listens there: " + status.message(),
                   "hip-worker --bind unix:" + worker.path + "; who connects must be allowed to write to that file");
    return false;
  }
  report.ok("connection", worker.name() + " answers");
  return true;
}

bool checkConnection(const telemetry::RemoteOptions& options, Report& report) {
  const net::Endpoint& worker = options.worker;
  if (!worker.path.empty()) return checkUnixSocket(worker, report);
  std::vector<std::string> addresses;
  if (Status status = platform::resolveHost(worker.host, addresses); !status.ok()) {
    report.problem("name", "unknown-host", status.message(),
                   "check the spelling of --worker or TF_WORKER_HOST; `getent hosts " + worker.host +
                       "` shows what the system knows");
    return false;
  }
  std::string list;
  for (const std::string& address : addresses)
    if (list.find(address) == std::string::npos) list += (list.empty() ? "" : ", ") + address;
  report.ok("name", worker.host + " is " + list);

  net::Socket socket;
  Status status = net::connectTo(worker, options.connectTimeout, socket);
  if (status.ok()) {
    report.ok("connection", "port " + std::to_string(worker.port) + " answers");
    return true;
  }
  if (says(status, "no answer in")) {
    report.problem("connection", "no-answer", status.message() + ": a firewall drops the packets, or the host is down",
                   "open TCP port " + std::to_string(worker.port) + " on the way, or tunnel: ssh -L 18515:localhost:" +
                       std::to_string(worker.port) + " " + worker.host);
    return false;
  }
  telemetry::RemoteOptions usual = options;
  usual.worker.port = wire::kDefaultPort;
  if (worker.port != wire::kDefaultPort && greets(usual)) {
    report.problem("connection", "wrong-port",
                   "nothing listens on port " + std::to_string(worker.port) + " of " + worker.host +
                       ", but a worker does on " + std::to_string(wire::kDefaultPort),
                   "--worker " + usual.worker.name());
    return false;
  }
  report.problem("connection", "no-worker", "no worker listens there: " + status.message(), howToStart(worker));
  return false;
}

bool explainGreeting(const telemetry::RemoteOptions& options, const Status& status, Report& report) {
  const std::string& why = status.message();
  const auto problem = [&](const char* step, const char* cause, const std::string& what, const std::string& remedy) {
    report.problem(step, cause, what, remedy);
    return false;
  };
  if (says(status, "speaks TLS only"))
    return problem("tls", "tls-required", "the worker speaks TLS only, and this connection does not",
                   !envFlag("HIP_REMOTE_INSECURE")
                       ? "export HIP_REMOTE_TLS=1 (within a machine it has to be asked for), and its token: "
                         "hip-remote pair " +
                             options.worker.name()
                       : "unset HIP_REMOTE_INSECURE");
  if (says(status, "wants a token") || says(status, "nothing says that it is the right one"))
    return problem("token", "token-missing", why,
                   "get the token from who runs the worker (hip-worker --pairing prints it); then: hip-remote pair " +
                       options.worker.name() + ", or export HIP_REMOTE_TOKEN_FILE=FILE");
  if (says(status, "certificate authority "))
    return problem("tls", "tls-settings", why, "HIP_REMOTE_TLS_CA must name a file of certificates in PEM form");
  if (says(status, "wants a certificate from us"))
    return problem("tls", "tls-certificate-missing", why,
                   "export HIP_REMOTE_TLS_CERT=FILE HIP_REMOTE_TLS_KEY=FILE, signed by the worker's --tls-client-ca");
  if (says(status, "the peer's certificate"))
    return problem("tls", "tls-untrusted", why,
                   "HIP_REMOTE_TLS_CA must name the certificate of who signed the worker's (--tls-cert there)");
  if (says(status, "accepts none of our credentials"))
    return problem("tls", "tls-credentials", "the worker has no certificate that HIP_REMOTE_TLS_CA could vouch for",
                   "unset HIP_REMOTE_TLS_CA and use its token: hip-remote pair " + options.worker.name());
  if (says(status, "another token") || says(status, "token is wrong") || says(status, "refused the token"))
    return problem(
        "token", "token-wrong", why,
        "put the token the worker was started with into the file HIP_REMOTE_TOKEN_FILE names, or: hip-remote pair " +
            options.worker.name());
  if (says(status, "has no token"))
    return problem("token", "token-unwanted", why,
                   "unset HIP_REMOTE_TOKEN HIP_REMOTE_TOKEN_FILE, or start the worker with --token-file");
  if (says(status, "protocol version"))
    return problem("version", "version", why,
                   "install the same release of HIP Remote here and on " + options.worker.host);
  if (says(status, "no telemetry")) {
    report.ok("greeting", "a worker of ours; " + why);
    return true;
  }
  const std::string who = whatSpeaksThere(options.worker, options.ioTimeout);
  if (says(status, "does not speak") || !who.empty())
    return problem("greeting", "not-a-worker",
                   "not a worker but " + (who.empty() ? "something else" : who) + " is on port " +
                       std::to_string(options.worker.port),
                   "hip-worker prints the port it listens on (18515 unless told otherwise): --worker " +
                       options.worker.host + ":PORT");
  if (says(status, "did not respond in time"))
    return problem(
        "greeting", "silent",
        "something accepts connections there and says nothing for " + std::to_string(options.ioTimeout) + " s",
        "is that port the worker's? a proxy or firewall may answer in its place; on " + options.worker.host +
            ": ss -ltnp | grep " + std::to_string(options.worker.port));
  return problem("greeting", "hung-up", "whoever listens there ends the connection: " + why,
                 "look at the log of hip-worker on " + options.worker.host + "; a proxy in between may do this too");
}

}  // namespace

bool checkWorker(Patient& patient, Report& report) {
  telemetry::RemoteOptions options;
  if (Status status = telemetry::remoteOptionsFromEnvironment(options); !status.ok()) {
    report.problem("name", "bad-address", status.message(),
                   "--worker HOST, --worker HOST:PORT or --worker [IPv6]:PORT");
    return false;
  }
  if (!envText("TF_WORKER_HOST") &&
      (envText("TENSOR_FUSION_OPERATOR_CONNECTION_INFO") || envText("TENSOR_FUSION_OPERATOR_GET_CONNECTION_URL"))) {
    report.note("name", "tensor-fusion", "TensorFusion says where the worker is", "");
    return true;
  }
  options.connectTimeout = options.ioTimeout = patient.timeout;
  std::string token;
  if (Status status = access::tokenFromEnvironment(token); !status.ok()) {
    report.problem(
        "token", "token-unreadable", status.message(),
        "HIP_REMOTE_TOKEN_FILE must name a copy of the worker's token file (for a worker of yours `openssl rand "
        "-hex 32 > FILE` makes one)");
    return false;
  }
  if (!checkConnection(options, report)) return false;
  std::unique_ptr<telemetry::Remote> remote;
  if (Status status = telemetry::Remote::connect(options, remote); !status.ok())
    return explainGreeting(options, status, report);
  report.ok("greeting", "hip-worker " + remote->workerVersion() + " on " + remote->hostName() +
                            (token.empty() ? ", which wants no token" : ", which knows the token"));
  return true;
}

}  // namespace hipr::doctor

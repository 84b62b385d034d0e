// hip-remote pair: keeps the token of a worker for this user, once the worker has taken it.
#include <cstdio>
#include <iostream>

#include "access/kept_token.h"
#include "access/token.h"
#include "cli/commands.h"
#include "platform/process.h"
#include "telemetry/remote.h"

namespace hipr::cli {
namespace {

int fail(const std::string& text) {
  std::fprintf(stderr, "hip-remote pair: %s\n", text.c_str());
  return 1;
}

// From the file, or a line typed or piped in: not from an argument, which everybody on this machine could read.
Status askForToken(const std::string& file, std::string& token) {
  if (!file.empty()) return access::readTokenFile(file, token);
  std::fputs("The worker's token (hip-worker --pairing prints it): ", stderr);
  std::string line;
  std::getline(std::cin, line);
  return access::acceptToken(line, token);
}

}  // namespace

int pair(Arguments arguments) {
  std::string file;
  std::vector<std::string> workers;
  const Option table[] = {{"token-file", 0, "FILE", text(file), nullptr}, helpOption()};
  Status status = takeOptions(table, arguments, workers);
  if (status.ok() && workers.size() != 1) status = Status::invalid("with which worker? One HOST[:PORT]");
  if (!status.ok()) {
    std::fprintf(stderr, "hip-remote pair: %s; see hip-remote --help\n", status.message().c_str());
    return 2;
  }
  const std::string& worker = workers[0];
  platform::setEnvironment("TF_WORKER_HOST", worker);
  telemetry::RemoteOptions options;
  std::string token;
  if (Status status = telemetry::remoteOptionsFromEnvironment(options); !status.ok()) return fail(status.message());
  if (Status status = askForToken(file, token); !status.ok()) return fail(status.message());
  platform::setEnvironment("HIP_REMOTE_TOKEN", token);
  std::unique_ptr<telemetry::Remote> remote;
  if (Status status = telemetry::Remote::connect(options, remote); !status.ok())
    return fail("nothing is kept: " + status.message());
  std::string path;
  if (Status status = access::keepToken(options.worker, token, path); !status.ok()) return fail(status.message());
  std::printf("%s is %s, and has taken the token. It is kept in %s.\nNow: hip-remote run --worker %s PROGRAM\n",
              worker.c_str(), remote->hostName().c_str(), path.c_str(), worker.c_str());
  return 0;
}

}  // namespace hipr::cli

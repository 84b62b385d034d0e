// hip-remote pair: keeps the token of a worker for this user, once the worker has taken it.
#include <cstdio>
#include <cstring>
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
Status askForToken(const char* file, std::string& token) {
  if (file) return access::readTokenFile(file, token);
  std::fputs("The worker's token (hip-worker --pairing prints it): ", stderr);
  std::string line;
  std::getline(std::cin, line);
  return access::acceptToken(line, token);
}

}  // namespace

int pair(Arguments arguments) {
  const char *worker = nullptr, *file = nullptr;
  for (; !arguments.empty(); arguments = arguments.subspan(1)) {
    if (!std::strcmp(arguments[0], "--token-file") && arguments.size() > 1) {
      file = arguments[1];
      arguments = arguments.subspan(1);
    } else if (arguments[0][0] != '-' && !worker) {
      worker = arguments[0];
    } else {
      std::fprintf(stderr, "hip-remote pair: what is \"%s\"? See hip-remote --help\n", arguments[0]);
      return 2;
    }
  }
  if (!worker) {
    std::fputs("hip-remote pair: with which worker?\n", stderr);
    return 2;
  }
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
  std::printf("%s is %s, and has taken the token. It is kept in %s.\nNow: hip-remote run --worker %s PROGRAM\n", worker,
              remote->hostName().c_str(), path.c_str(), worker);
  return 0;
}

}  // namespace hipr::cli

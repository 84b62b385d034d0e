#include "worker/hand_over.h"

#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>

#include "base/log.h"
#include "worker/session_counters.h"

extern char** environ;

namespace hipr::worker {
namespace {

constexpr char kQuestion[] = "--takes-over";
constexpr int kPatience = 5000;  // milliseconds for a program to say which format it knows

}  // namespace

void HandedState::setRuntime(const ProbeResult& found) {
  runtime = found.path;
  status = found.status;
  statusName = found.statusName;
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(found.platform.data());
  platform.assign(bytes, bytes + found.platform.size());
  devices = found.devices;
  freeMemory = found.freeMemory;
}

ProbeResult HandedState::probeResult() const {
  ProbeResult out;
  out.path = runtime;
  out.status = status;
  out.statusName = statusName;
  const auto* bytes = reinterpret_cast<const std::byte*>(platform.data());
  out.platform.assign(bytes, bytes + platform.size());
  out.devices = devices;
  out.freeMemory = freeMemory;
  return out;
}

std::uint64_t pageLayout() {
  std::uint64_t hash = sizeof(SessionPage) * 1000 + kQuotas;
  for (std::size_t kind = 0; kind < kMessageKinds; ++kind)
    for (const char* name = messageKindName(kind); *name; ++name)
      hash = (hash ^ static_cast<unsigned char>(*name)) * 0x100000001b3;
  return hash;
}

net::Socket writeState(const HandedState& state) {
  std::vector<std::byte> bytes;
  wire::Writer(bytes).put(state);
  net::Socket file(memfd_create("hip-worker-state", MFD_CLOEXEC));
  if (!file.open() || write(file.fd(), bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) return {};
  return file;
}

std::optional<HandedState> readState(Heritage& heritage) {
  const net::Socket file = heritage.take(kStateName);
  struct stat info{};
  if (!file.open() || fstat(file.fd(), &info) != 0) return std::nullopt;
  std::vector<std::byte> bytes(static_cast<std::size_t>(info.st_size));
  HandedState state;
  wire::Reader reader(bytes);
  if (pread(file.fd(), bytes.data(), bytes.size(), 0) == info.st_size) reader.get(state);
  if (reader.ok() && reader.atEnd() && state.format == kHandOverFormat) return state;
  logError("the worker before this one has left what this one does not understand; its sessions end");
  return std::nullopt;
}

bool isChild(int process) {
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(process), &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

std::string nameOf(const char* what, int number) {
  return std::string(what) + "-" + std::to_string(number);
}

Status takesOver(const std::string& program) {
  std::vector<std::string> words = commandLine();
  words.insert(words.begin() + 1, {kQuestion, std::to_string(kHandOverFormat)});
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  if (const int error = posix_spawn(&child, program.c_str(), nullptr, nullptr, arguments.data(), environ))
    return Status::unavailable(program + ": " + std::strerror(error));
  const net::Socket process(static_cast<int>(syscall(SYS_pidfd_open, child, 0)));
  pollfd entry{process.fd(), POLLIN, 0};
  if (poll(&entry, 1, kPatience) != 1) kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  return Status::unavailable(program + " could not go on with the sessions of this one");
}

bool isAskedToTakeOver(int& argc, char**& argv, bool& knowsFormat) {
  if (argc < 3 || std::strcmp(argv[1], kQuestion) != 0) return false;
  knowsFormat = argv[2] == std::to_string(kHandOverFormat);
  argv[2] = argv[0];
  argc -= 2;
  argv += 2;
  return true;
}

}  // namespace hipr::worker

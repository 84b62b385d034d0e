#include "worker/own_image.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>

#include "worker/close_from.h"

extern char** environ;

namespace hipr::worker {
namespace {

constexpr int kBrief = kFirstFile - 1;

Status failure(const char* what) {
  return Status::exhausted(std::string(what) + ": " + std::strerror(errno));
}

struct File {
  explicit File(int fd) : fd(fd) {}
  ~File() {
    if (fd >= 0) close(fd);
  }
  File(const File&) = delete;
  const int fd;
};

// The brief as a file in memory that nobody can change any more.
int sealedFile(const std::vector<std::byte>& bytes) {
  const int fd = memfd_create("hip-worker-brief", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0) return fd;
  if (write(fd, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()) &&
      fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
    return fd;
  close(fd);
  return -1;
}

std::vector<char*> environmentWithoutSecrets() {
  std::vector<char*> out;
  for (char** entry = environ; *entry; ++entry)
    if (std::strncmp(*entry, "HIP_REMOTE_TOKEN=", 17) != 0 && std::strncmp(*entry, "NOTIFY_SOCKET=", 14) != 0)
      out.push_back(*entry);
  out.push_back(nullptr);
  return out;
}

// Between fork and exec; no memory is allocated here. The files: the brief, those of the new process, the program.
[[noreturn]] void become(std::vector<int>& files, char** argv, char** environment) {
  signal(SIGINT, SIG_IGN);  // Ctrl-C is the supervisor's to deal with
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  const int program = kBrief + static_cast<int>(files.size()) - 1;
  for (int& fd : files)  // none is where another one goes
    if (fd >= 0 && fd <= program) {
      const int away = fcntl(fd, F_DUPFD_CLOEXEC, program + 1);
      if (away < 0) _exit(127);
      close(fd);
      fd = away;
    }
  for (int target = kBrief; int fd : files) {
    close(target);
    if (fd >= 0 && dup3(fd, target, target == program ? O_CLOEXEC : 0) != target) _exit(127);
    ++target;
  }
  closeFrom(program + 1);
  fexecve(program, argv, environment);
  _exit(127);
}

}  // namespace

Status startImage(const char* option, const std::vector<std::byte>& brief, std::vector<int> files, pid_t& process) {
  // By descriptor: it is what its supervisor is, even when the file has been replaced since.
  static const int program = open("/proc/self/exe", O_PATH | O_CLOEXEC);
  const File sealed(sealedFile(brief));
  if (program < 0 || sealed.fd < 0) return failure("no file");
  files.insert(files.begin(), sealed.fd);
  files.push_back(program);
  const std::vector<char*> environment = environmentWithoutSecrets();
  std::string name = "hip-worker", what = option;
  char* argv[] = {name.data(), what.data(), nullptr};
  process = fork();
  if (process < 0) return failure("fork");
  if (process == 0) become(files, argv, const_cast<char**>(environment.data()));
  return {};
}

bool isImage(int argc, char** argv, const char* option) {
  return argc == 2 && std::strcmp(argv[1], option) == 0;
}

bool readBrief(std::vector<std::byte>& bytes) {
  struct stat info{};
  if (fstat(kBrief, &info) != 0) return false;
  bytes.resize(static_cast<std::size_t>(info.st_size));
  const bool whole = pread(kBrief, bytes.data(), bytes.size(), 0) == info.st_size;
  close(kBrief);
  return whole;
}

}  // namespace hipr::worker

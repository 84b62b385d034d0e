// What somebody tries who has taken over a process of a worker.
#include "tests/e2e/hostile_deeds.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>

namespace hipr {
namespace {

int result(long value) {
  return value < 0 ? errno : 0;
}

int readable(const char* path) {
  const int fd = open(path, O_RDONLY);
  char byte;
  const int code = fd < 0 ? errno : result(read(fd, &byte, 1));
  if (fd >= 0) close(fd);
  return code;
}

int writable(const std::string& path) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT, 0666);
  if (fd < 0) return errno;
  close(fd);
  unlink(path.c_str());
  return 0;
}

int connectable() {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  if (fd < 0) return errno;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(9);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int code = result(connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address));
  close(fd);
  return code == ECONNREFUSED ? 0 : code;
}

int peekInto(pid_t process) {
  char byte;
  iovec here{&byte, 1}, there{reinterpret_cast<void*>(0x10000), 1};
  if (process_vm_readv(process, &here, 1, &there, 1, 0) >= 0 || errno == EFAULT) return 0;
  return errno;
}

int fork() {
  const pid_t child = ::fork();
  if (child == 0) _exit(0);
  return result(child);
}

int signalsFromPipe(pid_t process) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return 0;  // that is not what is tried
  const int code = result(fcntl(ends[0], F_SETOWN, process));
  close(ends[0]);
  close(ends[1]);
  return code;
}

int madeExecutable() {
  void* memory = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const int code = result(mprotect(memory, 4096, PROT_READ | PROT_EXEC));
  munmap(memory, 4096);
  return code;
}

// Anything shared and writable besides what the session was given: its page.
int findsSharedMemory() {
  std::ifstream maps("/proc/self/maps");
  int pages = 0;
  for (std::string line; std::getline(maps, line);)
    if (line.find(" rw-s ") != std::string::npos) ++pages;
  return pages <= 1 ? EPERM : 0;
}

int hasPrivileges() {
  std::ifstream status("/proc/self/status");
  std::string word, value;
  while (status >> word)
    if (word == "CapPrm:" || word == "CapEff:" || word == "CapBnd:") {
      status >> value;
      // As an ordinary user one cannot empty the bounding set, and need not: it is a limit of what one could get.
      if (value != "0000000000000000" && (word != "CapBnd:" || geteuid() == 0)) return 0;
    }
  return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0 ? 0 : EPERM;  // EPERM for prctl counts as set
}

}  // namespace

int attempt(Deed deed) {
  switch (deed) {
    case Deed::kNothing:
      return 0;
    case Deed::kReadShadow:
      return readable("/etc/shadow");
    case Deed::kReadSecret:
      return readable(std::getenv("HIPR_TEST_SECRET"));
    case Deed::kWriteTmp:
      return writable("/tmp/hipr-hostile");
    case Deed::kWriteOwnTmp:
      return writable(std::string(std::getenv("TMPDIR")) + "/mine");
    case Deed::kWriteHome:
      return writable("/var/tmp/hipr-hostile");
    case Deed::kSocket:
      return connectable();
    case Deed::kFork:
      return fork();
    case Deed::kExec:
      execl("/bin/true", "true", nullptr);
      return errno;
    case Deed::kKillSupervisor:
      return result(kill(getppid(), 0));
    case Deed::kTraceSupervisor:
      return result(ptrace(PTRACE_ATTACH, getppid(), nullptr, nullptr));
    case Deed::kPeekSupervisor:
      return peekInto(getppid());
    case Deed::kReadSupervisorsMemory:
      return readable(("/proc/" + std::to_string(getppid()) + "/mem").c_str());
    case Deed::kBecomeRoot:
      return geteuid() == 0 ? 0 : result(setresuid(0, 0, 0));
    case Deed::kMakeExecutable:
      return madeExecutable();
    case Deed::kSharedMemory:
      return findsSharedMemory();
    case Deed::kPrivileges:
      return hasPrivileges();
    case Deed::kToken:
      return std::getenv("HIP_REMOTE_TOKEN") ? 0 : ENOENT;
    case Deed::kUserNamespace:
      return result(syscall(SYS_unshare, 0x10000000));
    case Deed::kBpf:
      return result(syscall(SYS_bpf, 0, nullptr, 0));
    case Deed::kOwnSignals:
      return signalsFromPipe(getppid());
    case Deed::kSlowSupervisor:
      return result(setpriority(PRIO_PROCESS, static_cast<id_t>(getppid()), 19));
    case Deed::kReadEtc:
      return readable("/etc/profile");
    case Deed::kThread:
      std::thread([] {}).join();
      return 0;
  }
  return EINVAL;
}

}  // namespace hipr

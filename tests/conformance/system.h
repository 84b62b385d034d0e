// What test programs need of the operating system, so that the same programs run on Linux and Windows.
#pragma once
#include <fcntl.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#ifdef _WIN32
#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#define NOGDI
#include <io.h>
#include <process.h>
#include <windows.h>
#else
#include <dlfcn.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

namespace os {

#ifdef _WIN32

// A function of the HIP library that the program uses, or nothing.
inline void* symbol(const char* name) {
  for (const char* library : {"amdhip64.dll", "amdhip64_6.dll", "amdhip64_7.dll"}) {
    const HMODULE loaded = GetModuleHandleA(library);
    if (loaded != nullptr) return reinterpret_cast<void*>(GetProcAddress(loaded, name));
  }
  return nullptr;
}

inline std::string programPath() {
  char path[4096];
  return std::string(path, GetModuleFileNameA(nullptr, path, sizeof path));
}

inline int processId() {
  return _getpid();
}

inline std::string temporaryFolder() {
  const char* folder = std::getenv("TEMP");
  return folder != nullptr ? folder : ".";
}

// Starts this program again and waits for its exit status.
inline int runAgain(const char* first, const char* second) {
  const std::string path = programPath();
  const std::string quoted = '"' + path + '"';
  return static_cast<int>(_spawnl(_P_WAIT, path.c_str(), quoted.c_str(), first, second, nullptr));
}

constexpr int kBinary = _O_BINARY;

#else

inline void* symbol(const char* name) {
  return dlsym(RTLD_DEFAULT, name);
}

inline std::string programPath() {
  char path[4096];
  const ssize_t size = readlink("/proc/self/exe", path, sizeof path);
  return std::string(path, size > 0 ? static_cast<std::size_t>(size) : 0);
}

inline int processId() {
  return getpid();
}

inline std::string temporaryFolder() {
  const char* folder = std::getenv("TMPDIR");
  return folder != nullptr ? folder : "/tmp";
}

// A signal n gives 128 + n.
inline int runAgain(const char* first, const char* second) {
  std::string path = programPath(), one = first, two = second;
  char* arguments[] = {&path[0], &one[0], &two[0], nullptr};
  pid_t pid = 0;
  int status = 0;
  if (posix_spawn(&pid, path.c_str(), nullptr, nullptr, arguments, environ) != 0) return -1;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

constexpr int kBinary = 0;

#endif

inline std::string temporaryPath(const std::string& name) {
  return temporaryFolder() + "/hip-remote-" + name + "-" + std::to_string(processId());
}

}  // namespace os

// What is written to file descriptor 1 while the object lives.
class Captured {
 public:
  Captured() {
    std::fflush(stdout);
    saved_ = dup(1);
    file_ = open(path_.c_str(), O_RDWR | O_CREAT | O_TRUNC | os::kBinary, 0600);
    dup2(file_, 1);
  }
  Captured(const Captured&) = delete;
  ~Captured() { std::fputs(text().c_str(), stdout); }  // nobody asked: a failure left the test early
  std::string text() {
    if (saved_ < 0) return "";
    std::fflush(stdout);
    dup2(saved_, 1);
    close(saved_);
    saved_ = -1;
    std::string all(static_cast<std::size_t>(lseek(file_, 0, SEEK_END)), '\0');
    lseek(file_, 0, SEEK_SET);
    const bool whole = read(file_, &all[0], all.size()) == static_cast<long>(all.size());
    close(file_);
    std::remove(path_.c_str());
    return whole ? all : "";
  }

 private:
  const std::string path_ = os::temporaryPath("printed");
  int saved_, file_;
};

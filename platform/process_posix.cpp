#include "platform/process.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#ifdef __APPLE__
#include <mach-o/dyld.h>
#else
#include <sys/mman.h>
#endif

namespace hipr::platform {

std::uint64_t processId() {
  return static_cast<std::uint64_t>(getpid());
}

std::string programPath() {
  char path[4096];
#ifdef __APPLE__
  std::uint32_t size = sizeof path;
  return _NSGetExecutablePath(path, &size) == 0 ? path : "?";
#else
  const ssize_t size = readlink("/proc/self/exe", path, sizeof path);
  return size > 0 ? std::string(path, static_cast<std::size_t>(size)) : "?";
#endif
}

std::string hostName() {
  char name[256] = "?";
  gethostname(name, sizeof name - 1);
  return name;
}

void setEnvironment(const char* name, const std::string& value) {
  setenv(name, value.c_str(), 1);
}

int makeNote(const std::string& bytes) {
#ifdef __APPLE__
  char name[] = "/tmp/hip-remote-XXXXXX";
  const int made = mkstemp(name);
  if (made >= 0) unlink(name);
#else
  const int made = memfd_create("hip-remote", MFD_CLOEXEC);
#endif
  if (made < 0 || pwrite(made, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size())) return made;
  close(made);
  return -1;
}

std::string readNote(int descriptor, std::size_t most) {
  std::string bytes(most, '\0');
  const ssize_t n = pread(descriptor, bytes.data(), most, 0);
  bytes.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  return bytes;
}

std::string becomeProgram(const std::vector<std::string>& arguments) {
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  execvp(argv[0], argv.data());
  return std::strerror(errno);
}

}  // namespace hipr::platform

#include "platform/process.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#ifdef __APPLE__
#include <mach-o/dyld.h>
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

std::string becomeProgram(const std::vector<std::string>& arguments) {
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  execvp(argv[0], argv.data());
  return std::strerror(errno);
}

}  // namespace hipr::platform

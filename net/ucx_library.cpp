#include "net/ucx_library.h"

#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <string>

namespace hipr::net {
namespace {

// UCX reads these when it is opened. In somebody else's process it handles no signals and changes no functions of the
// system's; whoever has set them wants it otherwise.
void keepToYourself() {
  setenv("UCX_HANDLE_ERRORS", "none", 0);
  setenv("UCX_ERROR_SIGNALS", "", 0);
  setenv("UCX_MEM_EVENTS", "no", 0);
  setenv("UCX_WARN_UNUSED_ENV_VARS", "no", 0);
}

Status load(UcxLibrary& out) {
  keepToYourself();
  void* const library = dlopen("libucp.so.0", RTLD_NOW | RTLD_LOCAL);
  if (!library) return Status::unsupported(std::string("UCX cannot be opened (Debian: libucx0): ") + dlerror());
  const char* missing = nullptr;
#define UCX(name)                                                         \
  out.name = reinterpret_cast<decltype(out.name)>(dlsym(library, #name)); \
  if (!out.name) missing = #name;
#include "net/ucx_functions.def"
  return missing ? Status::unsupported(std::string("libucp.so.0 has no ") + missing) : Status{};
}

std::atomic<pid_t> opener{0};

}  // namespace

bool UcxLibrary::openedByParent() {
  return opener != 0 && opener != getpid();
}

Status UcxLibrary::find(const UcxLibrary*& out) {
  static UcxLibrary library;
  static const Status status = load(library);
  pid_t nobody = 0;
  if (status.ok()) opener.compare_exchange_strong(nobody, getpid());
  out = &library;
  return status;
}

}  // namespace hipr::net

// Where a call goes: into the client library of the right ABI, which is loaded with the first HIP call and not before.
// Only the C library is used here: this file is part of every process of a container, its shells included.
#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "client/preload/needed.h"

// As old as x86-64 itself, and missed only when called: a container whose C library is older than the one this was
// built with must still start its shells.
#define HIPR_ANY_GLIBC(function)                        \
  extern "C" [[gnu::weak]] decltype(function) function; \
  asm(".symver " #function ", " #function "@GLIBC_2.2.5")
HIPR_ANY_GLIBC(dlopen);
HIPR_ANY_GLIBC(dlsym);
HIPR_ANY_GLIBC(dladdr);
HIPR_ANY_GLIBC(dlerror);

namespace {

constexpr int kNotSupported = 801;  // hipErrorNotSupported
int missingFunction() {
  return kNotSupported;
}

[[noreturn]] void giveUp(const char* what) {
  dprintf(STDERR_FILENO, "[hip-remote] %s\n", what);
  _exit(127);  // as the loader does when a library is missing
}

// HIPR_PRELOAD_ABI is 0 in the face that stands for all: programs bind to it because it is loaded first.
int abi() {
  if (HIPR_PRELOAD_ABI) return HIPR_PRELOAD_ABI;
  const char* asked = std::getenv("HIP_REMOTE_ABI");
  if (asked && asked[0] >= '5' && asked[0] <= '7' && !asked[1]) return asked[0] - '0';
  const int needed = hipr::preload::neededAbi();
  return needed ? needed : 7;
}

// The client libraries lie one folder above the faces.
void* openClient() {
  if (!dlopen || !dlsym || !dladdr || !dlerror) giveUp("this container's C library is older than 2.34");
  Dl_info self{};
  if (!dladdr(reinterpret_cast<void*>(&openClient), &self) || !self.dli_fname) giveUp("cannot find the client library");
  char path[4096];
  const char* slash = std::strrchr(self.dli_fname, '/');
  const int folder = slash ? static_cast<int>(slash - self.dli_fname) : 0;
  std::snprintf(path, sizeof path, "%.*s/../libamdhip64.so.%d", folder, self.dli_fname, abi());
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) giveUp(dlerror());
  return library;
}

}  // namespace

// Any number of threads may come here at once: each finds the same.
extern "C" [[gnu::visibility("hidden")]] void* hiprPreloadBind(const char* name, void** slot) {
  static void* library;
  void* client = __atomic_load_n(&library, __ATOMIC_ACQUIRE);
  if (!client) {
    client = openClient();
    __atomic_store_n(&library, client, __ATOMIC_RELEASE);
  }
  void* target = dlsym(client, name);
  if (!target) target = reinterpret_cast<void*>(&missingFunction);  // not in that ABI
  __atomic_store_n(slot, target, __ATOMIC_RELEASE);
  return target;
}

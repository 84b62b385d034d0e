#include "platform/library.h"

#include "platform/loaded.h"

#include <dlfcn.h>

namespace hipr::platform {

Library Library::open(const std::string& path, std::string* why) {
  Library library;
  library.handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library.handle_ == nullptr && why != nullptr) *why = dlerror();
  return library;
}

void* Library::symbol(const char* name) const {
  return dlsym(handle_, name);
}

void* symbolInLoaded(const char* library, const char* name) {
  void* handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
  return handle ? dlsym(handle, name) : nullptr;
}

std::string Library::fileOf(const void* address) {
  Dl_info info;
  return dladdr(address, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "";
}

#ifdef __APPLE__
const char* const kLibraryPathVariable = "DYLD_LIBRARY_PATH";
#else
const char* const kLibraryPathVariable = "LD_LIBRARY_PATH";
#endif
const char kPathSeparator = ':';

}  // namespace hipr::platform

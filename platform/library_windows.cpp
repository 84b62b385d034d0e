#include "platform/library.h"
#include "platform/text_windows.h"
#include "platform/windows.h"

namespace hipr::platform {

// LOAD_WITH_ALTERED_SEARCH_PATH: what a library given by its path needs is looked for beside it.
Library Library::open(const std::string& path, std::string* why) {
  const bool whole = path.find_first_of("\\/") != std::string::npos;
  Library library;
  library.handle_ = LoadLibraryExW(wide(path).c_str(), nullptr, whole ? LOAD_WITH_ALTERED_SEARCH_PATH : 0);
  if (library.handle_ == nullptr && why != nullptr) *why = path + ": " + systemText(GetLastError());
  return library;
}

void* Library::symbol(const char* name) const {
  return reinterpret_cast<void*>(GetProcAddress(static_cast<HMODULE>(handle_), name));
}

const char* const kLibraryPathVariable = "PATH";
const char kPathSeparator = ';';

}  // namespace hipr::platform

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

std::string Library::fileOf(const void* address) {
  HMODULE module = nullptr;
  const DWORD flags = GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT;
  if (!GetModuleHandleExW(flags, static_cast<LPCWSTR>(address), &module)) return "";
  std::wstring path(32768, L'\0');
  path.resize(GetModuleFileNameW(module, path.data(), static_cast<DWORD>(path.size())));
  return narrow(path);
}

const char* const kLibraryPathVariable = "PATH";
const char kPathSeparator = ';';

}  // namespace hipr::platform

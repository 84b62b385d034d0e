#include "platform/caller.h"

#include <dlfcn.h>
#include <unwind.h>

#include <cstdint>
#include <cstring>

namespace hipr::platform {
namespace {

struct Search {
  const char* own;
  const char* found = nullptr;
};

const char* fileOf(std::uintptr_t address) {
  Dl_info info;
  return dladdr(reinterpret_cast<void*>(address), &info) != 0 ? info.dli_fname : nullptr;
}

_Unwind_Reason_Code visit(_Unwind_Context* context, void* argument) {
  auto& search = *static_cast<Search*>(argument);
  const char* file = fileOf(_Unwind_GetIP(context));
  if (file == nullptr || std::strcmp(file, search.own) == 0) return _URC_NO_REASON;
  search.found = file;
  return _URC_END_OF_STACK;
}

}  // namespace

std::string callingModule() {
  Search search{fileOf(reinterpret_cast<std::uintptr_t>(&callingModule))};
  if (search.own == nullptr) return "";
  _Unwind_Backtrace(visit, &search);
  return search.found ? search.found : "";
}

}  // namespace hipr::platform

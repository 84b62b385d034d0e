#include "platform/text_windows.h"
#include "platform/thread.h"
#include "platform/windows.h"

namespace hipr::platform {

// SetThreadDescription came with Windows 10 1607.
void nameThisThread(const char* name) {
  using Function = HRESULT(WINAPI*)(HANDLE, PCWSTR);
  static const auto describe = reinterpret_cast<Function>(
      reinterpret_cast<void*>(GetProcAddress(GetModuleHandleW(L"kernel32.dll"), "SetThreadDescription")));
  if (describe) describe(GetCurrentThread(), wide(name).c_str());
}

std::uint64_t threadId() {
  return GetCurrentThreadId();
}

}  // namespace hipr::platform

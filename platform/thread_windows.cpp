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

static_assert(sizeof(std::atomic<int>) == sizeof(int));  // what the system compares is the word itself

void waitWhile(const std::atomic<int>& word, int value) {
  while (word.load(std::memory_order_acquire) == value)
    WaitOnAddress(const_cast<std::atomic<int>*>(&word), &value, sizeof value, INFINITE);
}

void wakeOne(std::atomic<int>& word) {
  WakeByAddressSingle(&word);
}

}  // namespace hipr::platform

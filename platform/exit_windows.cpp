#include "platform/exit_windows.h"

#include "platform/exit.h"
#include "platform/windows.h"

namespace hipr::platform {
namespace {

ExitFunction atExit = nullptr;

// Found while the library is loaded: at the end even the lock of a function's first call may be lost.
using Question = BOOLEAN(NTAPI*)();
const auto shutdownInProgress = reinterpret_cast<Question>(
    reinterpret_cast<void*>(GetProcAddress(GetModuleHandleW(L"ntdll.dll"), "RtlDllShutdownInProgress")));

// Destroyed when Windows unloads the library, which for us is the end of the process.
struct Last {
  ~Last() {
    if (atExit) atExit(otherThreadsGone() ? Ending::kThreadsGone : Ending::kLast);
  }
} last;

int coming() {
  if (atExit) atExit(Ending::kComing);
  return 0;
}

// Each C runtime that is a library of its own has a list of what its exit() calls; a library built with another one
// is in none of them unless it asks.
template <class Function>
void askRuntime(const wchar_t* runtime, const char* name) {
  const HMODULE module = GetModuleHandleW(runtime);
  if (!module) return;
  const auto enlist = reinterpret_cast<Function>(reinterpret_cast<void*>(GetProcAddress(module, name)));
  if (enlist) enlist(coming);
}

}  // namespace

bool otherThreadsGone() {
  return shutdownInProgress && shutdownInProgress();
}

void endWithoutThreads() {
  if (atExit) atExit(Ending::kThreadsGone);
}

AtExit::AtExit(ExitFunction function) {
  atExit = function;
}

void stayUntilExit() {
  static const bool asked = [] {
    HMODULE self = nullptr;
    GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_PIN | GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS,
                       reinterpret_cast<LPCWSTR>(&coming), &self);
    using Enlister = int (*)();
    askRuntime<Enlister (*)(Enlister)>(L"msvcrt.dll", "_onexit");
    askRuntime<int (*)(Enlister)>(L"ucrtbase.dll", "_crt_atexit");
    return true;
  }();
  static_cast<void>(asked);
}

}  // namespace hipr::platform

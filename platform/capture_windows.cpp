#include "platform/capture.h"

#include <chrono>

#include "platform/text_windows.h"
#include "platform/windows.h"

namespace hipr::platform {
namespace {

struct Handle {
  HANDLE value = nullptr;
  ~Handle() { close(); }
  void close() {
    if (value) CloseHandle(value);
    value = nullptr;
  }
};

// Reads to the end of the stream. False when it has not come by then. A pipe cannot be waited for, so it is looked at.
bool readUntil(HANDLE pipe, std::chrono::steady_clock::time_point end, std::string& out) {
  while (std::chrono::steady_clock::now() < end) {
    DWORD there = 0, got = 0;
    if (!PeekNamedPipe(pipe, nullptr, 0, nullptr, &there, nullptr)) return true;
    if (there == 0) {
      Sleep(5);
      continue;
    }
    char piece[4096];
    if (!ReadFile(pipe, piece, sizeof piece, &got, nullptr) || got == 0) return true;
    if (out.size() < kMostCaptured) out.append(piece, got);
  }
  return false;
}

}  // namespace

Captured captureProgram(const std::vector<std::string>& arguments, int seconds) {
  Captured out;
  Handle reading, writing, nothing;
  SECURITY_ATTRIBUTES inherited{sizeof inherited, nullptr, TRUE};
  if (!CreatePipe(&reading.value, &writing.value, &inherited, 0)) {
    out.output = systemText(GetLastError());
    return out;
  }
  SetHandleInformation(reading.value, HANDLE_FLAG_INHERIT, 0);
  nothing.value = CreateFileW(L"NUL", GENERIC_READ, FILE_SHARE_READ, &inherited, OPEN_EXISTING, 0, nullptr);
  STARTUPINFOW start{};
  start.cb = sizeof start;
  start.dwFlags = STARTF_USESTDHANDLES;
  start.hStdInput = nothing.value;
  start.hStdOutput = start.hStdError = writing.value;
  PROCESS_INFORMATION started{};
  std::wstring line = commandLine(arguments);
  if (!CreateProcessW(nullptr, line.data(), nullptr, nullptr, TRUE, 0, nullptr, nullptr, &start, &started)) {
    out.output = systemText(GetLastError());
    return out;
  }
  const Handle process{started.hProcess}, thread{started.hThread};
  writing.close();
  out.started = true;
  out.ended = readUntil(reading.value, std::chrono::steady_clock::now() + std::chrono::seconds(seconds), out.output);
  if (!out.ended) TerminateProcess(process.value, 1);
  WaitForSingleObject(process.value, INFINITE);
  DWORD code = 1;
  GetExitCodeProcess(process.value, &code);
  out.code = static_cast<int>(code);
  return out;
}

}  // namespace hipr::platform

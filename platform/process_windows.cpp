#include "platform/process.h"

#include <cstdlib>

#include "platform/text_windows.h"
#include "platform/windows.h"

namespace hipr::platform {
namespace {

BOOL WINAPI ignoreConsole(DWORD) {
  return TRUE;  // Control-C is the other program's to answer; we leave when it does
}

}  // namespace

std::uint64_t processId() {
  return GetCurrentProcessId();
}

std::string programPath() {
  std::wstring path(32768, L'\0');
  const DWORD size = GetModuleFileNameW(nullptr, path.data(), static_cast<DWORD>(path.size()));
  path.resize(size);
  return size > 0 ? narrow(path) : "?";
}

std::string hostName() {
  wchar_t name[256];
  DWORD size = static_cast<DWORD>(std::size(name));
  return GetComputerNameExW(ComputerNameDnsHostname, name, &size) ? narrow(std::wstring(name, size)) : "?";
}

// The C runtime has a copy of its own that getenv() reads; _wputenv changes both.
void setEnvironment(const char* name, const std::string& value) {
  _wputenv((wide(name) + L"=" + wide(value)).c_str());
}

// HIP passes file descriptors between processes on systems that have them.
int makeNote(const std::string&) {
  return -1;
}

std::string readNote(int, std::size_t) {
  return "";
}

std::string becomeProgram(const std::vector<std::string>& arguments) {
  std::wstring line = commandLine(arguments);
  STARTUPINFOW start{};
  start.cb = sizeof start;
  PROCESS_INFORMATION started{};
  if (!CreateProcessW(nullptr, line.data(), nullptr, nullptr, TRUE, 0, nullptr, nullptr, &start, &started))
    return systemText(GetLastError());
  SetConsoleCtrlHandler(ignoreConsole, TRUE);
  WaitForSingleObject(started.hProcess, INFINITE);
  DWORD code = 1;
  GetExitCodeProcess(started.hProcess, &code);
  std::exit(static_cast<int>(code));
}

}  // namespace hipr::platform

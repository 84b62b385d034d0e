// Text as Windows has it. For files of this folder.
#pragma once

#include <string>
#include <vector>

namespace hipr::platform {

std::wstring wide(const std::string& utf8);
std::string narrow(const std::wstring& utf16);
std::wstring commandLine(const std::vector<std::string>& arguments);  // as the started program takes it apart again
std::string systemText(unsigned long error);                          // of GetLastError() or WSAGetLastError()

}  // namespace hipr::platform

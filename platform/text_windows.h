// Text as Windows has it. For files of this folder.
#pragma once

#include <string>

namespace hipr::platform {

std::wstring wide(const std::string& utf8);
std::string narrow(const std::wstring& utf16);
std::string systemText(unsigned long error);  // of GetLastError() or WSAGetLastError()

}  // namespace hipr::platform

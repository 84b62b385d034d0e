// This process and the machine it runs on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hipr::platform {

std::uint64_t processId();
std::string programPath();  // of the running executable, "?" when it cannot be known
std::string hostName();     // "?" likewise

// For this process and those it starts.
void setEnvironment(const char* name, const std::string& value);

// A descriptor that other processes can be given, and the bytes behind it. -1 where the system knows no such thing.
int makeNote(const std::string& bytes);
std::string readNote(int descriptor, std::size_t most);  // empty when it cannot be read

// Runs another program in place of this one, found as a shell finds it, and leaves with its exit code. Returns only
// when it cannot be started, with the reason.
std::string becomeProgram(const std::vector<std::string>& arguments);

}  // namespace hipr::platform

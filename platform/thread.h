// What std::thread lacks.
#pragma once

#include <cstdint>

namespace hipr::platform {

void nameThisThread(const char* name);  // for debuggers; at most 15 characters are kept everywhere
std::uint64_t threadId();               // the system's number of the calling thread

}  // namespace hipr::platform

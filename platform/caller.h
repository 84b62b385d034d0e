// Who called us.
#pragma once

#include <string>

namespace hipr::platform {

// The file of the nearest function on this thread's stack that is not in this library; empty when it cannot be known.
// Walks the stack: for traces, not for every call.
std::string callingModule();

}  // namespace hipr::platform

// A function of a library that this process has loaded already, whoever did. Not on Windows, where nobody needs it.
#pragma once

namespace hipr::platform {

void* symbolInLoaded(const char* library, const char* name);  // null when there is no such library or function

}  // namespace hipr::platform

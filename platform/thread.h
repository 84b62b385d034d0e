// What std::thread lacks.
#pragma once

namespace hipr::platform {

void nameThisThread(const char* name);  // for debuggers; at most 15 characters are kept everywhere

}  // namespace hipr::platform

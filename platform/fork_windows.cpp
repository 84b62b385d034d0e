#include "platform/fork.h"

namespace hipr::platform {

void onFork(void (*)(), void (*)(), void (*)()) {}  // a process of Windows has no child that shares its memory

}  // namespace hipr::platform

#include "platform/fork.h"

#include <pthread.h>

namespace hipr::platform {

void onFork(void (*before)(), void (*inParent)(), void (*inChild)()) {
  pthread_atfork(before, inParent, inChild);
}

}  // namespace hipr::platform

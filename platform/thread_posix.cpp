#include "platform/thread.h"

#include <pthread.h>

namespace hipr::platform {

void nameThisThread(const char* name) {
#ifdef __APPLE__
  pthread_setname_np(name);
#else
  pthread_setname_np(pthread_self(), name);
#endif
}

}  // namespace hipr::platform

#include <pthread.h>

#include "platform/no_cancel.h"

namespace hipr {

NoCancel::NoCancel() {
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_);
}

NoCancel::~NoCancel() {
  pthread_setcancelstate(before_, nullptr);
}

}  // namespace hipr

#include "platform/no_cancel.h"

namespace hipr {

// Threads of Windows are not cancelled; one that is killed takes the process's locks along whatever we do.
NoCancel::NoCancel() : before_(0) {}

NoCancel::~NoCancel() = default;

}  // namespace hipr

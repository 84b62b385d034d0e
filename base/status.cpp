#include "base/status.h"

namespace hipr {

Status Status::within(const std::string& what) const {
  return ok() ? *this : Status(code_, what + ": " + message_);
}

}  // namespace hipr

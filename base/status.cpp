#include "base/status.h"

namespace hipr {

const std::string& Status::message() const {
  static const std::string none;
  return failure_ ? failure_->message : none;
}

Status Status::within(const std::string& what) const {
  return ok() ? *this : Status(code(), what + ": " + message());
}

}  // namespace hipr

#include "platform/clock.h"

namespace hipr::platform {

std::tm localTime(std::time_t time) {
  std::tm out{};
  localtime_r(&time, &out);
  return out;
}

std::tm universalTime(std::time_t time) {
  std::tm out{};
  gmtime_r(&time, &out);
  return out;
}

}  // namespace hipr::platform

#include "platform/clock.h"

namespace hipr::platform {

std::tm localTime(std::time_t time) {
  std::tm out{};
  localtime_s(&out, &time);
  return out;
}

std::tm universalTime(std::time_t time) {
  std::tm out{};
  gmtime_s(&out, &time);
  return out;
}

}  // namespace hipr::platform

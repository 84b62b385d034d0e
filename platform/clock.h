// The time of day, for people. (What measures time uses std::chrono::steady_clock, which every system has.)
#pragma once

#include <ctime>

namespace hipr::platform {

std::tm localTime(std::time_t time);
std::tm universalTime(std::time_t time);

}  // namespace hipr::platform

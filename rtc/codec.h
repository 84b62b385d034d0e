// Requests and results as bytes: a number of strings, each with its length before it. What decode() takes may come from
// anywhere.
#pragma once

#include <string>
#include <string_view>

#include "rtc/request.h"

namespace hipr::rtc {

std::string encode(const Request& request);
std::string encode(const Result& result);

// False when the bytes are not what encode() makes.
bool decode(std::string_view bytes, Request& request);
bool decode(std::string_view bytes, Result& result);

}  // namespace hipr::rtc

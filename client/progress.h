// What somebody at a terminal sees of bytes that take long to travel. Nobody at one, or little to see: no line, and
// next to no time spent.
#pragma once

#include "client/session.h"
#include "platform/progress_line.h"
#include "runtime/operation.h"

namespace hipr::client {

platform::ProgressLine lineOfWork(Session& s, const Operation& operation);  // a large copy from or to the host
platform::ProgressLine lineOfCode(Session& s, std::uint64_t bytes);         // until the worker has loaded it
platform::ProgressLine lineOfTransfers(Session& s);                         // a wait for what earlier calls began

}  // namespace hipr::client

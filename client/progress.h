// Progress lines on a terminal for transfers that take long. Without a terminal, or for little data, there is no line,
// and next to no time is spent.
#pragma once

#include "client/session.h"
#include "platform/progress_line.h"
#include "runtime/operation.h"

namespace hipr::client {

platform::ProgressLine lineOfCopy(Session& s, const Copy& copy);     // a large one, from or to the host
platform::ProgressLine lineOfCode(Session& s, std::uint64_t bytes);  // until the worker has loaded it
platform::ProgressLine lineOfTransfers(Session& s);                  // a wait for what earlier calls began

}  // namespace hipr::client

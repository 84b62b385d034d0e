// What the provider has to say goes to the hypervisor's log, if it has given us one, else to stderr. Lines are sent on
// the calling thread only, and never as FATAL: the hypervisor ends itself on that.
#pragma once

#include "provider/accelerator.h"

namespace hipr::provider {

enum class Level { kInfo, kWarn, kError };

void setLogCallback(LogCallback callback);  // null: stderr again
bool hasLogCallback();
[[gnu::format(printf, 2, 3)]] void say(Level level, const char* format, ...);

}  // namespace hipr::provider

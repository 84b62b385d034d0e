// Peer access between two visible devices, by HIP's rules.
#pragma once

#include "runtime/process.h"

namespace hipr {

hipError_t setPeerAccess(Process& p, Device& device, Device& peer, bool enabled);

}  // namespace hipr

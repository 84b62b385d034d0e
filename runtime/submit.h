// The way every piece of stream work takes from the rules to a core.
#pragma once

#include "runtime/process.h"

namespace hipr {

// Hands the operation to the stream's core; it has come as far as `until` on return. REQUIRES: the operation was
// checked by HIP's rules, but for the one that everything it touches belongs to the stream's core.
hipError_t hand(Stream& stream, const Operation& operation, Stage until);

// The same when the stream is captured: nothing of it becomes a part of that.
hipError_t giveToCore(Stream& stream, const Operation& operation, Stage until);

// Nothing that the operation touches is of another core than the device; host memory is everybody's.
bool staysInside(const Device& device, const Operation& operation);

// With HIP_LAUNCH_BLOCKING=1 asynchronous work is waited for before its call returns.
hipError_t afterAsync(Process& p, Stream& stream);

// Both, and what a wait may bring to light: all that most calls have to do.
hipError_t submit(Process& p, Stream& stream, const Operation& operation, Stage until = Stage::kSent);

// Waits for everything given to the stream.
hipError_t synchronize(Stream& stream);

}  // namespace hipr

// HIP_REMOTE_TRACE=FILE: the trace of this process (base/trace.h), from its first HIP call to its end.
#pragma once

namespace hipr {

bool startTrace();  // when the library is loaded; whether it is wanted
void endTrace();    // when the process ends, while it can still ask for the times of the last kernels

}  // namespace hipr

// Where processes that use softgpu tell what they do, for a worker whose sessions are users of their own.
#pragma once

#include <sys/types.h>

#include <string>

namespace hipr::telemetry {

std::string softgpuUsageFolder();     // empty: usage is not told
void shareSoftgpuUsage(gid_t group);  // its members can tell of themselves there. REQUIRES: root
void forgetSoftgpuUsage(pid_t process);

}  // namespace hipr::telemetry

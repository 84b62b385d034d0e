// Where processes that use softgpu tell what they do, for a worker whose sessions are users of their own.
#pragma once

#include <sys/types.h>

#include <string>

namespace hipr::telemetry {

std::string softgpuUsageFolder();  // empty: usage is not told
// Everybody can tell of itself there, and members of the group see it; others see nothing. REQUIRES: root
void shareSoftgpuUsage(gid_t group);
void forgetSoftgpuUsage(pid_t process);

// Makes the file in which the processes of a worker add up what they use of their share
// (backends/softgpu/compute_share.h); for members of the group, if it is not 0. Empty where there can be none.
std::string makeSoftgpuComputeFile(gid_t group);

}  // namespace hipr::telemetry

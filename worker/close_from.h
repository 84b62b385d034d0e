// Closes descriptors before exec, so that no child inherits what is not meant for it.
#pragma once

#include <sys/syscall.h>
#include <unistd.h>

namespace hipr::worker {

// Closes this descriptor and all above. Called between fork and exec. By the call's number: C libraries have had the
// function since 2021, and kernels before 5.9 do not have the call at all.
inline void closeFrom(int first) {
  if (syscall(SYS_close_range, static_cast<unsigned>(first), ~0U, 0) == 0) return;
  const long end = sysconf(_SC_OPEN_MAX);
  for (long fd = first; fd < end; ++fd) close(static_cast<int>(fd));
}

}  // namespace hipr::worker

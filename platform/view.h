// A view of the file system that only this process has, and the programs it becomes or starts. Linux only.
#pragma once

#include <map>
#include <string>

namespace hipr::platform {

// From now on this process finds `files` (by their paths below `place`) at `place`, a folder that need not exist and
// that nobody else sees. It takes a mount namespace, and for a user other than root a user namespace, in which it is
// nobody but itself: programs with the set-user-ID bit then run without it. Where the system does not allow that,
// nothing changes and the reason is returned; empty on success. REQUIRES: this process has one thread.
std::string addToView(const std::string& place, const std::map<std::string, std::string>& files);

}  // namespace hipr::platform

// Which libamdhip64 the program in this process was linked for.
#pragma once

namespace hipr::preload {

// 5, 6 or 7: what the first object in load order that needs a libamdhip64 names. One that names it without a number
// (Python wheels do) is judged by the library in its own folder, else by the newest symbol version it wants. 0: no
// object needs one.
int neededAbi();

}  // namespace hipr::preload

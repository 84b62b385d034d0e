// fork(), where a system has it.
#pragma once

namespace hipr::platform {

// `before` and `inParent` run around every later fork of this process, `inChild` in the child. Never undone.
void onFork(void (*before)(), void (*inParent)(), void (*inChild)());

}  // namespace hipr::platform

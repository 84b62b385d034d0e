// For the place where Windows enters our libraries.
#pragma once

namespace hipr::platform {

void endWithoutThreads();  // tells whoever asked to be told of the exit: Ending::kThreadsGone

}  // namespace hipr::platform

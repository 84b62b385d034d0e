// The end of the process, as a library sees it.
//
// On Linux and macOS the functions of a library run last, after all of the program's, while every thread still lives.
// Windows ends all other threads first, wherever they are and whatever locks they hold, and only then tells the
// libraries: nothing can be waited for by then. It tells us earlier too, when the program leaves by exit() of a C
// runtime that is a library (by returning from main, say); the program's own handlers may still run after that.
#pragma once

namespace hipr::platform {

enum class Ending {
  kComing,       // every thread lives; the program may still call us
  kLast,         // every thread lives; nothing of the program runs any more
  kThreadsGone,  // only this thread is left, and a lock that is taken will never be given back
};

using ExitFunction = void (*)(Ending);

// One for each library, named by a variable outside all functions: it is in force from when the library is loaded.
class AtExit {
 public:
  explicit AtExit(ExitFunction function);
};

// From here on the end of the process concerns us: the library stays loaded until then, and Ending::kComing is
// announced where the system can. Not for functions that run while a library is being loaded.
void stayUntilExit();

// Windows has ended all threads but this one. A call that would wait for one of them, or for a lock, must not.
bool otherThreadsGone();

}  // namespace hipr::platform

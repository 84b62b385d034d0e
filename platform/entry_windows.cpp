// Where Windows enters our libraries, before the C runtime that is linked into them does. When a process ends, Windows
// has already ended all other threads, wherever they were; one of them may have held a lock of that runtime, and its
// destructors would wait for it for ever. So they do not run then: the memory goes with the process.
#include "platform/exit_windows.h"
#include "platform/windows.h"

extern "C" BOOL WINAPI DllMainCRTStartup(HINSTANCE, DWORD, LPVOID);

extern "C" BOOL WINAPI hiprLibraryEntry(HINSTANCE library, DWORD reason, LPVOID processEnds) {
  if (reason != DLL_PROCESS_DETACH || processEnds == nullptr) return DllMainCRTStartup(library, reason, processEnds);
  hipr::platform::endWithoutThreads();
  return TRUE;
}

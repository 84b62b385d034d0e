// Ways for a Windows process to end while HIP work is under way. Each must end promptly, with its own exit code; the
// runner starts this program once for each. The argument says which.
#include <hip/hip_runtime_api.h>
#include <windows.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

namespace {

void* memory = nullptr;

void post() {
  for (int i = 0; i < 1000; ++i)
    if (hipMemsetAsync(memory, i & 255, 1 << 20, nullptr) != hipSuccess) std::exit(3);
}

// Destroyed after main: still allowed to use HIP.
struct Late {
  ~Late() {
    if (memory && hipFree(memory) != hipSuccess) std::puts("hipFree failed in a static destructor");
  }
} late;

}  // namespace

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "";
  int count = 0;
  if (hipGetDeviceCount(&count) != hipSuccess || hipMalloc(&memory, 1 << 20) != hipSuccess) return 2;
  post();
  if (!std::strcmp(how, "return")) return 40;
  if (!std::strcmp(how, "exit")) std::exit(41);
  if (!std::strcmp(how, "ExitProcess")) ExitProcess(42);
  if (!std::strcmp(how, "TerminateProcess")) TerminateProcess(GetCurrentProcess(), 43);
  if (!std::strcmp(how, "_exit")) _exit(44);
  if (!std::strcmp(how, "thread")) {  // ends the process from another thread, while the first one posts
    std::thread([] {
      Sleep(20);
      ExitProcess(45);
    }).detach();
    for (;;) post();
  }
  if (!std::strcmp(how, "waiting")) {  // while other threads wait for answers
    for (int i = 0; i < 4; ++i)
      std::thread([] {
        for (;;) (void)hipDeviceSynchronize();
      }).detach();
    Sleep(50);
    ExitProcess(46);
  }
  if (!std::strcmp(how, "unload")) {  // our library stays, however often it is let go
    for (int i = 0; i < 3; ++i) FreeLibrary(GetModuleHandleA("amdhip64.dll"));
    return hipDeviceSynchronize() == hipSuccess ? 47 : 4;
  }
  return 1;
}

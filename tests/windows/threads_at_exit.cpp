// Threads that come and go, each with its own stream and its own last error, and a library that is loaded by hand:
// nothing happens while it is loaded, and it works when it is used.
#include <hip/hip_runtime_api.h>
#include <windows.h>

#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

int main() {
  const DWORD before = GetTickCount();
  const HMODULE again = LoadLibraryA("amdhip64_7.dll");  // the same client under another name: a process may have both
  if (!again || GetTickCount() - before > 5000) return 1;
  using Count = hipError_t (*)(int*);
  const auto count = reinterpret_cast<Count>(reinterpret_cast<void*>(GetProcAddress(again, "hipGetDeviceCount")));
  int devices = 0;
  if (!count || count(&devices) != hipSuccess || devices < 1) return 2;

  std::atomic<int> good{0};
  for (int round = 0; round < 3; ++round) {
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i)
      threads.emplace_back([&good, i] {
        if (hipGetLastError() != hipSuccess) return;
        if (i % 2 && hipFree(&good) == hipSuccess) return;  // no memory of ours; the error is this thread's
        if ((hipPeekAtLastError() != hipSuccess) != (i % 2 == 1)) return;
        void* memory = nullptr;
        int out[64] = {};
        if (hipMalloc(&memory, sizeof out) != hipSuccess) return;
        if (hipMemsetAsync(memory, 7, sizeof out, hipStreamPerThread) != hipSuccess) return;
        if (hipMemcpyAsync(out, memory, sizeof out, hipMemcpyDeviceToHost, hipStreamPerThread) != hipSuccess) return;
        if (hipStreamSynchronize(hipStreamPerThread) != hipSuccess || out[63] != 0x07070707) return;
        if (hipFree(memory) == hipSuccess) ++good;
      });
    for (std::thread& thread : threads) thread.join();
  }
  std::printf("%d of 24 threads were right, %d devices\n", good.load(), devices);
  return good == 24 ? 0 : 3;
}

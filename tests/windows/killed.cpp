// The worker goes away under a program, and another comes to its address: calls that wait fail instead of waiting for
// ever, nothing succeeds without a worker, and after hipDeviceReset the program works again. The runner kills the
// worker when "ready" is printed and starts another when "told" is.
#include <hip/hip_runtime_api.h>
#include <windows.h>

#include <cstdio>

namespace {

hipError_t work() {
  void* memory = nullptr;
  int out[64] = {};
  hipError_t error = hipMalloc(&memory, sizeof out);
  if (error == hipSuccess) error = hipMemset(memory, 7, sizeof out);
  if (error == hipSuccess) error = hipMemcpy(out, memory, sizeof out, hipMemcpyDeviceToHost);
  if (error == hipSuccess && out[63] != 0x07070707) return hipErrorUnknown;
  return error == hipSuccess ? hipFree(memory) : error;
}

void say(const char* what, hipError_t error) {
  std::printf("%s %s\n", what, hipGetErrorName(error));
  std::fflush(stdout);
}

}  // namespace

int main() {
  say("ready", work());
  hipError_t error = hipSuccess;
  const DWORD start = GetTickCount();
  while (error == hipSuccess && GetTickCount() - start < 30000) error = hipDeviceSynchronize();
  if (error == hipSuccess) return 1;
  if (work() == hipSuccess) return 2;
  say("told", error);
  for (int i = 0; i < 300; ++i) {
    error = hipDeviceReset();
    if (error == hipSuccess) break;
    Sleep(100);
  }
  say("reset", error);
  say("works", work());
  return 0;
}

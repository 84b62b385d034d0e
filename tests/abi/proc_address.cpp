// Functions by name, from HIP 6 on: what comes back is this library's own function; and host functions in streams.
#include <dlfcn.h>

#include <atomic>

#include "hip_abi.h"

#if ABI >= 6
TEST(by_name) {
  void* f = nullptr;
  int status = -1;
  OK(hipGetProcAddress("hipGetDeviceCount", &f, 600, 0, &status));
  REQUIRE(f != nullptr);
  EXPECT_EQ(status, 0);
  int n = 0;
  OK(reinterpret_cast<int (*)(int*)>(f)(&n));
  EXPECT(n >= 1);
  Dl_info mine, theirs;
  REQUIRE(dladdr(f, &theirs) != 0 && dladdr(reinterpret_cast<void*>(&hipGetDeviceCount), &mine) != 0);
  EXPECT_EQ(std::string(theirs.dli_fname).substr(std::string(theirs.dli_fname).rfind("libamdhip64")),
            std::string("libamdhip64.so.") + char('0' + ABI));
}

TEST(unknown_names) {
  void* f = reinterpret_cast<void*>(1);
  int status = -1;
  const int e = hipGetProcAddress("hipNoSuchFunction", &f, 600, 0, &status);
  EXPECT(e != kSuccess || f == nullptr);
  EXPECT_EQ(status, 1);
  IS(hipGetProcAddress(nullptr, &f, 600, 0, &status), kInvalidValue);
  IS(hipGetProcAddress("hipMalloc", nullptr, 600, 0, &status), kInvalidValue);
}

TEST(per_thread_variants) {
  void *plain = nullptr, *spt = nullptr;
  int status = -1;
  OK(hipGetProcAddress("hipStreamSynchronize", &plain, 600, 1, &status));
  OK(hipGetProcAddress("hipStreamSynchronize", &spt, 600, 2, &status));
  REQUIRE(plain && spt);
  EXPECT(plain != spt);
  OK(reinterpret_cast<int (*)(void*)>(spt)(nullptr));
}

TEST(host_functions) {
  void* s = nullptr;
  OK(hipStreamCreate(&s));
  static std::atomic<int> calls;
  calls = 0;
  for (int i = 1; i <= 4; ++i)
    OK(hipLaunchHostFunc(
        s,
        [](void* user) {
          if (++calls != static_cast<int>(reinterpret_cast<std::intptr_t>(user))) calls = -100;
        },
        reinterpret_cast<void*>(static_cast<std::intptr_t>(i))));
  OK(hipStreamSynchronize(s));
  EXPECT_EQ(calls.load(), 4);
  IS(hipLaunchHostFunc(s, nullptr, nullptr), kInvalidValue);
  OK(hipStreamDestroy(s));
}

TEST(legacy_stream_handle) {  // hipStreamLegacy, since 6.2
  void* p = nullptr;
  OK(hipMalloc(&p, 64));
  OK(hipStreamSynchronize(reinterpret_cast<void*>(1)));
  OK(hipStreamQuery(reinterpret_cast<void*>(1)));
  OK(hipStreamSynchronize(reinterpret_cast<void*>(2)));
  OK(hipFree(p));
}
#else
TEST(nothing_by_name_in_hip_5) {
  EXPECT(dlsym(RTLD_DEFAULT, "hipGetProcAddress") == nullptr);
}
#endif

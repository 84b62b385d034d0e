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

// The version chooses between two meanings of a few names and nothing else.
TEST(versions) {
  void *old = nullptr, *now = nullptr, *f = nullptr;
  int status = -1;
  OK(hipGetProcAddress("hipGetDeviceProperties", &old, 500, 0, nullptr));
  OK(hipGetProcAddress("hipGetDeviceProperties", &now, 600, 0, nullptr));
  EXPECT(old != now);
  for (const int version : {0, -7, 402}) {
    OK(hipGetProcAddress("hipGetProcAddress", &f, version, 0, &status));
    EXPECT_EQ(status, 0);
    EXPECT(f == reinterpret_cast<void*>(&hipGetProcAddress));
  }
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

#if ABI >= 7
extern "C" {
int hipGetDriverEntryPoint(const char*, void** function, unsigned long long flags, int* status);
int hipGetDriverEntryPoint_spt(const char*, void** function, unsigned long long flags, int* status);
int hipGetProcAddress_spt(const char*, void** function, int version, std::uint64_t flags, int* status);
}

// Functions are found as by hipGetProcAddress, of whatever version; those of the thread's own stream when that is asked
// for, or when the program was built to mean it.
TEST(entry_points) {
  void *plain = nullptr, *spt = nullptr, *f = nullptr;
  OK(hipGetProcAddress("hipStreamSynchronize", &plain, 700, 1, nullptr));
  OK(hipGetProcAddress("hipStreamSynchronize", &spt, 700, 2, nullptr));
  int status = -1;
  const auto finds = [&](auto* call, unsigned long long flags, void* want) {
    f = nullptr, status = -1;
    OK(call("hipStreamSynchronize", &f, flags, &status));
    EXPECT_EQ(f, want);
    EXPECT_EQ(status, 0);
  };
  finds(&hipGetDriverEntryPoint, 0, plain);
  finds(&hipGetDriverEntryPoint, 1, plain);
  finds(&hipGetDriverEntryPoint, 2, spt);
  finds(&hipGetDriverEntryPoint_spt, 0, spt);
  finds(&hipGetDriverEntryPoint_spt, 1, plain);
  OK(reinterpret_cast<int (*)(void*)>(f)(nullptr));
  OK(hipGetDriverEntryPoint("hipGetDeviceCount", &f, 0, nullptr));
  int count = 0;
  OK(reinterpret_cast<int (*)(int*)>(f)(&count));
  EXPECT(count >= 1);
  for (auto* call : {&hipGetDriverEntryPoint, &hipGetDriverEntryPoint_spt}) {
    EXPECT(call("hipNoSuchFunction", &f, 0, &status) != kSuccess || f == nullptr);
    EXPECT_EQ(status, 1);
    IS(call(nullptr, &f, 0, &status), kInvalidValue);
    IS(call("", &f, 0, &status), kInvalidValue);
    IS(call("hipMalloc", nullptr, 0, &status), kInvalidValue);
    IS(call("hipMalloc", &f, 3, &status), kInvalidValue);
  }
}

TEST(by_name_in_programs_of_per_thread_streams) {
  void *plain = nullptr, *spt = nullptr, *f = nullptr;
  OK(hipGetProcAddress("hipMemcpyAsync", &plain, 700, 1, nullptr));
  OK(hipGetProcAddress("hipMemcpyAsync", &spt, 700, 2, nullptr));
  int status = -1;
  OK(hipGetProcAddress_spt("hipMemcpyAsync", &f, 700, 0, &status));
  EXPECT_EQ(f, spt);
  EXPECT_EQ(status, 0);
  OK(hipGetProcAddress_spt("hipMemcpyAsync", &f, 700, 1, &status));
  EXPECT_EQ(f, plain);
  OK(hipGetProcAddress_spt("hipGetProcAddress_spt", &f, 500, 0, &status));
  EXPECT_EQ(status, 0);  // younger than that, and found
  IS(hipGetProcAddress_spt(nullptr, &f, 700, 0, &status), kInvalidValue);
}
#endif

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

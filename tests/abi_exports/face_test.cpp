// The exported face of one soname (HIPR_ABI) over a fake runtime: last-error rules, translations, refusals.
#include <gtest/gtest.h>

#include <cstring>
#include <new>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>

#include "abi/exported_rows.h"
#include "api/verbs.h"
#include "runtime/proc_address.h"
#include "runtime/thread_state.h"
#include "tests/abi_exports/fake_api.h"

namespace hipr {
namespace {

using fake::hook;

class Face : public testing::Test {
 protected:
  void SetUp() override {
    threadState() = {};
    hook<&::hipGetLastError> = [] { return std::exchange(threadState().sticky, hipSuccess); };
    hook<&::hipPeekAtLastError> = [] { return threadState().sticky; };
    hook<&::hipExtGetLastError> = [] { return std::exchange(threadState().lastCall, hipSuccess); };
    hook<&::hipStreamQuery> = [this](hipStream_t) { return next; };
  }

  // One call with that result.
  hipError_t call(hipError_t result) {
    next = result;
    return ::hipStreamQuery(nullptr);
  }

  hipError_t next = hipSuccess;
};

#if HIPR_ABI < 7
TEST_F(Face, LastErrorIsTheResultOfTheLastCall) {
  call(hipErrorInvalidValue);
  EXPECT_EQ(::hipPeekAtLastError(), hipErrorInvalidValue);
  EXPECT_EQ(::hipGetLastError(), hipErrorInvalidValue);
  EXPECT_EQ(::hipGetLastError(), hipSuccess);
  call(hipErrorInvalidValue);
  call(hipSuccess);
  EXPECT_EQ(::hipGetLastError(), hipSuccess);
  call(hipErrorNotReady);
  EXPECT_EQ(::hipGetLastError(), hipErrorNotReady);
}
#else
TEST_F(Face, LastErrorOutlivesSuccess) {
  call(hipErrorInvalidValue);
  call(hipSuccess);
  call(hipErrorNotReady);
  EXPECT_EQ(::hipPeekAtLastError(), hipErrorInvalidValue);
  EXPECT_EQ(::hipExtGetLastError(), hipErrorNotReady);
  EXPECT_EQ(::hipExtGetLastError(), hipSuccess);
  EXPECT_EQ(::hipGetLastError(), hipErrorInvalidValue);
  EXPECT_EQ(::hipGetLastError(), hipSuccess);
}
#endif

#if HIPR_ABI == 6
TEST_F(Face, ExtGetLastErrorIsTheSameSlot) {
  call(hipErrorNotReady);
  EXPECT_EQ(::hipExtGetLastError(), hipErrorNotReady);
  EXPECT_EQ(::hipGetLastError(), hipSuccess);
}
#endif

TEST_F(Face, ErrorTextCallsLeaveTheSlotsAlone) {
  hook<&::hipDrvGetErrorName> = [](hipError_t, const char**) { return hipErrorInvalidDevice; };
  call(hipErrorInvalidValue);
  EXPECT_EQ(::hipDrvGetErrorName(hipSuccess, nullptr), hipErrorInvalidDevice);
  ::hipGetErrorString(hipSuccess);
  EXPECT_EQ(::hipGetLastError(), hipErrorInvalidValue);
}

TEST_F(Face, SlotsArePerThread) {
  call(hipErrorInvalidValue);
  std::thread([&] { EXPECT_EQ(::hipGetLastError(), hipSuccess); }).join();
  EXPECT_EQ(::hipGetLastError(), hipErrorInvalidValue);
}

TEST_F(Face, ErrorsNewerThanTheSonameAreUnknown) {
  EXPECT_EQ(call(hipErrorInvalidTexture), HIPR_ABI >= 6 ? hipErrorInvalidTexture : hipErrorUnknown);
  EXPECT_EQ(call(hipErrorStreamDetached), HIPR_ABI >= 7 ? hipErrorStreamDetached : hipErrorUnknown);
  EXPECT_EQ(call(hipErrorInvalidClusterSize), HIPR_ABI >= 7 ? hipErrorInvalidClusterSize : hipErrorUnknown);
  EXPECT_EQ(static_cast<int>(call(hipErrorTbd)), HIPR_ABI >= 7 ? 1055 : 1054);
  EXPECT_EQ(call(hipErrorGraphExecUpdateFailure), hipErrorGraphExecUpdateFailure);
}

TEST_F(Face, ExceptionsBecomeErrors) {
  hook<&::hipFree> = [](void*) -> hipError_t { throw std::bad_alloc(); };
  EXPECT_EQ(::hipFree(nullptr), hipErrorOutOfMemory);
  EXPECT_EQ(::hipGetLastError(), hipErrorOutOfMemory);
  hook<&::hipFree> = [](void*) -> hipError_t { throw std::runtime_error("surprise"); };
  EXPECT_EQ(::hipFree(nullptr), hipErrorUnknown);
  hook<&::hipFree> = [](void*) -> hipError_t { throw 7; };
  EXPECT_EQ(::hipFree(nullptr), hipErrorUnknown);
  hook<&::hipKernelNameRef> = [](hipFunction_t) -> const char* { throw 7; };
  EXPECT_STREQ(::hipKernelNameRef(nullptr), "not supported");
}

TEST_F(Face, SptRowsRunTheirBaseOnThePerThreadStream) {
  bool inside = false;
  hook<&::hipMemset> = [&](void*, int value, size_t) {
    inside = threadState().perThreadDefault;
    return value == 3 ? hipErrorInvalidDevicePointer : hipSuccess;
  };
  EXPECT_EQ(::hipMemset_spt(nullptr, 3, 0), hipErrorInvalidDevicePointer);
  EXPECT_TRUE(inside);
  EXPECT_FALSE(threadState().perThreadDefault);
  EXPECT_EQ(::hipGetLastError(), hipErrorInvalidDevicePointer);
  EXPECT_EQ(::hipMemset(nullptr, 0, 0), hipSuccess);
  EXPECT_FALSE(inside);
}

TEST_F(Face, SymbolLookUpGivesOurOwnFunctions) {
  EXPECT_EQ(exportedSymbol("hipMalloc", false), reinterpret_cast<void*>(&::hipMalloc));
  EXPECT_EQ(exportedSymbol("hipMemcpy", true), reinterpret_cast<void*>(&::hipMemcpy_spt));
  EXPECT_EQ(exportedSymbol("hipMalloc", true), reinterpret_cast<void*>(&::hipMalloc));
  EXPECT_EQ(exportedSymbol("hipNoSuchCall", false), nullptr);
  EXPECT_EQ(exportedSymbol("hipDrvLaunchKernelEx", false) != nullptr, HIPR_ABI == 7);
}

// Calls it with zeros and checks the answer where its type can say no.
template <typename R, typename... A>
void expectRefusal(const char* name, R (*function)(A...)) {
  if constexpr (std::is_same_v<R, hipError_t>) {
    EXPECT_EQ(function(A{}...), hipErrorNotSupported) << name;
  } else if constexpr (std::is_same_v<R, hiprtcResult>) {
    EXPECT_EQ(function(A{}...), HIPRTC_ERROR_INTERNAL_ERROR) << name;
  } else {
    function(A{}...);
  }
}

TEST_F(Face, EveryMissingCallSaysSoOnce) {
  std::set<std::string> missing;
  testing::internal::CaptureStderr();
  for (int i = 0; i < 2; ++i) {
#define HIPR_REFUSED(name) \
  missing.insert(#name);   \
  expectRefusal(#name, &::name);
#define HIP_API(name, node, abis, verb, arity) HIPR_IN_##abis(HIPR_MISSING_##verb(HIPR_REFUSED(name)))
#include "api/hip.def"
  }
  const std::string log = testing::internal::GetCapturedStderr();
  for (const std::string& name : missing) {
    const std::string line = "] " + name + " is not supported yet";
    const auto first = log.find(line);
    EXPECT_NE(first, std::string::npos) << name;
    EXPECT_EQ(log.find(line, first + 1), std::string::npos) << name << " is logged twice";
  }
}

}  // namespace
}  // namespace hipr

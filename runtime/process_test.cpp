// Opening, devices, threads, faults, forks.
#include "runtime/process.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <thread>

#include "api/verbs.h"
#include "runtime/async_error.h"
#include "runtime/fake_core.h"

namespace hipr {
namespace {

using testing::fake;
class ProcessTest : public testing::RuntimeTest {
 protected:
  void TearDown() override {
    unsetenv("HIP_VISIBLE_DEVICES");
    unsetenv("HIP_LAUNCH_BLOCKING");
  }
};

// Naming every function of every built row is the test: without a definition this file does not link.
TEST_F(ProcessTest, EveryBuiltRowIsDefined) {
#define ROW(name) reinterpret_cast<const void*>(&api::name),
#define HIP_API(name, node, abis, verb, arity) HIPR_BUILT_##verb(ROW(name))
#define HIP_API_SPT(name, base, node, abis, verb, arity) HIPR_BUILT_##verb(ROW(base))
#define HIP_API_CXX(name, symbol, node, abis, verb, arity) HIPR_BUILT_##verb(ROW(name))
  const void* const rows[] = {
#include "api/hip.def"
  };
  EXPECT_GT(std::size(rows), 200u);
#undef ROW
}

TEST_F(ProcessTest, TextsNeedNoDevice) {
  fake().openError = hipErrorNotInitialized;
  EXPECT_STREQ(api::hipGetErrorName(hipErrorOutOfMemory), "hipErrorOutOfMemory");
  EXPECT_STREQ(api::hipGetErrorString(hipErrorOutOfMemory), "out of memory");
  EXPECT_STREQ(api::hipGetErrorString(hipErrorNoDevice), "no ROCm-capable device is detected");
  EXPECT_STREQ(api::hipGetErrorString(hipErrorInvalidTexture), "invalid texture object passed to the api");
  EXPECT_STREQ(api::hipGetErrorString(hipErrorInvalidClusterSize),
               "a kernel launch error has occurred due to cluster misconfiguration");
  EXPECT_STREQ(api::hipGetErrorName(static_cast<hipError_t>(12345)), "hipErrorUnknown");
  const char* text = nullptr;
  EXPECT_EQ(api::hipDrvGetErrorString(static_cast<hipError_t>(-1), &text), hipErrorInvalidValue);
  EXPECT_STREQ(text, "unknown error") << "told all the same";
  EXPECT_EQ(api::hipDrvGetErrorName(static_cast<hipError_t>(-1), &text), hipErrorInvalidValue);
  EXPECT_STREQ(text, "hipErrorUnknown");
  EXPECT_EQ(api::hipDrvGetErrorString(hipErrorUnknown, &text), hipSuccess);
  EXPECT_EQ(api::hipDrvGetErrorString(hipErrorTbd, &text), hipErrorInvalidValue) << "it has a name, but no text";
  EXPECT_EQ(api::hipDrvGetErrorName(hipErrorTbd, &text), hipSuccess);
  EXPECT_STREQ(text, "hipErrorTbd");
  EXPECT_EQ(fake().count("open"), 0) << "nothing above needs a device";
}

TEST_F(ProcessTest, OpensOnceAndOnlyWhenNeeded) {
  EXPECT_EQ(api::__hipPushCallConfiguration({1, 1, 1}, {1, 1, 1}, 0, nullptr), hipSuccess);
  dim3 grid, block;
  std::size_t shared;
  hipStream_t stream;
  EXPECT_EQ(api::__hipPopCallConfiguration(&grid, &block, &shared, &stream), hipSuccess);
  EXPECT_EQ(api::__hipPopCallConfiguration(&grid, &block, &shared, &stream), hipErrorMissingConfiguration);
  EXPECT_EQ(fake().count("open"), 0);
  int count = 0;
  EXPECT_EQ(api::hipGetDeviceCount(&count), hipSuccess);
  EXPECT_EQ(count, 2);
  EXPECT_EQ(api::hipGetDeviceCount(&count), hipSuccess);
  EXPECT_EQ(fake().count("open"), 1);
}

TEST_F(ProcessTest, NoDevice) {
  fake().platform = testing::fakePlatform(0);
  int count = 5;
  EXPECT_EQ(api::hipGetDeviceCount(&count), hipErrorNoDevice);
  EXPECT_EQ(count, 0);
  void* p = nullptr;
  EXPECT_EQ(api::hipMalloc(&p, 4), hipErrorNoDevice);
  EXPECT_EQ(api::hipDeviceSynchronize(), hipErrorNoDevice);
}

TEST_F(ProcessTest, AFailedConnectionPassesThrough) {
  fake().failures["open"] = hipErrorNotInitialized;
  int count = 5;
  EXPECT_EQ(api::hipGetDeviceCount(&count), hipErrorNotInitialized);
  void* p = nullptr;
  EXPECT_EQ(api::hipMalloc(&p, 4), hipErrorNotInitialized);
}

TEST_F(ProcessTest, HiddenDevicesAreRenumbered) {
  setenv("HIP_VISIBLE_DEVICES", "1", 1);
  int count = 0;
  ASSERT_EQ(api::hipGetDeviceCount(&count), hipSuccess);
  EXPECT_EQ(count, 1);
  hipDeviceProp_tR0600 props;
  ASSERT_EQ(api::hipGetDevicePropertiesR0600(&props, 0), hipSuccess);
  EXPECT_STREQ(props.name, "Fake 1");
  void* p = nullptr;
  ASSERT_EQ(api::hipMalloc(&p, 4), hipSuccess);
  hipPointerAttribute_t a;
  ASSERT_EQ(api::hipPointerGetAttributes(&a, p), hipSuccess);
  EXPECT_EQ(a.device, 0) << "as the program counts";
  Process* process = openedProcess();
  EXPECT_EQ(process->allocations.find(p)->allocation.device, 1) << "as the core counts";
  EXPECT_EQ(api::hipSetDevice(1), hipErrorInvalidDevice);
}

TEST_F(ProcessTest, CurrentDeviceIsPerThread) {
  ASSERT_EQ(api::hipSetDevice(1), hipSuccess);
  int other = -1, mine = -1;
  std::thread([&] { api::hipGetDevice(&other); }).join();
  ASSERT_EQ(api::hipGetDevice(&mine), hipSuccess);
  EXPECT_EQ(other, 0);
  EXPECT_EQ(mine, 1);
  EXPECT_EQ(api::hipSetDevice(2), hipErrorInvalidDevice);
  EXPECT_EQ(api::hipSetDevice(-1), hipErrorInvalidDevice);
}

TEST_F(ProcessTest, Properties) {
  hipDeviceProp_tR0000 old;
  ASSERT_EQ(api::hipGetDeviceProperties(&old, 1), hipSuccess);
  EXPECT_EQ(old.gcnArch, 910);
  EXPECT_STREQ(old.name, "Fake 1");
  EXPECT_EQ(old.multiProcessorCount, 105);
  hipDeviceProp_tR0600 wish{};
  wish.multiProcessorCount = 105;
  int best = -1;
  ASSERT_EQ(api::hipChooseDeviceR0600(&best, &wish), hipSuccess);
  EXPECT_EQ(best, 1);
  int value = 0;
  EXPECT_EQ(api::hipDeviceGetAttribute(&value, hipDeviceAttributeWarpSize, 0), hipSuccess);
  EXPECT_EQ(value, 64);
  EXPECT_EQ(api::hipDeviceGetAttribute(&value, hipDeviceAttributeUnused1, 0), hipErrorInvalidValue);
  EXPECT_EQ(api::hipDeviceGetAttribute(&value, hipDeviceAttributeWarpSize, 5), hipErrorInvalidDevice);
  char id[32];
  ASSERT_EQ(api::hipDeviceGetPCIBusId(id, sizeof(id), 1), hipSuccess);
  EXPECT_STREQ(id, "0000:21:00.1");
  ASSERT_EQ(api::hipDeviceGetByPCIBusId(&value, id), hipSuccess);
  EXPECT_EQ(value, 1);
  EXPECT_EQ(api::hipDeviceGetByPCIBusId(&value, "0000:99:00.1"), hipErrorInvalidValue);
  EXPECT_EQ(api::hipDeviceGetByPCIBusId(&value, "0000:21:00.0"), hipErrorInvalidValue) << "another part of that card";
  char name[5];
  ASSERT_EQ(api::hipDeviceGetName(name, sizeof(name), 0), hipSuccess);
  EXPECT_STREQ(name, "Fake");
}

TEST_F(ProcessTest, LimitsAndPeers) {
  std::size_t value = 0;
  ASSERT_EQ(api::hipDeviceGetLimit(&value, hipLimitStackSize), hipSuccess);
  EXPECT_EQ(value, 1024u);
  ASSERT_EQ(api::hipDeviceSetLimit(hipLimitStackSize, 4096), hipSuccess);
  ASSERT_EQ(api::hipDeviceGetLimit(&value, hipLimitStackSize), hipSuccess);
  EXPECT_EQ(value, 4096u);
  EXPECT_EQ(api::hipDeviceGetLimit(&value, hipLimitRange), hipErrorInvalidValue);
  EXPECT_EQ(api::hipDeviceSetLimit(hipLimitRange, 1), hipErrorInvalidValue);
  EXPECT_EQ(api::hipDeviceGetLimit(&value, static_cast<hipLimit_t>(-1)), hipErrorUnsupportedLimit);
  EXPECT_EQ(api::hipDeviceSetLimit(hipExtLimitScratchCurrent, 1), hipErrorUnsupportedLimit) << "the device has none";
  for (const Limit& limit : {Limit{hipExtLimitScratchMax, 4096}, Limit{hipExtLimitScratchCurrent, 512}})
    fake().platform.devices[0].limits.push_back(limit);
  EXPECT_EQ(api::hipDeviceSetLimit(hipExtLimitScratchMax, 1), hipErrorUnsupportedLimit);
  EXPECT_EQ(api::hipDeviceSetLimit(hipExtLimitScratchCurrent, 4097), hipErrorInvalidValue);
  ASSERT_EQ(api::hipDeviceSetLimit(hipExtLimitScratchCurrent, 4096), hipSuccess);
  ASSERT_EQ(api::hipDeviceGetLimit(&value, hipExtLimitScratchCurrent), hipSuccess);
  EXPECT_EQ(value, 4096u);
  EXPECT_EQ(api::hipDeviceEnablePeerAccess(1, 0), hipSuccess);
  EXPECT_EQ(api::hipDeviceEnablePeerAccess(1, 0), hipErrorPeerAccessAlreadyEnabled);
  EXPECT_EQ(api::hipDeviceDisablePeerAccess(1), hipSuccess);
  EXPECT_EQ(api::hipDeviceDisablePeerAccess(1), hipErrorPeerAccessNotEnabled);
  EXPECT_EQ(api::hipDeviceEnablePeerAccess(0, 0), hipErrorInvalidDevice);
  int can = -1;
  ASSERT_EQ(api::hipDeviceCanAccessPeer(&can, 0, 0), hipSuccess);
  EXPECT_EQ(can, 0);
}

TEST_F(ProcessTest, ValidDevicesAreForThreadsThatHaveNotChosen) {
  int device = -1, second[] = {1, 0};
  ASSERT_EQ(api::hipSetValidDevices(second, 2), hipSuccess);
  ASSERT_EQ(api::hipGetDevice(&device), hipSuccess);
  EXPECT_EQ(device, 1);
  ASSERT_EQ(api::hipSetValidDevices(nullptr, 0), hipSuccess);
  ASSERT_EQ(api::hipGetDevice(&device), hipSuccess);
  EXPECT_EQ(device, 0);
  ASSERT_EQ(api::hipSetDevice(0), hipSuccess);
  ASSERT_EQ(api::hipSetValidDevices(second, 1), hipSuccess);
  ASSERT_EQ(api::hipGetDevice(&device), hipSuccess);
  EXPECT_EQ(device, 0) << "the thread's own choice counts";
  EXPECT_EQ(api::hipSetValidDevices(nullptr, 1), hipErrorInvalidValue);
  int unknown[] = {7};
  EXPECT_EQ(api::hipSetValidDevices(unknown, 1), hipErrorInvalidDevice);
}

TEST_F(ProcessTest, ErrorSlots) {
  threadState().sticky = hipErrorInvalidValue;
  threadState().lastCall = hipErrorNotReady;
  EXPECT_EQ(api::hipPeekAtLastError(), hipErrorInvalidValue);
  EXPECT_EQ(api::hipGetLastError(), hipErrorInvalidValue);
  EXPECT_EQ(api::hipGetLastError(), hipSuccess);
  EXPECT_EQ(api::hipExtGetLastError(), hipErrorNotReady);
  EXPECT_EQ(api::hipExtGetLastError(), hipSuccess);
  ASSERT_EQ(api::hipInit(0), hipSuccess);
  raiseAsyncError(fake(), hipErrorLaunchFailure, "test");
  raiseAsyncError(fake(), hipErrorIllegalAddress, "test");
  EXPECT_EQ(api::hipGetLastError(), hipErrorLaunchFailure) << "the first one stays";
  EXPECT_EQ(api::hipGetLastError(), hipErrorLaunchFailure);
}

TEST_F(ProcessTest, ResetForgetsTheDevice) {
  void *mine = nullptr, *other = nullptr;
  hipStream_t stream = nullptr;
  hipEvent_t event = nullptr;
  ASSERT_EQ(api::hipMalloc(&mine, 4), hipSuccess);
  ASSERT_EQ(api::hipStreamCreate(&stream), hipSuccess);
  ASSERT_EQ(api::hipEventCreate(&event), hipSuccess);
  ASSERT_EQ(api::hipSetDevice(1), hipSuccess);
  ASSERT_EQ(api::hipMalloc(&other, 4), hipSuccess);
  ASSERT_EQ(api::hipSetDevice(0), hipSuccess);
  raiseAsyncError(fake(), hipErrorLaunchFailure, "test");
  EXPECT_EQ(api::hipDeviceSynchronize(), hipErrorLaunchFailure);
  ASSERT_EQ(api::hipDeviceReset(), hipSuccess);
  EXPECT_EQ(api::hipDeviceSynchronize(), hipSuccess);
  EXPECT_EQ(api::hipFree(mine), hipErrorInvalidValue);
  EXPECT_EQ(api::hipStreamDestroy(stream), hipErrorContextIsDestroyed);
  EXPECT_EQ(api::hipEventDestroy(event), hipErrorContextIsDestroyed);
  EXPECT_EQ(api::hipFree(other), hipSuccess);
  EXPECT_EQ(api::hipMemset(mine, 0, 4), hipErrorInvalidValue);
  EXPECT_EQ(api::hipStreamSynchronize(nullptr), hipSuccess) << "a new null stream";
}

TEST_F(ProcessTest, Contexts) {
  hipCtx_t first = nullptr, second = nullptr, top = nullptr;
  EXPECT_EQ(api::hipCtxPopCurrent(&top), hipErrorInvalidContext);
  ASSERT_EQ(api::hipDevicePrimaryCtxRetain(&first, 0), hipSuccess);
  ASSERT_EQ(api::hipCtxCreate(&second, 0, 1), hipSuccess);
  int device = -1;
  ASSERT_EQ(api::hipGetDevice(&device), hipSuccess);
  EXPECT_EQ(device, 1);
  ASSERT_EQ(api::hipCtxPushCurrent(first), hipSuccess);
  ASSERT_EQ(api::hipCtxGetDevice(&device), hipSuccess);
  EXPECT_EQ(device, 0);
  ASSERT_EQ(api::hipCtxPopCurrent(&top), hipSuccess);
  EXPECT_EQ(top, first);
  ASSERT_EQ(api::hipCtxGetCurrent(&top), hipSuccess);
  EXPECT_EQ(top, second);
  EXPECT_EQ(api::hipCtxPushCurrent(reinterpret_cast<hipCtx_t>(8)), hipErrorInvalidContext);
  EXPECT_EQ(api::hipCtxDestroy(second), hipSuccess);
  EXPECT_EQ(api::hipDevicePrimaryCtxSetFlags(0, 0), hipErrorContextAlreadyInUse);
}

TEST_F(ProcessTest, ForkedChildStartsAfresh) {
  void* p = nullptr;
  hipStream_t stream = nullptr;
  ASSERT_EQ(api::hipMalloc(&p, 16), hipSuccess);
  ASSERT_EQ(api::hipStreamCreate(&stream), hipSuccess);
  const pid_t child = fork();
  if (child == 0) {
    const bool forgot = openedProcess() == nullptr && fake().count("forgetAfterFork") == 1;
    const bool stale =
        api::hipFree(p) == hipErrorInvalidValue && api::hipStreamDestroy(stream) == hipErrorContextIsDestroyed;
    void* q = nullptr;
    const bool works = api::hipMalloc(&q, 16) == hipSuccess && fake().count("open") == 2;
    _exit(forgot && stale && works ? 0 : 1 + forgot + 2 * stale + 4 * works);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(api::hipFree(p), hipSuccess) << "the parent is untouched";
}

TEST_F(ProcessTest, LaunchBlockingWaits) {
  setenv("HIP_LAUNCH_BLOCKING", "1", 1);
  void* p = nullptr;
  ASSERT_EQ(api::hipMalloc(&p, 16), hipSuccess);
  ASSERT_EQ(api::hipMemsetAsync(p, 0, 16, nullptr), hipSuccess);
  EXPECT_EQ(fake().count("streamSynchronize"), 1);
}

TEST_F(ProcessTest, ProcAddresses) {
  void *plain = nullptr, *twin = nullptr;
  hipDriverProcAddressQueryResult status;
  ASSERT_EQ(api::hipGetProcAddress("hipMemcpy", &plain, 602, 0, &status), hipSuccess);
  EXPECT_EQ(status, HIP_GET_PROC_ADDRESS_SUCCESS);
  ASSERT_EQ(api::hipGetProcAddress("hipMemcpy", &twin, 602, 2, nullptr), hipSuccess);
  EXPECT_NE(plain, twin);
  EXPECT_EQ(api::hipGetProcAddress("hipNothing", &plain, 602, 0, &status), hipErrorInvalidValue);
  EXPECT_EQ(status, HIP_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
  for (const int version : {500, 0, -1}) {  // whatever a program states
    EXPECT_EQ(api::hipGetProcAddress("hipLaunchKernelExC", &plain, version, 0, &status), hipSuccess);
    EXPECT_EQ(status, HIP_GET_PROC_ADDRESS_SUCCESS);
  }
  EXPECT_EQ(api::hipGetProcAddress("hipGetDeviceProperties", &plain, 600, 0, &status), hipSuccess);
  EXPECT_EQ(api::hipGetProcAddress(nullptr, &plain, 600, 0, &status), hipErrorInvalidValue);
}

TEST_F(ProcessTest, HalfFloats) {
  for (unsigned h = 0; h < 0x10000; ++h) {
    const float f = api::__gnu_h2f_ieee(static_cast<unsigned short>(h));
    const bool nan = (h & 0x7c00) == 0x7c00 && (h & 0x3ff) != 0;
    ASSERT_EQ(f != f, nan) << h;
    if (!nan) {
      ASSERT_EQ(api::__gnu_f2h_ieee(f), h);
    }
  }
  EXPECT_EQ(api::__gnu_f2h_ieee(65520.0F), 0x7c00);
  EXPECT_EQ(api::__gnu_f2h_ieee(65519.0F), 0x7bff);
  EXPECT_EQ(api::__gnu_f2h_ieee(1.0F + 1.0F / 2048), 0x3c00) << "to even";
  EXPECT_EQ(api::__gnu_f2h_ieee(0x1.8p-25F), 0x0001);
}

}  // namespace
}  // namespace hipr

// A program directly on a discrete software GPU: HIP's rules for host functions, and what the whole library says of
// such a device. Each test runs in a child, because the mode is chosen once per process.
#include <gtest/gtest.h>

#include <cstdlib>

#include "testing/hip.h"

namespace hipr {
namespace {

using testing::Hip;

const Hip* current;  // for host functions
hipError_t answered, explained;

void callsHip(void*) {
  hipStream_t stream = nullptr;
  answered = current->api.hipStreamCreateWithFlags(&stream, 0);
  explained = current->api.hipGetErrorName(hipSuccess) != nullptr ? hipSuccess : hipErrorUnknown;
}

// What the host function was told, as an exit status.
void runHostFunction(const char* mode, const char* check) {
  setenv("HIP_REMOTE_SOFTGPU_DISCRETE", mode, 1);
  setenv("HIP_REMOTE_SOFTGPU_CHECK", check, 1);
  Hip hip;
  if (!hip.load(testing::softgpuLibrary()).ok()) std::_Exit(2);
  current = &hip;
  HIPR_CHECK(hip, hipLaunchHostFunc(hip.stream, callsHip, nullptr));
  HIPR_CHECK(hip, hipStreamSynchronize(hip.stream));
  std::_Exit(explained != hipSuccess ? 3 : answered == hipSuccess ? 0 : answered == hipErrorNotSupported ? 10 : 4);
}

TEST(Discrete, HostFunctionsMustNotCallHip) {
  constexpr auto kLine = "hipStreamCreateWithFlags: called by a host function";
  EXPECT_EXIT(runHostFunction("0", ""), ::testing::ExitedWithCode(0), "");
  EXPECT_EXIT(runHostFunction("1", ""), ::testing::ExitedWithCode(10), kLine);
  EXPECT_EXIT(runHostFunction("1", "abort"), ::testing::KilledBySignal(SIGABRT), kLine);
  EXPECT_EXIT(runHostFunction("0", "abort"), ::testing::ExitedWithCode(0), "") << "the checker is for discrete devices";
}

void askForPlacement() {
  setenv("HIP_REMOTE_SOFTGPU_DISCRETE", "1", 1);
  Hip hip;
  if (!hip.load(testing::softgpuLibrary()).ok()) std::_Exit(2);
  hipMemAllocationProp prop{};
  prop.type = hipMemAllocationTypePinned;
  prop.location = {hipMemLocationTypeDevice, 0};
  int supported = 1;
  std::size_t unit = 0;
  void *address = nullptr, *memory = nullptr;
  hipMemGenericAllocationHandle_t handle = nullptr;
  hipPointerAttribute_t attributes{};
  const auto& api = hip.api;
  HIPR_CHECK(hip, hipDeviceGetAttribute(&supported, hipDeviceAttributeVirtualMemoryManagementSupported, 0));
  HIPR_CHECK(hip, hipMalloc(&memory, 100));
  HIPR_CHECK(hip, hipPointerGetAttributes(&attributes, memory));
  const bool right =
      supported == 0 && attributes.hostPointer == nullptr &&
      api.hipMemGetAllocationGranularity(&unit, &prop, hipMemAllocationGranularityMinimum) == hipErrorNotSupported &&
      api.hipMemAddressReserve(&address, 1 << 21, 0, nullptr, 0) == hipErrorNotSupported &&
      api.hipMemCreate(&handle, 1 << 21, &prop, 0) == hipErrorNotSupported;
  std::_Exit(right ? 0 : 1);
}

TEST(Discrete, MemoryCannotBePlaced) {
  EXPECT_EXIT(askForPlacement(), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace hipr

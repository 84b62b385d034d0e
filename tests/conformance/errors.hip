// Error names and texts, and the last-error rules of HIP 5 and 6: each call sets it, success included; reading clears
// it.
#include "later.h"
#include "support.h"

#include <thread>

TEST(names_and_texts) {
  const struct {
    hipError_t code;
    const char* name;
  } known[] = {{hipSuccess, "hipSuccess"},
               {hipErrorInvalidValue, "hipErrorInvalidValue"},
               {hipErrorOutOfMemory, "hipErrorOutOfMemory"},
               {hipErrorNotInitialized, "hipErrorNotInitialized"},
               {hipErrorInvalidConfiguration, "hipErrorInvalidConfiguration"},
               {hipErrorInvalidSymbol, "hipErrorInvalidSymbol"},
               {hipErrorInvalidDevicePointer, "hipErrorInvalidDevicePointer"},
               {hipErrorInvalidMemcpyDirection, "hipErrorInvalidMemcpyDirection"},
               {hipErrorInvalidDeviceFunction, "hipErrorInvalidDeviceFunction"},
               {hipErrorNoDevice, "hipErrorNoDevice"},
               {hipErrorInvalidDevice, "hipErrorInvalidDevice"},
               {hipErrorInvalidImage, "hipErrorInvalidImage"},
               {hipErrorInvalidContext, "hipErrorInvalidContext"},
               {hipErrorNoBinaryForGpu, "hipErrorNoBinaryForGpu"},
               {hipErrorFileNotFound, "hipErrorFileNotFound"},
               {hipErrorInvalidHandle, "hipErrorInvalidHandle"},
               {hipErrorNotFound, "hipErrorNotFound"},
               {hipErrorNotReady, "hipErrorNotReady"},
               {hipErrorIllegalAddress, "hipErrorIllegalAddress"},
               {hipErrorLaunchFailure, "hipErrorLaunchFailure"},
               {hipErrorPeerAccessAlreadyEnabled, "hipErrorPeerAccessAlreadyEnabled"},
               {hipErrorCooperativeLaunchTooLarge, "hipErrorCooperativeLaunchTooLarge"},
               {hipErrorNotSupported, "hipErrorNotSupported"},
               {hipErrorUnknown, "hipErrorUnknown"}};
  for (const auto& k : known) {
    const char* name = hipGetErrorName(k.code);
    const char* text = hipGetErrorString(k.code);
    REQUIRE(name && text);
    EXPECT_EQ(std::string(name), std::string(k.name));
    EXPECT(std::strlen(text) > 0);
    check::result(std::string(name));
  }
  EXPECT(hipGetErrorName(static_cast<hipError_t>(123456)) != nullptr);
  EXPECT(hipGetErrorString(static_cast<hipError_t>(123456)) != nullptr);
}

TEST(names_and_texts_of_the_driver) {
  using Call = hipError_t(hipError_t, const char**);
  const auto name = later::find<Call>("hipDrvGetErrorName"), text = later::find<Call>("hipDrvGetErrorString");
  const char* told = nullptr;
  for (hipError_t code : {hipSuccess, hipErrorInvalidValue, hipErrorNotReady, hipErrorLaunchFailure, hipErrorUnknown}) {
    HIP(name(code, &told));
    EXPECT_EQ(std::string(told), std::string(hipGetErrorName(code)));
    HIP(text(code, &told));
    EXPECT_EQ(std::string(told), std::string(hipGetErrorString(code)));
  }
  // Unlike the calls of the runtime, these say that they do not know it.
  HIP_ERR(name(static_cast<hipError_t>(123456), &told), hipErrorInvalidValue);
  EXPECT_EQ(std::string(told), std::string("hipErrorUnknown"));
  HIP_ERR(text(static_cast<hipError_t>(123456), &told), hipErrorInvalidValue);
  EXPECT_EQ(std::string(told), std::string("unknown error"));
  HIP_ERR(name(hipSuccess, nullptr), hipErrorInvalidValue);
  HIP_ERR(text(hipSuccess, nullptr), hipErrorInvalidValue);
}

TEST(last_error_is_cleared_by_reading) {
  (void)hipGetLastError();
  HIP_ERR(hipSetDevice(-5), hipErrorInvalidDevice);
  HIP_ERR(hipPeekAtLastError(), hipErrorInvalidDevice);
  HIP_ERR(hipPeekAtLastError(), hipErrorInvalidDevice);
  HIP_ERR(hipGetLastError(), hipErrorInvalidDevice);
  HIP_ERR(hipGetLastError(), hipSuccess);
}

TEST(a_successful_call_overwrites_the_last_error) {  // the rule until HIP 7
  HIP_ERR(hipSetDevice(-5), hipErrorInvalidDevice);
  HIP(hipSetDevice(0));
  HIP_ERR(hipGetLastError(), hipSuccess);
}

TEST(names_do_not_touch_the_last_error) {
  HIP_ERR(hipSetDevice(-5), hipErrorInvalidDevice);
  (void)hipGetErrorName(hipErrorUnknown);
  (void)hipGetErrorString(hipErrorUnknown);
  HIP_ERR(hipGetLastError(), hipErrorInvalidDevice);
}

TEST(last_error_belongs_to_the_thread) {
  HIP_ERR(hipSetDevice(-5), hipErrorInvalidDevice);
  hipError_t other = hipErrorUnknown, otherAfter = hipErrorUnknown;
  std::thread([&] {
    other = hipGetLastError();
    (void)hipMalloc(nullptr, 4);
    otherAfter = hipPeekAtLastError();
  }).join();
  EXPECT_EQ(other, hipSuccess);
  EXPECT_EQ(otherAfter, hipErrorInvalidValue);
  HIP_ERR(hipGetLastError(), hipErrorInvalidDevice);
}

TEST(not_ready_counts_as_last_error) {  // until HIP 7
  Stream s;
  Gate gate(s);
  HIP_ERR(hipStreamQuery(s), hipErrorNotReady);
  HIP_ERR(hipGetLastError(), hipErrorNotReady);
  gate.open();
  HIP(hipStreamSynchronize(s));
}

__global__ void nothing() {}
__global__ void store(int* p) {
  *p = 1;
}

TEST(launch_errors_come_through_the_last_error) {
  (void)hipGetLastError();
  nothing<<<1, 2048>>>();
  HIP_FAILS(hipGetLastError());
  nothing<<<0, 64>>>();
  HIP_FAILS(hipGetLastError());
  nothing<<<1, 0>>>();
  HIP_FAILS(hipGetLastError());
  nothing<<<1, dim3(1, 1, 1025)>>>();
  HIP_FAILS(hipGetLastError());
  nothing<<<1, 1>>>();
  HIP_ERR(hipGetLastError(), hipSuccess);
  HIP(hipDeviceSynchronize());
}

TEST(functions_nobody_registered) {
  static int notAKernel;
  HIP_ERR(hipLaunchKernel(&notAKernel, dim3(1), dim3(1), nullptr, 0, nullptr), hipErrorInvalidDeviceFunction);
  HIP_ERR(hipLaunchKernel(nullptr, dim3(1), dim3(1), nullptr, 0, nullptr), hipErrorInvalidDeviceFunction);
  (void)hipGetLastError();
  Buffer<int> x(1);
  store<<<1, 1>>>(x);  // the device is none the worse for it
  KERNEL_OK();
  EXPECT_EQ(x.download()[0], 1);
}

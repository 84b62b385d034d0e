// What tools ask about work: the name of a kernel, by either kind of handle, and the device of a stream.
#include "later.h"
#include "module_support.h"

__global__ void plain(int* p) {
  *p = 1;
}
template <int N>
__global__ void repeated(int* p) {
  *p = N;
}

static std::string nameOf(const void* kernel, hipStream_t stream = nullptr) {
  const char* name = hipKernelNameRefByPtr(kernel, stream);
  return name != nullptr ? name : "nothing";
}

TEST(kernels_of_the_program) {
  EXPECT_EQ(nameOf(reinterpret_cast<const void*>(plain)), std::string("_Z5plainPi"));
  EXPECT_EQ(nameOf(reinterpret_cast<const void*>(repeated<3>)), std::string("_Z8repeatedILi3EEvPi"));
  Stream s;
  EXPECT_EQ(nameOf(reinterpret_cast<const void*>(repeated<4>), s), std::string("_Z8repeatedILi4EEvPi"));
  int variable = 0;
  EXPECT(hipKernelNameRefByPtr(&variable, nullptr) == nullptr);
  EXPECT(hipKernelNameRefByPtr(nullptr, nullptr) == nullptr);
}

TEST(functions_of_modules) {
  Module m, again;
  for (const char* name : {"scale", "noArguments", "whoAmI"}) {
    const char* told = hipKernelNameRef(m.function(name));
    REQUIRE(told != nullptr);
    EXPECT_EQ(std::string(told), std::string(name));
    EXPECT_EQ(std::string(hipKernelNameRef(again.function(name))), std::string(name));
  }
  EXPECT(hipKernelNameRef(nullptr) == nullptr);
}

TEST(streams) {
  const auto deviceOf = later::find<hipError_t(hipStream_t, hipDevice_t*)>("hipStreamGetDevice");
  int count = 0;
  HIP(hipGetDeviceCount(&count));
  std::vector<hipStream_t> streams(count);
  for (int i = 0; i < count; ++i) {
    HIP(hipSetDevice(i));
    HIP(hipStreamCreate(&streams[i]));
    hipDevice_t device = -1;
    for (hipStream_t ofTheCurrentDevice : {hipStream_t(nullptr), hipStreamPerThread}) {
      HIP(deviceOf(ofTheCurrentDevice, &device));
      EXPECT_EQ(device, i);
      EXPECT_EQ(hipGetStreamDeviceId(ofTheCurrentDevice), i);
    }
  }
  HIP(hipSetDevice(0));
  for (int i = 0; i < count; ++i) {  // whatever device is current
    hipDevice_t device = -1;
    HIP(deviceOf(streams[i], &device));
    EXPECT_EQ(device, i);
    EXPECT_EQ(hipGetStreamDeviceId(streams[i]), i);
    HIP(hipStreamDestroy(streams[i]));
  }
  HIP_ERR(deviceOf(nullptr, nullptr), hipErrorInvalidValue);
}

// The parts that need no GPU: errors, the PTX in a code object, packed arguments; then the library itself on the
// stand-in for the driver.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tools/hip_on_cuda/errors.h"
#include "tools/hip_on_cuda/launch_arguments.h"
#include "tools/hip_on_cuda/ptx_section.h"
#include "worker/hip_table.h"

namespace hipr::cuda {
namespace {

std::string readFile(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(HipOnCudaErrors, KeepTheirMeaning) {
  EXPECT_EQ(toHip(0), hipSuccess);
  EXPECT_EQ(toHip(2), hipErrorOutOfMemory);
  EXPECT_EQ(toHip(600), hipErrorNotReady);
  EXPECT_EQ(toHip(716), hipErrorIllegalAddress);
  EXPECT_EQ(toHip(12345), hipErrorUnknown);
  EXPECT_STREQ(errorName(hipErrorNoBinaryForGpu), "hipErrorNoBinaryForGpu");
  EXPECT_STREQ(errorName(hipErrorNoDevice), "hipErrorNoDevice");
}

TEST(HipOnCudaPtx, IsFoundInTheCodeObject) {
  const std::string file = readFile(HIPR_KERNELS);
  std::string ptx;
  ASSERT_TRUE(findPtx(code::asBytes(file), ptx).ok());
  EXPECT_NE(ptx.find(".entry spin("), std::string::npos);
  EXPECT_NE(ptx.find(".entry work("), std::string::npos);
}

TEST(HipOnCudaPtx, DamagedFilesAreRefused) {
  std::string file = readFile(HIPR_KERNELS), ptx;
  EXPECT_EQ(findPtx(code::asBytes("not an ELF file"), ptx).code(), Code::kInvalid);
  for (std::size_t size = 0; size < file.size(); size += 7) {
    EXPECT_FALSE(findPtx(code::asBytes(std::string_view(file).substr(0, size)), ptx).ok()) << size;
  }
  // Under another name it is not there.
  for (std::size_t at; (at = file.find(kPtxSection)) != std::string::npos;) file[at + 1] = 'x';
  EXPECT_EQ(findPtx(code::asBytes(file), ptx).code(), Code::kNotFound);
}

TEST(HipOnCudaLaunch, ArgumentsGetCudasEndMarkAndSize) {
  char buffer[16] = {};
  std::size_t size = sizeof buffer;
  void* extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, buffer, HIP_LAUNCH_PARAM_BUFFER_SIZE, &size, HIP_LAUNCH_PARAM_END};
  LaunchArguments arguments;
  ASSERT_TRUE(arguments.read(extra, 12));
  EXPECT_EQ(arguments.extra()[0], kLaunchBufferPointer);
  EXPECT_EQ(arguments.extra()[1], buffer);
  EXPECT_EQ(*static_cast<std::size_t*>(arguments.extra()[3]), 12u);
  EXPECT_EQ(arguments.extra()[4], kLaunchEnd);
  ASSERT_TRUE(arguments.read(extra, SIZE_MAX));
  EXPECT_EQ(arguments.size, 16u);
  ASSERT_TRUE(arguments.read(extra, 0));
  EXPECT_EQ(arguments.extra(), nullptr);  // CUDA takes no empty buffer
  EXPECT_FALSE(arguments.read(extra, 20));
  extra[0] = reinterpret_cast<void*>(9);
  EXPECT_FALSE(arguments.read(extra, 12));
}

// The test is run with the stand-in's folder in LD_LIBRARY_PATH.
class HipOnCudaLibrary : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(worker::loadHip(HIPR_HIP_ON_CUDA, hip).ok());
    ASSERT_EQ(hip.hipInit(0), hipSuccess);
    const std::string code = readFile(HIPR_KERNELS);
    ASSERT_EQ(hip.hipModuleLoadData(&module, code.data()), hipSuccess);
    ASSERT_EQ(hip.hipStreamCreateWithFlags(&stream, hipStreamNonBlocking), hipSuccess);
  }
  worker::HipTable hip;
  hipModule_t module = nullptr;
  hipStream_t stream = nullptr;
};

TEST_F(HipOnCudaLibrary, PassesForAGfx90aOfNarrowWaves) {
  hipDeviceProp_tR0600 properties;
  ASSERT_EQ(hip.hipGetDevicePropertiesR0600(&properties, 0), hipSuccess);
  EXPECT_STREQ(properties.gcnArchName, "gfx90a:sramecc+:xnack-");
  EXPECT_EQ(properties.warpSize, 32);
  int value = 0;
  EXPECT_EQ(hip.hipDeviceGetAttribute(&value, hipDeviceAttributeHdpMemFlushCntl, 0), hipErrorInvalidValue);
  EXPECT_EQ(hip.hipSetDevice(1), hipErrorInvalidDevice);
}

TEST_F(HipOnCudaLibrary, RunsAKernelWithPackedArguments) {
  hipFunction_t work = nullptr, missing = nullptr;
  ASSERT_EQ(hip.hipModuleGetFunction(&work, module, "work"), hipSuccess);
  EXPECT_EQ(hip.hipModuleGetFunction(&missing, module, "missing"), hipErrorNotFound);
  void* out = nullptr;
  ASSERT_EQ(hip.hipMalloc(&out, 128 * sizeof(float)), hipSuccess);
  struct {
    void* out;
    int rounds, padding;
  } packed{out, 1, 0};
  std::size_t size = sizeof packed;  // four bytes more than the kernel takes
  void* extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &packed, HIP_LAUNCH_PARAM_BUFFER_SIZE, &size, HIP_LAUNCH_PARAM_END};
  ASSERT_EQ(hip.hipModuleLaunchKernel(work, 2, 1, 1, 64, 1, 1, 0, stream, nullptr, extra), hipSuccess);
  std::vector<float> result(128);
  ASSERT_EQ(hip.hipMemcpyAsync(result.data(), out, 512, hipMemcpyDeviceToHost, stream), hipSuccess);
  ASSERT_EQ(hip.hipStreamSynchronize(stream), hipSuccess);
  EXPECT_EQ(result[100], 100 * 0.999f + 1.0f);
  EXPECT_EQ(hip.hipFree(out), hipSuccess);
}

TEST_F(HipOnCudaLibrary, MemoryGoesWhereItIsWanted) {
  hipMemAllocationProp prop{};
  prop.type = hipMemAllocationTypePinned;
  prop.location = {hipMemLocationTypeDevice, 0};
  std::size_t unit = 0;
  ASSERT_EQ(hip.hipMemGetAllocationGranularity(&unit, &prop, hipMemAllocationGranularityMinimum), hipSuccess);
  void* base = nullptr;
  void* const wish = reinterpret_cast<void*>(0x2000'0000'0000);
  ASSERT_EQ(hip.hipMemAddressReserve(&base, 4 * unit, unit, wish, 0), hipSuccess);
  EXPECT_EQ(base, wish);
  hipMemGenericAllocationHandle_t handle = nullptr;
  ASSERT_EQ(hip.hipMemCreate(&handle, unit, &prop, 0), hipSuccess);
  ASSERT_EQ(hip.hipMemMap(base, unit, 0, handle, 0), hipSuccess);
  const hipMemAccessDesc access{{hipMemLocationTypeDevice, 0}, hipMemAccessFlagsProtReadWrite};
  ASSERT_EQ(hip.hipMemSetAccess(base, unit, &access, 1), hipSuccess);
  ASSERT_EQ(hip.hipMemsetD32Async(base, 0x1234567, 100, stream), hipSuccess);
  int last = 0;
  ASSERT_EQ(hip.hipMemcpyAsync(&last, static_cast<int*>(base) + 99, 4, hipMemcpyDeviceToHost, stream), hipSuccess);
  ASSERT_EQ(hip.hipStreamSynchronize(stream), hipSuccess);
  EXPECT_EQ(last, 0x1234567);
  hipPointerAttribute_t attributes{};
  ASSERT_EQ(hip.hipPointerGetAttributes(&attributes, base), hipSuccess);
  EXPECT_EQ(attributes.type, hipMemoryTypeDevice);
  EXPECT_EQ(attributes.hostPointer, nullptr);
  EXPECT_EQ(hip.hipMemUnmap(base, unit), hipSuccess);
  EXPECT_EQ(hip.hipMemRelease(handle), hipSuccess);
  EXPECT_EQ(hip.hipPointerGetAttributes(&attributes, base), hipErrorInvalidValue);
  EXPECT_EQ(hip.hipMemAddressFree(base, 4 * unit), hipSuccess);
}

TEST_F(HipOnCudaLibrary, CallbacksGetTheirStreamAndData) {
  struct Seen {
    hipStream_t stream = nullptr;
    hipError_t status = hipErrorUnknown;
  } seen;
  const auto note = [](hipStream_t stream, hipError_t status, void* data) {
    *static_cast<Seen*>(data) = {stream, status};
  };
  ASSERT_EQ(hip.hipStreamAddCallback(stream, note, &seen, 0), hipSuccess);
  ASSERT_EQ(hip.hipStreamSynchronize(stream), hipSuccess);
  EXPECT_EQ(seen.stream, stream);
  EXPECT_EQ(seen.status, hipSuccess);
  std::uint64_t counter = 0;
  ASSERT_EQ(hip.hipHostRegister(&counter, sizeof counter, hipHostRegisterDefault), hipSuccess);
  ASSERT_EQ(hip.hipStreamWriteValue64(stream, &counter, 77, 0), hipSuccess);
  ASSERT_EQ(hip.hipStreamSynchronize(stream), hipSuccess);
  EXPECT_EQ(counter, 77u);
  EXPECT_EQ(hip.hipHostUnregister(&counter), hipSuccess);
  EXPECT_EQ(hip.hipStreamWaitValue32(stream, &counter, 1, 0, 0xff), hipErrorNotSupported);
}

TEST_F(HipOnCudaLibrary, CodeWithoutPtxIsRefused) {
  std::string code = readFile(HIPR_KERNELS);
  for (std::size_t at; (at = code.find(kPtxSection)) != std::string::npos;) code[at + 1] = 'x';
  hipModule_t other = nullptr;
  EXPECT_EQ(hip.hipModuleLoadData(&other, code.data()), hipErrorNoBinaryForGpu);
}

}  // namespace
}  // namespace hipr::cuda

// Modules, registration, argument packing and every way to launch, on a hand-made code object.
#include <cstring>

#include "code_object/test_image.h"
#include "runtime/async_error.h"
#include "runtime/fake_core.h"
#include "runtime/process.h"

namespace hipr {
namespace {

using code::testing::Buffer;
using testing::fake;

class LaunchTest : public testing::RuntimeTest {
 protected:
  LaunchTest() : elf(code::testing::sampleElf()) {}

  hipFunction_t load() {
    EXPECT_EQ(api::hipModuleLoadData(&module, elf.data()), hipSuccess);
    hipFunction_t f = nullptr;
    EXPECT_EQ(api::hipModuleGetFunction(&f, module, "scale"), hipSuccess);
    return f;
  }
  static const testing::LaunchRecord& last() { return fake().launches.back(); }

  // scale(float* data, float factor)
  static void expectArguments(const std::vector<std::byte>& bytes, void* data, float factor) {
    ASSERT_EQ(bytes.size(), 12u);
    void* gotData;
    float gotFactor;
    std::memcpy(&gotData, &bytes[0], 8);
    std::memcpy(&gotFactor, &bytes[8], 4);
    EXPECT_EQ(gotData, data);
    EXPECT_EQ(gotFactor, factor);
  }

  Buffer elf;
  hipModule_t module = nullptr;
  void* data = reinterpret_cast<void*>(0x123456789a);
  float factor = 2.5F;
  void* params[2] = {&data, &factor};
};

TEST_F(LaunchTest, ParametersAndShape) {
  hipFunction_t f = load();
  ASSERT_EQ(api::hipModuleLaunchKernel(f, 2, 3, 4, 64, 2, 1, 128, nullptr, params, nullptr), hipSuccess);
  EXPECT_EQ(last().kernel, "scale");
  EXPECT_EQ(last().launch.groups.y, 3u);
  EXPECT_EQ(last().launch.threads.x, 128u);
  EXPECT_EQ(last().launch.threads.z, 4u);
  EXPECT_EQ(last().launch.sharedBytes, 128u);
  expectArguments(last().arguments, data, factor);
}

TEST_F(LaunchTest, ExtraBuffer) {
  hipFunction_t f = load();
  struct {
    void* data;
    float factor;
  } packed{data, factor};
  std::size_t size = sizeof(packed);
  void* extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &packed, HIP_LAUNCH_PARAM_BUFFER_SIZE, &size, HIP_LAUNCH_PARAM_END};
  ASSERT_EQ(api::hipModuleLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra), hipSuccess);
  expectArguments(last().arguments, data, factor);
  EXPECT_EQ(api::hipModuleLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, params, extra), hipErrorInvalidValue);
  EXPECT_EQ(api::hipModuleLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr), hipErrorInvalidValue);
  size = 4;
  EXPECT_EQ(api::hipModuleLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra), hipErrorInvalidValue);
}

TEST_F(LaunchTest, ShapesThatAreRefused) {
  hipFunction_t f = load();
  const auto launch = [&](dim3 grid, dim3 block, unsigned shared = 0) {
    return api::hipModuleLaunchKernel(f, grid.x, grid.y, grid.z, block.x, block.y, block.z, shared, nullptr, params,
                                      nullptr);
  };
  EXPECT_EQ(launch({0, 1, 1}, {1, 1, 1}), hipErrorInvalidValue);
  EXPECT_EQ(launch({1, 1, 1}, {1, 0, 1}), hipErrorInvalidValue);
  EXPECT_EQ(launch({1, 1, 1}, {1025, 1, 1}), hipErrorInvalidValue);
  EXPECT_EQ(launch({1, 1, 1}, {64, 64, 1}), hipErrorInvalidValue);
  EXPECT_EQ(launch({1, 70000, 1}, {1, 1, 1}), hipErrorInvalidValue);
  EXPECT_EQ(launch({0x7fffffff, 1, 1}, {1024, 1, 1}), hipErrorInvalidConfiguration) << "more than 32 bits of threads";
  EXPECT_EQ(launch({1, 1, 1}, {1, 1, 1}, (64 << 10) - 15), hipErrorInvalidValue) << "the kernel has 16 bytes itself";
  EXPECT_EQ(launch({1, 1, 1}, {1, 1, 1}, (64 << 10) - 16), hipSuccess);
  EXPECT_EQ(api::hipModuleLaunchKernel(nullptr, 1, 1, 1, 1, 1, 1, 0, nullptr, params, nullptr), hipErrorInvalidHandle);
  EXPECT_EQ(api::hipModuleLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, reinterpret_cast<hipStream_t>(64), params, nullptr),
            hipErrorInvalidValue);
  raiseAsyncError(fake(), hipErrorLaunchFailure, "test");
  EXPECT_EQ(launch({1, 1, 1}, {1, 1, 1}), hipErrorLaunchFailure);
  EXPECT_EQ(fake().launches.size(), 1u);
}

// Counted in threads, more groups than a grid may have are none too many, and a block has its own error.
TEST_F(LaunchTest, ShapesCountedInThreads) {
  hipFunction_t f = load();
  const auto launch = [&](dim3 threads, dim3 block) {
    return api::hipExtModuleLaunchKernel(f, threads.x, threads.y, threads.z, block.x, block.y, block.z, 0, nullptr,
                                         params, nullptr, nullptr, nullptr, 0);
  };
  EXPECT_EQ(launch({0, 1, 1}, {1, 1, 1}), hipErrorInvalidValue);
  EXPECT_EQ(launch({1, 1, 1}, {0, 1, 1}), hipErrorInvalidConfiguration);
  EXPECT_EQ(launch({1, 1, 1}, {1025, 1, 1}), hipErrorInvalidConfiguration);
  EXPECT_EQ(launch({1, 70000, 1}, {1, 1, 1}), hipSuccess);
}

TEST_F(LaunchTest, PartialGroupsAndEvents) {
  hipFunction_t f = load();
  hipEvent_t start = nullptr, stop = nullptr;
  ASSERT_EQ(api::hipEventCreate(&start), hipSuccess);
  ASSERT_EQ(api::hipEventCreate(&stop), hipSuccess);
  ASSERT_EQ(api::hipExtModuleLaunchKernel(f, 100, 1, 1, 64, 1, 1, 0, nullptr, params, nullptr, start, stop, 0),
            hipSuccess);
  EXPECT_EQ(last().launch.groups.x, 2u);
  EXPECT_EQ(last().launch.threads.x, 100u);
  EXPECT_NE(last().launch.start, nullptr);
  float ms = 0;
  EXPECT_EQ(api::hipEventElapsedTime(&ms, start, stop), hipSuccess) << "the launch recorded both";
}

TEST_F(LaunchTest, GroupsOfOneSize) {
  const Buffer image = code::testing::sampleElf(6);
  ASSERT_EQ(api::hipModuleLoadData(&module, image.data()), hipSuccess);
  hipFunction_t f = nullptr;
  ASSERT_EQ(api::hipModuleGetFunction(&f, module, "scale"), hipSuccess);
  const auto launch = [&](dim3 threads, dim3 block) {
    return api::hipExtModuleLaunchKernel(f, threads.x, threads.y, threads.z, block.x, block.y, block.z, 0, nullptr,
                                         params, nullptr, nullptr, nullptr, 0);
  };
  EXPECT_EQ(launch({100, 1, 1}, {64, 1, 1}), hipErrorInvalidValue);
  EXPECT_EQ(launch({64, 5, 1}, {64, 2, 1}), hipErrorInvalidValue);
  EXPECT_TRUE(fake().launches.empty());
  EXPECT_EQ(launch({128, 4, 1}, {64, 2, 1}), hipSuccess);
  EXPECT_EQ(launch({40, 1, 1}, {64, 2, 1}), hipSuccess);
  EXPECT_EQ(last().launch.block.x, 40u) << "no larger than all there is";
  EXPECT_EQ(last().launch.block.y, 1u);
}

TEST_F(LaunchTest, CooperativeMustFit) {
  hipFunction_t f = load();
  int blocks = 0;
  ASSERT_EQ(api::hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, 1024, 0), hipSuccess);
  ASSERT_GT(blocks, 0);
  const unsigned most = static_cast<unsigned>(blocks) * 104;
  EXPECT_EQ(api::hipModuleLaunchCooperativeKernel(f, most, 1, 1, 1024, 1, 1, 0, nullptr, params), hipSuccess);
  const auto none = reinterpret_cast<hipStream_t>(64);
  EXPECT_EQ(api::hipModuleLaunchCooperativeKernel(f, 1, 1, 1, 1, 1, 1, 0, none, params), hipErrorInvalidValue);
  EXPECT_TRUE(last().launch.cooperative);
  EXPECT_EQ(api::hipModuleLaunchCooperativeKernel(f, most + 1, 1, 1, 1024, 1, 1, 0, nullptr, params),
            hipErrorCooperativeLaunchTooLarge);
  EXPECT_EQ(api::hipModuleLaunchCooperativeKernel(f, 1, 1, 1, 1, 1, 1, 65537, nullptr, params), hipErrorInvalidValue);
  EXPECT_EQ(api::hipModuleLaunchCooperativeKernel(f, 1, 1, 1, 1, 1, 1, 0, reinterpret_cast<hipStream_t>(64), params),
            hipErrorInvalidValue);
}

TEST_F(LaunchTest, ModulesAndTheirParts) {
  hipFunction_t f = load(), again = nullptr;
  ASSERT_EQ(api::hipModuleGetFunction(&again, module, "scale"), hipSuccess);
  EXPECT_EQ(f, again);
  EXPECT_EQ(api::hipModuleGetFunction(&again, module, "none"), hipErrorNotFound);
  unsigned count = 0;
  ASSERT_EQ(api::hipModuleGetFunctionCount(&count, module), hipSuccess);
  EXPECT_EQ(count, 1u);
  EXPECT_STREQ(api::hipKernelNameRef(f), "scale");
  hipDeviceptr_t counter = nullptr;
  std::size_t size = 0;
  ASSERT_EQ(api::hipModuleGetGlobal(&counter, &size, module, "counter"), hipSuccess);
  EXPECT_EQ(size, 4u);
  const int asked = fake().count("moduleVariable");
  ASSERT_EQ(api::hipModuleGetGlobal(&counter, &size, module, "counter"), hipSuccess);
  EXPECT_EQ(fake().count("moduleVariable"), asked) << "asked once";
  EXPECT_EQ(api::hipMemset(counter, 1, 4), hipSuccess);
  EXPECT_EQ(api::hipMemset(counter, 1, 5), hipErrorInvalidValue);
  EXPECT_EQ(api::hipModuleGetGlobal(&counter, &size, module, "none"), hipErrorNotFound);
  ASSERT_EQ(api::hipModuleUnload(module), hipSuccess);
  EXPECT_EQ(api::hipModuleUnload(module), hipErrorNotFound);
  EXPECT_EQ(api::hipModuleLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, params, nullptr), hipErrorInvalidHandle);
  EXPECT_EQ(api::hipMemset(counter, 1, 4), hipErrorInvalidValue);
  EXPECT_EQ(fake().live, 0);
}

TEST_F(LaunchTest, ManagedVariablesOfAModule) {
  load();
  hipDeviceptr_t shared = nullptr;
  std::size_t size = 0;
  ASSERT_EQ(api::hipModuleGetGlobal(&shared, &size, module, "shared"), hipSuccess);
  EXPECT_EQ(size, 4u);
  hipPointerAttribute_t a{};
  ASSERT_EQ(api::hipPointerGetAttributes(&a, shared), hipSuccess);
  EXPECT_EQ(a.type, hipMemoryTypeManaged);
}

TEST_F(LaunchTest, EqualCodeIsParsedOnce) {
  load();
  const Buffer copy = elf;
  hipModule_t second = nullptr;
  ASSERT_EQ(api::hipSetDevice(1), hipSuccess);
  ASSERT_EQ(api::hipModuleLoadData(&second, copy.data()), hipSuccess);
  Process* p = openedProcess();
  EXPECT_EQ(p->modules.find(module)->code, p->modules.find(second)->code);
  EXPECT_EQ(p->modules.find(second)->device, 1);
}

TEST_F(LaunchTest, ImagesThatAreRefused) {
  const char garbage[64] = "this is no code object";
  EXPECT_EQ(api::hipModuleLoadData(&module, garbage), hipErrorInvalidImage);
  EXPECT_EQ(api::hipModuleLoadData(&module, nullptr), hipErrorInvalidValue);
  EXPECT_EQ(api::hipModuleLoad(&module, "/nonexistent/file.co"), hipErrorFileNotFound);
  const Buffer other = code::testing::sampleElf(5, 0x54c);  // another processor
  EXPECT_EQ(api::hipModuleLoadData(&module, other.data()), hipErrorNoBinaryForGpu);
}

TEST_F(LaunchTest, Registered) {
  const Buffer bundle =
      code::testing::sampleBundle({{"host-x86_64-unknown-linux--", {}}, {"hipv4-amdgcn-amd-amdhsa--gfx90a", elf}});
  const struct {
    std::uint32_t magic = 0x48495046, version = 1;
    const void* binary;
    void* unused = nullptr;
  } wrapper{.binary = bundle.data()};
  static char kernelStub, counterShadow;
  static void* sharedSlot = nullptr;
  std::uint32_t initial = 0x11223344;

  void** handle = api::__hipRegisterFatBinary(&wrapper);
  ASSERT_NE(handle, nullptr);
  char name[] = "scale", variable[] = "counter";
  api::__hipRegisterFunction(handle, &kernelStub, name, name, ~0u, nullptr, nullptr, nullptr, nullptr, nullptr);
  api::__hipRegisterVar(handle, &counterShadow, variable, variable, 0, 4, 0, 0);
  api::__hipRegisterManagedVar(handle, &sharedSlot, &initial, "shared", 4, 4);
  EXPECT_EQ(fake().count("open"), 0) << "registration needs no device";
  ASSERT_NE(sharedSlot, nullptr);
  EXPECT_EQ(*static_cast<std::uint32_t*>(sharedSlot), 0x11223344u) << "usable before main";

  EXPECT_EQ(api::hipMemPrefetchAsync(sharedSlot, 4, 0, nullptr), hipSuccess) << "managed before any kernel ran";
  EXPECT_EQ(fake().count("moduleLoad"), 0);
  ASSERT_EQ(api::hipLaunchKernel(&kernelStub, {1, 1, 1}, {64, 1, 1}, params, 0, nullptr), hipSuccess);
  ASSERT_EQ(api::hipLaunchKernel(&kernelStub, {1, 1, 1}, {64, 1, 1}, params, 0, nullptr), hipSuccess);
  expectArguments(last().arguments, data, factor);
  EXPECT_EQ(fake().count("moduleLoad"), 1);
  ASSERT_EQ(api::hipSetDevice(1), hipSuccess);
  ASSERT_EQ(api::hipLaunchKernel(&kernelStub, {1, 1, 1}, {64, 1, 1}, params, 0, nullptr), hipSuccess);
  EXPECT_EQ(fake().count("moduleLoad"), 2) << "once per device";
  EXPECT_EQ(api::hipLaunchKernel(&counterShadow, {1, 1, 1}, {64, 1, 1}, params, 0, nullptr),
            hipErrorInvalidDeviceFunction);

  // The pointer variable in the code object points to where kernels reach the managed memory.
  Module* module = last().launch.function->module;
  void *stored = nullptr, *slot = nullptr;
  ASSERT_EQ(fake().variable(*module, "shared", &slot), hipSuccess);
  std::memcpy(&stored, slot, sizeof stored);
  const auto region = openedProcess()->allocations.find(sharedSlot);
  ASSERT_TRUE(region);
  EXPECT_EQ(stored, region->allocation.devicePointer);
  hipPointerAttribute_t a{};
  ASSERT_EQ(api::hipPointerGetAttributes(&a, sharedSlot), hipSuccess);
  EXPECT_EQ(a.type, hipMemoryTypeManaged);

  std::uint32_t value = 9, back = 0;
  std::size_t size = 0;
  ASSERT_EQ(api::hipGetSymbolSize(&size, &counterShadow), hipSuccess);
  EXPECT_EQ(size, 4u);
  ASSERT_EQ(api::hipMemcpyToSymbol(&counterShadow, &value, 4, 0, hipMemcpyHostToDevice), hipSuccess);
  ASSERT_EQ(api::hipMemcpyFromSymbol(&back, &counterShadow, 4, 0, hipMemcpyDeviceToHost), hipSuccess);
  EXPECT_EQ(back, 9u);
  EXPECT_EQ(api::hipMemcpyToSymbol(&counterShadow, &value, 4, 1, hipMemcpyHostToDevice), hipErrorInvalidValue);
  EXPECT_EQ(api::hipMemcpyToSymbol(&counterShadow, &value, 4, 0, hipMemcpyDeviceToHost),
            hipErrorInvalidMemcpyDirection);
  EXPECT_EQ(api::hipMemcpyToSymbol(&value, &value, 4, 0, hipMemcpyHostToDevice), hipErrorInvalidSymbol);

  hipFuncAttributes attributes{};
  ASSERT_EQ(api::hipFuncGetAttributes(&attributes, &kernelStub), hipSuccess);
  EXPECT_EQ(attributes.sharedSizeBytes, 16u);
  EXPECT_EQ(attributes.maxThreadsPerBlock, 1024);

  // The old way of launching fills a buffer.
  ASSERT_EQ(api::hipConfigureCall({1, 1, 1}, {64, 1, 1}, 0, nullptr), hipSuccess);
  ASSERT_EQ(api::hipSetupArgument(&data, 8, 0), hipSuccess);
  ASSERT_EQ(api::hipSetupArgument(&factor, 4, 8), hipSuccess);
  ASSERT_EQ(api::hipLaunchByPtr(&kernelStub), hipSuccess);
  expectArguments(last().arguments, data, factor);
  EXPECT_EQ(api::hipLaunchByPtr(&kernelStub), hipErrorMissingConfiguration);

  ASSERT_EQ(api::hipDeviceReset(), hipSuccess);
  ASSERT_EQ(api::hipLaunchKernel(&kernelStub, {1, 1, 1}, {64, 1, 1}, params, 0, nullptr), hipSuccess);
  EXPECT_EQ(fake().count("moduleLoad"), 3) << "loaded anew after a reset";

  void** again = api::__hipRegisterFatBinary(&wrapper);  // a second library with the same kernel
  api::__hipRegisterFunction(again, &kernelStub, name, name, ~0u, nullptr, nullptr, nullptr, nullptr, nullptr);
  api::__hipUnregisterFatBinary(handle);
  ASSERT_EQ(api::hipLaunchKernel(&kernelStub, {1, 1, 1}, {64, 1, 1}, params, 0, nullptr), hipSuccess);
  EXPECT_EQ(fake().count("moduleLoad"), 4) << "the second library's, when the first is gone";
  api::__hipUnregisterFatBinary(again);
  EXPECT_EQ(api::hipLaunchKernel(&kernelStub, {1, 1, 1}, {64, 1, 1}, params, 0, nullptr),
            hipErrorInvalidDeviceFunction);
  const std::uint64_t badMagic[3] = {};
  EXPECT_EQ(api::__hipRegisterFatBinary(badMagic), nullptr);
}

TEST_F(LaunchTest, Attributes) {
  hipFunction_t f = load();
  HIP_LAUNCH_CONFIG config{};
  config.gridDimX = config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = 64;
  config.blockDimY = config.blockDimZ = 1;
  hipLaunchAttribute attribute{};
  attribute.id = hipLaunchAttributeCooperative;
  attribute.value.cooperative = 1;
  config.attrs = &attribute;
  config.numAttrs = 1;
  ASSERT_EQ(api::hipDrvLaunchKernelEx(&config, f, params, nullptr), hipSuccess);
  EXPECT_TRUE(last().launch.cooperative);
  attribute.id = hipLaunchAttributeClusterDimension;
  EXPECT_EQ(api::hipDrvLaunchKernelEx(&config, f, params, nullptr), hipErrorNotSupported);
  EXPECT_EQ(api::hipDrvLaunchKernelEx(nullptr, f, params, nullptr), hipErrorInvalidValue);
}

TEST_F(LaunchTest, SeveralDevices) {
  load();
  hipModule_t second = nullptr;
  hipStream_t streams[2] = {};
  hipFunction_t functions[2] = {};
  ASSERT_EQ(api::hipModuleGetFunction(&functions[0], module, "scale"), hipSuccess);
  ASSERT_EQ(api::hipStreamCreate(&streams[0]), hipSuccess);
  ASSERT_EQ(api::hipSetDevice(1), hipSuccess);
  ASSERT_EQ(api::hipModuleLoadData(&second, elf.data()), hipSuccess);
  ASSERT_EQ(api::hipModuleGetFunction(&functions[1], second, "scale"), hipSuccess);
  ASSERT_EQ(api::hipStreamCreate(&streams[1]), hipSuccess);
  hipFunctionLaunchParams list[2];
  for (int i = 0; i < 2; ++i) list[i] = {functions[i], 1, 1, 1, 64, 1, 1, 0, streams[i], params};
  ASSERT_EQ(api::hipModuleLaunchCooperativeKernelMultiDevice(list, 2, 0), hipSuccess);
  EXPECT_EQ(fake().launches.size(), 2u);
  list[1].hStream = streams[0];
  EXPECT_EQ(api::hipModuleLaunchCooperativeKernelMultiDevice(list, 2, 0), hipErrorInvalidDevice);
  list[1].hStream = nullptr;
  EXPECT_EQ(api::hipModuleLaunchCooperativeKernelMultiDevice(list, 2, 0), hipErrorInvalidHandle);
}

TEST_F(LaunchTest, Occupancy) {
  hipFunction_t f = load();
  int blocks = 0;
  // 16 bytes of LDS and few registers: 8 waves on each of 4 SIMDs.
  ASSERT_EQ(api::hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, 64, 0), hipSuccess);
  EXPECT_EQ(blocks, 32);
  ASSERT_EQ(api::hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, 64, (32 << 10) - 16), hipSuccess);
  EXPECT_EQ(blocks, 2) << "LDS is the limit";
  int grid = 0, block = 0;
  ASSERT_EQ(api::hipModuleOccupancyMaxPotentialBlockSize(&grid, &block, f, 0, 0), hipSuccess);
  EXPECT_EQ(block, 1024);
  EXPECT_EQ(grid, 2 * 104);
  EXPECT_EQ(api::hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, 0, 0), hipErrorInvalidValue);
}

}  // namespace
}  // namespace hipr

// Cooperative launches of module functions, and of one kernel on several devices at once.
#include <memory>

#include "later.h"
#include "module_support.h"

namespace {

using Launch = hipError_t(hipFunction_t, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                          hipStream_t, void**);
struct Part {  // hipFunctionLaunchParams
  hipFunction_t function;
  unsigned grid[3], block[3], shared;
  hipStream_t stream;
  void** arguments;
};
static_assert(sizeof(Part) == 56, "as HIP has it");
using LaunchAll = hipError_t(Part*, unsigned, unsigned);

int deviceCount() {
  int count = 0;
  HIP(hipGetDeviceCount(&count));
  return count;
}

// Device, stream and memory of one part of a launch; a module too, when the launch is of module functions.
struct Place {
  int device;
  hipStream_t stream = nullptr;
  int* memory = nullptr;
  int value;
  void* arguments[2] = {&memory, &value};

  Place(int on, int number) : device(on), value(number) {
    HIP(hipSetDevice(device));
    HIP(hipStreamCreate(&stream));
    HIP(hipMalloc(reinterpret_cast<void**>(&memory), 128 * sizeof(int)));
    HIP(hipMemset(memory, 0, 128 * sizeof(int)));
  }
  Place(const Place&) = delete;
  ~Place() {
    (void)hipSetDevice(device);
    (void)hipStreamDestroy(stream);
    (void)hipFree(memory);
    (void)hipSetDevice(0);
  }
  std::vector<int> read() const {
    std::vector<int> out(128);
    HIP(hipMemcpy(out.data(), memory, 128 * sizeof(int), hipMemcpyDeviceToHost));
    return out;
  }
};

std::vector<int> numbered(int from) {
  std::vector<int> out(128);
  for (int i = 0; i < 128; ++i) out[i] = from + i;
  return out;
}

}  // namespace

__global__ void number(int* out, int from) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = from + i;
}

TEST(a_module_function) {
  const auto launch = later::find<Launch>("hipModuleLaunchCooperativeKernel");
  Module m;
  Buffer<int> out(128);
  int* p = out;
  void* arguments[] = {&p};
  Stream s;
  HIP(launch(m.function("small"), 1, 1, 1, 128, 1, 1, 0, s, arguments));
  HIP(hipStreamSynchronize(s));
  const auto got = out.download();
  for (int i = 0; i < 128; ++i) EXPECT_EQ(got[i], 127 - i);
  check::result(got);
  // All groups must be on the device at a time.
  int perUnit = 0;
  hipDeviceProp_t properties;
  HIP(hipGetDeviceProperties(&properties, 0));
  HIP(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&perUnit, m.function("small"), 128, 0));
  const unsigned most = unsigned(perUnit * properties.multiProcessorCount);
  HIP_ERR(launch(m.function("small"), most + 1, 1, 1, 128, 1, 1, 0, s, arguments), hipErrorCooperativeLaunchTooLarge);
  HIP_FAILS(launch(nullptr, 1, 1, 1, 128, 1, 1, 0, s, arguments));
  HIP_FAILS(launch(m.function("small"), 1, 1, 1, 0, 1, 1, 0, s, arguments));
  HIP_ERR(launch(m.function("small"), 1, 1, 1, 128, 1, 1, 0, reinterpret_cast<hipStream_t>(&p), arguments),
          hipErrorInvalidValue);
}

TEST(a_kernel_of_the_program_on_each_device) {
  std::vector<std::unique_ptr<Place>> places;
  std::vector<hipLaunchParams> launches;
  for (int i = 0; i < deviceCount(); ++i) {
    places.push_back(std::make_unique<Place>(i, 1000 * (i + 1)));
    hipLaunchParams one{};
    one.func = reinterpret_cast<void*>(number);
    one.gridDim = dim3(2);
    one.blockDim = dim3(64);
    one.args = places.back()->arguments;
    one.stream = places.back()->stream;
    launches.push_back(one);
  }
  HIP(hipSetDevice(0));
  const int count = int(launches.size());
  HIP(hipLaunchCooperativeKernelMultiDevice(launches.data(), count, 0));
  for (const auto& place : places) {
    HIP(hipStreamSynchronize(place->stream));
    EXPECT_VEC(place->read(), numbered(place->value));
    check::result(place->read());
  }
  HIP_ERR(hipLaunchCooperativeKernelMultiDevice(nullptr, count, 0), hipErrorInvalidValue);
  HIP_ERR(hipLaunchCooperativeKernelMultiDevice(launches.data(), 0, 0), hipErrorInvalidValue);
  HIP_FAILS(hipLaunchCooperativeKernelMultiDevice(launches.data(), count + 1, 0));
  HIP_ERR(hipLaunchCooperativeKernelMultiDevice(launches.data(), count, 4), hipErrorInvalidValue);
  if (count < 2) return;
  launches[1].gridDim = dim3(3);  // one shape for all
  HIP_ERR(hipLaunchCooperativeKernelMultiDevice(launches.data(), count, 0), hipErrorInvalidValue);
  launches[1] = launches[0];  // each device once
  HIP_ERR(hipLaunchCooperativeKernelMultiDevice(launches.data(), 2, 0), hipErrorInvalidDevice);
}

TEST(module_functions_on_each_device) {
  const auto launch = later::find<LaunchAll>("hipModuleLaunchCooperativeKernelMultiDevice");
  std::vector<std::unique_ptr<Place>> places;
  std::vector<std::unique_ptr<Module>> modules;
  std::vector<Part> parts;
  for (int i = 0; i < deviceCount(); ++i) {
    places.push_back(std::make_unique<Place>(i, 0));
    modules.push_back(std::make_unique<Module>());
    parts.push_back({modules.back()->function("small"),
                     {1, 1, 1},
                     {128, 1, 1},
                     0,
                     places.back()->stream,
                     places.back()->arguments});
  }
  HIP(hipSetDevice(0));
  const unsigned count = unsigned(parts.size());
  HIP(launch(parts.data(), count, 0));
  for (const auto& place : places) {
    HIP(hipStreamSynchronize(place->stream));
    const auto got = place->read();
    EXPECT_EQ(got[0], 127);
    EXPECT_EQ(got[127], 0);
    check::result(got);
  }
  HIP_ERR(launch(nullptr, count, 0), hipErrorInvalidValue);
  HIP_ERR(launch(parts.data(), 0, 0), hipErrorInvalidValue);
  HIP_ERR(launch(parts.data(), count, 4), hipErrorInvalidValue);
  parts[0].stream = nullptr;  // of no device in particular
  HIP_FAILS(launch(parts.data(), count, 0));
}

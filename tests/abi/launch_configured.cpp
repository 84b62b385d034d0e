// Launches that HIP 6 and 7 added: shape, stream and attributes in one structure; and hipHccModuleLaunchKernel under
// its plain name.
// ABIs: 6 7
#include "objects.h"

extern "C" {
int hipHccModuleLaunchKernel(void* function, std::uint32_t x, std::uint32_t y, std::uint32_t z, std::uint32_t blockX,
                             std::uint32_t blockY, std::uint32_t blockZ, std::size_t shared, void* stream,
                             void** arguments, void** extra, void* start, void* stop);
}

TEST(work_items) {
  Module module;
  Memory memory;
  Stream stream;
  void *count = memory.at, *largest = static_cast<char*>(memory.at) + 4;
  void* arguments[] = {&count, &largest};
  OK(hipHccModuleLaunchKernel(module.function("countThreads"), 192, 2, 1, 64, 1, 1, 0, stream.handle, arguments,
                              nullptr, nullptr, nullptr));
  OK(hipStreamSynchronize(stream.handle));
  EXPECT_VEC(memory.read(2), (std::vector<std::uint32_t>{384, 191}));
  EXPECT(hipHccModuleLaunchKernel(nullptr, 1, 1, 1, 1, 1, 1, 0, stream.handle, arguments, nullptr, nullptr, nullptr) !=
         kSuccess);
}

#if ABI >= 7
struct LaunchAttribute {  // hipLaunchAttribute
  int id;
  char padding[4];
  union {
    char room[64];
    int number;
    unsigned dimensions[3];
  };
};
static_assert(sizeof(LaunchAttribute) == 72);
struct Config {  // hipLaunchConfig_t
  Dim3 grid, block;
  std::size_t shared;
  void* stream;
  LaunchAttribute* attributes;
  unsigned count;
};
static_assert(sizeof(Config) == 56);
struct DriverConfig {  // HIP_LAUNCH_CONFIG
  unsigned grid[3], block[3], shared;
  void* stream;
  LaunchAttribute* attributes;
  unsigned count;
};
static_assert(sizeof(DriverConfig) == 56);

extern "C" {
int hipLaunchKernelExC(const Config*, const void* kernel, void** arguments);
int hipDrvLaunchKernelEx(const DriverConfig*, void* function, void** arguments, void** extra);
}

enum : int { kIgnore = 0, kCooperative = 2, kCluster = 4, kPriority = 8, kNotSupported = 801 };

static LaunchAttribute attributeOf(int id, int number) {
  LaunchAttribute out{};
  out.id = id;
  out.number = number;
  return out;
}

TEST(kernels_of_the_program) {
  Registered code;
  Memory memory;
  Stream stream;
  ScaleArguments arguments(memory.at, 1.5f, 100);
  LaunchAttribute attributes[] = {attributeOf(kIgnore, 0), attributeOf(kCooperative, 1), attributeOf(kPriority, 0)};
  for (unsigned count : {0u, 3u}) {
    arguments.upload();
    const Config config{{2, 1, 1}, {64, 1, 1}, 0, stream.handle, count == 0 ? nullptr : attributes, count};
    OK(hipLaunchKernelExC(&config, &code.scale, arguments.list));
    OK(hipStreamSynchronize(stream.handle));
    EXPECT_VEC(memory.read<float>(100), arguments.expected());
    check::result(memory.read<float>(100));
  }
}

TEST(functions_of_modules) {
  Module module;
  Memory memory;
  Stream stream;
  ScaleArguments arguments(memory.at, -2, 100);
  arguments.upload();
  LaunchAttribute attributes[] = {attributeOf(kPriority, 0)};
  DriverConfig config{{2, 1, 1}, {64, 1, 1}, 0, stream.handle, attributes, 1};
  OK(hipDrvLaunchKernelEx(&config, module.function("scale"), arguments.list, nullptr));
  OK(hipStreamSynchronize(stream.handle));
  EXPECT_VEC(memory.read<float>(100), arguments.expected());
  check::result(memory.read<float>(100));
  // Arguments packed as the kernel has them.
  struct {
    void* data;
    float by;
    int count;
  } packed{memory.at, -2, 100};
  std::size_t size = sizeof packed;
  void* extra[] = {reinterpret_cast<void*>(1), &packed, reinterpret_cast<void*>(2), &size, reinterpret_cast<void*>(3)};
  arguments.upload();
  OK(hipDrvLaunchKernelEx(&config, module.function("scale"), nullptr, extra));
  OK(hipStreamSynchronize(stream.handle));
  EXPECT_VEC(memory.read<float>(100), arguments.expected());
  // Memory of the group.
  config = {{1, 1, 1}, {128, 1, 1}, 128 * 4, stream.handle, nullptr, 0};
  void* list[] = {&memory.at};
  OK(hipDrvLaunchKernelEx(&config, module.function("whoAmI"), list, nullptr));
  OK(hipStreamSynchronize(stream.handle));
  EXPECT_EQ(memory.read(1)[0], 127u);
}

TEST(what_a_launch_refuses) {
  Registered code;
  Module module;
  Memory memory;
  ScaleArguments arguments(memory.at, 1, 4);
  void* function = module.function("scale");
  LaunchAttribute cluster = attributeOf(kCluster, 2), unknown = attributeOf(77, 0), cooperative = attributeOf(2, 1);
  const auto refused = [&](unsigned groups, unsigned threads, LaunchAttribute* attributes, unsigned count, int error) {
    const Config config{{groups, 1, 1}, {threads, 1, 1}, 0, nullptr, attributes, count};
    const DriverConfig driver{{groups, 1, 1}, {threads, 1, 1}, 0, nullptr, attributes, count};
    IS(hipLaunchKernelExC(&config, &code.scale, arguments.list), error);
    IS(hipDrvLaunchKernelEx(&driver, function, arguments.list, nullptr), error);
  };
  refused(1, 64, &cluster, 1, kNotSupported);  // no device has clusters
  refused(1, 64, &unknown, 1, kInvalidConfiguration);
  refused(1, 64, nullptr, 1, kInvalidConfiguration);
  refused(0, 64, nullptr, 0, kInvalidConfiguration);
  refused(1, 4096, nullptr, 0, kInvalidConfiguration);
  refused(1 << 20, 1024, &cooperative, 1, 720);  // not all at a time
  const Config good{{1, 1, 1}, {64, 1, 1}, 0, nullptr, nullptr, 0};
  const DriverConfig goodDriver{{1, 1, 1}, {64, 1, 1}, 0, nullptr, nullptr, 0};
  IS(hipLaunchKernelExC(&good, nullptr, arguments.list), 98);
  IS(hipLaunchKernelExC(nullptr, nullptr, arguments.list), 98);
  IS(hipLaunchKernelExC(nullptr, &code.scale, arguments.list), kInvalidConfiguration);
  IS(hipDrvLaunchKernelEx(&goodDriver, nullptr, arguments.list, nullptr), kInvalidHandle);
  IS(hipDrvLaunchKernelEx(nullptr, nullptr, arguments.list, nullptr), kInvalidHandle);
  IS(hipDrvLaunchKernelEx(nullptr, function, arguments.list, nullptr), kInvalidValue);
  IS(hipDrvLaunchKernelEx(&goodDriver, function, nullptr, nullptr), kInvalidValue);  // it has arguments
  OK(hipDeviceSynchronize());
  EXPECT_EQ(memory.read(1)[0], 0u);
}
#endif

// Functions of modules and of the program, as HIP 6 and 7 find and count them; and how much memory a group of one may
// have.
// ABIs: 6 7
#include <algorithm>

#include "objects.h"

extern "C" {
int hipGetFuncBySymbol(void** function, const void* symbol);
const char* hipKernelNameRef(void* function);
#if ABI >= 7
int hipModuleGetFunctionCount(unsigned*, void* module);
int hipModuleEnumerateFunctions(void** functions, unsigned count, void* module);
int hipModuleLoadFatBinary(void** module, const void* binary);
int hipOccupancyAvailableDynamicSMemPerBlock(std::size_t* bytes, const void* kernel, int blocks, int threads);
#endif
}

enum : int { kInvalidDeviceFunction = 98, kInvalidImage = 200 };

// Launches `scale` and checks what it did.
static void checkScale(void* function) {
  Memory memory;
  ScaleArguments arguments(memory.at, 2.5f, 64);
  arguments.upload();
  OK(hipModuleLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, nullptr, arguments.list, nullptr));
  EXPECT_VEC(memory.read<float>(64), arguments.expected());
  check::result(memory.read<float>(64));
}

TEST(a_kernel_of_the_program_as_a_function) {
  Registered code;
  void *function = nullptr, *again = nullptr;
  OK(hipGetFuncBySymbol(&function, &code.scale));
  OK(hipGetFuncBySymbol(&again, &code.scale));
  EXPECT_EQ(function, again);
  EXPECT_EQ(std::string(hipKernelNameRef(function)), std::string("scale"));
  checkScale(function);
  int nothing = 0;
  IS(hipGetFuncBySymbol(&function, &nothing), kInvalidDeviceFunction);
  IS(hipGetFuncBySymbol(&function, nullptr), kInvalidDeviceFunction);
}

#if ABI >= 7
TEST(functions_of_a_module) {
  Module module;
  unsigned count = 0;
  OK(hipModuleGetFunctionCount(&count, module.handle));
  EXPECT_EQ(count, 7u);
  std::vector<void*> functions(count + 1, &count);
  OK(hipModuleEnumerateFunctions(functions.data(), count + 1, module.handle));
  EXPECT_EQ(functions[count], static_cast<void*>(&count));  // there are no more
  std::vector<std::string> names;
  for (unsigned i = 0; i < count; ++i) {
    names.push_back(hipKernelNameRef(functions[i]));
    EXPECT_EQ(functions[i], module.function(names.back().c_str()));
  }
  std::string all;
  for (const std::string& name : names) all += name + " ";
  check::result(all);
  std::sort(names.begin(), names.end());
  EXPECT(names == (std::vector<std::string>{"count", "countThreads", "mixedArguments", "noArguments", "scale", "small",
                                            "whoAmI"}));
  void* two[3] = {nullptr, nullptr, &count};
  OK(hipModuleEnumerateFunctions(two, 2, module.handle));
  EXPECT(two[0] == functions[0] && two[1] == functions[1] && two[2] == &count);
  IS(hipModuleGetFunctionCount(nullptr, module.handle), kInvalidValue);
  IS(hipModuleGetFunctionCount(&count, nullptr), kInvalidHandle);
  IS(hipModuleEnumerateFunctions(nullptr, 1, module.handle), kInvalidValue);
  IS(hipModuleEnumerateFunctions(two, 0, module.handle), kInvalidValue);
  IS(hipModuleEnumerateFunctions(two, 2, nullptr), kInvalidHandle);
}

// The compiler's wrapper, or what it points to.
TEST(fat_binaries) {
  const auto code = moduleBytes("scale.targets");
  struct {
    std::uint32_t magic = 0x48495046, version = 1;
    const void* binary;
    void* unused = nullptr;
  } wrapper;
  wrapper.binary = code.data();
  for (const void* binary : {static_cast<const void*>(&wrapper), static_cast<const void*>(code.data())}) {
    void *module = nullptr, *function = nullptr;
    OK(hipModuleLoadFatBinary(&module, binary));
    OK(hipModuleGetFunction(&function, module, "scale"));
    checkScale(function);
    OK(hipModuleUnload(module));
  }
  void* module = nullptr;
  static const char text[64] = "nothing that a GPU could run";
  IS(hipModuleLoadFatBinary(&module, text), kInvalidImage);
  IS(hipModuleLoadFatBinary(&module, nullptr), kInvalidValue);
  IS(hipModuleLoadFatBinary(nullptr, code.data()), kInvalidValue);
}

TEST(memory_for_groups) {
  Registered code;
  int perUnit = 0, perBlock = 0;
  OK(hipDeviceGetAttribute(&perUnit, 10002, 0));  // hipDeviceAttributeMaxSharedMemoryPerMultiprocessor
  OK(hipDeviceGetAttribute(&perBlock, 74, 0));    // hipDeviceAttributeMaxSharedMemoryPerBlock
  std::size_t bytes = 0;
  for (int blocks : {1, 2, 4}) {
    OK(hipOccupancyAvailableDynamicSMemPerBlock(&bytes, &code.scale, blocks, 64));
    EXPECT_EQ(bytes, std::size_t(std::min(perUnit / blocks, perBlock)));
    check::result(bytes);
  }
  IS(hipOccupancyAvailableDynamicSMemPerBlock(nullptr, &code.scale, 1, 64), kInvalidValue);
  IS(hipOccupancyAvailableDynamicSMemPerBlock(&bytes, &code.scale, 0, 64), kInvalidValue);
  IS(hipOccupancyAvailableDynamicSMemPerBlock(&bytes, &code.scale, 1, 0), kInvalidValue);
  IS(hipOccupancyAvailableDynamicSMemPerBlock(&bytes, &perUnit, 1, 64), kInvalidDeviceFunction);
}
#endif

// A kernel launched under each ABI: as a module, and registered the way compiler-made start-up code does it.
#include "objects.h"

extern "C" int hipLaunchCooperativeKernel(const void*, Dim3 grid, Dim3 block, void** args, unsigned shared,
                                          void* stream);
#if ABI == 5
struct ihipStream_t;
struct dim3 {
  std::uint32_t x, y, z;
};
namespace hip_impl {
void hipLaunchKernelGGLImpl(std::uintptr_t kernel, const dim3& grid, const dim3& block, std::uint32_t shared,
                            ihipStream_t* stream, void** extra);
}
#endif

static void* upload(const std::vector<float>& v) {
  void* d = nullptr;
  OK(hipMalloc(&d, v.size() * sizeof(float)));
  OK(hipMemcpy(d, v.data(), v.size() * sizeof(float), 1));
  return d;
}

static std::vector<float> scaled(void* d, int n) {
  std::vector<float> v(n);
  OK(hipMemcpy(v.data(), d, n * sizeof(float), 2));
  OK(hipFree(d));
  return v;
}

static std::vector<float> input(int n) {
  std::vector<float> v(n);
  for (int i = 0; i < n; ++i) v[i] = float(i);
  return v;
}
static std::vector<float> expected(int n, float by) {
  std::vector<float> v(n);
  for (int i = 0; i < n; ++i) v[i] = float(i) * (by * float(i % 4 + 1));
  return v;
}

TEST(module) {
  const auto code = moduleBytes();
  void *module = nullptr, *f = nullptr;
  OK(hipModuleLoadData(&module, code.data()));
  OK(hipModuleGetFunction(&f, module, "scale"));
  int n = 100;
  float by = 1.5f;
  void* d = upload(input(n));
  void* arguments[] = {&d, &by, &n};
  OK(hipModuleLaunchKernel(f, 2, 1, 1, 64, 1, 1, 0, nullptr, arguments, nullptr));
  const auto got = scaled(d, n);
  EXPECT_VEC(got, expected(n, by));
  IS(hipModuleLaunchKernel(f, 0, 1, 1, 64, 1, 1, 0, nullptr, arguments, nullptr), kInvalidValue);
  IS(hipModuleGetFunction(&f, module, "none such"), kNotFound);
  OK(hipModuleUnload(module));
  check::result(got);
}

TEST(registered_fat_binary) {
  static const auto code = moduleBytes();
  struct {
    std::uint32_t magic = 0x48495046, version = 1;
    const void* binary = code.data();
    void* unused = nullptr;
  } static wrapper;
  void** handle = __hipRegisterFatBinary(&wrapper);
  REQUIRE(handle != nullptr);
  static const char kernel = 0;  // any address names the kernel
  char name[] = "scale";
  __hipRegisterFunction(handle, &kernel, name, name, ~0u, nullptr, nullptr, nullptr, nullptr, nullptr);
  int n = 300;
  float by = -2;
  void* d = upload(input(n));
  void* arguments[] = {&d, &by, &n};
  OK(hipLaunchKernel(&kernel, Dim3{3, 1, 1}, Dim3{128, 1, 1}, arguments, 0, nullptr));
  OK(hipDeviceSynchronize());
  EXPECT_VEC(scaled(d, n), expected(n, by));
#if ABI == 5
  struct {
    void* data;
    float by;
    int n;
  } packed{upload(input(n)), by, n};
  std::size_t size = sizeof packed;
  void* extra[] = {reinterpret_cast<void*>(1), &packed, reinterpret_cast<void*>(2), &size, reinterpret_cast<void*>(3)};
  hip_impl::hipLaunchKernelGGLImpl(reinterpret_cast<std::uintptr_t>(&kernel), {3, 1, 1}, {128, 1, 1}, 0, nullptr,
                                   extra);
  OK(hipDeviceSynchronize());
  EXPECT_VEC(scaled(packed.data, n), expected(n, by));
#endif
  const int tooLarge = hipLaunchKernel(&kernel, Dim3{1, 1, 1}, Dim3{2048, 1, 1}, arguments, 0, nullptr);
  EXPECT(tooLarge == kInvalidConfiguration || (ABI < 7 && tooLarge == kInvalidValue));
  (void)hipGetLastError();
  void* const noStream = &n;
  IS(hipLaunchKernel(&kernel, Dim3{1, 1, 1}, Dim3{64, 1, 1}, arguments, 0, noStream), kInvalidValue);
  IS(hipLaunchCooperativeKernel(&kernel, Dim3{1, 1, 1}, Dim3{64, 1, 1}, arguments, 0, noStream),
     ABI >= 7 ? kInvalidHandle : 709);
  __hipUnregisterFatBinary(handle);
}

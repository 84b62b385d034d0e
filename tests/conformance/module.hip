// Modules: every container of code (ELF, bundle, compressed bundle, several targets), functions, globals, and wrong
// images.
#include "module_support.h"

static void checkScale(hipModule_t m) {
  hipFunction_t f = nullptr;
  HIP(hipModuleGetFunction(&f, m, "scale"));
  std::vector<float> data(100), want(100);
  for (int i = 0; i < 100; ++i) data[i] = float(i), want[i] = float(i) * (2.5f * float(i % 4 + 1));
  Buffer<float> d(data);
  float* p = d;
  float by = 2.5f;
  int n = 100;
  void* arguments[] = {&p, &by, &n};
  HIP(hipModuleLaunchKernel(f, 2, 1, 1, 64, 1, 1, 0, nullptr, arguments, nullptr));
  EXPECT_VEC(d.download(), want);
  check::result(want);
}

static void loadAndRun(const std::string& name) {
  const auto image = moduleBytes(name);
  hipModule_t m = nullptr;
  HIP(hipModuleLoadData(&m, image.data()));
  checkScale(m);
  HIP(hipModuleUnload(m));
  HIP(hipModuleLoad(&m, modulePath(name).c_str()));
  checkScale(m);
  HIP(hipModuleUnload(m));
}

TEST(bundle) {
  loadAndRun("scale.bundle");
}
TEST(bare_elf) {
  loadAndRun("scale.elf");
}
TEST(compressed_bundle) {
  loadAndRun("scale.compressed");
}
TEST(bundle_of_several_targets) {
  loadAndRun("scale.targets");
}
TEST(code_object_version_6) {
  loadAndRun("scale.v6");
}

TEST(load_with_options) {
  const auto image = moduleBytes("scale.bundle");
  hipModule_t m = nullptr;
  HIP(hipModuleLoadDataEx(&m, image.data(), 0, nullptr, nullptr));
  checkScale(m);
  HIP(hipModuleUnload(m));
}

TEST(the_image_may_be_freed_after_loading) {
  hipModule_t m = nullptr;
  {
    auto image = moduleBytes("scale.bundle");
    HIP(hipModuleLoadData(&m, image.data()));
    std::fill(image.begin(), image.end(), '\0');
  }
  checkScale(m);
  HIP(hipModuleUnload(m));
}

TEST(two_copies_of_a_module_have_their_own_variables) {
  Module a, b;
  const int seven = 7;
  hipDeviceptr_t counter = nullptr;
  HIP(hipModuleGetGlobal(&counter, nullptr, a, "counter"));
  HIP(hipMemcpyHtoD(counter, const_cast<int*>(&seven), sizeof seven));
  Buffer<int> out(1);
  int* p = out;
  void* arguments[] = {&p};
  HIP(hipModuleLaunchKernel(a.function("count"), 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
  EXPECT_EQ(out.download()[0], 8);
  HIP(hipModuleLaunchKernel(b.function("count"), 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
  EXPECT_EQ(out.download()[0], 6);
}

TEST(globals) {
  Module m;
  hipDeviceptr_t p = nullptr;
  std::size_t size = 0;
  HIP(hipModuleGetGlobal(&p, &size, m, "table"));
  EXPECT_EQ(size, sizeof(double) * 16);
  HIP(hipMemset(p, 0, size));
  HIP(hipModuleGetGlobal(&p, &size, m, "factors"));
  EXPECT_EQ(size, sizeof(float) * 4);
  float f[4] = {};
  HIP(hipMemcpyDtoH(f, p, sizeof f));
  EXPECT_EQ(f[3], 4.0f);
  HIP(hipModuleGetGlobal(nullptr, &size, m, "counter"));
  EXPECT_EQ(size, sizeof(int));
  HIP_ERR(hipModuleGetGlobal(&p, &size, m, "no such variable"), hipErrorNotFound);
  HIP_ERR(hipModuleGetGlobal(&p, &size, m, nullptr), hipErrorInvalidValue);
  HIP_ERR(hipModuleGetGlobal(&p, &size, m, ""), hipErrorInvalidValue);
  HIP_ERR(hipModuleGetGlobal(&p, &size, nullptr, "counter"), hipErrorInvalidHandle);
}

TEST(functions) {
  Module m;
  hipFunction_t f = nullptr;
  HIP_ERR(hipModuleGetFunction(&f, m, "no such kernel"), hipErrorNotFound);
  HIP_ERR(hipModuleGetFunction(&f, m, "notAKernel"), hipErrorNotFound);
  HIP_ERR(hipModuleGetFunction(&f, m, "counter"), hipErrorNotFound);
  HIP_ERR(hipModuleGetFunction(&f, m, nullptr), hipErrorInvalidValue);
  HIP_ERR(hipModuleGetFunction(&f, m, ""), hipErrorInvalidValue);
  HIP_ERR(hipModuleGetFunction(&f, nullptr, "scale"), hipErrorInvalidHandle);
  HIP_ERR(hipModuleGetFunction(nullptr, m, "scale"), hipErrorInvalidValue);
  HIP(hipModuleGetFunction(&f, m, "scale"));
  EXPECT(f != nullptr);
}

TEST(nothing_is_found_in_an_unloaded_module) {
  const std::vector<char> image = moduleBytes("scale.bundle");
  hipModule_t module = nullptr;
  HIP(hipModuleLoadData(&module, image.data()));
  HIP(hipModuleUnload(module));
  hipFunction_t f = nullptr;
  hipDeviceptr_t p = nullptr;
  HIP_ERR(hipModuleGetFunction(&f, module, "scale"), hipErrorNotFound);
  HIP_ERR(hipModuleGetGlobal(&p, nullptr, module, "counter"), hipErrorNotFound);
  HIP_ERR(hipModuleUnload(module), hipErrorNotFound);
}

TEST(wrong_files_and_images) {
  hipModule_t m = nullptr;
  HIP_ERR(hipModuleLoad(&m, "/no/such/file.hsaco"), hipErrorFileNotFound);
  HIP_ERR(hipModuleLoad(&m, nullptr), hipErrorInvalidValue);
  HIP_ERR(hipModuleLoad(&m, ""), hipErrorInvalidValue);
  HIP_ERR(hipModuleLoad(nullptr, modulePath("scale.bundle").c_str()), hipErrorInvalidValue);
  HIP_ERR(hipModuleLoad(&m, modulePath("text").c_str()), hipErrorInvalidImage);
  HIP_FAILS(hipModuleLoadData(&m, nullptr));
  const std::vector<char> zeroes(8192);
  HIP_ERR(hipModuleLoadData(&m, zeroes.data()), hipErrorInvalidImage);
  auto image = moduleBytes("scale.elf");
  image[18] = 62;  // e_machine: an x86-64 file
  HIP_FAILS(hipModuleLoadData(&m, image.data()));
}

TEST(only_other_targets) {
  const auto image = moduleBytes("scale.gfx1030");
  hipModule_t m = nullptr;
  HIP_ERR(hipModuleLoadData(&m, image.data()), hipErrorNoBinaryForGpu);
}

TEST(unloading) {
  hipModule_t m = nullptr;
  const auto image = moduleBytes("scale.bundle");
  HIP(hipModuleLoadData(&m, image.data()));
  HIP(hipModuleUnload(m));
  HIP_ERR(hipModuleUnload(m), hipErrorNotFound);
  HIP_ERR(hipModuleUnload(nullptr), hipErrorInvalidHandle);
}

TEST(load_and_unload_many_times) {
  const auto image = moduleBytes("scale.bundle");
  for (int i = 0; i < 30; ++i) {
    hipModule_t m = nullptr;
    HIP(hipModuleLoadData(&m, image.data()));
    if (i % 10 == 0) checkScale(m);
    HIP(hipModuleUnload(m));
  }
}

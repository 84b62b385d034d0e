// Code that is not bound to a device, HIP 7's libraries: loaded on first use, on each device, and its kernels.
// ABIs: 7
#include "objects.h"

extern "C" {
int hipLibraryLoadData(void** library, const void* code, void* jitOptions, void** jitValues, unsigned jitCount,
                       void* options, void** values, unsigned count);
int hipLibraryLoadFromFile(void** library, const char* file, void* jitOptions, void** jitValues, unsigned jitCount,
                           void* options, void** values, unsigned count);
int hipLibraryUnload(void* library);
int hipLibraryGetKernel(void** kernel, void* library, const char* name);
int hipLibraryGetKernelCount(unsigned* count, void* library);
int hipLibraryEnumerateKernels(void** kernels, unsigned count, void* library);
int hipLibraryGetGlobal(void** address, std::size_t* bytes, void* library, const char* name);
int hipLibraryGetManaged(void** address, std::size_t* bytes, void* library, const char* name);
int hipKernelGetLibrary(void** library, void* kernel);
int hipKernelGetName(const char** name, void* kernel);
int hipKernelGetFunction(void** function, void* kernel);
int hipKernelGetParamInfo(void* kernel, std::size_t index, std::size_t* offset, std::size_t* size);
int hipKernelGetAttribute(int* value, int attribute, void* kernel, int device);
int hipKernelSetAttribute(int attribute, int value, void* kernel, int device);
int hipKernelSetAttributeForDevice(void* kernel, int attribute, int value, int device);
int hipFuncGetAttribute(int* value, int attribute, void* function);
int hipFuncSetAttribute(const void* function, int attribute, int value);
int hipDeviceReset();
}

enum : int {
  kInvalidImage = 200,
  kInvalidDeviceFunction = 98,
  kMaxThreads = 0,
  kSharedSize = 1,
  kMaxDynamicShared = 8,
  kCarveout = 9,
  kMustBeSet = 10,
  kClusterWidth = 11,
  kClusterPolicy = 15
};

struct Library {
  void* handle = nullptr;
  explicit Library(const char* name = "scale.bundle") {
    OK(hipLibraryLoadFromFile(&handle, modulePath(name).c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
  }
  ~Library() { (void)hipLibraryUnload(handle); }
  void* kernel(const char* name) const {
    void* k = nullptr;
    OK(hipLibraryGetKernel(&k, handle, name));
    return k;
  }
};

// Kernel handles can be launched as they are, by either family of calls.
static void checkScale(void* kernel, bool asFunction) {
  int n = 100;
  float by = 1.5f;
  std::vector<float> v(n), want(n);
  for (int i = 0; i < n; ++i) v[i] = float(i), want[i] = float(i) * (by * float(i % 4 + 1));
  void* d = nullptr;
  OK(hipMalloc(&d, n * sizeof(float)));
  OK(hipMemcpy(d, v.data(), n * sizeof(float), 1));
  void* arguments[] = {&d, &by, &n};
  if (asFunction) {
    OK(hipModuleLaunchKernel(kernel, 2, 1, 1, 64, 1, 1, 0, nullptr, arguments, nullptr));
  } else {
    OK(hipLaunchKernel(kernel, Dim3{2, 1, 1}, Dim3{64, 1, 1}, arguments, 0, nullptr));
  }
  OK(hipMemcpy(v.data(), d, n * sizeof(float), 2));
  OK(hipFree(d));
  EXPECT_VEC(v, want);
  check::result(v);
}

TEST(from_memory_that_is_freed) {
  void* library = nullptr;
  {
    auto code = moduleBytes("scale.bundle");
    OK(hipLibraryLoadData(&library, code.data(), nullptr, nullptr, 0, nullptr, nullptr, 0));
    std::fill(code.begin(), code.end(), '\0');
  }
  void* kernel = nullptr;
  OK(hipLibraryGetKernel(&kernel, library, "scale"));
  checkScale(kernel, false);
  OK(hipLibraryUnload(library));
  IS(hipLibraryUnload(library), kInvalidHandle);
  const char* name = nullptr;
  IS(hipKernelGetName(&name, kernel), kInvalidHandle);
}

TEST(from_a_file) {
  const Library library("scale.targets");
  checkScale(library.kernel("scale"), true);
}

TEST(on_each_device_by_itself) {
  int devices = 0;
  OK(hipGetDeviceCount(&devices));
  const Library library;
  void* kernel = library.kernel("scale");
  for (int device = 0; device < devices; ++device) {
    OK(hipSetDevice(device));
    void* function = nullptr;
    OK(hipKernelGetFunction(&function, kernel));
    EXPECT_EQ(function == kernel, device == 0);
    checkScale(function, true);
    checkScale(kernel, false);  // the stream decides
    void* counter = nullptr;
    std::size_t size = 0;
    OK(hipLibraryGetGlobal(&counter, &size, library.handle, "counter"));
    EXPECT_EQ(size, sizeof(int));
    const int value = 10 + device;
    OK(hipMemcpy(counter, &value, sizeof value, 1));
  }
  for (int device = 0; device < devices; ++device) {
    OK(hipSetDevice(device));
    int value = 0;
    void* counter = nullptr;
    OK(hipLibraryGetGlobal(&counter, nullptr, library.handle, "counter"));
    OK(hipMemcpy(&value, counter, sizeof value, 2));
    EXPECT_EQ(value, 10 + device);
  }
  OK(hipSetDevice(0));
}

TEST(kernels_and_their_names) {
  const Library library;
  unsigned count = 0;
  OK(hipLibraryGetKernelCount(&count, library.handle));
  EXPECT_EQ(count, 7u);
  std::vector<void*> kernels(count + 1, &count);
  OK(hipLibraryEnumerateKernels(kernels.data(), 0, library.handle));
  EXPECT_EQ(kernels[0], static_cast<void*>(&count));
  OK(hipLibraryEnumerateKernels(kernels.data(), count + 1, library.handle));
  EXPECT_EQ(kernels[count], static_cast<void*>(&count));
  std::string names;
  for (unsigned i = 0; i < count; ++i) {
    const char* name = nullptr;
    void *again = nullptr, *owner = nullptr;
    OK(hipKernelGetName(&name, kernels[i]));
    OK(hipLibraryGetKernel(&again, library.handle, name));
    EXPECT_EQ(again, kernels[i]);
    OK(hipKernelGetLibrary(&owner, kernels[i]));
    EXPECT_EQ(owner, library.handle);
    names += name;
  }
  check::result(names);
}

TEST(arguments) {
  const Library library;
  void* kernel = library.kernel("mixedArguments");  // char, double, short, int*, float
  const std::size_t want[][2] = {{0, 1}, {8, 8}, {16, 2}, {24, 8}, {32, 4}};
  for (std::size_t i = 0; i < 5; ++i) {
    std::size_t offset = 99, size = 99;
    OK(hipKernelGetParamInfo(kernel, i, &offset, &size));
    EXPECT_EQ(offset, want[i][0]);
    EXPECT_EQ(size, want[i][1]);
    OK(hipKernelGetParamInfo(kernel, i, &offset, nullptr));
  }
  std::size_t offset = 0;
  IS(hipKernelGetParamInfo(kernel, 5, &offset, nullptr), kInvalidValue);
  IS(hipKernelGetParamInfo(kernel, 0, nullptr, nullptr), kInvalidValue);
  IS(hipKernelGetParamInfo(nullptr, 0, &offset, nullptr), kInvalidValue);
  IS(hipKernelGetParamInfo(&offset, 0, &offset, nullptr), kInvalidDeviceFunction);
}

TEST(attributes_per_device) {
  const Library library;
  void* kernel = library.kernel("small");
  int value = -7;
  OK(hipKernelGetAttribute(&value, kMaxThreads, kernel, 0));
  EXPECT_EQ(value, 128);
  OK(hipKernelGetAttribute(&value, kSharedSize, kernel, 0));
  EXPECT_EQ(value, 4000);
  OK(hipKernelGetAttribute(&value, kMaxDynamicShared, kernel, 0));
  EXPECT_EQ(value, 65536 - 4000);
  OK(hipKernelGetAttribute(&value, kCarveout, kernel, 0));
  EXPECT_EQ(value, -1);
  OK(hipKernelSetAttribute(kMaxDynamicShared, 512, kernel, 0));
  OK(hipKernelSetAttributeForDevice(kernel, kMaxDynamicShared, 1024, 1));
  OK(hipKernelGetAttribute(&value, kMaxDynamicShared, kernel, 0));
  EXPECT_EQ(value, 512);
  OK(hipKernelGetAttribute(&value, kMaxDynamicShared, kernel, 1));
  EXPECT_EQ(value, 1024);
  OK(hipKernelSetAttributeForDevice(kernel, kClusterWidth, 2, 0));
  OK(hipKernelGetAttribute(&value, kClusterWidth, kernel, 0));
  EXPECT_EQ(value, 2);
}

TEST(a_limit_that_launches_keep_to) {
  const Library library;
  void *kernel = library.kernel("small"), *function = nullptr, *out = nullptr;
  OK(hipMalloc(&out, 128 * sizeof(int)));
  void* arguments[] = {&out};
  const auto launch = [&](unsigned shared) {
    return hipLaunchKernel(kernel, Dim3{1, 1, 1}, Dim3{128, 1, 1}, arguments, shared, nullptr);
  };
  OK(launch(2048));
  OK(hipKernelSetAttribute(kMaxDynamicShared, 1024, kernel, 0));
  OK(launch(1024));
  IS(launch(1025), kInvalidValue);
  // What is asked for the function goes before what is asked for the kernel.
  OK(hipKernelGetFunction(&function, kernel));
  OK(hipFuncSetAttribute(function, kMaxDynamicShared, 2048));
  OK(launch(2048));
  int value = 0;
  OK(hipFuncGetAttribute(&value, kMaxDynamicShared, function));
  EXPECT_EQ(value, 2048);
  OK(hipKernelGetAttribute(&value, kMaxDynamicShared, kernel, 0));
  EXPECT_EQ(value, 1024);
  OK(hipDeviceSynchronize());
  OK(hipFree(out));
}

TEST(what_attributes_may_be) {
  const Library library;
  void* kernel = library.kernel("scale");
  int value = 0, devices = 0;
  OK(hipGetDeviceCount(&devices));
  IS(hipKernelSetAttribute(kMaxDynamicShared, -1, kernel, 0), kInvalidValue);
  IS(hipKernelSetAttribute(kMaxDynamicShared, 1 << 20, kernel, 0), kInvalidValue);
  IS(hipKernelSetAttribute(kMaxThreads, 1, kernel, 0), kInvalidValue);
  IS(hipKernelSetAttribute(kCarveout, 101, kernel, 0), kInvalidValue);
  IS(hipKernelSetAttribute(kCarveout, 5, kernel, devices), kInvalidDevice);
  IS(hipKernelSetAttribute(kCarveout, 5, nullptr, 0), kInvalidValue);
  IS(hipKernelSetAttribute(kCarveout, 5, &value, 0), kInvalidDeviceFunction);
  IS(hipKernelSetAttributeForDevice(nullptr, kCarveout, 5, 0), kInvalidHandle);
  IS(hipKernelSetAttributeForDevice(kernel, kMustBeSet, 1, 0), kInvalidValue);
  IS(hipKernelSetAttributeForDevice(kernel, kClusterPolicy, 3, 0), kInvalidValue);
  IS(hipKernelSetAttributeForDevice(kernel, -1, 0, 0), kInvalidValue);
  IS(hipKernelGetAttribute(nullptr, kMaxThreads, kernel, 0), kInvalidValue);
  IS(hipKernelGetAttribute(&value, kMaxThreads, nullptr, 0), kInvalidHandle);
  IS(hipKernelGetAttribute(&value, kMaxThreads, kernel, -1), kInvalidDevice);
  IS(hipKernelGetAttribute(&value, 99, kernel, 0), kInvalidValue);
}

TEST(variables) {
  const Library library;
  void* address = nullptr;
  std::size_t size = 0;
  OK(hipLibraryGetGlobal(nullptr, &size, library.handle, "factors"));
  EXPECT_EQ(size, 4 * sizeof(float));
  IS(hipLibraryGetGlobal(&address, &size, library.handle, "nonesuch"), kNotFound);
  IS(hipLibraryGetGlobal(nullptr, nullptr, library.handle, "factors"), kInvalidValue);
  IS(hipLibraryGetGlobal(&address, &size, library.handle, ""), kInvalidValue);
  IS(hipLibraryGetGlobal(&address, &size, nullptr, "factors"), kInvalidHandle);
  IS(hipLibraryGetManaged(&address, &size, library.handle, "factors"), kNotFound);  // not a managed one
  IS(hipLibraryGetManaged(&address, &size, nullptr, "factors"), kInvalidHandle);
  IS(hipLibraryGetManaged(&address, &size, library.handle, nullptr), kInvalidValue);
}

// Nothing is looked at before it is needed.
TEST(wrong_code) {
  void *library = nullptr, *kernel = nullptr;
  static const char text[64] = "Call me what you like.";
  OK(hipLibraryLoadData(&library, text, nullptr, nullptr, 0, nullptr, nullptr, 0));
  IS(hipLibraryGetKernel(&kernel, library, "scale"), kInvalidImage);
  unsigned count = 0;
  IS(hipLibraryGetKernelCount(&count, library), kInvalidImage);
  OK(hipLibraryUnload(library));
  OK(hipLibraryLoadFromFile(&library, modulePath("text").c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
  IS(hipLibraryGetKernel(&kernel, library, "scale"), kInvalidImage);
  OK(hipLibraryUnload(library));
}

TEST(wrong_arguments) {
  const auto code = moduleBytes("scale.bundle");
  void *library = nullptr, *kernel = nullptr;
  unsigned count = 0;
  const char* name = nullptr;
  IS(hipLibraryLoadData(nullptr, code.data(), nullptr, nullptr, 0, nullptr, nullptr, 0), kInvalidValue);
  IS(hipLibraryLoadData(&library, nullptr, nullptr, nullptr, 0, nullptr, nullptr, 0), kInvalidValue);
  int option = 0;
  void* value = nullptr;
  IS(hipLibraryLoadData(&library, code.data(), &option, &value, 1, nullptr, nullptr, 0), kInvalidValue);
  IS(hipLibraryLoadFromFile(&library, "/nonexistent", nullptr, nullptr, 0, nullptr, nullptr, 0), kInvalidValue);
  IS(hipLibraryUnload(nullptr), kInvalidHandle);
  const Library good;
  IS(hipLibraryGetKernel(&kernel, good.handle, "nonesuch"), kNotFound);
  IS(hipLibraryGetKernel(nullptr, good.handle, "scale"), kInvalidValue);
  IS(hipLibraryGetKernel(&kernel, nullptr, "scale"), kInvalidValue);
  IS(hipLibraryGetKernel(&kernel, good.handle, nullptr), kInvalidValue);
  IS(hipLibraryGetKernelCount(nullptr, good.handle), kInvalidValue);
  IS(hipLibraryEnumerateKernels(nullptr, 1, good.handle), kInvalidValue);
  IS(hipKernelGetLibrary(&library, nullptr), kInvalidValue);
  IS(hipKernelGetLibrary(&library, &count), kInvalidHandle);
  IS(hipKernelGetName(&name, nullptr), kInvalidValue);
  IS(hipKernelGetFunction(nullptr, good.kernel("scale")), kInvalidValue);
  IS(hipKernelGetFunction(&kernel, nullptr), kInvalidValue);
}

// A reset takes the loaded code, not the library.
TEST(after_a_reset) {
  const Library library;
  checkScale(library.kernel("scale"), false);
  OK(hipDeviceReset());
  checkScale(library.kernel("scale"), false);
}

// Variables of the program's code object: copies to and from them, addresses, sizes, offsets, asynchronous forms,
// errors.
#include "support.h"

__constant__ float coefficients[4] = {1, 2, 3, 4};
__device__ int values[100];
__device__ double scalar = 6.25;
__managed__ int shared = 10;
static __device__ int hidden = 77;
namespace inner {
__device__ short nested[3] = {1, 2, 3};
}

__global__ void polynomial(const float* x, float* y) {
  const int i = threadIdx.x;
  y[i] = ((coefficients[3] * x[i] + coefficients[2]) * x[i] + coefficients[1]) * x[i] + coefficients[0];
}
__global__ void addToValues(int v) {
  values[threadIdx.x] += v + hidden;
}
__global__ void sameAddress(const int* p, int* out) {
  *out = p == values;
}

TEST(constant_memory) {
  const std::vector<float> x{0, 1, 2, -1};
  Buffer<float> dx(x), dy(4);
  polynomial<<<1, 4>>>(dx, dy);
  KERNEL_OK();
  EXPECT_VEC(dy.download(), (std::vector<float>{1, 10, 49, -2}));
  const float other[4] = {0, 0, 1, 0};
  HIP(hipMemcpyToSymbol(HIP_SYMBOL(coefficients), other, sizeof other));
  polynomial<<<1, 4>>>(dx, dy);
  KERNEL_OK();
  EXPECT_VEC(dy.download(), (std::vector<float>{0, 1, 4, 1}));
  const float part = 5;
  HIP(hipMemcpyToSymbol(HIP_SYMBOL(coefficients), &part, sizeof part, 0, hipMemcpyHostToDevice));
  float back[4] = {};
  HIP(hipMemcpyFromSymbol(back, HIP_SYMBOL(coefficients), sizeof back));
  EXPECT_VEC(std::vector<float>(back, back + 4), (std::vector<float>{5, 0, 1, 0}));
  const float again[4] = {1, 2, 3, 4};
  HIP(hipMemcpyToSymbol(HIP_SYMBOL(coefficients), again, sizeof again));
  check::result(dy.download());
}

TEST(device_arrays_with_offsets) {
  std::vector<int> in(100), out(100);
  for (int i = 0; i < 100; ++i) in[i] = i;
  HIP(hipMemcpyToSymbol(HIP_SYMBOL(values), in.data(), sizeof(int) * 100));
  addToValues<<<1, 50>>>(1000);
  KERNEL_OK();
  const int patch[2] = {-1, -2};
  HIP(hipMemcpyToSymbol(HIP_SYMBOL(values), patch, sizeof patch, 60 * sizeof(int)));
  HIP(hipMemcpyFromSymbol(out.data(), HIP_SYMBOL(values), sizeof(int) * 99, sizeof(int)));
  for (int i = 1; i < 100; ++i) EXPECT_EQ(out[i - 1], i == 60 ? -1 : i == 61 ? -2 : i < 50 ? i + 1077 : i);
  check::result(out);
}

TEST(addresses_and_sizes) {
  void* p = nullptr;
  std::size_t size = 0;
  HIP(hipGetSymbolAddress(&p, HIP_SYMBOL(values)));
  HIP(hipGetSymbolSize(&size, HIP_SYMBOL(values)));
  EXPECT_EQ(size, sizeof(int) * 100);
  Buffer<int> out(1);
  sameAddress<<<1, 1>>>(static_cast<int*>(p), out);
  KERNEL_OK();
  EXPECT_EQ(out.download()[0], 1);
  HIP(hipMemset(p, 0, size));  // usable like any device pointer
  int v = 1;
  HIP(hipMemcpyFromSymbol(&v, HIP_SYMBOL(values), sizeof v, 99 * sizeof(int)));
  EXPECT_EQ(v, 0);
  HIP(hipGetSymbolSize(&size, HIP_SYMBOL(scalar)));
  EXPECT_EQ(size, sizeof(double));
  HIP(hipGetSymbolSize(&size, HIP_SYMBOL(inner::nested)));
  EXPECT_EQ(size, sizeof(short) * 3);
}

TEST(asynchronous_copies) {
  Stream s;
  const double in = 8.5;
  double out = 0;
  HIP(hipMemcpyToSymbolAsync(HIP_SYMBOL(scalar), &in, sizeof in, 0, hipMemcpyHostToDevice, s));
  HIP(hipMemcpyFromSymbolAsync(&out, HIP_SYMBOL(scalar), sizeof out, 0, hipMemcpyDeviceToHost, s));
  HIP(hipStreamSynchronize(s));
  EXPECT_EQ(out, 8.5);
  Buffer<double> d(std::vector<double>{6.25});
  HIP(hipMemcpyToSymbol(HIP_SYMBOL(scalar), d.get(), sizeof(double), 0, hipMemcpyDeviceToDevice));
  HIP(hipMemcpyFromSymbol(&out, HIP_SYMBOL(scalar), sizeof out));
  EXPECT_EQ(out, 6.25);
}

TEST(static_and_nested_variables) {
  int h = 0;
  HIP(hipMemcpyFromSymbol(&h, HIP_SYMBOL(hidden), sizeof h));
  EXPECT_EQ(h, 77);
  short n[3] = {};
  HIP(hipMemcpyFromSymbol(n, HIP_SYMBOL(inner::nested), sizeof n));
  EXPECT_EQ(n[2], 3);
}

// Compilers register every texture and surface reference at start-up, used or not: textures are not built, but a program
// that has them and does not use them runs.
extern "C" void __hipRegisterTexture(void**, void*, char*, char*, int, int, int);
extern "C" void __hipRegisterSurface(void**, void*, char*, char*, int, int);
TEST(registering_textures_does_no_harm) {
  static int reference;
  char name[] = "reference";
  (void)hipGetLastError();
  __hipRegisterTexture(nullptr, &reference, name, name, 2, 0, 0);
  __hipRegisterSurface(nullptr, &reference, name, name, 2, 0);
  EXPECT_EQ(hipGetLastError(), hipSuccess);
  void* memory = nullptr;
  EXPECT_EQ(hipMalloc(&memory, 16), hipSuccess);
  EXPECT_EQ(hipFree(memory), hipSuccess);
}

TEST(wrong_symbols) {
  int x = 0;
  static int notASymbol;
  void* p = nullptr;
  std::size_t size = 0;
  HIP_ERR(hipGetSymbolAddress(&p, &notASymbol), hipErrorInvalidSymbol);
  HIP_ERR(hipGetSymbolSize(&size, &notASymbol), hipErrorInvalidSymbol);
  HIP_ERR(hipGetSymbolAddress(&p, nullptr), hipErrorInvalidSymbol);
  HIP_ERR(hipGetSymbolAddress(nullptr, HIP_SYMBOL(scalar)), hipErrorInvalidValue);
  HIP_ERR(hipMemcpyToSymbol(&notASymbol, &x, sizeof x), hipErrorInvalidSymbol);
  HIP_ERR(hipMemcpyFromSymbol(&x, &notASymbol, sizeof x), hipErrorInvalidSymbol);
  HIP_ERR(hipMemcpyFromSymbol(&x, HIP_SYMBOL(scalar), sizeof x, sizeof(double)), hipErrorInvalidValue);
  HIP_ERR(hipMemcpyToSymbol(HIP_SYMBOL(scalar), &x, 1000), hipErrorInvalidValue);
  HIP_ERR(hipMemcpyToSymbol(HIP_SYMBOL(scalar), &x, sizeof x, 0, hipMemcpyDefault), hipErrorInvalidMemcpyDirection);
  HIP_ERR(hipMemcpyFromSymbol(&x, HIP_SYMBOL(scalar), sizeof x, 0, hipMemcpyDefault), hipErrorInvalidMemcpyDirection);
}

TEST(managed_variable_in_copies) {
  EXPECT_EQ(shared, 10);
  const int v = 31;
  HIP(hipMemcpy(&shared, &v, sizeof v, hipMemcpyDefault));
  EXPECT_EQ(shared, 31);
  hipPointerAttribute_t a = {};
  HIP(hipPointerGetAttributes(&a, &shared));
  EXPECT_EQ(a.isManaged, 1);
  shared = 10;
}

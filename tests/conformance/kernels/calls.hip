// Real function calls on the device: recursion, virtual functions, function pointers, stack arrays, malloc and free.
#include "../support.h"

__host__ __device__ __attribute__((noinline)) int fibonacci(int n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
__host__ __device__ __attribute__((noinline)) int ackermann(int m, int n) {
  if (m == 0) return n + 1;
  return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

__global__ void recurse(int* out) {
  const int i = threadIdx.x;
  out[i] = fibonacci(i % 10);
  out[64 + i] = ackermann(i % 3, i % 4);
}

TEST(recursion) {
  Buffer<int> out(128);
  recurse<<<1, 64>>>(out);
  KERNEL_OK();
  HIP(hipDeviceSynchronize());
  std::vector<int> want(128);
  for (int i = 0; i < 64; ++i) want[i] = fibonacci(i % 10), want[64 + i] = ackermann(i % 3, i % 4);
  EXPECT_VEC(out.download(), want);
  check::result(want);
}

struct Shape {
  __device__ virtual ~Shape() {}
  __device__ virtual float area() const = 0;
  __device__ virtual int corners() const { return 0; }
};
struct Square : Shape {
  float side;
  __device__ explicit Square(float s) : side(s) {}
  __device__ float area() const override { return side * side; }
  __device__ int corners() const override { return 4; }
};
struct Disc : Shape {
  float radius;
  __device__ explicit Disc(float r) : radius(r) {}
  __device__ float area() const override { return 3 * radius * radius; }
};

__global__ void makeShapes(Shape** shapes, void* room) {
  const int i = threadIdx.x;
  char* place = static_cast<char*>(room) + i * 32;
  shapes[i] = i % 3 ? static_cast<Shape*>(new (place) Square(float(i))) : new (place) Disc(float(i));
}
__global__ void measureShapes(Shape* const* shapes, float* out) {
  const int i = threadIdx.x;
  out[i] = shapes[63 - i]->area() + shapes[i]->corners() * 0.125f;
}

TEST(virtual_calls) {
  Buffer<Shape*> shapes(64);
  Buffer<char> room(64 * 32);
  Buffer<float> out(64);
  makeShapes<<<1, 64>>>(shapes, room);
  measureShapes<<<1, 64>>>(shapes, out);
  KERNEL_OK();
  std::vector<float> want(64);
  for (int i = 0; i < 64; ++i) {
    const float s = float(63 - i);
    want[i] = ((63 - i) % 3 ? s * s : 3 * s * s) + (i % 3 ? 0.5f : 0);
  }
  EXPECT_VEC(out.download(), want);
  check::result(want);
}

using Operation = int (*)(int, int);
__device__ int opAdd(int a, int b) {
  return a + b;
}
__device__ int opMul(int a, int b) {
  return a * b;
}
__device__ int opMix(int a, int b) {
  return (a << 3) ^ b;
}
__device__ Operation operations[3] = {opAdd, opMul, opMix};

__global__ void indirect(const int* which, int* out) {
  const int i = threadIdx.x;
  out[i] = operations[which[i]](i, 11);
}

TEST(function_pointers) {
  std::vector<int> which(64), want(64);
  for (int i = 0; i < 64; ++i) {
    which[i] = i * 7 % 3;
    want[i] = which[i] == 0 ? i + 11 : which[i] == 1 ? i * 11 : (i << 3) ^ 11;
  }
  Buffer<int> dwhich(which), out(64);
  indirect<<<1, 64>>>(dwhich, out);
  KERNEL_OK();
  EXPECT_VEC(out.download(), want);
  check::result(want);
}

// An array indexed by data cannot live in registers: private memory.
__global__ void stackArray(const int* order, int* out) {
  int local[40];
  for (int i = 0; i < 40; ++i) local[order[i]] = i * int(threadIdx.x + 1);
  int s = 0;
  for (int i = 0; i < 40; ++i) s = s * 3 + local[(i * 17 + threadIdx.x) % 40];
  out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}

TEST(private_arrays) {
  std::vector<int> order(40), want(4 * 96);
  for (int i = 0; i < 40; ++i) order[i] = i * 7 % 40;
  for (int t = 0; t < 4 * 96; ++t) {
    int local[40];
    unsigned s = 0;
    for (int i = 0; i < 40; ++i) local[order[i]] = i * (t % 96 + 1);
    for (int i = 0; i < 40; ++i) s = s * 3 + unsigned(local[(i * 17 + t % 96) % 40]);
    want[t] = int(s);
  }
  Buffer<int> dorder(order), out(4 * 96);
  stackArray<<<4, 96>>>(dorder, out);
  KERNEL_OK();
  EXPECT_VEC(out.download(), want);
  check::result(want);
}

__device__ __attribute__((noinline)) double manyParameters(int a, double b, const int* c, long long d, float e, char f,
                                                           int* g, short h, double i, double j, int k, int l, int m,
                                                           int n, long long o, int p) {
  *g = a + h + k * l - m * n;
  return a + b + *c + d + e + f + i * j + o * p;
}
__global__ void callManyParameters(double* out, int* side) {
  const int t = threadIdx.x;
  const int c = t * 3;
  int g = 0;
  out[t] = manyParameters(t, 0.5, &c, 1000000LL * t, 0.25f, 'x', &g, short(-t), 2.0, t, t + 1, 2, t, 3, 7LL, t);
  side[t] = g;
}

TEST(calls_with_many_parameters) {
  Buffer<double> out(64);
  Buffer<int> side(64);
  callManyParameters<<<1, 64>>>(out, side);
  KERNEL_OK();
  std::vector<double> want(64);
  std::vector<int> wantSide(64);
  for (int t = 0; t < 64; ++t) {
    want[t] = t + 0.5 + t * 3 + 1000000LL * t + 0.25 + 'x' + 2.0 * t + 7.0 * t;
    wantSide[t] = t - t + (t + 1) * 2 - t * 3;
  }
  EXPECT_VEC(out.download(), want);
  EXPECT_VEC(side.download(), wantSide);
  check::result(want);
}

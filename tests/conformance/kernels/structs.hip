// Structures by value, pointers inside structures and inside device memory, and variables that live on the device.
#include "../support.h"

#include <memory>

struct Inner {
  char tag;
  double weight;
  short pair[3];
};
struct Outer {
  int first;
  Inner inner[2];
  const float* data;
  unsigned long long last;
};

__global__ void sumStruct(Outer o, char odd, double* out, Inner tail) {
  double s = o.first + odd + double(o.last) + tail.tag + tail.weight + tail.pair[2];
  for (const Inner& i : o.inner) s += i.tag + i.weight + i.pair[0] + i.pair[1] * 2 + i.pair[2] * 3;
  out[threadIdx.x] = s + o.data[threadIdx.x];
}

TEST(struct_arguments) {
  const auto data = randomVector<float>(64, 121, 0, 10);
  Buffer<float> ddata(data);
  Buffer<double> out(64);
  Outer o{-7, {{'a', 1.25, {1, 2, 3}}, {'b', -2.5, {-4, 5, -6}}}, ddata, 1000000007};
  const Inner tail{'z', 0.125, {7, 8, 9}};
  sumStruct<<<1, 64>>>(o, 'q', out, tail);
  KERNEL_OK();
  double base = -7 + 'q' + 1000000007.0 + 'z' + 0.125 + 9;
  for (const Inner& i : o.inner) base += i.tag + i.weight + i.pair[0] + i.pair[1] * 2 + i.pair[2] * 3;
  std::vector<double> want(64);
  for (int i = 0; i < 64; ++i) want[i] = base + data[i];
  EXPECT_VEC(out.download(), want);
  check::result(want);
}

struct Node {
  Node* next;
  int value;
};

__global__ void link(Node* nodes, int n) {
  const int i = threadIdx.x;
  if (i >= n) return;
  nodes[i].value = i * i;
  nodes[i].next = i + 3 < n ? &nodes[i + 3] : nullptr;
}
__global__ void walk(const Node* first, int* sum) {
  int s = 0;
  for (const Node* n = first + threadIdx.x; n; n = n->next) s += n->value;
  sum[threadIdx.x] = s;
}

// Addresses stored by one kernel are followed by another, and the host can compute with them too.
TEST(pointers_in_device_memory) {
  const int n = 100;
  Buffer<Node> nodes(n);
  Buffer<int> sum(3);
  link<<<1, 128>>>(nodes, n);
  walk<<<1, 3>>>(nodes, sum);
  KERNEL_OK();
  std::vector<int> want(3);
  for (int i = 0; i < n; ++i) want[i % 3] += i * i;
  EXPECT_VEC(sum.download(), want);
  const auto host = nodes.download();
  EXPECT_EQ(host[0].next, nodes.get() + 3);
  EXPECT_EQ(host[n - 1].next, static_cast<Node*>(nullptr));
  check::result(want);
}

// An array of pointers written by the host: the host's view of a device address is the device's own.
__global__ void gather(float* const* rows, int count, float* out) {
  float s = 0;
  for (int r = 0; r < count; ++r) s += rows[r][threadIdx.x];
  out[threadIdx.x] = s;
}

TEST(pointer_table_from_the_host) {
  std::vector<std::unique_ptr<Buffer<float>>> rows;
  std::vector<float*> table;
  std::vector<float> want(64);
  for (int r = 0; r < 10; ++r) {
    std::vector<float> row(64);
    for (int i = 0; i < 64; ++i) want[i] += row[i] = float(r * 100 + i);
    rows.push_back(std::make_unique<Buffer<float>>(row));
    table.push_back(*rows.back());
  }
  Buffer<float*> dtable(table);
  Buffer<float> out(64);
  gather<<<1, 64>>>(dtable, 10, out);
  KERNEL_OK();
  EXPECT_VEC(out.download(), want);
  check::result(want);
}

__constant__ int table[8] = {3, 1, 4, 1, 5, 9, 2, 6};
__device__ int counters[4] = {100, 200, 300, 400};
__device__ const char* const names[2] = {"zero", "one"};  // relocations inside the code object
__managed__ int managed[3] = {7, 8, 9};
__device__ double uninitialised;

__global__ void useVariables(int* out) {
  const int i = threadIdx.x;
  out[i] = table[i % 8] * 1000 + counters[i % 4] + names[i % 2][1];
  if (i < 4) counters[i] += i + 1;
  if (i < 3) managed[i] *= 10;
  if (i == 0) uninitialised += 1;
}

TEST(device_variables) {
  Buffer<int> out(64);
  useVariables<<<1, 64>>>(out);
  KERNEL_OK();
  const int t[8] = {3, 1, 4, 1, 5, 9, 2, 6}, c[4] = {100, 200, 300, 400};
  std::vector<int> want(64);
  for (int i = 0; i < 64; ++i) want[i] = t[i % 8] * 1000 + c[i % 4] + (i % 2 ? "one" : "zero")[1];
  EXPECT_VEC(out.download(), want);
  HIP(hipDeviceSynchronize());
  EXPECT_EQ(managed[0], 70);
  EXPECT_EQ(managed[1], 80);
  EXPECT_EQ(managed[2], 90);
  int after[4];
  HIP(hipMemcpyFromSymbol(after, HIP_SYMBOL(counters), sizeof after));
  for (int i = 0; i < 4; ++i) EXPECT_EQ(after[i], c[i] + i + 1);
  double once = 0;
  HIP(hipMemcpyFromSymbol(&once, HIP_SYMBOL(uninitialised), sizeof once));
  EXPECT_EQ(once, 1.0);
  check::result(want);
}

// malloc and free inside kernels: blocks are distinct, keep their contents across kernels, and can be freed by another
// one.
#include "../support.h"

#include <algorithm>

__global__ void allocate(int** blocks, int words) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int* p = static_cast<int*>(malloc(words * sizeof(int)));
  blocks[i] = p;
  for (int k = 0; p && k < words; ++k) p[k] = i * 1000 + k;
}
__global__ void verify(int** blocks, int words, int* bad) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < words; ++k)
    if (!blocks[i] || blocks[i][k] != i * 1000 + k) atomicAdd(bad, 1);
}
__global__ void release(int** blocks) {
  free(blocks[blockIdx.x * blockDim.x + threadIdx.x]);
}

TEST(device_malloc_and_free) {
  const int n = 96, words = 20;
  Buffer<int*> blocks(n);
  Buffer<int> bad(1);
  for (int round = 0; round < 3; ++round) {
    bad.fill(0);
    allocate<<<2, n / 2>>>(blocks, words);
    verify<<<1, n>>>(blocks, words, bad);
    KERNEL_OK();
    HIP(hipDeviceSynchronize());
    EXPECT_EQ(bad.download()[0], 0);
    auto all = blocks.download();
    std::sort(all.begin(), all.end());
    EXPECT(all.front() != nullptr);
    for (int i = 1; i < n; ++i) EXPECT(all[i] - all[i - 1] >= words);
    release<<<1, n>>>(blocks);
    KERNEL_OK();
    HIP(hipDeviceSynchronize());
  }
  check::result(n);
}

__global__ void growList(int* out) {  // a linked list per work-item, built and torn down
  struct Node {
    Node* next;
    int v;
  };
  Node* head = nullptr;
  for (int k = 0; k <= int(threadIdx.x % 5); ++k) {
    Node* n = static_cast<Node*>(malloc(sizeof(Node)));
    if (!n) {
      out[threadIdx.x] = -1;
      return;
    }
    n->next = head;
    n->v = k + 1;
    head = n;
  }
  int s = 0;
  while (head) {
    Node* next = head->next;
    s += head->v;
    free(head);
    head = next;
  }
  out[threadIdx.x] = s;
}

TEST(device_lists) {
  Buffer<int> out(64);
  growList<<<1, 64>>>(out);
  KERNEL_OK();
  std::vector<int> want(64);
  for (int t = 0; t < 64; ++t) want[t] = (t % 5 + 1) * (t % 5 + 2) / 2;
  EXPECT_VEC(out.download(), want);
  check::result(want);
}

// What is true only where program and kernels have the very same memory: on a local GPU, and with a worker on the same
// machine. Not run over a network (run.sh), where the attributes asked for here are 0.
#include <atomic>
#include <thread>

#include "support.h"

__managed__ unsigned managedWord;

namespace {

constexpr int kThreads = 256, kAdditions = 2000, kHostAdditions = 300000;

int attribute(hipDeviceAttribute_t which) {
  int value = 0;
  HIP(hipDeviceGetAttribute(&value, which, 0));
  return value;
}

}  // namespace

__global__ void addOften(unsigned* word, unsigned* begun, int times) {
  __hip_atomic_fetch_add(begun, 1u, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_SYSTEM);
  for (int i = 0; i < times; ++i) __hip_atomic_fetch_add(word, 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
}

__global__ void addToManaged(unsigned* begun, int times) {
  __hip_atomic_fetch_add(begun, 1u, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_SYSTEM);
  for (int i = 0; i < times; ++i) __hip_atomic_fetch_add(&managedWord, 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
}

__global__ void follow(int** pointers, int count) {
  for (int i = 0; i < count; ++i) *pointers[i] += 40 + i;
}

// Host and kernel add to one word at the same time, and no addition is lost.
template <class Launch>
void addTogether(unsigned* word, Launch launch) {
  unsigned* begun = nullptr;
  HIP(hipHostMalloc(reinterpret_cast<void**>(&begun), sizeof *begun, 0));
  *begun = 0;
  launch(begun);
  while (__atomic_load_n(begun, __ATOMIC_ACQUIRE) == 0) std::this_thread::yield();
  for (int i = 0; i < kHostAdditions; ++i) __atomic_fetch_add(word, 1u, __ATOMIC_RELAXED);
  HIP(hipDeviceSynchronize());
  EXPECT_EQ(__atomic_load_n(word, __ATOMIC_RELAXED), unsigned(kThreads) * kAdditions + kHostAdditions);
  HIP(hipHostFree(begun));
}

TEST(the_attributes_say_so) {
  EXPECT_EQ(attribute(hipDeviceAttributeConcurrentManagedAccess), 1);
  hipDeviceProp_t props;
  HIP(hipGetDeviceProperties(&props, 0));
  EXPECT_EQ(props.concurrentManagedAccess, 1);
}

TEST(pinned_memory_has_native_atomics) {
  unsigned* word = nullptr;
  HIP(hipHostMalloc(reinterpret_cast<void**>(&word), sizeof *word, hipHostMallocMapped | hipHostMallocCoherent));
  *word = 0;
  addTogether(word, [&](unsigned* begun) { addOften<<<kThreads / 64, 64>>>(word, begun, kAdditions); });
  HIP(hipHostFree(word));
}

TEST(managed_memory_is_used_by_both_at_once) {
  unsigned* word = nullptr;
  HIP(hipMallocManaged(reinterpret_cast<void**>(&word), sizeof *word, hipMemAttachGlobal));
  *word = 0;
  addTogether(word, [&](unsigned* begun) { addOften<<<kThreads / 64, 64>>>(word, begun, kAdditions); });
  HIP(hipFree(word));
}

TEST(managed_variables_are_used_by_both_at_once) {
  managedWord = 0;
  addTogether(&managedWord, [&](unsigned* begun) { addToManaged<<<kThreads / 64, 64>>>(begun, kAdditions); });
}

// Addresses of memory of every kind, written by the host into pinned memory: nobody sees them travel.
TEST(kernels_follow_pointers_out_of_pinned_memory) {
  int *device = nullptr, *pinned = nullptr, *managed = nullptr, *alias = nullptr, **pointers = nullptr;
  std::vector<int> own(1000, 7);
  HIP(hipMalloc(reinterpret_cast<void**>(&device), sizeof(int)));
  HIP(hipMemset(device, 0, sizeof(int)));
  HIP(hipHostMalloc(reinterpret_cast<void**>(&pinned), sizeof(int), 0));
  HIP(hipMallocManaged(reinterpret_cast<void**>(&managed), sizeof(int), hipMemAttachGlobal));
  HIP(hipHostRegister(own.data(), own.size() * sizeof(int), hipHostRegisterMapped));
  HIP(hipHostGetDevicePointer(reinterpret_cast<void**>(&alias), own.data() + 500, 0));
  HIP(hipHostMalloc(reinterpret_cast<void**>(&pointers), 4 * sizeof(int*), 0));
  *pinned = 1, *managed = 2;
  pointers[0] = device, pointers[1] = pinned, pointers[2] = managed, pointers[3] = alias;
  follow<<<1, 1>>>(pointers, 4);
  HIP(hipDeviceSynchronize());
  int fromDevice = 0;
  HIP(hipMemcpy(&fromDevice, device, sizeof(int), hipMemcpyDeviceToHost));
  EXPECT_EQ(fromDevice, 40);
  EXPECT_EQ(*pinned, 42);
  EXPECT_EQ(*managed, 44);
  EXPECT_EQ(own[500], 50);
  HIP(hipHostUnregister(own.data()));
  HIP(hipFree(device));
  HIP(hipHostFree(pinned));
  HIP(hipFree(managed));
  HIP(hipHostFree(pointers));
}

// Atomic operations on global memory and LDS, with and without using the old value. The data is chosen so that every
// order of the operations gives the same exact result.
#include "../support.h"

#include <algorithm>

constexpr int kThreads = 2048, kCells = 7;

template <class T>
__global__ void addAll(T* cells, const T* values) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&cells[i % kCells], values[i]);
}

template <class T>
__global__ void addInLds(T* cells, const T* values) {
  __shared__ T local[kCells];
  if (threadIdx.x < kCells) local[threadIdx.x] = 0;
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&local[i % kCells], values[i]);
  __syncthreads();
  if (threadIdx.x < kCells) atomicAdd(&cells[threadIdx.x], local[threadIdx.x]);
}

template <class T>
static void checkAdd() {
  std::vector<T> values(kThreads), want(kCells);
  Random r(31);
  for (T& v : values) v = T(r.below(1000)) / T(std::is_floating_point<T>::value ? 8 : 1);
  for (int i = 0; i < kThreads; ++i) want[i % kCells] += values[i];
  Buffer<T> dvalues(values), global(kCells), lds(kCells);
  global.fill(0);
  lds.fill(0);
  addAll<T><<<kThreads / 128, 128>>>(global, dvalues);
  addInLds<T><<<kThreads / 256, 256>>>(lds, dvalues);
  KERNEL_OK();
  EXPECT_VEC(global.download(), want);
  EXPECT_VEC(lds.download(), want);
  check::result(want);
}

TEST(atomic_add_int) {
  checkAdd<int>();
}
TEST(atomic_add_unsigned) {
  checkAdd<unsigned>();
}
TEST(atomic_add_unsigned_long_long) {
  checkAdd<unsigned long long>();
}
TEST(atomic_add_float) {
  checkAdd<float>();
}
TEST(atomic_add_double) {
  checkAdd<double>();
}

// The returned old values of "add one" are each number exactly once.
template <class T>
__global__ void ticket(T* counter, T* tickets) {
  tickets[blockIdx.x * blockDim.x + threadIdx.x] = atomicAdd(counter, T(1));
}
template <class T>
__global__ void ticketInLds(T* tickets) {
  __shared__ T counter;
  if (threadIdx.x == 0) counter = 0;
  __syncthreads();
  tickets[threadIdx.x] = atomicAdd(&counter, T(1));
}

template <class T>
static void checkTickets() {
  Buffer<T> counter(1), tickets(kThreads), local(512);
  counter.fill(0);
  ticket<T><<<kThreads / 256, 256>>>(counter, tickets);
  ticketInLds<T><<<1, 512>>>(local);
  KERNEL_OK();
  for (auto got : {tickets.download(), local.download()}) {
    std::sort(got.begin(), got.end());
    for (std::size_t i = 0; i < got.size(); ++i)
      if (!EXPECT_EQ(got[i], T(i))) return;
    check::result(got);
  }
  EXPECT_EQ(counter.download()[0], T(kThreads));
}

TEST(atomic_tickets_int) {
  checkTickets<int>();
}
TEST(atomic_tickets_unsigned_long_long) {
  checkTickets<unsigned long long>();
}
TEST(atomic_tickets_float) {
  checkTickets<float>();
}
TEST(atomic_tickets_double) {
  checkTickets<double>();
}

template <class T>
struct Extremes {
  T smallest, largest, conjunction, disjunction, parity;
};

template <class T>
__global__ void extremes(Extremes<T>* e, const T* values) {
  const T v = values[blockIdx.x * blockDim.x + threadIdx.x];
  atomicMin(&e->smallest, v);
  atomicMax(&e->largest, v);
  atomicAnd(&e->conjunction, v | T(0x11));
  atomicOr(&e->disjunction, v & T(0x0f0f));
  atomicXor(&e->parity, v);
}

template <class T>
static void checkExtremes() {
  Random r(32);
  std::vector<T> values(1024);
  for (T& v : values) v = T(r.next());
  Extremes<T> want{values[0], values[0], T(~T(0)), 0, 0};
  for (T v : values) {
    want.smallest = std::min(want.smallest, v);
    want.largest = std::max(want.largest, v);
    want.conjunction &= v | T(0x11);
    want.disjunction |= v & T(0x0f0f);
    want.parity ^= v;
  }
  Buffer<T> dvalues(values);
  Buffer<Extremes<T>> e(std::vector<Extremes<T>>{{values[0], values[0], T(~T(0)), 0, 0}});
  extremes<T><<<4, 256>>>(e, dvalues);
  KERNEL_OK();
  const Extremes<T> got = e.download()[0];
  EXPECT_EQ(got.smallest, want.smallest);
  EXPECT_EQ(got.largest, want.largest);
  EXPECT_EQ(got.conjunction, want.conjunction);
  EXPECT_EQ(got.disjunction, want.disjunction);
  EXPECT_EQ(got.parity, want.parity);
  check::result(got.parity);
}

TEST(atomic_extremes_int) {
  checkExtremes<int>();
}
TEST(atomic_extremes_unsigned) {
  checkExtremes<unsigned>();
}
TEST(atomic_extremes_unsigned_long_long) {
  checkExtremes<unsigned long long>();
}

// A lock-free linked list: exchange publishes, so every node appears once in the chain.
__global__ void pushAll(int* head, int* next) {
  const int me = blockIdx.x * blockDim.x + threadIdx.x;
  next[me] = atomicExch(head, me);
}

TEST(atomic_exchange_builds_a_list) {
  Buffer<int> head(1), next(kThreads);
  head.fill(0xff);
  pushAll<<<kThreads / 64, 64>>>(head, next);
  KERNEL_OK();
  const auto links = next.download();
  std::vector<bool> seen(kThreads);
  int length = 0;
  for (int at = head.download()[0]; at >= 0 && length <= kThreads; at = links[at]) {
    EXPECT(!seen[at]);
    seen[at] = true;
    ++length;
  }
  EXPECT_EQ(length, kThreads);
  check::result(length);
}

// Operations the hardware does not have, made of a compare-and-swap loop.
__global__ void casMultiply(unsigned long long* product, unsigned* saturated) {
  unsigned long long seen = *product, wanted;
  do {
    wanted = seen;
    seen = atomicCAS(product, wanted, wanted * 3);
  } while (seen != wanted);
  unsigned s = *saturated, old;
  do {
    old = s;
    s = atomicCAS(saturated, old, old >= 1000 ? old : old + 1);
  } while (s != old);
}

TEST(atomic_cas_loop) {
  Buffer<unsigned long long> product(std::vector<unsigned long long>{1});
  Buffer<unsigned> saturated(std::vector<unsigned>{0});
  casMultiply<<<20, 64>>>(product, saturated);
  KERNEL_OK();
  unsigned long long want = 1;
  for (int i = 0; i < 20 * 64; ++i) want *= 3;
  EXPECT_EQ(product.download()[0], want);
  EXPECT_EQ(saturated.download()[0], 1000u);
  check::result(want);
}

__global__ void casLds(int* out) {
  __shared__ int best;
  if (threadIdx.x == 0) best = -1;
  __syncthreads();
  const int mine = (threadIdx.x * 131) % 509;
  int seen = best;
  while (seen < mine) {
    const int was = atomicCAS(&best, seen, mine);
    if (was == seen) break;
    seen = was;
  }
  __syncthreads();
  if (threadIdx.x == 0) *out = best;
}

TEST(atomic_cas_in_lds) {
  Buffer<int> out(1);
  casLds<<<1, 300>>>(out);
  KERNEL_OK();
  int want = -1;
  for (int i = 0; i < 300; ++i) want = std::max(want, (i * 131) % 509);
  EXPECT_EQ(out.download()[0], want);
  check::result(want);
}

// Hardware floating-point atomics of gfx90a, and the scoped builtins.
__global__ void unsafeAdd(float* f, double* d, int* scoped) {
  unsafeAtomicAdd(f, 0.5f);
  unsafeAtomicAdd(d, 0.25);
  __hip_atomic_fetch_add(scoped, 2, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  __hip_atomic_fetch_max(scoped + 1, int(threadIdx.x), __ATOMIC_ACQ_REL, __HIP_MEMORY_SCOPE_SYSTEM);
}

TEST(atomic_hardware_float_and_scopes) {
  Buffer<float> f(1);
  Buffer<double> d(1);
  Buffer<int> s(2);
  f.fill(0);
  d.fill(0);
  s.fill(0);
  unsafeAdd<<<8, 128>>>(f, d, s);
  KERNEL_OK();
  EXPECT_EQ(f.download()[0], 512.0f);
  EXPECT_EQ(d.download()[0], 256.0);
  EXPECT_VEC(s.download(), (std::vector<int>{2048, 127}));
  check::result(f.download());
}

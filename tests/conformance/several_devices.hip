// Every pair of devices: copies in all forms and in stream order, events of one awaited by another, host memory that all
// of them use. Nothing here needs peer access, so devices may be anywhere.
#include <memory>

#include "support.h"

static int deviceCount() {
  int n = 0;
  HIP(hipGetDeviceCount(&n));
  return n;
}

// Runs f(a, b) for every two different devices; a is current.
template <class F>
static void eachPair(F f) {
  const int n = deviceCount();
  if (n < 2) SKIP("needs two devices");
  for (int a = 0; a < n; ++a)
    for (int b = 0; b < n; ++b) {
      if (a == b) continue;
      HIP(hipSetDevice(a));
      f(a, b);
    }
  HIP(hipSetDevice(0));
}

// Device memory, a stream and an event of one device, whichever is current.
struct On {
  int device, *memory = nullptr;
  std::size_t bytes;
  hipStream_t stream = nullptr;
  hipEvent_t event = nullptr;
  On(int d, std::size_t count, unsigned flags = hipStreamNonBlocking) : device(d), bytes(count * sizeof(int)) {
    int before = 0;
    HIP(hipGetDevice(&before));
    HIP(hipSetDevice(d));
    HIP(hipMalloc(reinterpret_cast<void**>(&memory), bytes));
    HIP(hipStreamCreateWithFlags(&stream, flags));
    HIP(hipEventCreateWithFlags(&event, hipEventDisableTiming));
    HIP(hipSetDevice(before));
  }
  On(const On&) = delete;
  ~On() {
    (void)hipEventDestroy(event);
    (void)hipStreamDestroy(stream);
    (void)hipFree(memory);
  }
  void set(const std::vector<int>& values) { HIP(hipMemcpy(memory, values.data(), bytes, hipMemcpyHostToDevice)); }
  std::vector<int> get() const {
    std::vector<int> values(bytes / sizeof(int));
    HIP(hipMemcpy(values.data(), memory, bytes, hipMemcpyDeviceToHost));
    return values;
  }
};

class Pinned {
 public:
  explicit Pinned(int n) { HIP(hipHostMalloc(reinterpret_cast<void**>(&data_), n * sizeof(int), 0)); }
  ~Pinned() { (void)hipHostFree(data_); }
  operator int*() const { return data_; }

 private:
  int* data_ = nullptr;
};

__global__ void plus(int* values, int n, int by) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] += by;
}
__global__ void move(int* to, const int* from, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i];
}

TEST(peers_are_what_is_said_of_them) {
  eachPair([](int a, int b) {
    int can = -1;
    HIP(hipDeviceCanAccessPeer(&can, a, b));
    if (can == 0) {
      HIP_ERR(hipDeviceEnablePeerAccess(b, 0), hipErrorInvalidDevice);
      HIP_ERR(hipDeviceDisablePeerAccess(b), hipErrorInvalidDevice);
    } else {
      HIP(hipDeviceEnablePeerAccess(b, 0));
      HIP(hipDeviceDisablePeerAccess(b));
    }
  });
}

TEST(memory_lies_nowhere_twice) {
  eachPair([](int a, int b) {
    On first(a, 1000), second(b, 1000);
    for (const On* on : {&first, &second}) {
      hipPointerAttribute_t known = {};
      HIP(hipPointerGetAttributes(&known, on->memory + 999));
      EXPECT_EQ(known.device, on->device);
    }
  });
}

TEST(copies_on_the_null_stream) {
  for (const std::size_t n : {std::size_t{1}, std::size_t{5000}, std::size_t{2500001}}) {
    const auto in = randomVector<int>(n, 301, -1e6, 1e6);
    eachPair([&](int a, int b) {
      if (n > 5000 && b != (a + 1) % deviceCount()) return;  // once round is enough of the large ones
      On from(a, n), to(b, n);
      from.set(in);
      plus<<<blocksFor(n, 256), 256>>>(from.memory, static_cast<int>(n), 1);  // on the null stream, as the copy
      HIP(hipMemcpyPeer(to.memory, b, from.memory, a, to.bytes));
      plus<<<blocksFor(n, 256), 256>>>(from.memory, static_cast<int>(n), 1);
      HIP(hipDeviceSynchronize());
      HIP(hipSetDevice(b));
      plus<<<blocksFor(n, 256), 256>>>(to.memory, static_cast<int>(n), -1);
      EXPECT_VEC(to.get(), in);
      HIP(hipMemset(to.memory, 0, to.bytes));
      HIP(hipMemcpy(to.memory, from.memory, to.bytes, hipMemcpyDeviceToDevice));
      plus<<<blocksFor(n, 256), 256>>>(to.memory, static_cast<int>(n), -2);
      EXPECT_VEC(to.get(), in);
    });
    check::result(in);
  }
}

TEST(copies_in_the_stream_of_either_device) {
  const int n = 30000;
  const auto in = randomVector<int>(n, 302, -1e6, 1e6);
  eachPair([&](int a, int b) {
    for (const bool atSource : {true, false}) {
      On from(a, n), to(b, n), *owner = atSource ? &from : &to;
      from.set(std::vector<int>(n, 1));
      HIP(hipSetDevice(owner->device));
      {
        Gate gate(owner->stream);
        from.set(in);  // the copy reads it when the stream has come there
        HIP(hipMemcpyPeerAsync(to.memory, b, from.memory, a, to.bytes, owner->stream));
        HIP(hipEventRecord(owner->event, owner->stream));
        HIP_ERR(hipStreamQuery(owner->stream), hipErrorNotReady);
        EXPECT(gate.held());
      }
      HIP(hipEventSynchronize(owner->event));
      EXPECT_VEC(to.get(), in);
    }
  });
  check::result(in);
}

TEST(rows_and_slices) {
  const std::size_t width = 37, height = 29, depth = 3, pitch = 64;
  const auto in = randomVector<int>(pitch * height * depth, 303, -1e6, 1e6);
  eachPair([&](int a, int b) {
    On from(a, in.size()), to(b, in.size());
    from.set(in);
    HIP(hipMemset(to.memory, 0, to.bytes));
    hipMemcpy3DParms box = {};
    box.srcPtr = make_hipPitchedPtr(from.memory, pitch * sizeof(int), width, height);
    box.dstPtr = make_hipPitchedPtr(to.memory, pitch * sizeof(int), width, height);
    box.extent = make_hipExtent(width * sizeof(int), height, depth);
    box.kind = hipMemcpyDefault;
    HIP(hipMemcpy3DAsync(&box, from.stream));
    HIP(hipStreamSynchronize(from.stream));
    const auto got = to.get();
    bool right = true;
    for (std::size_t i = 0; i < got.size(); ++i) right = right && got[i] == (i % pitch < width ? in[i] : 0);
    EXPECT(right);
  });
}

TEST(a_stream_waits_for_an_event_elsewhere) {
  const int n = 4000;
  eachPair([&](int a, int b) {
    On first(a, n), second(b, n);
    Pinned between(n);
    first.set(std::vector<int>(n, 20));
    {
      Gate gate(first.stream);
      plus<<<blocksFor(n, 256), 256, 0, first.stream>>>(first.memory, n, a);
      HIP(hipMemcpyAsync(between, first.memory, first.bytes, hipMemcpyDeviceToHost, first.stream));
      HIP(hipEventRecord(first.event, first.stream));
      HIP(hipSetDevice(b));
      HIP(hipStreamWaitEvent(second.stream, first.event, 0));
      HIP(hipMemcpyAsync(second.memory, between, second.bytes, hipMemcpyHostToDevice, second.stream));
      plus<<<blocksFor(n, 256), 256, 0, second.stream>>>(second.memory, n, 10 * b);
      HIP_ERR(hipStreamQuery(second.stream), hipErrorNotReady);
      EXPECT(gate.held());
    }
    HIP(hipStreamSynchronize(second.stream));
    EXPECT_VEC(second.get(), std::vector<int>(n, 20 + a + 10 * b));
    HIP(hipStreamQuery(first.stream));  // done, since the other one is
  });
}

TEST(a_value_goes_round_without_the_host) {
  const int devices = deviceCount(), n = 1000, rounds = 5;
  if (devices < 2) SKIP("needs two devices");
  std::vector<std::unique_ptr<On>> on;
  for (int d = 0; d < devices; ++d) on.push_back(std::make_unique<On>(d, n));
  on[0]->set(std::vector<int>(n, 0));
  int sum = 0;
  for (int r = 0; r < rounds; ++r)
    for (int d = 0; d < devices; ++d) {
      On &here = *on[d], &next = *on[(d + 1) % devices];
      HIP(hipSetDevice(d));
      plus<<<blocksFor(n, 128), 128, 0, here.stream>>>(here.memory, n, d + 1);
      sum += d + 1;
      HIP(hipMemcpyAsync(next.memory, here.memory, here.bytes, hipMemcpyDeviceToDevice, here.stream));
      HIP(hipEventRecord(here.event, here.stream));
      HIP(hipStreamWaitEvent(next.stream, here.event, 0));
    }
  HIP(hipStreamSynchronize(on[0]->stream));
  EXPECT_VEC(on[0]->get(), std::vector<int>(n, sum));
  check::result(sum);
  HIP(hipSetDevice(0));
}

TEST(work_on_memory_of_another_device) {
  const int n = 3000;
  const auto in = randomVector<int>(n, 304, -1e6, 1e6);
  eachPair([&](int a, int b) {
    On here(a, n), there(b, n);
    HIP(hipMemset(there.memory, 0x11, there.bytes));  // the null stream here, memory there
    HIP(hipMemsetAsync(there.memory, 0x22, there.bytes / 2, here.stream));
    HIP(hipStreamSynchronize(here.stream));
    auto got = there.get();
    EXPECT_EQ(got.front(), 0x22222222);
    EXPECT_EQ(got.back(), 0x11111111);
    HIP(hipMemcpyAsync(there.memory, in.data(), there.bytes, hipMemcpyHostToDevice, here.stream));
    std::vector<int> out(n);
    HIP(hipMemcpyAsync(out.data(), there.memory, there.bytes, hipMemcpyDeviceToHost, here.stream));
    HIP(hipStreamSynchronize(here.stream));
    EXPECT_VEC(out, in);
  });
}

// Each device adds to the same memory of the host, one after the other.
static void addInTurn(int* asKernelsSeeIt, const volatile int* asHostSeesIt, int n) {
  const int devices = deviceCount();
  int sum = 0;
  for (int round = 0; round < 3; ++round)
    for (int d = 0; d < devices; ++d) {
      HIP(hipSetDevice(d));
      plus<<<blocksFor(n, 64), 64>>>(asKernelsSeeIt, n, d + 1);
      KERNEL_OK();
      HIP(hipDeviceSynchronize());
      sum += d + 1;
      EXPECT_EQ(asHostSeesIt[n - 1], sum);
    }
  for (int i = 0; i < n; ++i)
    if (!EXPECT_EQ(asHostSeesIt[i], sum)) break;
  HIP(hipSetDevice(0));
}

TEST(pinned_memory_is_every_devices) {
  const int n = 3000, devices = deviceCount();
  for (int d = 0; d < devices; ++d) {  // whichever made it
    HIP(hipSetDevice(d));
    int* memory = nullptr;
    HIP(hipHostMalloc(reinterpret_cast<void**>(&memory), n * sizeof(int), hipHostMallocPortable));
    std::fill(memory, memory + n, 0);
    addInTurn(memory, memory, n);
    HIP(hipHostFree(memory));
  }
}

TEST(registered_memory_is_every_devices) {
  const int n = 3000;
  std::vector<int> memory(n);
  HIP(hipHostRegister(memory.data(), n * sizeof(int), hipHostRegisterPortable));
  int* mapped = nullptr;
  HIP(hipHostGetDevicePointer(reinterpret_cast<void**>(&mapped), memory.data(), 0));
  addInTurn(mapped, memory.data(), n);
  HIP(hipHostUnregister(memory.data()));
}

TEST(managed_memory_is_every_devices) {
  const int n = 3000;
  int* memory = nullptr;
  HIP(hipMallocManaged(reinterpret_cast<void**>(&memory), n * sizeof(int), hipMemAttachGlobal));
  std::fill(memory, memory + n, 0);
  addInTurn(memory, memory, n);
  HIP(hipFree(memory));
}

__managed__ int shared[100];

TEST(managed_variables_are_every_devices) {
  addInTurn(shared, shared, 100);
}

TEST(host_memory_in_stream_order) {
  const int n = 2000;
  eachPair([&](int a, int b) {
    On first(a, n), second(b, n);
    Pinned between(n);
    first.set(std::vector<int>(n, 3));
    second.set(std::vector<int>(n, 0));
    for (int i = 0; i < n; ++i) between[i] = 0;
    for (int round = 1; round <= 3; ++round) {  // a kernel of one writes it, then one of the other reads it
      HIP(hipSetDevice(a));
      plus<<<blocksFor(n, 64), 64, 0, first.stream>>>(first.memory, n, 1);
      move<<<blocksFor(n, 64), 64, 0, first.stream>>>(between, first.memory, n);
      HIP(hipEventRecord(first.event, first.stream));
      HIP(hipSetDevice(b));
      HIP(hipStreamWaitEvent(second.stream, first.event, 0));
      move<<<blocksFor(n, 64), 64, 0, second.stream>>>(second.memory, between, n);
      HIP(hipEventRecord(second.event, second.stream));
      HIP(hipSetDevice(a));
      HIP(hipStreamWaitEvent(first.stream, second.event, 0));
    }
    HIP(hipStreamSynchronize(first.stream));
    EXPECT_VEC(second.get(), std::vector<int>(n, 6));
  });
}

TEST(freed_while_a_copy_is_on_its_way) {
  const int n = 200000;
  const auto in = randomVector<int>(n, 305, -1e6, 1e6);
  eachPair([&](int a, int b) {
    On to(b, n);
    int* from = nullptr;
    HIP(hipMalloc(reinterpret_cast<void**>(&from), to.bytes));
    HIP(hipMemcpy(from, in.data(), to.bytes, hipMemcpyHostToDevice));
    HIP(hipMemcpyPeerAsync(to.memory, b, from, a, to.bytes, to.stream));
    HIP(hipFree(from));
    HIP(hipMalloc(reinterpret_cast<void**>(&from), to.bytes));
    HIP(hipMemset(from, 0, to.bytes));
    HIP(hipStreamSynchronize(to.stream));
    EXPECT_VEC(to.get(), in);
    HIP(hipFree(from));
  });
}

// Host memory that work of a stream writes and later work of the same stream reads: a copy reads its source when the
// stream has come to it, not when it was called.
#include "support.h"

#include <algorithm>
#include <thread>

constexpr int kSmall = 300, kLarge = 3 << 18;  // ints
constexpr int kRounds = 1 << 18;               // some milliseconds

__global__ void writeLate(int* data, int count, int value, int rounds) {
  unsigned mixed = threadIdx.x;
  for (int i = 0; i < rounds; ++i) mixed = mixed * 1664525u + 1013904223u;
  for (int i = threadIdx.x; i < count; i += blockDim.x) data[i] = mixed == 1u ? 0 : value + i % 7;
}
__global__ void addOne(const int* from, int* to, int count) {
  for (int i = threadIdx.x; i < count; i += blockDim.x) to[i] = from[i] + 1;
}

class Pinned {
 public:
  explicit Pinned(std::size_t count, unsigned flags = 0) : count_(count) {
    HIP(hipHostMalloc(reinterpret_cast<void**>(&data_), bytes(), flags));
    std::fill_n(data_, count, -1);
  }
  Pinned(const Pinned&) = delete;
  ~Pinned() { free(); }
  void free() {
    if (data_) (void)hipHostFree(data_);
    data_ = nullptr;
  }
  operator int*() const { return data_; }
  std::size_t count() const { return count_; }
  std::size_t bytes() const { return count_ * sizeof(int); }

 private:
  int* data_ = nullptr;
  std::size_t count_;
};

// What a host function does: writes, after a moment.
struct Writer {
  int* to;
  std::size_t count;
  int value;
  void launch(hipStream_t stream) {
    HIP(hipStreamAddCallback(
        stream,
        [](hipStream_t, hipError_t, void* self) {
          const Writer& w = *static_cast<Writer*>(self);
          std::this_thread::sleep_for(std::chrono::milliseconds(5));
          for (std::size_t i = 0; i < w.count; ++i) w.to[i] = w.value + static_cast<int>(i % 7);
        },
        this, 0));
  }
};

static bool holds(const std::vector<int>& data, int value) {
  for (std::size_t i = 0; i < data.size(); ++i)
    if (data[i] != value + static_cast<int>(i % 7)) return false;
  return true;
}

template <class Test>
static void onEveryKindOfStream(Test test) {
  Stream blocking, apart(hipStreamNonBlocking);
  for (const hipStream_t stream : {hipStream_t(nullptr), hipStream_t(blocking), hipStream_t(apart), hipStreamPerThread})
    for (const int count : {kSmall, kLarge}) test(stream, count);
}

TEST(an_upload_of_pinned_memory_that_a_host_function_writes) {
  onEveryKindOfStream([](hipStream_t stream, int count) {
    Pinned host(count);
    Buffer<int> device(count);
    Writer writer{host, host.count(), 5};
    writer.launch(stream);
    HIP(hipMemcpyAsync(device, host, host.bytes(), hipMemcpyHostToDevice, stream));
    HIP(hipStreamSynchronize(stream));
    EXPECT(holds(device.download(), 5));
  });
}

TEST(an_upload_of_registered_memory_that_a_host_function_writes) {
  std::vector<int> host(kLarge, -1);
  HIP(hipHostRegister(host.data(), host.size() * sizeof(int), hipHostRegisterDefault));
  Buffer<int> device(kLarge);
  Stream stream;
  Writer writer{host.data(), host.size(), 9};
  writer.launch(stream);
  HIP(hipMemcpyAsync(device, host.data(), device.bytes(), hipMemcpyHostToDevice, stream));
  HIP(hipStreamSynchronize(stream));
  EXPECT(holds(device.download(), 9));
  HIP(hipHostUnregister(host.data()));
}

TEST(an_upload_of_pinned_memory_that_a_download_writes) {
  onEveryKindOfStream([](hipStream_t stream, int count) {
    Pinned host(count);
    Buffer<int> from(count), to(count);
    writeLate<<<1, 64, 0, stream>>>(from, count, 11, kRounds);
    KERNEL_OK();
    HIP(hipMemcpyAsync(host, from, host.bytes(), hipMemcpyDeviceToHost, stream));
    HIP(hipMemcpyAsync(to, host, host.bytes(), hipMemcpyHostToDevice, stream));
    HIP(hipStreamSynchronize(stream));
    EXPECT(holds(to.download(), 11));
  });
}

TEST(an_upload_of_a_part_of_what_a_download_writes) {
  Pinned host(kLarge);
  Buffer<int> from(kLarge), to(7);
  Stream stream;
  writeLate<<<1, 64, 0, stream>>>(from, kLarge, 4, kRounds);
  KERNEL_OK();
  HIP(hipMemcpyAsync(host, from, host.bytes(), hipMemcpyDeviceToHost, stream));
  HIP(hipMemcpyAsync(to, host + (kLarge / 7 - 1) * 7, to.bytes(), hipMemcpyHostToDevice, stream));
  HIP(hipStreamSynchronize(stream));
  EXPECT(holds(to.download(), 4));
}

TEST(rows_of_pinned_memory_that_a_host_function_writes) {
  constexpr int kWidth = 70, kPitch = 84, kHeight = 50;
  Pinned host(kPitch * kHeight);
  Buffer<int> device(kWidth * kHeight);
  Stream stream;
  Writer writer{host, host.count(), 3};
  writer.launch(stream);
  HIP(hipMemcpy2DAsync(device, kWidth * 4, host, kPitch * 4, kWidth * 4, kHeight, hipMemcpyHostToDevice, stream));
  HIP(hipStreamSynchronize(stream));
  EXPECT(holds(device.download(), 3));  // both are multiples of 7
}

TEST(a_stream_that_waits_for_the_host_function) {
  Stream first, second(hipStreamNonBlocking);
  for (const int count : {kSmall, kLarge}) {
    Pinned host(count);
    Buffer<int> device(count);
    Event written;
    Writer writer{host, host.count(), 21};
    writer.launch(first);
    HIP(hipEventRecord(written, first));
    HIP(hipStreamWaitEvent(second, written, 0));
    HIP(hipMemcpyAsync(device, host, host.bytes(), hipMemcpyHostToDevice, second));
    HIP(hipStreamSynchronize(second));
    EXPECT(holds(device.download(), 21));
  }
}

TEST(copies_that_wait_read_pageable_memory_after_the_host_function) {
  for (const int count : {kSmall, kLarge}) {
    std::vector<int> host(count, -1);
    Buffer<int> device(count);
    Writer writer{host.data(), host.size(), 31};
    writer.launch(nullptr);
    HIP(hipMemcpy(device, host.data(), device.bytes(), hipMemcpyHostToDevice));
    HIP(hipDeviceSynchronize());
    EXPECT(holds(device.download(), 31));
  }
}

TEST(each_of_many_uploads_reads_what_the_function_before_it_wrote) {
  constexpr int kTimes = 40, kCount = 40;
  Pinned host(kCount);
  Buffer<int> device(kTimes * kCount);
  Stream stream;
  std::vector<Writer> writers;
  for (int i = 0; i < kTimes; ++i) writers.push_back({host, host.count(), 100 * i});
  for (int i = 0; i < kTimes; ++i) {
    writers[i].launch(stream);
    HIP(hipMemcpyAsync(device + i * kCount, host, host.bytes(), hipMemcpyHostToDevice, stream));
  }
  HIP(hipStreamSynchronize(stream));
  const std::vector<int> got = device.download();
  for (int i = 0; i < kTimes; ++i)
    EXPECT(holds(std::vector<int>(got.begin() + i * kCount, got.begin() + (i + 1) * kCount), 100 * i));
  check::result(got);
}

TEST(there_and_back_many_times_without_waiting) {
  onEveryKindOfStream([](hipStream_t stream, int count) {
    constexpr int kTimes = 10;
    Pinned host(count);
    Buffer<int> a(count), b(count);
    writeLate<<<1, 64, 0, stream>>>(a, count, 1000, kRounds);
    for (int i = 0; i < kTimes; ++i) {
      HIP(hipMemcpyAsync(host, a, host.bytes(), hipMemcpyDeviceToHost, stream));
      HIP(hipMemcpyAsync(b, host, host.bytes(), hipMemcpyHostToDevice, stream));
      addOne<<<1, 256, 0, stream>>>(b, a, count);
      KERNEL_OK();
    }
    HIP(hipStreamSynchronize(stream));
    EXPECT(holds(a.download(), 1000 + kTimes));
  });
}

TEST(freeing_the_memory_waits_until_it_has_been_read) {
  for (const int count : {kSmall, kLarge}) {
    Pinned host(count);
    Buffer<int> device(count);
    Stream stream;
    Writer writer{host, host.count(), 41};
    writer.launch(stream);
    HIP(hipMemcpyAsync(device, host, host.bytes(), hipMemcpyHostToDevice, stream));
    host.free();
    EXPECT(holds(device.download(), 41));
  }
}

// Kernels that use the memory itself see what a function before them wrote.
TEST(a_kernel_reads_what_the_host_function_before_it_wrote) {
  Pinned host(kSmall, hipHostMallocMapped);
  Buffer<int> device(kSmall);
  Stream stream;
  for (int i = 0; i < 20; ++i) {
    Writer writer{host, host.count(), 10 * i};
    writer.launch(stream);
    addOne<<<1, 64, 0, stream>>>(host, device, kSmall);
    KERNEL_OK();
    HIP(hipStreamSynchronize(stream));
    EXPECT(holds(device.download(), 10 * i + 1));
  }
}

// Functions may call HIP on other streams; what they upload is not held up by themselves.
TEST(a_host_function_that_uploads_on_another_stream) {
  struct Inside {
    Pinned host{kLarge};
    Buffer<int> device{kLarge};
    Stream other{hipStreamNonBlocking};
    hipError_t copied = hipErrorUnknown, over = hipErrorUnknown;
  } inside;
  for (int i = 0; i < kLarge; ++i) inside.host[i] = 51 + i % 7;
  Stream stream;
  HIP(hipStreamAddCallback(
      stream,
      [](hipStream_t, hipError_t, void* data) {
        Inside& in = *static_cast<Inside*>(data);
        in.copied = hipMemcpyAsync(in.device, in.host, in.host.bytes(), hipMemcpyHostToDevice, in.other);
        in.over = hipStreamSynchronize(in.other);
      },
      &inside, 0));
  HIP(hipStreamSynchronize(stream));
  HIP(inside.copied);
  HIP(inside.over);
  EXPECT(holds(inside.device.download(), 51));
}

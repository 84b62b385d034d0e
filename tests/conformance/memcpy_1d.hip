// One-dimensional copies in every direction and form, overlapping streams, offsets, Default kind, and wrong arguments.
#include "support.h"

#include <thread>

static std::vector<unsigned char> bytes(std::size_t n, std::uint64_t seed) {
  Random r(seed);
  std::vector<unsigned char> v(n);
  for (auto& b : v) b = static_cast<unsigned char>(r.bits());
  return v;
}

TEST(round_trips_of_many_sizes) {
  for (std::size_t n : {1, 7, 64, 4095, 4096, 65536 + 3, (1 << 20) + 1, 9 << 20}) {
    const auto in = bytes(n, n);
    std::vector<unsigned char> out(n);
    Buffer<unsigned char> a(n), b(n);
    HIP(hipMemcpy(a, in.data(), n, hipMemcpyHostToDevice));
    HIP(hipMemcpy(b, a, n, hipMemcpyDeviceToDevice));
    HIP(hipMemcpy(out.data(), b, n, hipMemcpyDeviceToHost));
    EXPECT_VEC(out, in);
    check::result(out);
  }
}

TEST(host_to_host) {
  const auto in = bytes(1000, 2);
  std::vector<unsigned char> a(1000), b(1000);
  HIP(hipMemcpy(a.data(), in.data(), 1000, hipMemcpyHostToHost));
  HIP(hipMemcpy(b.data(), in.data(), 1000, hipMemcpyDefault));
  EXPECT_VEC(a, in);
  EXPECT_VEC(b, in);
}

TEST(default_kind_finds_the_direction) {
  const auto in = bytes(5000, 3);
  std::vector<unsigned char> out(5000);
  Buffer<unsigned char> a(5000), b(5000);
  HIP(hipMemcpy(a, in.data(), 5000, hipMemcpyDefault));
  HIP(hipMemcpy(b, a, 5000, hipMemcpyDefault));
  HIP(hipMemcpy(out.data(), b, 5000, hipMemcpyDefault));
  EXPECT_VEC(out, in);
  check::result(out);
}

TEST(parts_of_allocations) {
  auto want = bytes(4096, 4);
  const auto patch = bytes(300, 5);
  Buffer<unsigned char> d(want);
  HIP(hipMemcpy(d + 1001, patch.data(), 300, hipMemcpyHostToDevice));
  HIP(hipMemcpy(d + 3000, d + 1001, 300, hipMemcpyDeviceToDevice));
  for (int i = 0; i < 300; ++i) want[1001 + i] = want[3000 + i] = patch[i];
  EXPECT_VEC(d.download(), want);
  std::vector<unsigned char> some(10);
  HIP(hipMemcpy(some.data(), d + 2995, 10, hipMemcpyDeviceToHost));
  EXPECT_VEC(some, std::vector<unsigned char>(want.begin() + 2995, want.begin() + 3005));
  check::result(want);
}

TEST(nothing_to_copy) {
  Buffer<char> d(4);
  char c = 0;
  HIP(hipMemcpy(d, &c, 0, hipMemcpyHostToDevice));
  HIP(hipMemcpy(&c, d, 0, hipMemcpyDeviceToHost));
  HIP(hipMemcpyAsync(d, &c, 0, hipMemcpyHostToDevice, nullptr));
  HIP(hipMemcpy(nullptr, nullptr, 0, static_cast<hipMemcpyKind>(77)));  // nothing is looked at
}

TEST(wrong_arguments) {
  Buffer<char> d(64);
  char host[128] = {};
  HIP_ERR(hipMemcpy(nullptr, host, 10, hipMemcpyHostToDevice), hipErrorInvalidValue);
  HIP_ERR(hipMemcpy(d, nullptr, 10, hipMemcpyHostToDevice), hipErrorInvalidValue);
  HIP_ERR(hipMemcpy(d, host, 10, static_cast<hipMemcpyKind>(77)), hipErrorInvalidMemcpyDirection);
  HIP_ERR(hipMemcpyAsync(d, host, 10, static_cast<hipMemcpyKind>(-1), nullptr), hipErrorInvalidMemcpyDirection);
  HIP_ERR(hipMemcpy(d, host, 65, hipMemcpyHostToDevice), hipErrorInvalidValue);  // past the end of the allocation
  HIP_ERR(hipMemcpy(host, d + 60, 5, hipMemcpyDeviceToHost), hipErrorInvalidValue);
  HIP_ERR(hipMemcpyAsync(host, d, 65, hipMemcpyDeviceToHost, nullptr), hipErrorInvalidValue);
  HIP_ERR(hipMemcpy(nullptr, host, 10, static_cast<hipMemcpyKind>(77)), hipErrorInvalidValue);
  // No device takes part, whatever the direction says.
  HIP_ERR(hipMemcpy(host, host + 64, 10, hipMemcpyDeviceToHost), hipErrorInvalidValue);
  HIP_ERR(hipMemcpyDtoD(host, host + 64, 10), hipErrorInvalidValue);
  HIP(hipMemcpy(host, host + 64, 10, hipMemcpyHostToHost));
  HIP(hipMemcpy(host, host + 64, 10, hipMemcpyDefault));
}

TEST(driver_style_copies) {
  const auto in = bytes(777, 6);
  std::vector<unsigned char> out(777), outAsync(777);
  Buffer<unsigned char> a(777), b(777), c(777);
  Stream s;
  HIP(hipMemcpyHtoD(a.get(), const_cast<unsigned char*>(in.data()), 777));
  HIP(hipMemcpyDtoD(b.get(), a.get(), 777));
  HIP(hipMemcpyDtoH(out.data(), b.get(), 777));
  EXPECT_VEC(out, in);
  HIP(hipMemcpyHtoDAsync(a.get(), out.data(), 777, s));
  HIP(hipMemcpyDtoDAsync(c.get(), a.get(), 777, s));
  HIP(hipMemcpyDtoHAsync(outAsync.data(), c.get(), 777, s));
  HIP(hipStreamSynchronize(s));
  EXPECT_VEC(outAsync, in);
  check::result(outAsync);
}

TEST(with_stream_waits) {
  const auto in = bytes(100000, 7);
  std::vector<unsigned char> out(in.size());
  Buffer<unsigned char> d(in.size());
  Stream s;
  HIP(hipMemcpyWithStream(d, in.data(), in.size(), hipMemcpyHostToDevice, s));
  HIP(hipMemcpyWithStream(out.data(), d, in.size(), hipMemcpyDeviceToHost, s));
  EXPECT_VEC(out, in);  // no synchronize in between
}

// An asynchronous copy from pageable memory has taken its data when it returns.
TEST(pageable_source_may_change_after_async_copy) {
  std::vector<int> in(50000, 1);
  Buffer<int> d(in.size());
  Stream s;
  for (int round = 1; round <= 5; ++round) {
    std::fill(in.begin(), in.end(), round);
    HIP(hipMemcpyAsync(d, in.data(), d.bytes(), hipMemcpyHostToDevice, s));
    std::fill(in.begin(), in.end(), -round);
    HIP(hipStreamSynchronize(s));
    const auto out = d.download();
    EXPECT_EQ(out.front(), round);
    EXPECT_EQ(out.back(), round);
  }
}

__global__ void addOne(int* p, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] += 1;
}

TEST(copies_keep_the_order_of_their_stream) {
  const int n = 20000;
  std::vector<int> in(n, 10), out(n), middle(n);
  Buffer<int> a(n), b(n);
  Stream s;
  HIP(hipMemcpyAsync(a, in.data(), a.bytes(), hipMemcpyHostToDevice, s));
  addOne<<<blocksFor(n, 256), 256, 0, s>>>(a, n);
  HIP(hipMemcpyAsync(b, a, a.bytes(), hipMemcpyDeviceToDevice, s));
  HIP(hipMemcpyAsync(middle.data(), a, a.bytes(), hipMemcpyDeviceToHost, s));
  addOne<<<blocksFor(n, 256), 256, 0, s>>>(b, n);
  HIP(hipMemcpyAsync(a, b, a.bytes(), hipMemcpyDeviceToDevice, s));
  HIP(hipMemcpyAsync(out.data(), a, a.bytes(), hipMemcpyDeviceToHost, s));
  HIP(hipStreamSynchronize(s));
  EXPECT_VEC(middle, std::vector<int>(n, 11));
  EXPECT_VEC(out, std::vector<int>(n, 12));
  check::result(out);
}

TEST(synchronous_copy_waits_for_blocking_streams) {
  const int n = 30000;
  Buffer<int> a(n);
  a.fill(0);
  Stream s;
  for (int i = 0; i < 10; ++i) addOne<<<blocksFor(n, 256), 256, 0, s>>>(a, n);
  std::vector<int> out(n);
  HIP(hipMemcpy(out.data(), a, a.bytes(), hipMemcpyDeviceToHost));  // legacy stream: after all of s
  EXPECT_VEC(out, std::vector<int>(n, 10));
}

// A synchronous upload is on the device when it returns: work in a stream that waits for no other sees it.
TEST(synchronous_upload_is_seen_by_non_blocking_streams) {
  const int n = 100000;
  Buffer<int> a(n), b(n);
  Stream s(hipStreamNonBlocking);
  std::vector<int> in(n), out(n);
  for (int round = 1; round <= 10; ++round) {
    std::fill(in.begin(), in.end(), round);
    HIP(hipMemcpy(a, in.data(), a.bytes(), hipMemcpyHostToDevice));
    HIP(hipMemcpyAsync(b, a, a.bytes(), hipMemcpyDeviceToDevice, s));
    addOne<<<blocksFor(n, 256), 256, 0, s>>>(b, n);
    HIP(hipMemcpyAsync(out.data(), b, b.bytes(), hipMemcpyDeviceToHost, s));
    HIP(hipStreamSynchronize(s));
    if (!EXPECT_VEC(out, std::vector<int>(n, round + 1))) return;
  }
}

// Even when the upload itself has to wait, as the legacy stream does for every blocking stream.
TEST(delayed_upload_is_seen_by_non_blocking_streams) {
  Buffer<int> a(std::vector<int>(1000, 1));
  Stream held, s(hipStreamNonBlocking);
  Gate gate(held);
  std::thread opener([&gate] {
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
    gate.open();
  });
  const std::vector<int> in(1000, 2);
  std::vector<int> out(1000);
  hipError_t e = hipMemcpy(a, in.data(), a.bytes(), hipMemcpyHostToDevice);
  addOne<<<4, 256, 0, s>>>(a, 1000);
  if (e == hipSuccess) e = hipMemcpyAsync(out.data(), a, a.bytes(), hipMemcpyDeviceToHost, s);
  if (e == hipSuccess) e = hipStreamSynchronize(s);
  opener.join();
  EXPECT_EQ(e, hipSuccess);
  EXPECT_VEC(out, std::vector<int>(1000, 3));
}

TEST(two_streams_at_once) {
  const auto x = bytes(3 << 20, 8), y = bytes(3 << 20, 9);
  std::vector<unsigned char> outX(x.size()), outY(y.size());
  Buffer<unsigned char> a(x.size()), b(y.size());
  Stream s, t(hipStreamNonBlocking);
  HIP(hipMemcpyAsync(a, x.data(), x.size(), hipMemcpyHostToDevice, s));
  HIP(hipMemcpyAsync(b, y.data(), y.size(), hipMemcpyHostToDevice, t));
  HIP(hipMemcpyAsync(outX.data(), a, x.size(), hipMemcpyDeviceToHost, s));
  HIP(hipMemcpyAsync(outY.data(), b, y.size(), hipMemcpyDeviceToHost, t));
  HIP(hipStreamSynchronize(t));
  EXPECT_VEC(outY, y);
  HIP(hipStreamSynchronize(s));
  EXPECT_VEC(outX, x);
}

TEST(between_pinned_host_buffers) {
  const auto in = bytes(10000, 10);
  unsigned char *a = nullptr, *b = nullptr;
  HIP(hipHostMalloc(reinterpret_cast<void**>(&a), in.size(), 0));
  HIP(hipHostMalloc(reinterpret_cast<void**>(&b), in.size(), 0));
  std::memcpy(a, in.data(), in.size());
  Buffer<unsigned char> d(in.size());
  Stream s;
  HIP(hipMemcpyAsync(d, a, in.size(), hipMemcpyHostToDevice, s));
  HIP(hipMemcpyAsync(b, d, in.size(), hipMemcpyDeviceToHost, s));
  HIP(hipStreamSynchronize(s));
  EXPECT(std::memcmp(b, in.data(), in.size()) == 0);
  HIP(hipHostFree(a));
  HIP(hipHostFree(b));
}

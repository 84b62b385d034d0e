// Every memset: bytes, 16- and 32-bit patterns, rectangles and boxes, asynchronous forms, and limits.
#include "support.h"

template <class T>
static std::vector<T> read(const void* p, std::size_t n) {
  std::vector<T> v(n);
  HIP(hipMemcpy(v.data(), p, n * sizeof(T), hipMemcpyDeviceToHost));
  return v;
}

TEST(bytes) {
  Buffer<unsigned char> d(10000);
  d.fill(0);
  HIP(hipMemset(d + 3, 0x1a5, 5000));  // only the low byte counts
  std::vector<unsigned char> want(10000);
  std::fill(want.begin() + 3, want.begin() + 5003, 0xa5);
  EXPECT_VEC(d.download(), want);
  HIP(hipMemset(d, 7, 0));
  EXPECT_VEC(d.download(), want);
  check::result(want);
}

TEST(patterns) {
  Buffer<unsigned> d(1000);
  d.fill(0);
  HIP(hipMemsetD32(d.get(), int(0xdeadbeef), 100));
  HIP(hipMemsetD16(d.get() + 100, 0xbeef, 300));
  HIP(hipMemsetD8(d.get() + 250, 0x42, 401));
  std::vector<unsigned> want(1000);
  std::fill_n(want.begin(), 100, 0xdeadbeef);
  std::fill_n(want.begin() + 100, 150, 0xbeefbeef);
  std::fill_n(want.begin() + 250, 100, 0x42424242);
  want[350] = 0x42;
  EXPECT_VEC(d.download(), want);
  check::result(want);
}

TEST(asynchronous_patterns) {
  Buffer<unsigned> d(1000);
  Stream s;
  HIP(hipMemsetAsync(d, 0xff, d.bytes(), s));
  HIP(hipMemsetD32Async(d.get() + 10, 5, 20, s));
  HIP(hipMemsetD16Async(d.get() + 20, 6, 4, s));
  HIP(hipMemsetD8Async(d.get() + 40, 7, 6, s));
  HIP(hipStreamSynchronize(s));
  std::vector<unsigned> want(1000, 0xffffffffu);
  std::fill_n(want.begin() + 10, 20, 5u);
  want[20] = want[21] = 0x00060006;
  want[40] = 0x07070707;
  want[41] = 0xffff0707;
  EXPECT_VEC(d.download(), want);
  check::result(want);
}

TEST(rectangles) {
  const std::size_t pitch = 96, height = 20;
  Buffer<unsigned char> d(pitch * height);
  d.fill(1);
  HIP(hipMemset2D(d + 10, pitch, 9, 50, 15));
  Stream s;
  HIP(hipMemset2DAsync(d + 5 * pitch, pitch, 4, 12, 3, s));
  HIP(hipStreamSynchronize(s));
  std::vector<unsigned char> want(pitch * height, 1);
  for (std::size_t y = 0; y < 15; ++y) std::fill_n(want.begin() + 10 + y * pitch, 50, 9);
  for (std::size_t y = 5; y < 8; ++y) std::fill_n(want.begin() + y * pitch, 12, 4);
  EXPECT_VEC(d.download(), want);
  check::result(want);
}

TEST(boxes) {
  const hipExtent e = make_hipExtent(30, 8, 6);
  hipPitchedPtr p;
  HIP(hipMalloc3D(&p, e));
  HIP(hipMemset(p.ptr, 0, p.pitch * e.height * e.depth));
  HIP(hipMemset3D(p, 3, make_hipExtent(20, 5, 4)));
  Stream s;
  HIP(hipMemset3DAsync(p, 8, make_hipExtent(2, 2, 2), s));
  HIP(hipStreamSynchronize(s));
  const auto got = read<unsigned char>(p.ptr, p.pitch * e.height * e.depth);
  std::vector<unsigned char> tight;
  for (std::size_t z = 0; z < e.depth; ++z)
    for (std::size_t y = 0; y < e.height; ++y)
      for (std::size_t x = 0; x < e.width; ++x) {
        const unsigned char want = x < 2 && y < 2 && z < 2 ? 8 : x < 20 && y < 5 && z < 4 ? 3 : 0;
        tight.push_back(got[(z * e.height + y) * p.pitch + x]);
        if (!EXPECT_EQ(tight.back(), want)) return;
      }
  HIP(hipFree(p.ptr));
  check::result(tight);
}

TEST(wrong_arguments) {
  Buffer<char> d(100);
  HIP_ERR(hipMemset(nullptr, 0, 10), hipErrorInvalidValue);
  HIP_ERR(hipMemset(d, 0, 101), hipErrorInvalidValue);
  HIP_ERR(hipMemset(d + 50, 0, 51), hipErrorInvalidValue);
  HIP_ERR(hipMemsetAsync(nullptr, 0, 10, nullptr), hipErrorInvalidValue);
  HIP_ERR(hipMemsetD32(d.get(), 0, 26), hipErrorInvalidValue);
  HIP_ERR(hipMemset2D(d, 5, 0, 10, 1), hipErrorInvalidValue);  // a row longer than the pitch, even alone
  HIP_ERR(hipMemset2D(d, 5, 0, 10, 3), hipErrorInvalidValue);
  HIP(hipMemset2D(d, 5, 0, 10, 0));
}

TEST(order_with_kernels_and_copies) {
  const std::size_t n = 1 << 20;
  Buffer<unsigned char> d(n);
  std::vector<unsigned char> first(n), second(n);
  Stream s;
  HIP(hipMemsetAsync(d, 1, n, s));
  HIP(hipMemcpyAsync(first.data(), d, n, hipMemcpyDeviceToHost, s));
  HIP(hipMemsetAsync(d, 2, n, s));
  HIP(hipMemcpyAsync(second.data(), d, n, hipMemcpyDeviceToHost, s));
  HIP(hipStreamSynchronize(s));
  EXPECT_VEC(first, std::vector<unsigned char>(n, 1));
  EXPECT_VEC(second, std::vector<unsigned char>(n, 2));
}

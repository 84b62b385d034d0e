// Copies of rectangles and boxes: pitches, offsets, directions, the parameter-block forms, and wrong pitches.
#include "support.h"

struct Plane {  // a host image with padding at the end of each row
  std::size_t width, height, pitch;
  std::vector<unsigned char> data;
  Plane(std::size_t w, std::size_t h, std::size_t p, std::uint64_t seed) : width(w), height(h), pitch(p), data(p * h) {
    Random r(seed);
    for (auto& b : data) b = static_cast<unsigned char>(seed ? r.bits() : 0xcc);
  }
};

static bool sameRows(const Plane& a, const Plane& b) {
  for (std::size_t y = 0; y < a.height; ++y)
    if (std::memcmp(&a.data[y * a.pitch], &b.data[y * b.pitch], a.width) != 0) return false;
  return true;
}
static bool paddingUntouched(const Plane& p) {
  for (std::size_t y = 0; y < p.height; ++y)
    for (std::size_t x = p.width; x < p.pitch; ++x)
      if (p.data[y * p.pitch + x] != 0xcc) return false;
  return true;
}

TEST(copy_2d) {
  const Plane in(53, 29, 80, 1);
  Plane out(53, 29, 64, 0);
  void *a, *b;
  std::size_t pitchA, pitchB;
  HIP(hipMallocPitch(&a, &pitchA, 53, 29));
  HIP(hipMallocPitch(&b, &pitchB, 200, 29));
  HIP(hipMemcpy2D(a, pitchA, in.data.data(), in.pitch, 53, 29, hipMemcpyHostToDevice));
  HIP(hipMemcpy2D(b, pitchB, a, pitchA, 53, 29, hipMemcpyDeviceToDevice));
  HIP(hipMemcpy2D(out.data.data(), out.pitch, b, pitchB, 53, 29, hipMemcpyDeviceToHost));
  EXPECT(sameRows(in, out));
  EXPECT(paddingUntouched(out));
  Plane again(53, 29, 53, 0);
  Stream s;
  HIP(hipMemcpy2DAsync(a, pitchA, in.data.data(), in.pitch, 53, 29, hipMemcpyDefault, s));
  HIP(hipMemcpy2DAsync(again.data.data(), again.pitch, a, pitchA, 53, 29, hipMemcpyDefault, s));
  HIP(hipStreamSynchronize(s));
  EXPECT(sameRows(in, again));
  HIP(hipFree(a));
  HIP(hipFree(b));
  check::result(out.data);
}

TEST(copy_2d_wrong_arguments) {
  Buffer<char> d(1000);
  char host[1000];
  HIP_ERR(hipMemcpy2D(d, 10, host, 20, 15, 4, hipMemcpyHostToDevice), hipErrorInvalidPitchValue);
  HIP_ERR(hipMemcpy2D(d, 20, host, 10, 15, 4, hipMemcpyHostToDevice), hipErrorInvalidPitchValue);
  HIP_ERR(hipMemcpy2D(nullptr, 20, host, 20, 15, 4, hipMemcpyHostToDevice), hipErrorInvalidValue);
  HIP_ERR(hipMemcpy2D(d, 20, nullptr, 20, 15, 4, hipMemcpyHostToDevice), hipErrorInvalidValue);
  HIP_ERR(hipMemcpy2D(d, 20, host, 20, 15, 4, static_cast<hipMemcpyKind>(9)), hipErrorInvalidMemcpyDirection);
  HIP(hipMemcpy2D(d, 20, host, 20, 0, 4, hipMemcpyHostToDevice));
  HIP(hipMemcpy2D(d, 20, host, 20, 15, 0, hipMemcpyHostToDevice));
  HIP_ERR(hipMemcpy2D(d, 20, host, 20, 0, 0, static_cast<hipMemcpyKind>(9)), hipErrorInvalidMemcpyDirection);
}

TEST(parameter_block_2d) {
  const Plane in(40, 20, 48, 2);
  Plane out(40, 20, 40, 0);
  void* d;
  std::size_t pitch;
  HIP(hipMallocPitch(&d, &pitch, 100, 30));
  HIP(hipMemset(d, 0, pitch * 30));
  hip_Memcpy2D up = {};
  up.srcMemoryType = hipMemoryTypeHost;
  up.srcHost = in.data.data();
  up.srcPitch = in.pitch;
  up.dstMemoryType = hipMemoryTypeDevice;
  up.dstDevice = d;
  up.dstPitch = pitch;
  up.dstXInBytes = 11;
  up.dstY = 3;
  up.WidthInBytes = 40;
  up.Height = 20;
  HIP(hipMemcpyParam2D(&up));
  hip_Memcpy2D down = {};
  down.srcMemoryType = hipMemoryTypeDevice;
  down.srcDevice = d;
  down.srcPitch = pitch;
  down.srcXInBytes = 11;
  down.srcY = 3;
  down.dstMemoryType = hipMemoryTypeHost;
  down.dstHost = out.data.data();
  down.dstPitch = out.pitch;
  down.WidthInBytes = 40;
  down.Height = 20;
  Stream s;
  HIP(hipMemcpyParam2DAsync(&down, s));
  HIP(hipStreamSynchronize(s));
  EXPECT(sameRows(in, out));
  unsigned char corner = 1;
  HIP(hipMemcpy(&corner, static_cast<char*>(d) + 3 * pitch + 10, 1, hipMemcpyDeviceToHost));
  EXPECT_EQ(corner, 0);  // left of the rectangle
  HIP_ERR(hipMemcpyParam2D(nullptr), hipErrorInvalidValue);
  HIP(hipFree(d));
  check::result(out.data);
}

static std::vector<unsigned char> box(const hipExtent& e, std::uint64_t seed) {
  Random r(seed);
  std::vector<unsigned char> v(e.width * e.height * e.depth);
  for (auto& b : v) b = static_cast<unsigned char>(r.bits());
  return v;
}

TEST(copy_3d) {
  const hipExtent e = make_hipExtent(33, 9, 5);
  auto in = box(e, 3);
  std::vector<unsigned char> out(in.size());
  hipPitchedPtr a, b;
  HIP(hipMalloc3D(&a, e));
  HIP(hipMalloc3D(&b, e));
  hipMemcpy3DParms p = {};
  p.extent = e;
  p.srcPtr = make_hipPitchedPtr(in.data(), e.width, e.width, e.height);
  p.dstPtr = a;
  p.kind = hipMemcpyHostToDevice;
  HIP(hipMemcpy3D(&p));
  p.srcPtr = a;
  p.dstPtr = b;
  p.kind = hipMemcpyDeviceToDevice;
  HIP(hipMemcpy3D(&p));
  p.srcPtr = b;
  p.dstPtr = make_hipPitchedPtr(out.data(), e.width, e.width, e.height);
  p.kind = hipMemcpyDeviceToHost;
  Stream s;
  HIP(hipMemcpy3DAsync(&p, s));
  HIP(hipStreamSynchronize(s));
  EXPECT_VEC(out, in);
  HIP_ERR(hipMemcpy3D(nullptr), hipErrorInvalidValue);
  hipMemcpy3DParms wrong = p;
  wrong.dstPtr.ptr = nullptr;
  HIP_ERR(hipMemcpy3D(&wrong), hipErrorInvalidValue);
  wrong.extent = make_hipExtent(0, 0, 0);
  HIP_ERR(hipMemcpy3D(&wrong), hipErrorInvalidValue);  // even of nothing
  wrong = p;
  wrong.dstPtr.pitch = e.width - 1;
  HIP_ERR(hipMemcpy3D(&wrong), hipErrorInvalidPitchValue);
  wrong.dstPtr.xsize = 1;
  HIP_ERR(hipMemcpy3D(&wrong), hipErrorInvalidValue);  // the rows fit, the box does not
  wrong = p;
  wrong.kind = static_cast<hipMemcpyKind>(-1);
  HIP_ERR(hipMemcpy3D(&wrong), hipErrorInvalidMemcpyDirection);
  HIP(hipFree(a.ptr));
  HIP(hipFree(b.ptr));
  check::result(out);
}

TEST(copy_3d_of_an_inner_box) {
  const hipExtent whole = make_hipExtent(20, 10, 6), part = make_hipExtent(7, 4, 3);
  auto in = box(whole, 4);
  std::vector<unsigned char> out(in.size(), 0), want(in.size(), 0);
  hipPitchedPtr d;
  HIP(hipMalloc3D(&d, whole));
  hipMemcpy3DParms p = {};
  p.extent = whole;
  p.srcPtr = make_hipPitchedPtr(in.data(), whole.width, whole.width, whole.height);
  p.dstPtr = d;
  p.kind = hipMemcpyDefault;
  HIP(hipMemcpy3D(&p));
  p.extent = part;
  p.srcPtr = d;
  p.srcPos = make_hipPos(5, 2, 1);
  p.dstPtr = make_hipPitchedPtr(out.data(), whole.width, whole.width, whole.height);
  p.dstPos = make_hipPos(1, 3, 2);
  HIP(hipMemcpy3D(&p));
  auto at = [&](std::size_t x, std::size_t y, std::size_t z) { return (z * whole.height + y) * whole.width + x; };
  for (std::size_t z = 0; z < part.depth; ++z)
    for (std::size_t y = 0; y < part.height; ++y)
      for (std::size_t x = 0; x < part.width; ++x) want[at(1 + x, 3 + y, 2 + z)] = in[at(5 + x, 2 + y, 1 + z)];
  EXPECT_VEC(out, want);
  HIP(hipFree(d.ptr));
  check::result(out);
}

TEST(a_box_may_not_leave_its_memory) {
  Buffer<unsigned char> from(64 * 8), to(64 * 8);
  hip_Memcpy2D c = {};
  c.srcMemoryType = c.dstMemoryType = hipMemoryTypeDevice;
  c.srcDevice = from.get();
  c.dstDevice = to.get();
  c.srcPitch = c.dstPitch = 64;
  c.WidthInBytes = 16;
  c.Height = 1;
  c.srcY = 7;
  HIP(hipMemcpyParam2D(&c));
  c.srcY = 8;  // the first row behind it
  HIP_ERR(hipMemcpyParam2D(&c), hipErrorInvalidValue);
  c.srcY = 0;
  c.dstY = 1000;
  HIP_ERR(hipMemcpyParam2D(&c), hipErrorInvalidValue);
}

TEST(rows_at_odd_places) {  // the form for pitches that no allocation would have
  const Plane in(13, 5, 17, 6);
  Plane out(13, 5, 15, 0);
  Buffer<unsigned char> d(19 * 5 + 3);
  d.fill(0xcc);
  hip_Memcpy2D c = {};
  c.srcMemoryType = hipMemoryTypeHost;
  c.srcHost = in.data.data();
  c.srcPitch = in.pitch;
  c.dstMemoryType = hipMemoryTypeDevice;
  c.dstDevice = d.get();
  c.dstPitch = 19;
  c.dstXInBytes = 3;
  c.WidthInBytes = 13;
  c.Height = 5;
  HIP(hipDrvMemcpy2DUnaligned(&c));
  const auto there = d.download();
  for (std::size_t i = 0; i < there.size(); ++i) {
    const std::size_t x = i % 19, y = i / 19;
    const bool inside = y < 5 && x >= 3 && x < 16;
    EXPECT_EQ(there[i], inside ? in.data[y * in.pitch + x - 3] : 0xcc);
  }
  hip_Memcpy2D back = {};
  back.srcMemoryType = hipMemoryTypeDevice;
  back.srcDevice = d.get();
  back.srcPitch = 19;
  back.srcXInBytes = 3;
  back.dstMemoryType = hipMemoryTypeHost;
  back.dstHost = out.data.data();
  back.dstPitch = out.pitch;
  back.WidthInBytes = 13;
  back.Height = 5;
  HIP(hipDrvMemcpy2DUnaligned(&back));
  EXPECT(sameRows(in, out));
  EXPECT(paddingUntouched(out));
  check::result(there);
  back.srcPitch = 12;  // less than a row
  HIP_FAILS(hipDrvMemcpy2DUnaligned(&back));
  HIP_ERR(hipDrvMemcpy2DUnaligned(nullptr), hipErrorInvalidValue);
}

TEST(driver_3d) {  // HIP_MEMCPY3D: the parameter block whose layout changed in HIP 6
  const hipExtent e = make_hipExtent(16, 5, 4);
  auto in = box(e, 5);
  std::vector<unsigned char> out(in.size());
  Buffer<unsigned char> d(32 * 5 * 4);
  HIP_MEMCPY3D up = {};
  up.srcMemoryType = hipMemoryTypeHost;
  up.srcHost = in.data();
  up.srcPitch = 16;
  up.srcHeight = 5;
  up.dstMemoryType = hipMemoryTypeDevice;
  up.dstDevice = d.get();
  up.dstPitch = 32;
  up.dstHeight = 5;
  up.dstXInBytes = 8;
  up.WidthInBytes = 16;
  up.Height = 5;
  up.Depth = 4;
  HIP(hipDrvMemcpy3D(&up));
  HIP_MEMCPY3D down = {};
  down.srcMemoryType = hipMemoryTypeDevice;
  down.srcDevice = d.get();
  down.srcPitch = 32;
  down.srcHeight = 5;
  down.srcXInBytes = 8;
  down.dstMemoryType = hipMemoryTypeHost;
  down.dstHost = out.data();
  down.dstPitch = 16;
  down.dstHeight = 5;
  down.WidthInBytes = 16;
  down.Height = 5;
  down.Depth = 4;
  Stream s;
  HIP(hipDrvMemcpy3DAsync(&down, s));
  HIP(hipStreamSynchronize(s));
  EXPECT_VEC(out, in);
  check::result(out);
}

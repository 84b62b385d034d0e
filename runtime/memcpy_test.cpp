// Every copy call folds into the right Copy, and every misuse gives HIP's error.
#include <cstring>

#include "runtime/async_error.h"
#include "runtime/fake_core.h"
#include "runtime/thread_state.h"

namespace hipr {
namespace {

using testing::fake;

class Memcpy : public testing::RuntimeTest {
 protected:
  void SetUp() override {
    ASSERT_EQ(api::hipMalloc(&a, kSize), hipSuccess);
    ASSERT_EQ(api::hipMalloc(&b, kSize), hipSuccess);
    ASSERT_EQ(api::hipHostMalloc(&pinned, kSize, 0), hipSuccess);
    ASSERT_EQ(api::hipMallocManaged(&managed, kSize, hipMemAttachGlobal), hipSuccess);
    ASSERT_EQ(api::hipStreamCreate(&stream), hipSuccess);
  }
  void TearDown() override {
    for (void* p : {a, b, managed}) EXPECT_EQ(api::hipFree(p), hipSuccess);
    EXPECT_EQ(api::hipHostFree(pinned), hipSuccess);
    EXPECT_EQ(fake().live, 0);
  }
  static const Copy& last() { return fake().copies.back(); }
  static Stage until() { return fake().stages.back(); }

  static constexpr std::size_t kSize = 4096;
  void *a = nullptr, *b = nullptr, *pinned = nullptr, *managed = nullptr;
  char host[kSize] = {};
  hipStream_t stream = nullptr;
};

TEST_F(Memcpy, KindsOfMemoryDecide) {
  struct {
    void *to, *from;
    MemoryKind toKind, fromKind;
    Stage until, asyncUntil;
  } cases[] = {
      {a, host, MemoryKind::kDevice, MemoryKind::kPageable, Stage::kVisible, Stage::kSent},
      {host, a, MemoryKind::kPageable, MemoryKind::kDevice, Stage::kVisible, Stage::kVisible},
      {a, b, MemoryKind::kDevice, MemoryKind::kDevice, Stage::kDone, Stage::kSent},
      {a, pinned, MemoryKind::kDevice, MemoryKind::kHost, Stage::kVisible, Stage::kSent},
      {pinned, a, MemoryKind::kHost, MemoryKind::kDevice, Stage::kVisible, Stage::kSent},
      {pinned, static_cast<char*>(pinned) + 200, MemoryKind::kHost, MemoryKind::kHost, Stage::kVisible,
       Stage::kVisible},
      {managed, a, MemoryKind::kManaged, MemoryKind::kDevice, Stage::kVisible, Stage::kSent},
      {managed, host, MemoryKind::kManaged, MemoryKind::kPageable, Stage::kVisible, Stage::kVisible},
  };
  for (const auto& c : cases) {
    ASSERT_EQ(api::hipMemcpy(c.to, c.from, 100, hipMemcpyDefault), hipSuccess);
    EXPECT_EQ(last().to.kind, c.toKind);
    EXPECT_EQ(last().from.kind, c.fromKind);
    EXPECT_EQ(until(), c.until);
    EXPECT_EQ(last().width, 100u);
    EXPECT_EQ(last().height * last().depth, 1u);
    ASSERT_EQ(api::hipMemcpyAsync(c.to, c.from, 100, hipMemcpyDefault, stream), hipSuccess);
    EXPECT_EQ(until(), c.asyncUntil);
  }
}

TEST_F(Memcpy, MemoryThatAsksForWaitsIsWaitedFor) {
  const int yes = 1;
  ASSERT_EQ(api::hipPointerSetAttribute(&yes, HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS, a), hipSuccess);
  ASSERT_EQ(api::hipMemcpy(b, a, 100, hipMemcpyDeviceToDevice), hipSuccess);
  EXPECT_EQ(until(), Stage::kVisible);
  ASSERT_EQ(api::hipMemcpyAsync(b, a, 100, hipMemcpyDeviceToDevice, stream), hipSuccess);
  EXPECT_EQ(until(), Stage::kVisible);
}

TEST_F(Memcpy, DriverFormsAreTheSame) {
  host[5] = 42;
  ASSERT_EQ(api::hipMemcpyHtoD(a, host, 16), hipSuccess);
  ASSERT_EQ(api::hipMemcpyDtoD(b, a, 16), hipSuccess);
  EXPECT_EQ(until(), Stage::kDone);
  host[5] = 0;
  ASSERT_EQ(api::hipMemcpyDtoH(host, b, 16), hipSuccess);
  EXPECT_EQ(host[5], 42);
  const auto before = fake().copies.size();
  ASSERT_EQ(api::hipMemcpyHtoDAsync(a, host, 16, stream), hipSuccess);
  ASSERT_EQ(api::hipMemcpyDtoDAsync(b, a, 16, stream), hipSuccess);
  ASSERT_EQ(api::hipMemcpyDtoHAsync(host, b, 16, stream), hipSuccess);
  ASSERT_EQ(api::hipMemcpyWithStream(host, b, 16, hipMemcpyDeviceToHost, stream), hipSuccess);
  EXPECT_EQ(until(), Stage::kVisible);
  ASSERT_EQ(api::hipMemcpyPeer(b, 1, a, 0, 16), hipSuccess);
  EXPECT_EQ(until(), Stage::kDone);
  ASSERT_EQ(api::hipMemcpyPeerAsync(b, 1, a, 0, 16, stream), hipSuccess);
  EXPECT_EQ(fake().copies.size(), before + 6);
  EXPECT_EQ(api::hipMemcpyPeer(b, 7, a, 0, 16), hipErrorInvalidDevice);
}

TEST_F(Memcpy, PageableToPageableIsOurs) {
  char other[8] = "abc";
  ASSERT_EQ(api::hipMemcpy(host, other, 4, hipMemcpyHostToHost), hipSuccess);
  EXPECT_STREQ(host, "abc");
  EXPECT_TRUE(fake().copies.empty());
  EXPECT_EQ(fake().count("streamSynchronize"), 1);
}

TEST_F(Memcpy, Misuse) {
  EXPECT_EQ(api::hipMemcpy(nullptr, host, 0, hipMemcpyDefault), hipSuccess);
  EXPECT_EQ(api::hipMemcpy(nullptr, host, 4, hipMemcpyDefault), hipErrorInvalidValue);
  EXPECT_EQ(api::hipMemcpy(a, nullptr, 4, hipMemcpyDefault), hipErrorInvalidValue);
  EXPECT_EQ(api::hipMemcpy(a, host, 4, static_cast<hipMemcpyKind>(9)), hipErrorInvalidMemcpyDirection);
  EXPECT_EQ(api::hipMemcpy(a, host, 4, static_cast<hipMemcpyKind>(-1)), hipErrorInvalidMemcpyDirection);
  EXPECT_EQ(api::hipMemcpy(a, b, kSize + 1, hipMemcpyDefault), hipErrorInvalidValue);
  EXPECT_EQ(api::hipMemcpy(static_cast<char*>(a) + 1, b, kSize, hipMemcpyDefault), hipErrorInvalidValue);
  EXPECT_EQ(api::hipMemcpyAsync(a, host, 4, hipMemcpyDefault, reinterpret_cast<hipStream_t>(0x1234)),
            hipErrorContextIsDestroyed);
  EXPECT_TRUE(fake().copies.empty());
}

TEST_F(Memcpy, TwoDimensions) {
  ASSERT_EQ(api::hipMemcpy2D(a, 64, host, 32, 16, 4, hipMemcpyHostToDevice), hipSuccess);
  EXPECT_EQ(last().to.pitch, 64u);
  EXPECT_EQ(last().from.pitch, 32u);
  EXPECT_EQ(last().width, 16u);
  EXPECT_EQ(last().height, 4u);
  EXPECT_EQ(last().depth, 1u);
  EXPECT_EQ(api::hipMemcpy2D(a, 8, host, 32, 16, 4, hipMemcpyHostToDevice), hipErrorInvalidPitchValue);
  EXPECT_EQ(api::hipMemcpy2D(a, 64, host, 8, 16, 4, hipMemcpyHostToDevice), hipErrorInvalidPitchValue);
  EXPECT_EQ(api::hipMemcpy2D(a, 64, host, 32, 0, 4, hipMemcpyHostToDevice), hipSuccess);
  EXPECT_EQ(api::hipMemcpy2D(a, 64, host, 32, 16, kSize / 64 + 1, hipMemcpyHostToDevice), hipErrorInvalidValue);
  EXPECT_EQ(api::hipMemcpy2D(a, ~std::size_t{0}, host, 32, 16, 3, hipMemcpyHostToDevice), hipErrorInvalidValue);
  // The last row need not be a whole pitch long.
  EXPECT_EQ(api::hipMemcpy2DAsync(static_cast<char*>(a) + 48, 64, pinned, 16, 16, kSize / 64, hipMemcpyDefault, stream),
            hipSuccess);
  EXPECT_EQ(until(), Stage::kSent);
  ASSERT_EQ(api::hipMemcpy2D(a, 64, b, 64, 16, 4, hipMemcpyDefault), hipSuccess);
  EXPECT_EQ(until(), Stage::kVisible) << "a copy of rows is waited for even inside device memory";
}

TEST_F(Memcpy, ThreeDimensions) {
  hipMemcpy3DParms p{};
  p.srcPtr = {host, 32, 32, 4};
  p.dstPtr = {a, 64, 64, 8};
  p.srcPos = {2, 1, 1};
  p.dstPos = {4, 2, 3};
  p.extent = {8, 2, 2};
  p.kind = hipMemcpyHostToDevice;
  host[1 * 128 + 1 * 32 + 2] = 99;
  ASSERT_EQ(api::hipMemcpy3D(&p), hipSuccess);
  EXPECT_EQ(last().to.address, static_cast<char*>(a) + 3 * 512 + 2 * 64 + 4);
  EXPECT_EQ(last().to.slice, 512u);
  EXPECT_EQ(last().from.slice, 128u);
  EXPECT_EQ(static_cast<char*>(a)[3 * 512 + 2 * 64 + 4], 99);
  p.extent = {8, 2, 0};
  EXPECT_EQ(api::hipMemcpy3DAsync(&p, stream), hipSuccess);
  p.extent = {31, 2, 2};
  EXPECT_EQ(api::hipMemcpy3D(&p), hipErrorInvalidValue) << "sticks out of a row";
  p.extent = {8, 4, 2};
  EXPECT_EQ(api::hipMemcpy3D(&p), hipErrorInvalidValue) << "sticks out of a slice";
  EXPECT_EQ(api::hipMemcpy3D(nullptr), hipErrorInvalidValue);
  p.srcPtr = {};
  p.srcArray = reinterpret_cast<hipArray_t>(1);
  EXPECT_EQ(api::hipMemcpy3D(&p), hipErrorNotSupported);
}

// Slices of device memory are waited for only where the program has not said what they are.
TEST_F(Memcpy, SlicesOnTheDevice) {
  hipMemcpy3DParms box{};
  box.dstPtr = {a, 64, 64, 4};
  box.srcPtr = {b, 64, 64, 4};
  box.extent = {64, 4, 2};
  box.kind = hipMemcpyDeviceToDevice;
  ASSERT_EQ(api::hipMemcpy3D(&box), hipSuccess);
  EXPECT_EQ(until(), Stage::kDone);
  box.kind = hipMemcpyDefault;
  ASSERT_EQ(api::hipMemcpy3D(&box), hipSuccess);
  EXPECT_EQ(until(), Stage::kVisible);
}

TEST_F(Memcpy, DriverDescriptions) {
  hip_Memcpy2D c{};
  c.srcMemoryType = hipMemoryTypeHost;
  c.srcHost = host;
  c.srcPitch = 32;
  c.srcXInBytes = 4;
  c.srcY = 1;
  c.dstMemoryType = hipMemoryTypeDevice;
  c.dstDevice = a;
  c.dstPitch = 64;
  c.WidthInBytes = 16;
  c.Height = 3;
  ASSERT_EQ(api::hipMemcpyParam2D(&c), hipSuccess);
  EXPECT_EQ(last().from.address, host + 36);
  EXPECT_EQ(last().height, 3u);
  ASSERT_EQ(api::hipDrvMemcpy2DUnaligned(&c), hipSuccess);
  ASSERT_EQ(api::hipMemcpyParam2DAsync(&c, stream), hipSuccess);
  c.srcMemoryType = hipMemoryTypeArray;
  EXPECT_EQ(api::hipMemcpyParam2D(&c), hipErrorInvalidValue);
  c.srcArray = reinterpret_cast<hipArray_t>(&c);
  EXPECT_EQ(api::hipMemcpyParam2D(&c), hipErrorNotSupported);
  EXPECT_EQ(api::hipMemcpyParam2D(nullptr), hipErrorInvalidValue);

  HIP_MEMCPY3D d{};
  d.srcMemoryType = hipMemoryTypeDevice;
  d.srcDevice = a;
  d.srcPitch = 16;
  d.srcHeight = 4;
  d.dstMemoryType = hipMemoryTypeUnified;
  d.dstDevice = b;
  d.WidthInBytes = 16;
  d.Height = 2;
  d.Depth = 3;
  ASSERT_EQ(api::hipDrvMemcpy3D(&d), hipSuccess);
  EXPECT_EQ(last().from.slice, 64u);
  EXPECT_EQ(last().to.pitch, 16u) << "0 is tightly packed";
  EXPECT_EQ(last().to.slice, 32u);
  ASSERT_EQ(api::hipDrvMemcpy3DAsync(&d, stream), hipSuccess);
}

TEST_F(Memcpy, RegisteredMemoryGoesByItsHostAddress) {
  alignas(64) static char own[256];
  ASSERT_EQ(api::hipHostRegister(own, sizeof(own), hipHostRegisterDefault), hipSuccess);
  void* device = nullptr;
  ASSERT_EQ(api::hipHostGetDevicePointer(&device, own + 8, 0), hipSuccess);
  ASSERT_NE(device, own + 8);
  ASSERT_EQ(api::hipMemcpy(device, a, 16, hipMemcpyDeviceToDevice), hipSuccess);
  EXPECT_EQ(last().to.address, own + 8);
  EXPECT_EQ(last().to.kind, MemoryKind::kRegistered);
  ASSERT_EQ(api::hipMemset(device, 7, 16), hipSuccess);
  EXPECT_EQ(fake().fills.back().address, own + 8);
  EXPECT_EQ(api::hipMemcpy(own + 250, a, 7, hipMemcpyDefault), hipErrorInvalidValue);
  EXPECT_EQ(api::hipHostUnregister(own), hipSuccess);
  EXPECT_EQ(api::hipHostUnregister(own), hipErrorHostMemoryNotRegistered);
}

TEST_F(Memcpy, PerThreadDefaultUsesTheThreadsStream) {
  ASSERT_EQ(api::hipMemcpy(a, host, 4, hipMemcpyDefault), hipSuccess);
  const std::uint64_t nullId = fake().streamsOfWork.back();
  {
    const PerThreadDefault scope;
    ASSERT_EQ(api::hipMemcpy(a, host, 4, hipMemcpyDefault), hipSuccess);
  }
  const std::uint64_t mine = fake().streamsOfWork.back();
  EXPECT_NE(mine, nullId);
  ASSERT_EQ(api::hipMemcpyAsync(a, host, 4, hipMemcpyDefault, hipStreamPerThread), hipSuccess);
  EXPECT_EQ(fake().streamsOfWork.back(), mine);
  ASSERT_EQ(api::hipMemcpyAsync(a, host, 4, hipMemcpyDefault, hipStreamLegacy), hipSuccess);
  EXPECT_EQ(fake().streamsOfWork.back(), nullId);
}

TEST_F(Memcpy, AFaultIsReported) {
  raiseAsyncError(fake(), hipErrorIllegalAddress, "test");
  EXPECT_EQ(api::hipMemcpy(a, host, 4, hipMemcpyDefault), hipErrorIllegalAddress);
  fake().asyncError.clear();
  EXPECT_EQ(api::hipMemcpy(a, host, 4, hipMemcpyDefault), hipSuccess);
}

TEST_F(Memcpy, Fills) {
  ASSERT_EQ(api::hipMemset(a, 0x1ff, 10), hipSuccess);
  EXPECT_EQ(fake().fills.back().value, 0xffu);
  EXPECT_EQ(fake().fills.back().elementSize, 1u);
  EXPECT_EQ(until(), Stage::kDone) << "device memory is filled in stream order";
  ASSERT_EQ(api::hipMemset(pinned, 1, 10), hipSuccess);
  EXPECT_EQ(until(), Stage::kVisible) << "the host may look at its memory at once";
  ASSERT_EQ(api::hipMemsetD16Async(a, 0x1234, 3, stream), hipSuccess);
  EXPECT_EQ(until(), Stage::kSent);
  EXPECT_EQ(fake().fills.back().elementSize, 2u);
  EXPECT_EQ(fake().fills.back().width, 3u);
  ASSERT_EQ(api::hipMemsetD32(a, -1, kSize / 4), hipSuccess);
  EXPECT_EQ(fake().fills.back().value, 0xffffffffu);
  ASSERT_EQ(api::hipMemset2D(a, 64, 3, 16, 4), hipSuccess);
  EXPECT_EQ(fake().fills.back().pitch, 64u);
  EXPECT_EQ(fake().fills.back().height, 4u);
  ASSERT_EQ(api::hipMemset3D({a, 64, 64, 8}, 3, {16, 4, 2}), hipSuccess);
  EXPECT_EQ(fake().fills.back().slice, 512u);
  EXPECT_EQ(fake().fills.back().depth, 2u);
  ASSERT_EQ(api::hipMemsetD2D32(a, 64, 5, 16, 2), hipSuccess);
  EXPECT_EQ(fake().fills.back().width, 4u);

  EXPECT_EQ(api::hipMemset(nullptr, 0, 4), hipErrorInvalidValue);
  EXPECT_EQ(api::hipMemset(nullptr, 0, 0), hipSuccess);
  EXPECT_EQ(api::hipMemset(host, 0, 4), hipErrorInvalidValue) << "pageable memory";
  EXPECT_EQ(api::hipMemset(a, 0, kSize + 1), hipErrorInvalidValue);
  EXPECT_EQ(api::hipMemsetD32(static_cast<char*>(a) + 2, 0, 1), hipErrorInvalidValue) << "misaligned";
  EXPECT_EQ(api::hipMemset2D(a, 8, 0, 16, 2), hipErrorInvalidValue);
  EXPECT_EQ(api::hipMemset3D({a, 64, 64, 2}, 0, {16, 4, 2}), hipErrorInvalidValue);
}

}  // namespace
}  // namespace hipr

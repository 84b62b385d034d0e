// hipMemoryType has other numbers since HIP 6: in pointer attributes and in the parameter blocks of copies, whose 3D
// form also changed its layout.
#include "hip_abi.h"

struct Attributes {  // hipPointerAttribute_t
  int type, device;
  void *devicePointer, *hostPointer;
  int isManaged;
  unsigned flags;
  unsigned char behind[32];
};
static_assert(offsetof(Attributes, behind) == 32);

static Attributes of(const void* p) {
  Attributes a;
  std::memset(&a, 0x99, sizeof a);
  OK(hipPointerGetAttributes(&a, p));
  for (unsigned char b : a.behind) EXPECT_EQ(b, 0x99);
  return a;
}

TEST(pointer_attributes) {
  void *device = nullptr, *host = nullptr, *managed = nullptr;
  OK(hipMalloc(&device, 1000));
  OK(hipHostMalloc(&host, 1000, 0));
  OK(hipMallocManaged(&managed, 1000, 1));
  EXPECT_EQ(of(device).type, kDevice);
  EXPECT_EQ(of(device).devicePointer, device);
  EXPECT_EQ(of(host).type, kHost);
  EXPECT_EQ(of(host).hostPointer, host);
  EXPECT_EQ(of(managed).isManaged, 1);
  int type = -1;
  OK(hipPointerGetAttribute(&type, 2, device));  // HIP_POINTER_ATTRIBUTE_MEMORY_TYPE
  EXPECT_EQ(type, kDevice);
  OK(hipPointerGetAttribute(&type, 2, host));
  EXPECT_EQ(type, kHost);
  OK(hipPointerGetAttribute(&type, 2, managed));  // by this name it has only one
  EXPECT_EQ(type, kHost);
  EXPECT_EQ(of(managed).flags, 0u);
  OK(hipFree(device));
  OK(hipHostFree(host));
  OK(hipFree(managed));
}

TEST(null_pointer_attributes) {
  Attributes a;
  IS(hipPointerGetAttributes(&a, nullptr), ABI >= 7 ? kSuccess : kInvalidValue);
}

// Whether a handle of the memory can be given to other processes, and in which context it is: since HIP 7.
TEST(context_and_sharing) {
  enum : int { kContext = 1, kCanBeShared = 10, kNotSupported = 801 };
  void *device = nullptr, *host = nullptr, *managed = nullptr, *context = nullptr;
  OK(hipMalloc(&device, 1000));
  OK(hipHostMalloc(&host, 1000, 0));
  OK(hipMallocManaged(&managed, 1000, 1));
  int can = 7;
  for (void* memory : {device, host, managed}) {
    IS(hipPointerGetAttribute(&can, kCanBeShared, memory), ABI >= 7 ? kSuccess : kNotSupported);
    EXPECT_EQ(can, ABI < 7 ? 7 : memory == device ? 1 : 0);
    IS(hipPointerGetAttribute(&context, kContext, memory), ABI >= 7 ? kSuccess : kNotSupported);
    EXPECT_EQ(context != nullptr, ABI >= 7);
  }
  IS(hipPointerGetAttribute(&can, kCanBeShared, &can), ABI >= 7 ? kInvalidValue : kNotSupported);
  OK(hipFree(device));
  OK(hipHostFree(host));
  OK(hipFree(managed));
}

// What nobody knows has no attributes; before HIP 6 that is an error as well.
TEST(unknown_pointers) {
  Attributes a;
  std::memset(&a, 0x99, sizeof a);
  IS(hipPointerGetAttributes(&a, &a), ABI == 5 ? kInvalidValue : kSuccess);
  EXPECT_EQ(a.type, 0);
  EXPECT_EQ(a.device, ABI == 5 ? 0 : -2);
  EXPECT(a.devicePointer == nullptr && a.hostPointer == nullptr);
  EXPECT(a.isManaged == 0 && a.flags == 0);
}

#if ABI == 5
using Size = unsigned;  // HIP_MEMCPY3D of HIP 5: 128 bytes
#else
using Size = std::size_t;  // since HIP 6: 184 bytes
#endif
struct Copy3D {
  struct End {
    Size x, y, z, lod;
    int type;
    void *host, *device, *array;
    Size pitch, height;
  } from, to;
  Size width, height, depth;
};
static_assert(sizeof(Copy3D) == (ABI == 5 ? 128 : 184));

TEST(copy_3d) {
  std::vector<unsigned char> in(24 * 3 * 4), out(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<unsigned char>(i * 5);
  void* device = nullptr;
  OK(hipMalloc(&device, 64 * 3 * 4));
  Copy3D up = {};
  up.from = {0, 0, 0, 0, kHost, in.data(), nullptr, nullptr, 24, 3};
  up.to = {8, 0, 0, 0, kDevice, nullptr, device, nullptr, 64, 3};
  up.width = 24;
  up.height = 3;
  up.depth = 4;
  OK(hipDrvMemcpy3D(&up));
  Copy3D down = {};
  down.from = up.to;
  down.to = {0, 0, 0, 0, kHost, out.data(), nullptr, nullptr, 24, 3};
  down.width = 24;
  down.height = 3;
  down.depth = 4;
  OK(hipDrvMemcpy3D(&down));
  EXPECT_VEC(out, in);
  OK(hipFree(device));
  check::result(out);
}

struct Copy2D {  // hip_Memcpy2D: the same in all versions, but for the numbers of the types
  struct End {
    std::size_t x, y;
    int type;
    void *host, *device, *array;
    std::size_t pitch;
  } from, to;
  std::size_t width, height;
};

TEST(copy_2d) {
  std::vector<unsigned char> in(10 * 7), out(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<unsigned char>(i * 3 + 1);
  void* device = nullptr;
  OK(hipMalloc(&device, 32 * 7));
  Copy2D up = {};
  up.from = {0, 0, kHost, in.data(), nullptr, nullptr, 10};
  up.to = {2, 0, kDevice, nullptr, device, nullptr, 32};
  up.width = 10;
  up.height = 7;
  OK(hipMemcpyParam2D(&up));
  Copy2D down = {};
  down.from = up.to;
  down.to = {0, 0, kHost, out.data(), nullptr, nullptr, 10};
  down.width = 10;
  down.height = 7;
  OK(hipMemcpyParam2D(&down));
  EXPECT_VEC(out, in);
  OK(hipFree(device));
  check::result(out);
}

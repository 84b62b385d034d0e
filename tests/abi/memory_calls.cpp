// Memory by calls that HIP 7 added: pools of a place, boxes between devices, handles of ranges.
// ABIs: 7
#include <utility>

#include "objects.h"

struct Location {
  int type, id;
};
struct Box {  // hipMemcpy3DPeerParms
  void* fromArray;
  std::size_t fromPosition[3];
  void* from;
  std::size_t fromPitch, fromWidth, fromHeight;
  int fromDevice;
  void* toArray;
  std::size_t toPosition[3];
  void* to;
  std::size_t toPitch, toWidth, toHeight;
  int toDevice;
  std::size_t extent[3];
};
static_assert(sizeof(Box) == 168);

extern "C" {
int hipMemGetDefaultMemPool(void** pool, Location*, int type);
int hipMemGetMemPool(void** pool, Location*, int type);
int hipMemGetAccess(unsigned long long* access, const Location*, void*);
int hipMemSetMemPool(Location*, int type, void* pool);
int hipDeviceGetDefaultMemPool(void** pool, int device);
int hipDeviceGetMemPool(void** pool, int device);
int hipMemPoolCreate(void** pool, const void* properties);
int hipMemPoolDestroy(void* pool);
int hipMemPoolGetAttribute(void* pool, int attribute, void* value);
int hipMallocAsync(void**, std::size_t, void* stream);
int hipFreeAsync(void*, void* stream);
int hipMemcpy3DPeer(Box*);
int hipMemcpy3DPeerAsync(Box*, void* stream);
int hipMemGetHandleForAddressRange(void* handle, void* memory, std::size_t size, int type, unsigned long long flags);
}

enum : int { kNotSupported = 801, kPinned = 1, kManaged = 2, kOnDevice = 1, kOnHost = 2, kUsed = 7, kDmaBuffer = 1 };

TEST(pools_of_a_place) {
  Location here{kOnDevice, 0}, host{kOnHost, 0}, none{kOnDevice, 99};
  void *usual = nullptr, *told = nullptr, *now = nullptr, *mine = nullptr;
  OK(hipDeviceGetDefaultMemPool(&usual, 0));
  OK(hipMemGetDefaultMemPool(&told, &here, kPinned));
  EXPECT_EQ(told, usual);
  OK(hipMemGetMemPool(&now, &here, kPinned));
  EXPECT_EQ(now, usual);
  struct {
    int type = kPinned, handles = 0;
    Location place{kOnDevice, 0};
    void* security = nullptr;
    std::size_t most = 0;
    unsigned char reserved[56] = {};
  } properties;
  static_assert(sizeof properties == 88);
  OK(hipMemPoolCreate(&mine, &properties));
  OK(hipMemSetMemPool(&here, kPinned, mine));
  OK(hipMemGetMemPool(&now, &here, kPinned));
  EXPECT_EQ(now, mine);
  OK(hipDeviceGetMemPool(&now, 0));
  EXPECT_EQ(now, mine);
  OK(hipMemGetDefaultMemPool(&told, &here, kPinned));
  EXPECT_EQ(told, usual);  // which stays
  void* memory = nullptr;
  std::uint64_t used = 0;
  OK(hipMallocAsync(&memory, 5000, nullptr));
  OK(hipMemPoolGetAttribute(mine, kUsed, &used));
  EXPECT_EQ(used, std::uint64_t{5000});  // so it is the one that counts
  unsigned long long access = 0;
  OK(hipMemGetAccess(&access, &here, memory));
  EXPECT_EQ(access, 3ull);  // to read and to write
  OK(hipFreeAsync(memory, nullptr));
  OK(hipMemSetMemPool(&here, kPinned, usual));
  OK(hipMemPoolDestroy(mine));
  IS(hipMemGetDefaultMemPool(nullptr, &here, kPinned), kInvalidValue);
  IS(hipMemGetMemPool(&now, nullptr, kPinned), kInvalidValue);
  IS(hipMemSetMemPool(nullptr, kPinned, usual), kInvalidValue);
  IS(hipMemSetMemPool(&here, kPinned, nullptr), kInvalidValue);
  for (auto* get : {&hipMemGetDefaultMemPool, &hipMemGetMemPool}) {
    IS(get(&now, &here, kManaged), kInvalidValue);
    IS(get(&now, &host, kPinned), kInvalidValue);
    EXPECT(get(&now, &none, kPinned) != kSuccess);
  }
  EXPECT(hipMemSetMemPool(&none, kPinned, usual) != kSuccess);
}

TEST(boxes_between_devices) {
  int devices = 0;
  OK(hipGetDeviceCount(&devices));
  const int other = devices - 1;
  OK(hipSetDevice(other));
  Memory there;
  OK(hipSetDevice(0));
  Memory here;
  std::vector<std::uint32_t> in(32);
  for (std::uint32_t i = 0; i < 32; ++i) in[i] = i + 1;
  OK(hipMemcpy(here.at, in.data(), 128, 1));
  // Two layers of two rows of 8 bytes, from the second word of rows of 16 bytes on, to the second row of the other.
  Box box{};
  box.from = here.at, box.to = there.at;
  box.fromPosition[0] = 4, box.toPosition[1] = 1;
  box.fromPitch = box.toPitch = box.fromWidth = box.toWidth = 16;
  box.fromHeight = box.toHeight = 4;
  box.toDevice = other;
  box.extent[0] = 8, box.extent[1] = 2, box.extent[2] = 2;
  OK(hipMemcpy3DPeer(&box));
  std::vector<std::uint32_t> want(32);
  for (std::uint32_t layer : {0, 16})
    for (std::uint32_t row : {0, 4})
      for (std::uint32_t x : {0, 1}) want[layer + row + 4 + x] = in[layer + row + 1 + x];
  EXPECT_VEC(there.read(32), want);
  check::result(there.read(32));
  Stream stream;
  std::swap(box.from, box.to);  // and back, beside what is there
  std::swap(box.fromDevice, box.toDevice);
  box.fromPosition[0] = 0, box.fromPosition[1] = 1;
  box.toPosition[0] = 8, box.toPosition[1] = 2;
  OK(hipMemcpy3DPeerAsync(&box, stream.handle));
  OK(hipStreamSynchronize(stream.handle));
  want = in;
  for (std::uint32_t layer : {0, 16})
    for (std::uint32_t row : {0, 4})
      for (std::uint32_t x : {0, 1}) want[layer + row + 8 + 2 + x] = in[layer + row + 1 + x];
  EXPECT_VEC(here.read(32), want);
  IS(hipMemcpy3DPeer(nullptr), kInvalidValue);
  IS(hipMemcpy3DPeerAsync(nullptr, stream.handle), kInvalidValue);
  box.toDevice = devices;
  IS(hipMemcpy3DPeer(&box), kInvalidDevice);
  IS(hipMemcpy3DPeerAsync(&box, stream.handle), kInvalidDevice);
}

// A descriptor for other drivers of the same machine, which is of no use where the program runs.
TEST(handles_of_ranges) {
  Memory memory;
  int handle = -7;
  IS(hipMemGetHandleForAddressRange(&handle, memory.at, 4096, kDmaBuffer, 0), kNotSupported);
  IS(hipMemGetHandleForAddressRange(nullptr, memory.at, 4096, kDmaBuffer, 0), kInvalidValue);
  IS(hipMemGetHandleForAddressRange(&handle, nullptr, 4096, kDmaBuffer, 0), kInvalidValue);
  IS(hipMemGetHandleForAddressRange(&handle, memory.at, 0, kDmaBuffer, 0), kInvalidValue);
  IS(hipMemGetHandleForAddressRange(&handle, memory.at, 4096, 9, 0), kInvalidValue);
  IS(hipMemGetHandleForAddressRange(&handle, memory.at, 1 << 30, kDmaBuffer, 0), kInvalidValue);
  IS(hipMemGetHandleForAddressRange(&handle, &handle, 4, kDmaBuffer, 0), kInvalidValue);
  EXPECT_EQ(handle, -7);
}

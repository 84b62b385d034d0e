// Calls about arrays and textures that came after HIP 5.
// ABIs: 6 7
#include "hip_abi.h"

struct Extent {
  std::size_t width, height, depth;
};
struct Channels {
  int x, y, z, w, kind;
};

extern "C" {
int hipMemcpy2DArrayToArray(void* dst, std::size_t, std::size_t, const void* src, std::size_t, std::size_t, std::size_t,
                            std::size_t, int kind);
int hipMemcpyAtoA(void*, std::size_t, void*, std::size_t, std::size_t);
int hipMemcpyAtoD(void*, void*, std::size_t, std::size_t);
int hipMemcpyDtoA(void*, std::size_t, void*, std::size_t);
int hipMemcpyAtoHAsync(void*, void*, std::size_t, std::size_t, void*);
int hipMemcpyHtoAAsync(void*, std::size_t, const void*, std::size_t, void*);
int hipArrayGetInfo(void* desc, void* extent, unsigned* flags, void* array);
int hipArrayGetDescriptor(void* desc, void* array);
int hipArray3DGetDescriptor(void* desc, void* array);
int hipMalloc3DArray(void** array, const void* channels, Extent, unsigned flags);
int hipFreeArray(void* array);
int hipMemcpyHtoA(void*, std::size_t, const void*, std::size_t);
int hipMemcpyAtoH(void*, void*, std::size_t, std::size_t);
int hipCreateTextureObject(void**, const void* resource, const void* reading, const void* view);
int hipTexRefGetArray(void** array, const void* texture);
int hipTexRefGetBorderColor(float*, const void* texture);
int hipTexRefGetMipMappedArray(void** array, const void* texture);
#if ABI >= 7
int hipDeviceGetTexture1DLinearMaxWidth(std::size_t*, const void*, int device);
int hipMipmappedArrayGetMemoryRequirements(void*, void*, int device);
#endif
}

enum : int { kNotSupported = 801, kDirection = 21 };
static char out[256];
static char texture[88];  // textureReference, bound to nothing

// Sixteen numbers in two rows of an array.
struct Array {
  void* handle = nullptr;
  Array() {
    const Channels ints{32, 0, 0, 0, 0};
    OK(hipMalloc3DArray(&handle, &ints, {8, 2, 0}, 0));
  }
  ~Array() { IS(hipFreeArray(handle), kSuccess); }
};

TEST(lines) {
  Array array, other;
  int numbers[8], back[8] = {};
  for (int i = 0; i < 8; ++i) numbers[i] = 100 + i;
  void *memory = nullptr, *stream = nullptr;
  OK(hipMalloc(&memory, sizeof numbers));
  OK(hipStreamCreate(&stream));
  OK(hipMemcpyHtoAAsync(array.handle, 0, numbers, sizeof numbers, stream));
  OK(hipMemcpyAtoHAsync(back, array.handle, 8, 16, stream));
  OK(hipStreamSynchronize(stream));
  EXPECT_EQ(back[0], 102);
  EXPECT_EQ(back[3], 105);
  OK(hipMemcpyAtoA(other.handle, 16, array.handle, 0, 16));
  OK(hipMemcpyAtoD(memory, other.handle, 16, 16));
  OK(hipMemcpyDtoA(other.handle, 0, memory, 16));
  OK(hipMemcpyAtoH(back, other.handle, 0, sizeof back));
  EXPECT_EQ(back[0], 100);
  EXPECT_EQ(back[7], 103);
  OK(hipMemcpy2DArrayToArray(array.handle, 0, 1, other.handle, 0, 0, 32, 1, 3));
  IS(hipMemcpy2DArrayToArray(array.handle, 0, 1, other.handle, 0, 0, 32, 2, 3), kInvalidValue);
  IS(hipMemcpyAtoA(other.handle, 24, array.handle, 0, 16), kInvalidValue);
  IS(hipMemcpyAtoD(memory, array.handle, 0, 64), kInvalidValue);
  OK(hipStreamDestroy(stream));
  OK(hipFree(memory));
}

TEST(copies) {
  IS(hipMemcpy2DArrayToArray(nullptr, 0, 0, nullptr, 0, 0, 4, 4, 3), kInvalidHandle);
  IS(hipMemcpy2DArrayToArray(nullptr, 0, 0, nullptr, 0, 0, 4, 4, 9), kDirection);
  IS(hipMemcpyAtoA(nullptr, 0, nullptr, 0, 4), kInvalidValue);
  IS(hipMemcpyAtoD(nullptr, nullptr, 0, 4), kInvalidValue);
  IS(hipMemcpyDtoA(nullptr, 0, nullptr, 4), kInvalidValue);
  IS(hipMemcpyAtoHAsync(out, nullptr, 0, 4, nullptr), kInvalidValue);
  IS(hipMemcpyHtoAAsync(nullptr, 0, out, 4, nullptr), kInvalidValue);
}

TEST(descriptions) {
  void* const none = out;  // not an array
  IS(hipArrayGetInfo(out, nullptr, nullptr, nullptr), kInvalidHandle);
  IS(hipArrayGetInfo(out, nullptr, nullptr, none), kInvalidHandle);
  OK(hipArrayGetInfo(nullptr, nullptr, nullptr, none));  // nothing is asked
  IS(hipArrayGetDescriptor(nullptr, nullptr), kInvalidHandle);
  IS(hipArrayGetDescriptor(nullptr, none), kInvalidValue);
  IS(hipArray3DGetDescriptor(out, none), kInvalidHandle);
  Array array;
  Channels channels{};
  Extent extent{};
  unsigned flags = 9;
  OK(hipArrayGetInfo(&channels, &extent, &flags, array.handle));
  EXPECT_EQ(channels.x, 32);
  EXPECT_EQ(extent.width, std::size_t{8});
  EXPECT_EQ(extent.height, std::size_t{2});
  EXPECT_EQ(extent.depth, std::size_t{0});
  EXPECT_EQ(flags, 0u);
  struct {
    std::size_t width, height, depth;
    int format;
    unsigned channels, flags;
  } description{};
  OK(hipArray3DGetDescriptor(&description, array.handle));
  EXPECT_EQ(description.height, std::size_t{2});
  EXPECT_EQ(description.format, 0x0a);  // of 32 bits, with a sign
  OK(hipArrayGetDescriptor(&description, array.handle));
  int type = -1;
  OK(hipPointerGetAttribute(&type, 2, array.handle));
  EXPECT_EQ(type, 10);
}

// What HIP 7 calls a wrong description used to be an invalid value.
TEST(textures) {
  void* texture = nullptr;
  IS(hipCreateTextureObject(&texture, nullptr, nullptr, nullptr), ABI >= 7 ? 911 : kInvalidValue);
}

TEST(references) {
  void* array = nullptr;
  float color[4];
  IS(hipTexRefGetArray(&array, texture), kInvalidValue);  // bound to nothing
  IS(hipTexRefGetArray(nullptr, texture), kInvalidValue);
  OK(hipTexRefGetBorderColor(color, texture));
  IS(hipTexRefGetBorderColor(nullptr, texture), kInvalidValue);
  IS(hipTexRefGetMipMappedArray(&array, texture), kInvalidValue);
}

#if ABI >= 7
TEST(widths) {
  struct {
    int x, y, z, w, kind;
  } two = {32, 32, 0, 0, 2}, none = {};
  std::size_t width = 0;
  int linear = 0;
  OK(hipDeviceGetAttribute(&linear, 41, 0));
  OK(hipDeviceGetTexture1DLinearMaxWidth(&width, &two, 0));
  EXPECT_EQ(width, std::size_t(linear / 8));
  IS(hipDeviceGetTexture1DLinearMaxWidth(&width, &none, 0), kInvalidValue);
  IS(hipDeviceGetTexture1DLinearMaxWidth(&width, &two, 99), kInvalidDevice);
  IS(hipMipmappedArrayGetMemoryRequirements(nullptr, out, 0), kInvalidValue);
  IS(hipMipmappedArrayGetMemoryRequirements(out, out, 0), kNotSupported);
}
#endif

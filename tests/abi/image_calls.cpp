// Calls about arrays and textures that came after HIP 5, on a device without image instructions.
// ABIs: 6 7
#include "hip_abi.h"

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
}

TEST(references) {
  void* array = nullptr;
  float color[4];
  IS(hipTexRefGetArray(&array, texture), kInvalidValue);  // bound to nothing
  IS(hipTexRefGetArray(nullptr, texture), kInvalidValue);
  IS(hipTexRefGetBorderColor(color, texture), kNotSupported);
  IS(hipTexRefGetBorderColor(nullptr, texture), kInvalidValue);
  IS(hipTexRefGetMipMappedArray(&array, texture), kNotSupported);
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

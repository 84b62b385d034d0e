// Arrays, mipmaps, textures and surfaces on a device without image instructions: what each call checks first, and what
// it says then.
#include "support.h"

static hipArray* const kNoArray = reinterpret_cast<hipArray*>(0x1000);  // not null, and no array

static void skipWhereThereAreImages() {
  int images = 0;
  HIP(hipDeviceGetAttribute(&images, hipDeviceAttributeImageSupport, 0));
  if (images != 0) SKIP("this device has images");
}

static hipChannelFormatDesc floats(int channels = 1) {
  const auto bits = [&](int i) { return i < channels ? 32 : 0; };
  return {bits(0), bits(1), bits(2), bits(3), hipChannelFormatKindFloat};
}

TEST(channels) {
  const hipChannelFormatDesc made = hipCreateChannelDesc(8, 16, 32, 4, hipChannelFormatKindUnsigned);
  EXPECT_EQ(made.x, 8);
  EXPECT_EQ(made.y, 16);
  EXPECT_EQ(made.z, 32);
  EXPECT_EQ(made.w, 4);
  EXPECT_EQ(made.f, hipChannelFormatKindUnsigned);
  const hipChannelFormatDesc floats2 = hipCreateChannelDesc<float2>();
  EXPECT_EQ(floats2.y, 32);
  EXPECT_EQ(floats2.z, 0);
  EXPECT_EQ(floats2.f, hipChannelFormatKindFloat);
}

TEST(arrays) {
  skipWhereThereAreImages();
  hipArray* array = nullptr;
  auto one = floats();
  HIP_ERR(hipMallocArray(&array, &one, 16, 16, 0), hipErrorNotSupported);
  HIP_ERR(hipMallocArray(nullptr, &one, 16, 16, 0), hipErrorInvalidValue);
  HIP_ERR(hipMallocArray(&array, nullptr, 16, 16, 0), hipErrorInvalidValue);
  HIP_ERR(hipMallocArray(&array, &one, 16, 16, 0x100), hipErrorInvalidValue);
  HIP_ERR(hipMallocArray(&array, &one, 16, 0, hipArrayTextureGather), hipErrorInvalidValue);
  HIP_ERR(hipMalloc3DArray(&array, &one, {4, 4, 4}, 0), hipErrorNotSupported);
  HIP_ERR(hipMalloc3DArray(&array, &one, {4, 4, 4}, hipArrayTextureGather), hipErrorInvalidValue);
  auto three = floats(3), four = floats(4);
  HIP_ERR(hipMallocArray(&array, &three, 16, 16, 0), hipErrorInvalidValue);
  HIP_ERR(hipMallocArray(&array, &four, 16, 16, 0), hipErrorNotSupported);
  hipChannelFormatDesc uneven{32, 16, 0, 0, hipChannelFormatKindSigned}, gap{32, 0, 32, 0, hipChannelFormatKindSigned};
  HIP_ERR(hipMallocArray(&array, &uneven, 16, 16, 0), hipErrorInvalidValue);
  HIP_ERR(hipMallocArray(&array, &gap, 16, 16, 0), hipErrorInvalidValue);
  EXPECT_EQ(array, static_cast<hipArray*>(nullptr));
}

TEST(driver_arrays) {
  skipWhereThereAreImages();
  hipArray* array = nullptr;
  HIP_ARRAY_DESCRIPTOR flat{};
  flat.Width = flat.Height = 8;
  flat.Format = HIP_AD_FORMAT_FLOAT;
  flat.NumChannels = 1;
  HIP_ERR(hipArrayCreate(&array, &flat), hipErrorNotSupported);
  HIP_ERR(hipArrayCreate(nullptr, &flat), hipErrorInvalidValue);
  HIP_ERR(hipArrayCreate(&array, nullptr), hipErrorInvalidValue);
  flat.NumChannels = 3;
  HIP_ERR(hipArrayCreate(&array, &flat), hipErrorInvalidValue);
  HIP_ARRAY3D_DESCRIPTOR deep{};
  deep.Width = deep.Height = deep.Depth = 8;
  deep.Format = HIP_AD_FORMAT_HALF;
  deep.NumChannels = 4;
  HIP_ERR(hipArray3DCreate(&array, &deep), hipErrorNotSupported);
  HIP_ERR(hipArray3DCreate(&array, nullptr), hipErrorInvalidValue);
  deep.Flags = 0x80;
  HIP_ERR(hipArray3DCreate(&array, &deep), hipErrorInvalidValue);
}

TEST(arrays_that_do_not_exist) {
  HIP_ERR(hipFreeArray(nullptr), hipErrorInvalidValue);
  HIP_ERR(hipFreeArray(kNoArray), hipErrorContextIsDestroyed);
  HIP_ERR(hipArrayDestroy(nullptr), hipErrorInvalidValue);
  HIP_ERR(hipArrayDestroy(kNoArray), hipErrorContextIsDestroyed);
}

TEST(mipmaps) {
  skipWhereThereAreImages();
  hipMipmappedArray_t mipmap = nullptr;
  hipArray_t level = nullptr;
  auto one = floats();
  HIP_ARRAY3D_DESCRIPTOR deep{};
  HIP_ERR(hipMallocMipmappedArray(&mipmap, &one, {16, 16, 0}, 2, 0), hipErrorNotSupported);
  HIP_ERR(hipMallocMipmappedArray(nullptr, &one, {16, 16, 0}, 2, 0), hipErrorInvalidValue);
  HIP_ERR(hipMipmappedArrayCreate(&mipmap, &deep, 2), hipErrorNotSupported);
  HIP_ERR(hipMipmappedArrayCreate(nullptr, nullptr, 2), hipErrorNotSupported);  // the device comes first
  HIP_ERR(hipFreeMipmappedArray(nullptr), hipErrorInvalidValue);
  HIP_ERR(hipMipmappedArrayDestroy(nullptr), hipErrorInvalidValue);
  HIP_ERR(hipGetMipmappedArrayLevel(nullptr, nullptr, 0), hipErrorInvalidValue);
  HIP_ERR(hipGetMipmappedArrayLevel(&level, nullptr, 0), hipErrorInvalidHandle);
  HIP_ERR(hipMipmappedArrayGetLevel(&level, nullptr, 0), hipErrorInvalidHandle);
}

TEST(copies) {
  char host[64] = {};
  const auto wrongKind = static_cast<hipMemcpyKind>(7);
  const auto noStream = reinterpret_cast<hipStream_t>(0x1230);
  HIP_ERR(hipMemcpy2DToArray(nullptr, 0, 0, host, 8, 8, 2, hipMemcpyHostToDevice), hipErrorInvalidHandle);
  HIP_ERR(hipMemcpy2DToArray(nullptr, 0, 0, nullptr, 8, 8, 2, hipMemcpyHostToDevice), hipErrorInvalidValue);
  HIP_ERR(hipMemcpy2DToArray(nullptr, 0, 0, host, 4, 8, 2, hipMemcpyHostToDevice), hipErrorInvalidPitchValue);
  HIP_ERR(hipMemcpy2DToArray(nullptr, 0, 0, nullptr, 8, 8, 2, wrongKind), hipErrorInvalidMemcpyDirection);
  HIP_ERR(hipMemcpy2DToArrayAsync(nullptr, 0, 0, host, 8, 8, 2, hipMemcpyHostToDevice, nullptr), hipErrorInvalidHandle);
  HIP_ERR(hipMemcpy2DToArrayAsync(nullptr, 0, 0, host, 8, 8, 2, hipMemcpyHostToDevice, noStream), hipErrorInvalidValue);
  HIP_ERR(hipMemcpy2DFromArray(host, 8, nullptr, 0, 0, 8, 2, hipMemcpyDeviceToHost), hipErrorInvalidHandle);
  HIP_ERR(hipMemcpy2DFromArray(nullptr, 0, nullptr, 0, 0, 8, 2, hipMemcpyDeviceToHost), hipErrorInvalidHandle);
  HIP_ERR(hipMemcpy2DFromArray(host, 8, nullptr, 0, 0, 8, 2, wrongKind), hipErrorInvalidMemcpyDirection);
  HIP_ERR(hipMemcpy2DFromArrayAsync(host, 8, nullptr, 0, 0, 8, 2, hipMemcpyDeviceToHost, noStream),
          hipErrorInvalidValue);
  HIP_ERR(hipMemcpyToArray(nullptr, 0, 0, host, 8, hipMemcpyHostToDevice), hipErrorInvalidValue);
  HIP_ERR(hipMemcpyFromArray(host, nullptr, 0, 0, 8, hipMemcpyDeviceToHost), hipErrorInvalidValue);
  HIP_ERR(hipMemcpyHtoA(nullptr, 0, host, 8), hipErrorInvalidValue);
  HIP_ERR(hipMemcpyAtoH(host, nullptr, 0, 8), hipErrorInvalidValue);
}

TEST(texture_objects) {
  skipWhereThereAreImages();
  hipTextureObject_t texture = nullptr;
  hipResourceDesc resource{};
  hipTextureDesc description{};
  hipResourceViewDesc view{};
  HIP_ERR(hipCreateTextureObject(&texture, &resource, &description, nullptr), hipErrorNotSupported);
  HIP_ERR(hipCreateTextureObject(nullptr, nullptr, nullptr, nullptr), hipErrorNotSupported);  // the device comes first
  HIP(hipDestroyTextureObject(nullptr));
  const auto none = reinterpret_cast<hipTextureObject_t>(0x1000);
  HIP_ERR(hipDestroyTextureObject(none), hipErrorNotSupported);
  HIP_ERR(hipGetTextureObjectResourceDesc(&resource, none), hipErrorNotSupported);
  HIP_ERR(hipGetTextureObjectResourceDesc(&resource, nullptr), hipErrorInvalidValue);
  HIP_ERR(hipGetTextureObjectResourceViewDesc(&view, none), hipErrorNotSupported);
  HIP_ERR(hipGetTextureObjectResourceViewDesc(nullptr, none), hipErrorInvalidValue);
  HIP_ERR(hipGetTextureObjectTextureDesc(&description, none), hipErrorNotSupported);
  HIP_ERR(hipGetTextureObjectTextureDesc(nullptr, none), hipErrorInvalidValue);
}

TEST(driver_texture_objects) {
  skipWhereThereAreImages();
  hipTextureObject_t texture = nullptr;
  HIP_RESOURCE_DESC resource{};
  HIP_TEXTURE_DESC description{};
  HIP_RESOURCE_VIEW_DESC view{};
  HIP_ERR(hipTexObjectCreate(&texture, &resource, &description, nullptr), hipErrorNotSupported);
  HIP_ERR(hipTexObjectCreate(nullptr, &resource, &description, nullptr), hipErrorInvalidValue);  // the pointers first
  HIP(hipTexObjectDestroy(nullptr));
  const auto none = reinterpret_cast<hipTextureObject_t>(0x1000);
  HIP_ERR(hipTexObjectDestroy(none), hipErrorNotSupported);
  HIP_ERR(hipTexObjectGetResourceDesc(&resource, none), hipErrorNotSupported);
  HIP_ERR(hipTexObjectGetResourceDesc(nullptr, none), hipErrorInvalidValue);
  HIP_ERR(hipTexObjectGetResourceViewDesc(&view, none), hipErrorNotSupported);
  HIP_ERR(hipTexObjectGetTextureDesc(&description, none), hipErrorNotSupported);
  HIP_ERR(hipTexObjectGetTextureDesc(&description, nullptr), hipErrorInvalidValue);
}

TEST(surfaces) {
  skipWhereThereAreImages();
  hipSurfaceObject_t surface = nullptr;
  hipResourceDesc resource{};
  HIP_ERR(hipCreateSurfaceObject(&surface, &resource), hipErrorNotSupported);
  HIP_ERR(hipCreateSurfaceObject(nullptr, nullptr), hipErrorNotSupported);
  HIP(hipDestroySurfaceObject(nullptr));
  HIP_ERR(hipDestroySurfaceObject(reinterpret_cast<hipSurfaceObject_t>(0x1000)), hipErrorInvalidValue);
}

extern "C" void __hipRegisterTexture(void**, void*, char*, char*, int, int, int);
extern "C" void __hipRegisterSurface(void**, void*, char*, char*, int, int);
extern "C" void** __hipRegisterFatBinary(const void*);
extern "C" void __hipUnregisterFatBinary(void**);

TEST(binding) {
  skipWhereThereAreImages();
  static textureReference reference{}, stranger{};
  static int surface = 0;
  struct {
    std::uint32_t magic = 0x48495046, version = 1;
    const void* image = "never loaded";
    void* unused = nullptr;
  } static wrapper;
  void** code = __hipRegisterFatBinary(&wrapper);
  REQUIRE(code != nullptr);
  char name[] = "reference", surfaceName[] = "surface";
  __hipRegisterTexture(code, &reference, name, name, 0, 0, 0);
  __hipRegisterSurface(code, &surface, surfaceName, surfaceName, 0, 0);
  Buffer<float> memory(64);
  auto one = floats();
  size_t offset = 0;
  HIP_ERR(hipBindTexture(&offset, &reference, memory.get(), &one, 256), hipErrorNotSupported);
  HIP_ERR(hipBindTexture(&offset, &reference, nullptr, &one, 256), hipErrorInvalidValue);
  HIP_ERR(hipBindTexture(&offset, &stranger, nullptr, &one, 256), hipErrorInvalidSymbol);  // before the rest
  HIP_ERR(hipBindTexture(&offset, static_cast<textureReference*>(nullptr), memory.get(), &one, 256),
          hipErrorInvalidSymbol);
  HIP_ERR(hipBindTexture2D(&offset, &reference, memory.get(), &one, 8, 8, 32), hipErrorNotSupported);
  HIP_ERR(hipBindTexture2D(&offset, &reference, memory.get(), &one, 8, 8, 0), hipErrorInvalidValue);
  HIP_ERR(hipBindTexture2D(&offset, &stranger, memory.get(), &one, 8, 8, 0), hipErrorInvalidSymbol);
  HIP_ERR(hipBindTextureToArray(&reference, kNoArray, &one), hipErrorNotSupported);
  HIP_ERR(hipBindTextureToArray(&stranger, kNoArray, &one), hipErrorInvalidSymbol);
  HIP_ERR(hipBindTextureToArray(&stranger, nullptr, &one), hipErrorInvalidValue);  // the pointers first
  HIP_ERR(hipBindTextureToMipmappedArray(&stranger, nullptr, &one), hipErrorInvalidSymbol);
  HIP_ERR(hipBindTextureToMipmappedArray(&reference, nullptr, &one), hipErrorInvalidValue);
  HIP_ERR(hipUnbindTexture(&reference), hipErrorNotSupported);
  HIP_ERR(hipUnbindTexture(static_cast<textureReference*>(nullptr)), hipErrorInvalidValue);
  __hipUnregisterFatBinary(code);
  HIP_ERR(hipBindTexture(&offset, &reference, memory.get(), &one, 256), hipErrorInvalidSymbol);
}

TEST(references) {
  skipWhereThereAreImages();
  static textureReference reference{};
  textureReference* mine = &reference;
  textureReference* const none = nullptr;
  const textureReference* found = nullptr;
  size_t offset = 0;
  auto one = floats();
  HIP_ERR(hipGetTextureReference(&found, &reference), hipErrorNotSupported);
  HIP_ERR(hipGetTextureReference(nullptr, &reference), hipErrorInvalidValue);
  HIP_ERR(hipGetTextureAlignmentOffset(&offset, mine), hipErrorNotSupported);
  HIP_ERR(hipGetTextureAlignmentOffset(nullptr, mine), hipErrorInvalidValue);
  HIP_ERR(hipGetChannelDesc(&one, kNoArray), hipErrorNotSupported);
  HIP_ERR(hipGetChannelDesc(&one, nullptr), hipErrorInvalidHandle);
  HIP_ERR(hipGetChannelDesc(nullptr, nullptr), hipErrorInvalidValue);

  HIP_ERR(hipTexRefSetFormat(mine, HIP_AD_FORMAT_FLOAT, 1), hipErrorNotSupported);
  HIP_ERR(hipTexRefSetFormat(none, HIP_AD_FORMAT_FLOAT, 1), hipErrorInvalidValue);
  HIP_ERR(hipTexRefSetFlags(mine, 0), hipErrorNotSupported);
  HIP_ERR(hipTexRefSetFilterMode(mine, hipFilterModePoint), hipErrorNotSupported);
  HIP_ERR(hipTexRefSetAddressMode(mine, 2, hipAddressModeClamp), hipErrorNotSupported);
  HIP_ERR(hipTexRefSetAddressMode(mine, 3, hipAddressModeClamp), hipErrorInvalidValue);
  HIP_ERR(hipTexRefSetMaxAnisotropy(mine, 1), hipErrorNotSupported);
  HIP_ERR(hipTexRefSetMipmapFilterMode(mine, hipFilterModePoint), hipErrorNotSupported);
  HIP_ERR(hipTexRefSetMipmapLevelBias(mine, 0), hipErrorNotSupported);
  HIP_ERR(hipTexRefSetMipmapLevelClamp(mine, 0, 1), hipErrorNotSupported);
  float color[4] = {};
  HIP_ERR(hipTexRefSetBorderColor(mine, color), hipErrorNotSupported);
  HIP_ERR(hipTexRefSetBorderColor(mine, nullptr), hipErrorInvalidValue);
  HIP_ERR(hipTexRefSetAddress(&offset, mine, nullptr, 0), hipErrorNotFound);
  HIP_ERR(hipTexRefSetAddress(&offset, none, nullptr, 0), hipErrorInvalidValue);
  HIP_ARRAY_DESCRIPTOR flat{};
  HIP_ERR(hipTexRefSetAddress2D(mine, &flat, nullptr, 0), hipErrorNotFound);
  HIP_ERR(hipTexRefSetAddress2D(mine, nullptr, nullptr, 0), hipErrorInvalidValue);
  HIP_ERR(hipTexRefSetArray(mine, kNoArray, HIP_TRSA_OVERRIDE_FORMAT), hipErrorNotFound);
  HIP_ERR(hipTexRefSetArray(mine, kNoArray, 0), hipErrorInvalidValue);
  const auto noMipmap = reinterpret_cast<hipMipmappedArray*>(0x1000);
  HIP_ERR(hipTexRefSetMipmappedArray(mine, noMipmap, HIP_TRSA_OVERRIDE_FORMAT), hipErrorNotFound);
  HIP_ERR(hipTexRefSetMipmappedArray(mine, noMipmap, 0), hipErrorInvalidValue);

  hipDeviceptr_t address = nullptr;
  HIP_ERR(hipTexRefGetAddress(&address, mine), hipErrorInvalidValue);  // it is bound to nothing
  hipTextureAddressMode mode;
  HIP_ERR(hipTexRefGetAddressMode(&mode, mine, 0), hipErrorNotSupported);
  HIP_ERR(hipTexRefGetAddressMode(nullptr, mine, 0), hipErrorInvalidValue);
  hipTextureFilterMode filter;
  HIP_ERR(hipTexRefGetFilterMode(&filter, mine), hipErrorNotSupported);
  unsigned flags = 0;
  HIP_ERR(hipTexRefGetFlags(&flags, mine), hipErrorNotSupported);
  hipArray_Format format;
  int number = 0;
  HIP_ERR(hipTexRefGetFormat(&format, &number, mine), hipErrorNotSupported);
  HIP_ERR(hipTexRefGetFormat(&format, nullptr, mine), hipErrorInvalidValue);
  HIP_ERR(hipTexRefGetMaxAnisotropy(&number, mine), hipErrorNotSupported);
  HIP_ERR(hipTexRefGetMipmapFilterMode(&filter, mine), hipErrorNotSupported);
  float low = 0, high = 0;
  HIP_ERR(hipTexRefGetMipmapLevelBias(&low, mine), hipErrorNotSupported);
  HIP_ERR(hipTexRefGetMipmapLevelClamp(&low, &high, mine), hipErrorNotSupported);
  HIP_ERR(hipTexRefGetMipmapLevelClamp(&low, nullptr, mine), hipErrorInvalidValue);

  HIP_ERR(hipModuleGetTexRef(&mine, nullptr, "name"), hipErrorInvalidHandle);
  HIP_ERR(hipModuleGetTexRef(&mine, reinterpret_cast<hipModule_t>(0x1000), "name"), hipErrorNotSupported);
  HIP_ERR(hipModuleGetTexRef(&mine, nullptr, ""), hipErrorInvalidValue);
}

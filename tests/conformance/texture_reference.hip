// Texture references, on a device that has images: variables of the program and of modules that are bound to memory
// and arrays, and what the calls about their parts change.
#include "image_support.h"

texture<float, hipTextureType1D, hipReadModeElementType> lineReference;
texture<float, hipTextureType2D, hipReadModeElementType> planeReference;

__global__ void readLine(float* out, int n) {
  const int i = static_cast<int>(threadIdx.x);
  if (i < n) out[i] = tex1Dfetch(lineReference, i);
}
__global__ void readPlane(float* out, int width) {
  const int i = static_cast<int>(threadIdx.x);
  out[i] = tex2D(planeReference, i % width + 0.5f, i / width + 0.5f);
}

TEST(bound_to_memory) {
  onlyWithImages();
  std::vector<float> values(64);
  for (int i = 0; i < 64; ++i) values[i] = static_cast<float>(i) * 1.5f;
  const Buffer<float> memory(values), out(64);
  const auto channels = hipCreateChannelDesc<float>();
  std::size_t offset = 99;
  HIP(hipBindTexture(&offset, &lineReference, memory.get(), &channels, memory.bytes()));
  EXPECT_EQ(offset, std::size_t{0});
  hipLaunchKernelGGL(readLine, dim3(1), dim3(64), 0, nullptr, out.get(), 64);
  EXPECT_VEC(out.download(), values);
  hipDeviceptr_t address = nullptr;
  HIP(hipTexRefGetAddress(&address, &lineReference));
  EXPECT_EQ(address, static_cast<hipDeviceptr_t>(memory.get()));
  const Buffer<float> other(std::vector<float>(64, 7.f));  // bound anew, to something else
  HIP(hipBindTexture(nullptr, &lineReference, other.get(), &channels, other.bytes()));
  hipLaunchKernelGGL(readLine, dim3(1), dim3(64), 0, nullptr, out.get(), 64);
  EXPECT_EQ(out.download()[63], 7.f);
  HIP(hipUnbindTexture(&lineReference));
  EXPECT_EQ(lineReference.textureObject, static_cast<hipTextureObject_t>(nullptr));
  HIP_ERR(hipBindTexture(nullptr, &lineReference, other.get() + 1, &channels, 64), hipErrorInvalidValue);
  HIP_ERR(hipBindTexture(&offset, &lineReference, nullptr, &channels, 64), hipErrorInvalidValue);

  std::vector<float> rows(64 * 8, 0.f);
  for (int y = 0; y < 8; ++y)
    for (int x = 0; x < 8; ++x) rows[y * 64 + x] = static_cast<float>(10 * y + x);
  const Buffer<float> pitched(rows);
  HIP(hipBindTexture2D(&offset, &planeReference, pitched.get(), &channels, 8, 8, 256));
  hipLaunchKernelGGL(readPlane, dim3(1), dim3(64), 0, nullptr, out.get(), 8);
  EXPECT_EQ(out.download()[63], 77.f);
  HIP(hipUnbindTexture(&planeReference));
}

TEST(bound_to_arrays) {
  onlyWithImages();
  const DeviceArray array(hipCreateChannelDesc<float>(), {8, 8, 0});
  std::vector<float> values(64);
  for (int i = 0; i < 64; ++i) values[i] = static_cast<float>(i * i);
  upload(array, values, {8, 8, 1});
  const auto channels = hipCreateChannelDesc<float>();
  HIP(hipBindTextureToArray(&planeReference, array, &channels));
  const Buffer<float> out(64);
  hipLaunchKernelGGL(readPlane, dim3(1), dim3(64), 0, nullptr, out.get(), 8);
  EXPECT_VEC(out.download(), values);
  hipDeviceptr_t none = nullptr;
  HIP_ERR(hipTexRefGetAddress(&none, &planeReference), hipErrorInvalidValue);
  HIP(hipUnbindTexture(&planeReference));
  const textureReference* found = nullptr;
  HIP(hipGetTextureReference(&found, &planeReference));
  EXPECT_EQ(found, static_cast<const textureReference*>(&planeReference));
  std::size_t offset = 9;
  HIP(hipGetTextureAlignmentOffset(&offset, found));
  EXPECT_EQ(offset, std::size_t{0});
}

TEST(parts) {
  onlyWithImages();
  static textureReference reference{};
  textureReference* const r = &reference;
  HIP(hipTexRefSetFormat(r, HIP_AD_FORMAT_SIGNED_INT16, 2));
  hipArray_Format format;
  int number = 0;
  HIP(hipTexRefGetFormat(&format, &number, r));
  EXPECT_EQ(format, HIP_AD_FORMAT_SIGNED_INT16);
  EXPECT_EQ(number, 2);
  HIP(hipTexRefSetAddressMode(r, 1, hipAddressModeMirror));
  HIP_ERR(hipTexRefSetAddressMode(r, 3, hipAddressModeMirror), hipErrorInvalidValue);
  hipTextureAddressMode mode;
  HIP(hipTexRefGetAddressMode(&mode, r, 1));
  EXPECT_EQ(mode, hipAddressModeMirror);
  HIP_ERR(hipTexRefGetAddressMode(&mode, r, 2), hipErrorInvalidValue);
  HIP(hipTexRefSetFilterMode(r, hipFilterModeLinear));
  hipTextureFilterMode filter;
  HIP(hipTexRefGetFilterMode(&filter, r));
  EXPECT_EQ(filter, hipFilterModeLinear);
  HIP(hipTexRefSetFlags(r, HIP_TRSF_NORMALIZED_COORDINATES | HIP_TRSF_READ_AS_INTEGER));
  unsigned flags = 0;
  HIP(hipTexRefGetFlags(&flags, r));
  EXPECT_EQ(flags, static_cast<unsigned>(HIP_TRSF_NORMALIZED_COORDINATES | HIP_TRSF_READ_AS_INTEGER));
  HIP(hipTexRefSetMaxAnisotropy(r, 5));
  HIP(hipTexRefGetMaxAnisotropy(&number, r));
  EXPECT_EQ(number, 5);
  HIP(hipTexRefSetMipmapFilterMode(r, hipFilterModeLinear));
  HIP(hipTexRefSetMipmapLevelBias(r, 1.5f));
  HIP(hipTexRefSetMipmapLevelClamp(r, 1, 2));
  float low = 0, high = 0, color[4] = {};
  HIP_ERR(hipTexRefGetMipmapFilterMode(&filter, r), hipErrorInvalidValue);  // AMD's runtime, too
  HIP_ERR(hipTexRefGetMipmapLevelBias(&low, r), hipErrorInvalidValue);
  HIP_ERR(hipTexRefGetMipmapLevelClamp(&low, &high, r), hipErrorInvalidValue);
  EXPECT_EQ(high, 2.f);
  HIP(hipTexRefSetBorderColor(r, color));
}

// Textures and surfaces in kernels, on a device that has images: every dimension, how coordinates out of range are
// taken, how texels are read, and what writes through a surface leave. A plain model on the host says what is right.
#include <cmath>

#include "image_support.h"

namespace {

hipTextureObject_t make(const hipResourceDesc& resource, const hipTextureDesc& reading,
                        const hipResourceViewDesc* view = nullptr) {
  hipTextureObject_t texture = nullptr;
  HIP(hipCreateTextureObject(&texture, &resource, &reading, view));
  return texture;
}

hipResourceDesc ofArray(hipArray_t array) {
  hipResourceDesc out{};
  out.resType = hipResourceTypeArray;
  out.res.array.array = array;
  return out;
}

hipTextureDesc reading(hipTextureAddressMode mode, hipTextureFilterMode filter = hipFilterModePoint,
                       bool normalized = false) {
  hipTextureDesc out{};
  for (auto& each : out.addressMode) each = mode;
  out.filterMode = filter;
  out.readMode = hipReadModeElementType;
  out.normalizedCoords = normalized;
  return out;
}

// Which texel is meant by number `at` of `size`; -1: the border.
int wrapped(int at, int size, hipTextureAddressMode mode) {
  if (mode == hipAddressModeWrap) return ((at % size) + size) % size;
  if (mode == hipAddressModeMirror) {
    const int twice = ((at % (2 * size)) + 2 * size) % (2 * size);
    return twice < size ? twice : 2 * size - 1 - twice;
  }
  if (mode == hipAddressModeBorder) return at < 0 || at >= size ? -1 : at;
  return std::min(std::max(at, 0), size - 1);
}

// Weights have 8 bits in hardware.
float weight(float fraction) {
  return std::floor(fraction * 256 + 0.5f) / 256;
}

}  // namespace

__global__ void read1D(hipTextureObject_t texture, const float* at, float* out, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) out[i] = tex1D<float>(texture, at[i]);
}
__global__ void read2D(hipTextureObject_t texture, const float2* at, float* out, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) out[i] = tex2D<float>(texture, at[i].x, at[i].y);
}
__global__ void read3D(hipTextureObject_t texture, const float3* at, float* out, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) out[i] = tex3D<float>(texture, at[i].x, at[i].y, at[i].z);
}
__global__ void readLayers(hipTextureObject_t lines, hipTextureObject_t planes, float* out) {
  const int i = static_cast<int>(threadIdx.x), layer = static_cast<int>(blockIdx.x);
  out[layer * 64 + i] = tex1DLayered<float>(lines, i + 0.5f, layer);
  out[(4 + layer) * 64 + i] = tex2DLayered<float>(planes, i % 8 + 0.5f, i / 8 + 0.5f, layer);
}
template <class T>
__global__ void fetch(hipTextureObject_t texture, T* out, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) out[i] = tex1Dfetch<T>(texture, i);
}
template <class T>
__global__ void readTexels(hipTextureObject_t texture, T* out, int width, int height) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < width * height) out[i] = tex2D<T>(texture, i % width + 0.5f, i / width + 0.5f);
}
template <class T>
__global__ void invert(hipSurfaceObject_t from, hipSurfaceObject_t to, int width, int height) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x), y = static_cast<int>(blockIdx.y);
  if (x >= width) return;
  T value;
  surf2Dread(&value, from, x * static_cast<int>(sizeof(T)), y);
  surf2Dwrite(value, to, (width - 1 - x) * static_cast<int>(sizeof(T)), height - 1 - y);
}

TEST(lines) {
  onlyWithImages();
  constexpr int kSize = 13, kReads = 200;
  const DeviceArray array(hipCreateChannelDesc<float>(), {kSize, 0, 0});
  std::vector<float> texels(kSize), at(kReads), want(kReads);
  for (int i = 0; i < kSize; ++i) texels[i] = static_cast<float>(i * i) - 20.25f;
  upload(array, texels, {kSize, 1, 1});
  for (int i = 0; i < kReads; ++i) at[i] = (i - 60) * 0.23f;
  const Buffer<float> where(at), out(kReads);
  for (const auto mode : {hipAddressModeClamp, hipAddressModeBorder, hipAddressModeWrap, hipAddressModeMirror}) {
    for (const bool normalized : {false, true}) {
      const hipTextureObject_t texture = make(ofArray(array), reading(mode, hipFilterModePoint, normalized));
      hipLaunchKernelGGL(read1D, dim3(4), dim3(64), 0, nullptr, texture, where.get(), out.get(), kReads);
      const bool repeats = mode == hipAddressModeWrap || mode == hipAddressModeMirror;
      const auto taken = repeats && !normalized ? hipAddressModeClamp : mode;  // only normalized ones repeat
      for (int i = 0; i < kReads; ++i) {
        const int texel = wrapped(static_cast<int>(std::floor(normalized ? at[i] * kSize : at[i])), kSize, taken);
        want[i] = texel < 0 ? 0 : texels[texel];
      }
      const auto got = out.download();
      EXPECT_VEC(got, want);
      check::result(got);
      HIP(hipDestroyTextureObject(texture));
    }
  }
}

TEST(planes) {
  onlyWithImages();
  constexpr int kWidth = 17, kHeight = 9, kReads = 640;
  const DeviceArray array(hipCreateChannelDesc<float>(), {kWidth, kHeight, 0});
  std::vector<float> texels(kWidth * kHeight), want(kReads);
  for (std::size_t i = 0; i < texels.size(); ++i) texels[i] = static_cast<float>((i * 37) % 101);
  upload(array, texels, {kWidth, kHeight, 1});
  std::vector<float2> at(kReads);
  Random random(5);
  for (auto& each : at)
    each = {static_cast<float>(random.between(-8, kWidth + 8)), static_cast<float>(random.between(-8, kHeight + 8))};
  const Buffer<float2> where(at);
  const Buffer<float> out(kReads);
  for (const auto filter : {hipFilterModePoint, hipFilterModeLinear}) {
    for (const auto mode : {hipAddressModeClamp, hipAddressModeBorder}) {
      const hipTextureObject_t texture = make(ofArray(array), reading(mode, filter));
      hipLaunchKernelGGL(read2D, dim3(10), dim3(64), 0, nullptr, texture, where.get(), out.get(), kReads);
      const auto texel = [&](int x, int y) {
        const int column = wrapped(x, kWidth, mode), row = wrapped(y, kHeight, mode);
        return column < 0 || row < 0 ? 0.f : texels[row * kWidth + column];
      };
      const auto got = out.download();
      for (int i = 0; i < kReads; ++i) {
        if (filter == hipFilterModePoint) {
          EXPECT_EQ(got[i], texel(static_cast<int>(std::floor(at[i].x)), static_cast<int>(std::floor(at[i].y))));
          continue;
        }
        const float x = at[i].x - 0.5f, y = at[i].y - 0.5f;
        const int left = static_cast<int>(std::floor(x)), top = static_cast<int>(std::floor(y));
        const float right = weight(x - std::floor(x)), low = weight(y - std::floor(y));
        const float mixed = (1 - right) * (1 - low) * texel(left, top) + right * (1 - low) * texel(left + 1, top) +
                            (1 - right) * low * texel(left, top + 1) + right * low * texel(left + 1, top + 1);
        EXPECT_NEAR(got[i], mixed, 0.5);
      }
      check::result(got);
      HIP(hipDestroyTextureObject(texture));
    }
  }
}

TEST(blocks) {
  onlyWithImages();
  constexpr int kWidth = 7, kHeight = 6, kDepth = 5, kReads = 512;
  const DeviceArray array(hipCreateChannelDesc<float>(), {kWidth, kHeight, kDepth});
  std::vector<float> texels(kWidth * kHeight * kDepth), want(kReads);
  for (std::size_t i = 0; i < texels.size(); ++i) texels[i] = static_cast<float>(i);
  upload(array, texels, {kWidth, kHeight, kDepth});
  std::vector<float3> at(kReads);
  Random random(6);
  for (auto& each : at)
    each = {static_cast<float>(random.between(-3, kWidth + 3)), static_cast<float>(random.between(-3, kHeight + 3)),
            static_cast<float>(random.between(-3, kDepth + 3))};
  const Buffer<float3> where(at);
  const Buffer<float> out(kReads);
  const hipTextureObject_t texture = make(ofArray(array), reading(hipAddressModeClamp));
  hipLaunchKernelGGL(read3D, dim3(8), dim3(64), 0, nullptr, texture, where.get(), out.get(), kReads);
  const auto clamped = [](float place, int size) {
    return wrapped(static_cast<int>(std::floor(place)), size, hipAddressModeClamp);
  };
  for (int i = 0; i < kReads; ++i)
    want[i] = texels[(clamped(at[i].z, kDepth) * kHeight + clamped(at[i].y, kHeight)) * kWidth +
                     clamped(at[i].x, kWidth)];
  EXPECT_VEC(out.download(), want);
  HIP(hipDestroyTextureObject(texture));
  hipDeviceProp_t device;
  HIP(hipGetDeviceProperties(&device, 0));
  if (std::strncmp(device.gcnArchName, "gfx90a", 6) != 0) return;
  const auto linear = reading(hipAddressModeClamp, hipFilterModeLinear);
  const auto resource = ofArray(array);
  hipTextureObject_t none = nullptr;
  HIP_ERR(hipCreateTextureObject(&none, &resource, &linear, nullptr), hipErrorNotSupported);
}

TEST(layers) {
  onlyWithImages();
  const DeviceArray lines(hipCreateChannelDesc<float>(), {64, 0, 4}, hipArrayLayered),
      planes(hipCreateChannelDesc<float>(), {8, 8, 4}, hipArrayLayered);
  std::vector<float> flat(256), deep(256);
  for (int i = 0; i < 256; ++i) flat[i] = static_cast<float>(i), deep[i] = static_cast<float>(1000 + i);
  upload(lines, flat, {64, 1, 4});
  upload(planes, deep, {8, 8, 4});
  const hipTextureObject_t first = make(ofArray(lines), reading(hipAddressModeClamp)),
                           second = make(ofArray(planes), reading(hipAddressModeClamp));
  const Buffer<float> out(512);
  hipLaunchKernelGGL(readLayers, dim3(4), dim3(64), 0, nullptr, first, second, out.get());
  flat.insert(flat.end(), deep.begin(), deep.end());
  EXPECT_VEC(out.download(), flat);
  HIP(hipDestroyTextureObject(first));
  HIP(hipDestroyTextureObject(second));
}

namespace {

// The texels of an array come out of a kernel as they went in.
template <class T>
void readBack(std::uint64_t seed) {
  constexpr int kWidth = 19, kHeight = 5;
  const DeviceArray array(hipCreateChannelDesc<T>(), {kWidth, kHeight, 0});
  std::vector<T> texels(kWidth * kHeight);
  Random random(seed);
  auto* bytes = reinterpret_cast<unsigned char*>(texels.data());
  for (std::size_t i = 0; i < texels.size() * sizeof(T); ++i) bytes[i] = static_cast<unsigned char>(random.below(120));
  upload(array, texels, {kWidth, kHeight, 1});
  const hipTextureObject_t texture = make(ofArray(array), reading(hipAddressModeClamp));
  const Buffer<T> out(texels.size());
  hipLaunchKernelGGL(HIP_KERNEL_NAME(readTexels<T>), dim3(2), dim3(64), 0, nullptr, texture, out.get(), kWidth, kHeight);
  const auto got = out.download();
  EXPECT(std::memcmp(got.data(), texels.data(), texels.size() * sizeof(T)) == 0);
  HIP(hipDestroyTextureObject(texture));
}

template <class T>
void throughSurfaces(std::uint64_t seed) {
  constexpr int kWidth = 70, kHeight = 6;
  const DeviceArray from(hipCreateChannelDesc<T>(), {kWidth, kHeight, 0}, hipArraySurfaceLoadStore),
      to(hipCreateChannelDesc<T>(), {kWidth, kHeight, 0}, hipArraySurfaceLoadStore);
  std::vector<T> texels(kWidth * kHeight);
  Random random(seed);
  auto* bytes = reinterpret_cast<unsigned char*>(texels.data());
  for (std::size_t i = 0; i < texels.size() * sizeof(T); ++i) bytes[i] = static_cast<unsigned char>(random.below(120));
  upload(from, texels, {kWidth, kHeight, 1});
  const auto first = ofArray(from), second = ofArray(to);
  hipSurfaceObject_t source = nullptr, target = nullptr;
  HIP(hipCreateSurfaceObject(&source, &first));
  HIP(hipCreateSurfaceObject(&target, &second));
  hipLaunchKernelGGL(HIP_KERNEL_NAME(invert<T>), dim3(2, kHeight), dim3(64), 0, nullptr, source, target, kWidth, kHeight);
  auto got = download<T>(to, {kWidth, kHeight, 1});
  std::reverse(got.begin(), got.end());
  EXPECT(std::memcmp(got.data(), texels.data(), texels.size() * sizeof(T)) == 0);
  HIP(hipDestroySurfaceObject(source));
  HIP(hipDestroySurfaceObject(target));
}

}  // namespace

TEST(texels_of_every_kind) {
  onlyWithImages();
  readBack<char>(1);
  readBack<unsigned char>(2);
  readBack<short>(3);
  readBack<unsigned short>(4);
  readBack<int>(5);
  readBack<unsigned>(6);
  readBack<float>(7);
  readBack<char2>(8);
  readBack<uchar4>(9);
  readBack<short2>(10);
  readBack<ushort4>(11);
  readBack<int2>(12);
  readBack<uint4>(13);
  readBack<float2>(14);
  readBack<float4>(15);
}

// Of floats: the headers of HIP 5 read integers as if their bits were those of floats.
TEST(surfaces) {
  onlyWithImages();
  throughSurfaces<float>(24);
  throughSurfaces<float2>(25);
  throughSurfaces<float4>(27);
}

// Integers read as parts of the largest one, and as another kind of texel.
TEST(seen_as_something_else) {
  onlyWithImages();
  constexpr int kWidth = 16, kHeight = 4;
  const DeviceArray array(hipCreateChannelDesc<unsigned char>(), {kWidth, kHeight, 0});
  std::vector<unsigned char> texels(kWidth * kHeight);
  for (std::size_t i = 0; i < texels.size(); ++i) texels[i] = static_cast<unsigned char>(i * 4);
  upload(array, texels, {kWidth, kHeight, 1});
  hipTextureDesc parts = reading(hipAddressModeClamp);
  parts.readMode = hipReadModeNormalizedFloat;
  const hipTextureObject_t texture = make(ofArray(array), parts);
  const Buffer<float> out(kWidth * kHeight);
  hipLaunchKernelGGL(HIP_KERNEL_NAME(readTexels<float>), dim3(1), dim3(64), 0, nullptr, texture, out.get(), kWidth,
                     kHeight);
  const auto got = out.download();
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], texels[i] / 255.0, 1e-6);
  HIP(hipDestroyTextureObject(texture));

  const DeviceArray floats(hipCreateChannelDesc<float>(), {kWidth, kHeight, 0});
  std::vector<float> values(kWidth * kHeight, -2.5f);
  upload(floats, values, {kWidth, kHeight, 1});
  hipResourceViewDesc view{};
  view.format = hipResViewFormatUnsignedInt1;
  view.width = kWidth;
  view.height = kHeight;
  const hipTextureObject_t bits = make(ofArray(floats), reading(hipAddressModeClamp), &view);
  const Buffer<unsigned> raw(kWidth * kHeight);
  hipLaunchKernelGGL(HIP_KERNEL_NAME(readTexels<unsigned>), dim3(1), dim3(64), 0, nullptr, bits, raw.get(), kWidth,
                     kHeight);
  EXPECT_EQ(raw.download()[7], 0xc0200000u);
  hipResourceViewDesc told{};
  HIP(hipGetTextureObjectResourceViewDesc(&told, bits));
  EXPECT_EQ(told.format, hipResViewFormatUnsignedInt1);
  HIP(hipDestroyTextureObject(bits));
}

TEST(plain_memory) {
  onlyWithImages();
  constexpr int kWidth = 20, kHeight = 6;
  std::vector<float> line(300), rows(64 * kHeight, -1.f), want;
  for (std::size_t i = 0; i < line.size(); ++i) line[i] = static_cast<float>(i) / 3;
  const Buffer<float> memory(line), out(400);
  hipResourceDesc resource{};
  resource.resType = hipResourceTypeLinear;
  resource.res.linear.devPtr = memory.get();
  resource.res.linear.desc = hipCreateChannelDesc<float>();
  resource.res.linear.sizeInBytes = memory.bytes();
  const hipTextureObject_t texture = make(resource, reading(hipAddressModeClamp));
  hipLaunchKernelGGL(HIP_KERNEL_NAME(fetch<float>), dim3(5), dim3(64), 0, nullptr, texture, out.get(), 310);
  want = line;
  want.resize(310, 0.f);  // nothing lies past the end
  auto got = out.download();
  got.resize(310);
  EXPECT_VEC(got, want);
  HIP(hipDestroyTextureObject(texture));

  float* managed = nullptr;  // what the host writes there is seen as well
  HIP(hipMallocManaged(reinterpret_cast<void**>(&managed), 1024));
  std::fill(managed, managed + 256, 8.5f);
  resource.res.linear.devPtr = managed;
  resource.res.linear.sizeInBytes = 1024;
  const hipTextureObject_t shared = make(resource, reading(hipAddressModeClamp));
  hipLaunchKernelGGL(HIP_KERNEL_NAME(fetch<float>), dim3(5), dim3(64), 0, nullptr, shared, out.get(), 310);
  EXPECT_EQ(out.download()[255], 8.5f);
  EXPECT_EQ(out.download()[256], 0.f);
  HIP(hipDestroyTextureObject(shared));
  HIP(hipFree(managed));

  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x) rows[y * 64 + x] = static_cast<float>(y * 100 + x);
  const Buffer<float> pitched(rows);
  hipResourceDesc plane{};
  plane.resType = hipResourceTypePitch2D;
  plane.res.pitch2D.devPtr = pitched.get();
  plane.res.pitch2D.desc = hipCreateChannelDesc<float>();
  plane.res.pitch2D.width = kWidth;
  plane.res.pitch2D.height = kHeight;
  plane.res.pitch2D.pitchInBytes = 256;
  const hipTextureObject_t flat = make(plane, reading(hipAddressModeClamp));
  hipLaunchKernelGGL(HIP_KERNEL_NAME(readTexels<float>), dim3(2), dim3(64), 0, nullptr, flat, out.get(), kWidth,
                     kHeight);
  EXPECT_EQ(out.download()[kWidth * 3 + 7], 307.f);
  EXPECT_EQ(out.download()[kWidth * kHeight - 1], 519.f);
  hipResourceDesc told{};
  HIP(hipGetTextureObjectResourceDesc(&told, flat));
  EXPECT_EQ(told.res.pitch2D.devPtr, static_cast<void*>(pitched.get()));
  hipTextureDesc how{};
  HIP(hipGetTextureObjectTextureDesc(&how, flat));
  EXPECT_EQ(how.addressMode[0], hipAddressModeClamp);
  HIP(hipDestroyTextureObject(flat));
}

// Numbers that mean nothing where they do not count.
TEST(left_as_it_was_found) {
  onlyWithImages();
  const DeviceArray array(hipCreateChannelDesc<float>(), {8, 8, 0});
  upload(array, std::vector<float>(64, 2.5f), {8, 8, 1});
  hipTextureDesc how;
  std::memset(&how, 0x7b, sizeof how);
  how.addressMode[0] = how.addressMode[1] = hipAddressModeClamp;
  how.filterMode = hipFilterModePoint;
  how.readMode = hipReadModeElementType;
  how.sRGB = how.normalizedCoords = 0;
  how.maxAnisotropy = 0;
  how.mipmapLevelBias = 0;
  const hipTextureObject_t texture = make(ofArray(array), how);
  const Buffer<float> out(64);
  hipLaunchKernelGGL(HIP_KERNEL_NAME(readTexels<float>), dim3(1), dim3(64), 0, nullptr, texture, out.get(), 8, 8);
  EXPECT_EQ(out.download()[63], 2.5f);
  HIP(hipDestroyTextureObject(texture));
}

TEST(what_is_refused) {
  onlyWithImages();
  const DeviceArray array(hipCreateChannelDesc<float>(), {8, 8, 0}), gathered(hipCreateChannelDesc<float>(), {8, 8, 0},
                                                                               hipArrayTextureGather);
  hipTextureObject_t texture = nullptr;
  hipSurfaceObject_t surface = nullptr;
  auto resource = ofArray(array);
  auto how = reading(hipAddressModeClamp);
  how.maxAnisotropy = 2;
  HIP_ERR(hipCreateTextureObject(&texture, &resource, &how, nullptr), hipErrorNotSupported);
  how.maxAnisotropy = 0;
  HIP_ERR(hipCreateTextureObject(nullptr, &resource, &how, nullptr), hipErrorInvalidValue);
  HIP_ERR(hipCreateTextureObject(&texture, nullptr, &how, nullptr), hipErrorInvalidValue);
  HIP_ERR(hipCreateTextureObject(&texture, &resource, nullptr, nullptr), hipErrorInvalidValue);
  resource.res.array.array = nullptr;
  HIP_ERR(hipCreateTextureObject(&texture, &resource, &how, nullptr), hipErrorInvalidValue);
  HIP_ERR(hipCreateSurfaceObject(&surface, &resource), hipErrorInvalidValue);
  resource = ofArray(gathered);
  HIP_ERR(hipCreateSurfaceObject(&surface, &resource), hipErrorInvalidValue);  // not made for it
  resource = {};
  resource.resType = hipResourceTypeLinear;
  HIP_ERR(hipCreateTextureObject(&texture, &resource, &how, nullptr), hipErrorInvalidValue);
  const Buffer<float> memory(64);
  resource.res.linear.devPtr = memory.get();
  resource.res.linear.desc = hipCreateChannelDesc<float>();
  resource.res.linear.sizeInBytes = std::size_t{1} << 40;
  HIP_ERR(hipCreateTextureObject(&texture, &resource, &how, nullptr), hipErrorInvalidValue);
  resource.res.linear.sizeInBytes = 16;
  hipResourceViewDesc view{};
  HIP_ERR(hipCreateTextureObject(&texture, &resource, &how, &view), hipErrorInvalidValue);
  HIP(hipDestroyTextureObject(nullptr));
  HIP_ERR(hipDestroyTextureObject(reinterpret_cast<hipTextureObject_t>(0x1230)), hipErrorInvalidValue);
  HIP(hipDestroySurfaceObject(nullptr));
  HIP_ERR(hipDestroySurfaceObject(reinterpret_cast<hipSurfaceObject_t>(0x1230)), hipErrorInvalidValue);
}

TEST(as_the_driver_says) {
  onlyWithImages();
  const DeviceArray array(hipCreateChannelDesc<float>(), {8, 8, 0});
  upload(array, std::vector<float>(64, 4.5f), {8, 8, 1});
  HIP_RESOURCE_DESC resource{};
  resource.resType = HIP_RESOURCE_TYPE_ARRAY;
  resource.res.array.hArray = array;
  HIP_TEXTURE_DESC how{};
  for (auto& each : how.addressMode) each = HIP_TR_ADDRESS_MODE_CLAMP;
  how.flags = HIP_TRSF_READ_AS_INTEGER;
  hipTextureObject_t texture = nullptr;
  HIP(hipTexObjectCreate(&texture, &resource, &how, nullptr));
  const Buffer<float> out(64);
  hipLaunchKernelGGL(HIP_KERNEL_NAME(readTexels<float>), dim3(1), dim3(64), 0, nullptr, texture, out.get(), 8, 8);
  EXPECT_EQ(out.download()[63], 4.5f);
  HIP_RESOURCE_DESC told{};
  HIP(hipTexObjectGetResourceDesc(&told, texture));
  EXPECT_EQ(told.res.array.hArray, static_cast<hipArray_t>(array));
  HIP_TEXTURE_DESC back{};
  HIP(hipTexObjectGetTextureDesc(&back, texture));
  EXPECT_EQ(back.flags, static_cast<unsigned>(HIP_TRSF_READ_AS_INTEGER));
  HIP_RESOURCE_VIEW_DESC view{};
  HIP(hipTexObjectGetResourceViewDesc(&view, texture));
  EXPECT_EQ(view.format, HIP_RES_VIEW_FORMAT_NONE);
  HIP(hipTexObjectDestroy(texture));
  HIP_ERR(hipTexObjectDestroy(texture), hipErrorInvalidValue);
}

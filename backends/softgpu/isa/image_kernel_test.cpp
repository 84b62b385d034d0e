// Kernels compiled by clang with HIP's own texture and surface functions, on descriptors as a runtime makes them: what
// a program sees is what the CUDA manual says of the function.
#include <gtest/gtest.h>

#include "backends/softgpu/isa/test_image.h"
#include "backends/softgpu/isa/test_module.h"

namespace hipr::softgpu {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

constexpr const char* kSource = R"(
#define KERNELS(name, type)                                                                                     \
  extern "C" __global__ void tex1d_##name(hipTextureObject_t t, type* out, const float4* at) {                  \
    int i = threadIdx.x; out[i] = tex1D<type>(t, at[i].x); }                                                    \
  extern "C" __global__ void tex2d_##name(hipTextureObject_t t, type* out, const float4* at) {                  \
    int i = threadIdx.x; out[i] = tex2D<type>(t, at[i].x, at[i].y); }                                           \
  extern "C" __global__ void tex3d_##name(hipTextureObject_t t, type* out, const float4* at) {                  \
    int i = threadIdx.x; out[i] = tex3D<type>(t, at[i].x, at[i].y, at[i].z); }                                  \
  extern "C" __global__ void layered_##name(hipTextureObject_t t, type* out, const float4* at) {                \
    int i = threadIdx.x; out[i] = tex2DLayered<type>(t, at[i].x, at[i].y, (int)at[i].z); }                      \
  extern "C" __global__ void cube_##name(hipTextureObject_t t, type* out, const float4* at) {                   \
    int i = threadIdx.x; out[i] = texCubemap<type>(t, at[i].x, at[i].y, at[i].z); }                             \
  extern "C" __global__ void fetch_##name(hipTextureObject_t t, type* out, const float4* at) {                  \
    int i = threadIdx.x; out[i] = tex1Dfetch<type>(t, (int)at[i].x); }                                          \
  extern "C" __global__ void surface_##name(hipSurfaceObject_t s, type* out, const float4* at) {                \
    int i = threadIdx.x; type v; surf2Dread(&v, s, (int)at[i].x * (int)sizeof v, (int)at[i].y); out[i] = v; }   \
  extern "C" __global__ void write_##name(hipSurfaceObject_t s, const type* in, const float4* at) {             \
    int i = threadIdx.x; surf2Dwrite(in[i], s, (int)at[i].x * (int)sizeof(type), (int)at[i].y); }
KERNELS(float, float) KERNELS(int, int) KERNELS(uchar4, uchar4) KERNELS(short2, short2)
)";

struct Float4 {
  float x, y, z, w;
};

struct Kind {
  const char* name;
  unsigned data, number, bytes, channelType, channelOrder;
};
// As hsa_ext_image.h numbers types and orders, which surface functions look at.
constexpr Kind kKinds[] = {
    {"float", 4, 7, 4, 15, 1}, {"int", 4, 5, 4, 10, 1}, {"uchar4", 10, 4, 4, 11, 8}, {"short2", 5, 5, 4, 9, 3}};

// What a texture or surface object points at: the image's words, three for the program, and the sampler's.
struct Object {
  alignas(64) U32 words[20] = {};

  Object(const TestImage& image, const Kind& kind, const TestSampler& sampler, U64 base) {
    image.put(words, base);
    words[8] = kind.channelType, words[9] = kind.channelOrder, words[10] = image.width;
    sampler.put(words + 12);
  }
  Object(const Kind& kind, unsigned elements, U64 base) {  // linear memory: a buffer of `elements`
    words[0] = static_cast<U32>(base);
    words[1] = static_cast<U32>(base >> 32) | kind.bytes << 16;
    words[2] = elements;
    words[3] = 4 | 5 << 3 | 6 << 6 | 7 << 9 | kind.number << 12 | kind.data << 15;
  }
};

class ImageKernel : public testing::Test {
 protected:
  static TestModule& module() {
    static TestModule module(kSource, "-O2");
    return module;
  }
  void SetUp() override {
    if (!TestModule::haveCompiler()) GTEST_SKIP() << "clang++-19, the device libraries or HIP's headers are missing";
    ASSERT_TRUE(module().ok());
  }

  // Four bytes for each of 64 threads at `at`.
  std::string run(const std::string& kernel, const Kind& kind, const Object& object) {
    return module().launch(kernel + "_" + kind.name, {}, Arguments().add(&object).add(&values[0]).add(&at[0]));
  }

  U32 values[64] = {};
  alignas(16) Float4 at[64] = {};
};

// Different bytes in every texel; floats are small integers.
std::vector<U32> texelsOf(const TestImage& image, U32*& first) {
  std::vector<U32> memory(image.allBytes() / 4 + 128);
  first = memory.data() + (256 - reinterpret_cast<U64>(memory.data()) % 256) / 4;
  for (std::size_t k = 0; k < image.allBytes() / 4; ++k) {
    auto n = static_cast<U32>(k);
    first[k] = image.number == 7 ? std::bit_cast<U32>(static_cast<float>(n % 1000)) : n * 0x01030507u + 0x80ff017f;
  }
  return memory;
}

TEST_F(ImageKernel, PointTextures) {
  struct {
    const char* kernel;
    unsigned type, width, height, depth;
  } kShapes[] = {{"tex1d", TestImage::k1d, 37, 1, 1},
                 {"tex2d", TestImage::k2d, 13, 7, 1},
                 {"tex3d", TestImage::k3d, 11, 5, 6},
                 {"layered", TestImage::k2dArray, 9, 7, 5}};
  for (const Kind& kind : kKinds)
    for (const auto& shape : kShapes)
      for (bool normalized : {true, false}) {
        TestImage image;
        image.type = shape.type, image.width = shape.width, image.height = shape.height, image.depth = shape.depth;
        image.data = kind.data, image.number = kind.number, image.pitch = 64;
        U32* texels;
        std::vector<U32> memory = texelsOf(image, texels);
        for (int l = 0; l < 64; ++l) {
          auto n = static_cast<float>(l);
          at[l] = {n * 0.317f - 3, n * 0.211f - 2, image.layered() ? static_cast<float>(l % 5) : n * 0.13f - 1, 0};
          if (normalized) at[l].x /= static_cast<float>(image.width), at[l].y /= static_cast<float>(image.height);
          if (normalized && !image.layered()) at[l].z /= static_cast<float>(image.depth);
        }
        TestSampler sampler;  // clamps to the edge
        sampler.unnormalized = !normalized;
        Object object(image, kind, sampler, reinterpret_cast<U64>(texels));
        ASSERT_EQ(run(shape.kernel, kind, object), "");
        for (unsigned l = 0; l < 64; ++l) {
          auto texel = [&](float x, unsigned size) {
            float position = std::floor(normalized ? x * static_cast<float>(size) : x);
            return static_cast<unsigned>(std::min(std::max(position, 0.0f), static_cast<float>(size - 1)));
          };
          unsigned x = texel(at[l].x, image.width), y = image.axes() > 1 ? texel(at[l].y, image.height) : 0;
          unsigned z = image.layered() ? l % 5 : image.axes() == 3 ? texel(at[l].z, image.depth) : 0;
          ASSERT_EQ(values[l], texels[image.offset(x, y, z) / 4])
              << shape.kernel << " of " << kind.name << " at " << at[l].x << "," << at[l].y << "," << at[l].z;
        }
      }
}

TEST_F(ImageKernel, LinearTextures) {
  TestImage image;
  image.type = TestImage::k2d, image.width = 8, image.height = 8;
  U32* texels;
  std::vector<U32> memory = texelsOf(image, texels);
  for (unsigned l = 0; l < 64; ++l) {
    const unsigned x = l % 8, y = l / 8;
    at[l] = {static_cast<float>(x) + 0.75f, static_cast<float>(y) + 0.625f, 0, 0};
  }
  TestSampler sampler;
  sampler.linear = sampler.unnormalized = true;
  ASSERT_EQ(run("tex2d", kKinds[0], Object(image, kKinds[0], sampler, reinterpret_cast<U64>(texels))), "");
  for (unsigned l = 0; l < 64; ++l) {
    auto texel = [&](unsigned x, unsigned y) { return static_cast<float>(std::min(y, 7u) * 8 + std::min(x, 7u)); };
    unsigned x = l % 8, y = l / 8;
    float top = 0.75f * texel(x, y) + 0.25f * texel(x + 1, y);
    float bottom = 0.75f * texel(x, y + 1) + 0.25f * texel(x + 1, y + 1);
    ASSERT_EQ(std::bit_cast<float>(values[l]), 0.875f * top + 0.125f * bottom) << l;
  }
}

// The face, and where on it, by the table of OpenGL that all have in common. The device library divides by the major
// axis with its sign, which turns the faces of negative axes round; that is its doing.
TEST_F(ImageKernel, Cubemaps) {
  for (const Kind& kind : kKinds) {
    TestImage image;
    image.type = TestImage::kCube, image.width = image.height = 4, image.depth = 6;
    image.data = kind.data, image.number = kind.number;
    U32* texels;
    std::vector<U32> memory = texelsOf(image, texels);
    for (int l = 0; l < 64; ++l) {
      auto n = static_cast<float>(l);
      at[l] = {std::sin(n) * 2, std::cos(1.7f * n), std::sin(2.3f * n + 1), 0};
    }
    ASSERT_EQ(run("cube", kind, Object(image, kind, {}, reinterpret_cast<U64>(texels))), "");
    for (unsigned l = 0; l < 64; ++l) {
      float x = at[l].x, y = at[l].y, z = at[l].z, ax = std::fabs(x), ay = std::fabs(y), az = std::fabs(z);
      unsigned face;
      float s, t, major;
      if (az >= ax && az >= ay)
        face = z < 0 ? 5 : 4, s = z < 0 ? -x : x, t = -y, major = az;
      else if (ay >= ax)
        face = y < 0 ? 3 : 2, s = x, t = y < 0 ? -z : z, major = ay;
      else
        face = x < 0 ? 1 : 0, s = x < 0 ? z : -z, t = -y, major = ax;
      if (face % 2) s = -s, t = -t;
      auto texel = [&](float c) { return std::min(static_cast<unsigned>((c / major / 2 + 0.5f) * 4), 3u); };
      ASSERT_EQ(values[l], texels[image.offset(texel(s), texel(t), face) / 4]) << kind.name << " lane " << l;
    }
  }
}

TEST_F(ImageKernel, LinearMemory) {
  for (const Kind& kind : kKinds) {
    TestImage image;
    image.width = 50, image.data = kind.data, image.number = kind.number;
    U32* texels;
    std::vector<U32> memory = texelsOf(image, texels);
    for (int l = 0; l < 64; ++l) at[l].x = static_cast<float>(63 - l);
    ASSERT_EQ(run("fetch", kind, Object(kind, 50, reinterpret_cast<U64>(texels))), "");
    for (unsigned l = 0; l < 64; ++l) ASSERT_EQ(values[l], 63 - l < 50 ? texels[63 - l] : 0) << kind.name << l;
  }
}

// Of floats only: Debian's HIP converts all other values to and from floats on their way, which later ones do not.
TEST_F(ImageKernel, Surfaces) {
  const Kind& kind = kKinds[0];
  TestImage image;
  image.type = TestImage::k2d, image.width = 8, image.height = 7, image.pitch = 16;
  U32* texels;
  std::vector<U32> memory = texelsOf(image, texels);
  for (unsigned l = 0; l < 64; ++l) {
    const unsigned x = l % 8, y = l / 8;
    at[l] = {static_cast<float>(x), static_cast<float>(y), 0, 0};
  }
  Object object(image, kind, {}, reinterpret_cast<U64>(texels));
  ASSERT_EQ(run("surface", kind, object), "");
  for (unsigned l = 0; l < 64; ++l) ASSERT_EQ(values[l], l < 56 ? texels[l / 8 * 16 + l % 8] : 0) << "lane " << l;
  std::vector<U32> before(texels, texels + 128);
  for (U32& value : values) value ^= 0x40000000;
  ASSERT_EQ(run("write", kind, object), "");
  for (unsigned k = 0; k < 128; ++k)
    ASSERT_EQ(texels[k], k % 16 < 8 && k < 112 ? before[k] ^ 0x40000000 : before[k]) << "texel " << k;
}

}  // namespace
}  // namespace hipr::softgpu

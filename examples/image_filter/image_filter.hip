// An image turned by some degrees: a kernel reads it through a texture, which mixes the four nearest pixels, and writes
// the result through a surface.
#include <cmath>
#include <vector>

#include "../hip_check.h"

constexpr int kSize = 256;

__global__ void turn(hipTextureObject_t image, hipSurfaceObject_t turned, float sine, float cosine) {
#if !defined(__HIP_NO_IMAGE_SUPPORT) || !__HIP_NO_IMAGE_SUPPORT
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const float dx = x - kSize / 2, dy = y - kSize / 2;
  const float u = dx * cosine - dy * sine + kSize / 2, v = dx * sine + dy * cosine + kSize / 2;
  const float pixel = tex2D<float>(image, u + 0.5f, v + 0.5f);  // the middle of pixel 0 is at 0.5
  surf2Dwrite(pixel, turned, x * static_cast<int>(sizeof pixel), y);
#endif
}

// The same on the CPU. Outside the image everything is 0.
static float expected(const std::vector<float>& image, int x, int y, float sine, float cosine) {
  const float dx = x - kSize / 2, dy = y - kSize / 2;
  const float u = dx * cosine - dy * sine + kSize / 2, v = dx * sine + dy * cosine + kSize / 2;
  const auto pixel = [&](int column, int row) {
    return column < 0 || row < 0 || column >= kSize || row >= kSize ? 0.f : image[row * kSize + column];
  };
  const int left = static_cast<int>(std::floor(u)), top = static_cast<int>(std::floor(v));
  const float right = u - left, low = v - top;
  return (1 - low) * ((1 - right) * pixel(left, top) + right * pixel(left + 1, top)) +
         low * ((1 - right) * pixel(left, top + 1) + right * pixel(left + 1, top + 1));
}

static hipArray_t makeArray() {
  hipArray_t array;
  const hipChannelFormatDesc floats = hipCreateChannelDesc<float>();
  HIP_CHECK(hipMallocArray(&array, &floats, kSize, kSize, hipArraySurfaceLoadStore));
  return array;
}

static hipResourceDesc resourceOf(hipArray_t array) {
  hipResourceDesc resource = {};
  resource.resType = hipResourceTypeArray;
  resource.res.array.array = array;
  return resource;
}

int main() {
  int images = 0;
  HIP_CHECK(hipDeviceGetAttribute(&images, hipDeviceAttributeImageSupport, 0));
  if (!images) {
    std::printf("this GPU has no images: nothing to turn, correct\n");
    return 0;
  }
  std::vector<float> image(kSize * kSize), result(kSize * kSize);
  for (int i = 0; i < kSize * kSize; ++i) image[i] = ((i / 16 + i / kSize / 16) % 2) * 0.5f + (i % 97) / 200.0f;

  const hipArray_t from = makeArray(), to = makeArray();
  const size_t row = kSize * sizeof(float);
  HIP_CHECK(hipMemcpy2DToArray(from, 0, 0, image.data(), row, row, kSize, hipMemcpyHostToDevice));
  const hipResourceDesc source = resourceOf(from), target = resourceOf(to);
  hipTextureDesc reading = {};
  reading.addressMode[0] = reading.addressMode[1] = hipAddressModeBorder;
  reading.filterMode = hipFilterModeLinear;
  hipTextureObject_t texture;
  hipSurfaceObject_t surface;
  HIP_CHECK(hipCreateTextureObject(&texture, &source, &reading, nullptr));
  HIP_CHECK(hipCreateSurfaceObject(&surface, &target));

  const float sine = std::sin(0.5f), cosine = std::cos(0.5f);
  turn<<<dim3(kSize / 16, kSize / 16), dim3(16, 16)>>>(texture, surface, sine, cosine);
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipMemcpy2DFromArray(result.data(), row, to, 0, 0, row, kSize, hipMemcpyDeviceToHost));

  float worst = 0;  // textures round positions between pixels to 1/256
  for (int i = 0; i < kSize * kSize; ++i)
    worst = std::fmax(worst, std::fabs(result[i] - expected(image, i % kSize, i / kSize, sine, cosine)));
  std::printf("an image of %d x %d pixels turned, %s\n", kSize, kSize, worst < 0.02f ? "correct" : "WRONG");
  HIP_CHECK(hipDestroySurfaceObject(surface));
  HIP_CHECK(hipDestroyTextureObject(texture));
  HIP_CHECK(hipFreeArray(to));
  HIP_CHECK(hipFreeArray(from));
  return worst >= 0.02f;
}

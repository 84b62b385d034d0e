// Arrays, on a device that has images: which there can be, what is told of them, and copies from and to them in every
// shape. (texture.hip reads them in kernels.)
#include "image_support.h"

namespace {

template <class T>
std::vector<T> numbered(std::size_t count, T first = 1) {
  std::vector<T> out(count);
  for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<T>(first + static_cast<T>(i));
  return out;
}

hipArray* const kNoArray = reinterpret_cast<hipArray*>(0x1000);  // not null, and no array

}  // namespace

TEST(which_there_can_be) {
  onlyWithImages();
  hipArray* array = nullptr;
  const auto one = hipCreateChannelDesc<float>(), four = hipCreateChannelDesc<uchar4>();
  const auto made = [&](const hipChannelFormatDesc& channels, hipExtent extent, unsigned flags = 0) {
    HIP(hipMalloc3DArray(&array, &channels, extent, flags));
    HIP(hipFreeArray(array));
  };
  made(one, {5, 0, 0});
  made(four, {5, 3, 0}, hipArrayTextureGather);
  made(one, {5, 3, 2}, hipArraySurfaceLoadStore);
  made(four, {5, 0, 6}, hipArrayLayered);
  made(one, {5, 3, 6}, hipArrayLayered | hipArraySurfaceLoadStore);
  made(hipCreateChannelDesc<short2>(), {16384, 1, 0});
  const auto refused = [&](const hipChannelFormatDesc& channels, hipExtent extent, unsigned flags = 0) {
    HIP_ERR(hipMalloc3DArray(&array, &channels, extent, flags), hipErrorInvalidValue);
  };
  refused(one, {0, 3, 0});
  refused(one, {0, 0, 0});
  refused(one, {5, 0, 2});
  refused(one, {5, 3, 0}, hipArrayLayered);
  refused(one, {5, 3, 2}, hipArrayTextureGather);
  refused(one, {5, 3, 6}, hipArrayCubemap);
  refused(one, {std::size_t{1} << 20, 1, 0});
  refused(one, {std::size_t{1} << 40, std::size_t{1} << 40, 0});
  refused({32, 16, 0, 0, hipChannelFormatKindSigned}, {4, 4, 0});
  refused({32, 0, 32, 0, hipChannelFormatKindSigned}, {4, 4, 0});
  refused({32, 32, 32, 0, hipChannelFormatKindFloat}, {4, 4, 0});
  refused({8, 0, 0, 0, hipChannelFormatKindFloat}, {4, 4, 0});
  HIP_ERR(hipMallocArray(nullptr, &one, 4, 4, 0), hipErrorInvalidValue);
  HIP_ERR(hipMallocArray(&array, nullptr, 4, 4, 0), hipErrorInvalidValue);
  HIP_ERR(hipFreeArray(array), hipErrorContextIsDestroyed);  // freed already
}

TEST(what_is_told) {
  onlyWithImages();
  const auto channels = hipCreateChannelDesc<ushort2>();
  const DeviceArray array(channels, {7, 5, 3}, hipArraySurfaceLoadStore);
  hipChannelFormatDesc desc{};
  HIP(hipGetChannelDesc(&desc, array));
  EXPECT_EQ(desc.x, 16);
  EXPECT_EQ(desc.y, 16);
  EXPECT_EQ(desc.z, 0);
  EXPECT_EQ(desc.f, hipChannelFormatKindUnsigned);
  HIP_ERR(hipGetChannelDesc(&desc, kNoArray), hipErrorInvalidHandle);
}

TEST(made_as_for_the_driver) {
  onlyWithImages();
  hipArray* array = nullptr;
  HIP_ARRAY_DESCRIPTOR flat{};
  flat.Width = 6;
  flat.Height = 4;
  flat.Format = HIP_AD_FORMAT_HALF;
  flat.NumChannels = 4;
  HIP(hipArrayCreate(&array, &flat));
  HIP(hipArrayDestroy(array));
  HIP_ARRAY3D_DESCRIPTOR deep{};
  deep.Width = 6;
  deep.Height = 4;
  deep.Depth = 2;
  deep.Format = HIP_AD_FORMAT_SIGNED_INT32;
  deep.NumChannels = 1;
  HIP(hipArray3DCreate(&array, &deep));
  HIP(hipArrayDestroy(array));
  HIP_ERR(hipArrayDestroy(array), hipErrorContextIsDestroyed);
  flat.NumChannels = 3;
  HIP_ERR(hipArrayCreate(&array, &flat), hipErrorInvalidValue);
  flat.NumChannels = 1;
  flat.Format = static_cast<hipArray_Format>(0x77);
  HIP_ERR(hipArrayCreate(&array, &flat), hipErrorInvalidValue);
  deep.Flags = 0x80;
  HIP_ERR(hipArray3DCreate(&array, &deep), hipErrorInvalidValue);
}

TEST(rows) {
  onlyWithImages();
  constexpr std::size_t kWidth = 37, kHeight = 11, kPitch = 48 * sizeof(int);
  const DeviceArray array(hipCreateChannelDesc<int>(), {kWidth, kHeight, 0});
  std::vector<int> padded(48 * kHeight, -1);
  for (std::size_t y = 0; y < kHeight; ++y)
    for (std::size_t x = 0; x < kWidth; ++x) padded[y * 48 + x] = static_cast<int>(1000 * y + x);
  HIP(hipMemcpy2DToArray(array, 0, 0, padded.data(), kPitch, kWidth * sizeof(int), kHeight, hipMemcpyHostToDevice));
  const auto back = download<int>(array, {kWidth, kHeight, 1});
  EXPECT_EQ(back[3 * kWidth + 5], 3005);
  EXPECT_EQ(back.back(), 10036);
  std::vector<int> part(6, 0);
  HIP(hipMemcpy2DFromArray(part.data(), 3 * sizeof(int), array, 4 * sizeof(int), 7, 3 * sizeof(int), 2,
                           hipMemcpyDeviceToHost));
  EXPECT_VEC(part, (std::vector<int>{7004, 7005, 7006, 8004, 8005, 8006}));
  HIP(hipMemcpy2DToArray(array, 35 * sizeof(int), 10, part.data(), 2 * sizeof(int), 2 * sizeof(int), 1,
                         hipMemcpyHostToDevice));
  EXPECT_EQ(download<int>(array, {kWidth, kHeight, 1}).back(), 7005);
  const auto to = [&](std::size_t x, std::size_t y, std::size_t width, std::size_t height) {
    return hipMemcpy2DToArray(array, x, y, padded.data(), kPitch, width, height, hipMemcpyHostToDevice);
  };
  HIP_ERR(to(4, 0, kWidth * sizeof(int), 1), hipErrorInvalidValue);
  HIP_ERR(to(0, 1, 4, kHeight), hipErrorInvalidValue);
  HIP_ERR(to(0, SIZE_MAX, 4, 2), hipErrorInvalidValue);
  HIP_ERR(to(SIZE_MAX - 3, 0, 8, 1), hipErrorInvalidValue);
  HIP(to(0, 0, 0, 5));
  HIP_ERR(hipMemcpy2DToArray(kNoArray, 0, 0, padded.data(), kPitch, 4, 1, hipMemcpyHostToDevice),
          hipErrorInvalidHandle);
  check::result(back);
}

TEST(lines) {
  onlyWithImages();
  const DeviceArray array(hipCreateChannelDesc<unsigned short>(), {64, 0, 0});
  const auto host = numbered<unsigned short>(64);
  HIP(hipMemcpyHtoA(array, 0, host.data(), 128));
  std::vector<unsigned short> part(8);
  HIP(hipMemcpyAtoH(part.data(), array, 20, 16));
  EXPECT_VEC(part, numbered<unsigned short>(8, 11));
  HIP_ERR(hipMemcpyHtoA(array, 120, host.data(), 16), hipErrorInvalidValue);
  HIP_ERR(hipMemcpyAtoH(part.data(), array, 0, 0), hipErrorInvalidValue);
  HIP_ERR(hipMemcpyAtoH(part.data(), kNoArray, 0, 8), hipErrorInvalidValue);
  HIP(hipMemcpyToArray(array, 0, 0, numbered<unsigned short>(64, 500).data(), 128, hipMemcpyHostToDevice));
  std::vector<unsigned short> all(64);
  HIP(hipMemcpyFromArray(all.data(), array, 0, 0, 128, hipMemcpyDeviceToHost));
  EXPECT_VEC(all, numbered<unsigned short>(64, 500));
}

TEST(boxes) {
  onlyWithImages();
  constexpr hipExtent kExtent{9, 6, 5};
  const DeviceArray array(hipCreateChannelDesc<int2>(), kExtent), other(hipCreateChannelDesc<int2>(), kExtent);
  std::vector<int2> host(9 * 6 * 5), zero(host.size());
  for (std::size_t i = 0; i < host.size(); ++i) host[i] = {static_cast<int>(i), -static_cast<int>(i)};
  upload(array, host, kExtent);
  upload(other, zero, kExtent);
  hipMemcpy3DParms box{};
  box.srcArray = array;
  box.srcPos = {2, 1, 3};
  box.dstArray = other;
  box.dstPos = {5, 0, 1};
  box.extent = {4, 3, 2};
  box.kind = hipMemcpyDeviceToDevice;
  HIP(hipMemcpy3D(&box));
  const auto back = download<int2>(other, kExtent);
  const auto at = [](const std::vector<int2>& v, int x, int y, int z) { return v[(z * 6 + y) * 9 + x].x; };
  EXPECT_EQ(at(back, 5, 0, 1), at(host, 2, 1, 3));
  EXPECT_EQ(at(back, 8, 2, 2), at(host, 5, 3, 4));
  EXPECT_EQ(at(back, 4, 0, 1), 0);
  EXPECT_EQ(at(back, 5, 3, 1), 0);
  EXPECT_EQ(at(back, 5, 0, 3), 0);
  Buffer<int2> memory(9 * 6 * 5);
  memory.fill(0);
  hipMemcpy3DParms toMemory{};
  toMemory.srcArray = array;
  toMemory.srcPos = {1, 2, 0};
  toMemory.dstPtr = make_hipPitchedPtr(memory.get(), 9 * sizeof(int2), 9, 6);
  toMemory.dstPos = {2 * sizeof(int2), 1, 1};
  toMemory.extent = {3, 2, 2};
  toMemory.kind = hipMemcpyDeviceToDevice;
  HIP(hipMemcpy3D(&toMemory));
  EXPECT_EQ(at(memory.download(), 2, 1, 1), at(host, 1, 2, 0));
  EXPECT_EQ(at(memory.download(), 4, 2, 2), at(host, 3, 3, 1));
  box.extent = {8, 1, 1};
  HIP_ERR(hipMemcpy3D(&box), hipErrorInvalidValue);
  const DeviceArray wider(hipCreateChannelDesc<int4>(), kExtent);
  box.extent = {1, 1, 1};
  box.dstArray = wider;
  HIP_ERR(hipMemcpy3D(&box), hipErrorInvalidValue);  // texels of another size
}

TEST(layers) {
  onlyWithImages();
  const DeviceArray lines(hipCreateChannelDesc<float>(), {10, 0, 4}, hipArrayLayered),
      planes(hipCreateChannelDesc<float>(), {6, 5, 4}, hipArrayLayered);
  const auto flat = numbered<float>(40), deep = numbered<float>(120);
  upload(lines, flat, {10, 1, 4});
  upload(planes, deep, {6, 5, 4});
  EXPECT_VEC(download<float>(lines, {10, 1, 4}), flat);
  EXPECT_VEC(download<float>(planes, {6, 5, 4}), deep);
}

TEST(as_the_driver_says) {
  onlyWithImages();
  const DeviceArray array(hipCreateChannelDesc<int>(), {8, 8, 0});
  const auto host = numbered<int>(64);
  upload(array, host, {8, 8, 1});
  std::vector<int> out(16, 0);
  hip_Memcpy2D rows{};
  rows.srcMemoryType = hipMemoryTypeArray;
  rows.srcArray = array;
  rows.srcXInBytes = 8;
  rows.srcY = 3;
  rows.dstMemoryType = hipMemoryTypeHost;
  rows.dstHost = out.data();
  rows.dstPitch = 16;
  rows.WidthInBytes = 16;
  rows.Height = 4;
  HIP(hipMemcpyParam2D(&rows));
  EXPECT_EQ(out[0], host[3 * 8 + 2]);
  EXPECT_EQ(out[15], host[6 * 8 + 5]);
  HIP_MEMCPY3D box{};
  box.srcMemoryType = hipMemoryTypeHost;
  box.srcHost = out.data();
  box.dstMemoryType = hipMemoryTypeArray;
  box.dstArray = array;
  box.dstXInBytes = 16;
  box.WidthInBytes = 16;
  box.Height = 4;
  box.Depth = 1;
  HIP(hipDrvMemcpy3D(&box));
  EXPECT_EQ(download<int>(array, {8, 8, 1})[4], host[3 * 8 + 2]);
}

// The program may change pageable memory as soon as the call has returned, and sees pinned memory when the stream is
// done.
TEST(memory_of_every_kind) {
  onlyWithImages();
  constexpr std::size_t kWidth = 256, kHeight = 300, kBytes = kWidth * kHeight * sizeof(int), kRow = kWidth * sizeof(int);
  const DeviceArray array(hipCreateChannelDesc<int>(), {kWidth, kHeight, 0});
  Stream stream;
  int *pinned = nullptr, *managed = nullptr;
  HIP(hipHostMalloc(reinterpret_cast<void**>(&pinned), kBytes, 0));
  HIP(hipMallocManaged(reinterpret_cast<void**>(&managed), kBytes));
  std::vector<int> own(kWidth * kHeight), registered(kWidth * kHeight);
  HIP(hipHostRegister(registered.data(), kBytes, 0));
  int round = 0;
  for (int* memory : {pinned, managed, own.data(), registered.data()}) {
    ++round;
    for (std::size_t i = 0; i < kWidth * kHeight; ++i) memory[i] = round * 1000000 + static_cast<int>(i);
    HIP(hipMemcpy2DToArrayAsync(array, 0, 0, memory, kRow, kRow, kHeight, hipMemcpyHostToDevice, stream));
    if (memory == own.data()) std::fill(own.begin(), own.end(), 0);
    HIP(hipStreamSynchronize(stream));
    std::fill(memory, memory + kWidth * kHeight, 0);
    HIP(hipMemcpy2DFromArrayAsync(memory, kRow, array, 0, 0, kRow, kHeight, hipMemcpyDeviceToHost, stream));
    HIP(hipStreamSynchronize(stream));
    EXPECT_EQ(memory[0], round * 1000000);
    EXPECT_EQ(memory[kWidth * kHeight - 1], round * 1000000 + static_cast<int>(kWidth * kHeight) - 1);
  }
  HIP(hipHostUnregister(registered.data()));
  HIP(hipHostFree(pinned));
  HIP(hipFree(managed));
}

__global__ void countUp(int* out, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) out[i] += 1;
}

TEST(in_the_order_of_the_stream) {
  onlyWithImages();
  constexpr int kWidth = 64, kHeight = 64, kCount = kWidth * kHeight;
  const DeviceArray array(hipCreateChannelDesc<int>(), {kWidth, kHeight, 0});
  constexpr std::size_t kRow = kWidth * sizeof(int);
  Stream stream;
  Buffer<int> memory(kCount);
  memory.fill(0);
  std::vector<int> back(kCount);
  for (int i = 0; i < 20; ++i) {
    hipLaunchKernelGGL(countUp, dim3(kCount / 64), dim3(64), 0, stream, memory.get(), kCount);
    HIP(hipMemcpy2DToArrayAsync(array, 0, 0, memory, kRow, kRow, kHeight, hipMemcpyDeviceToDevice, stream));
    HIP(hipMemsetAsync(memory, 0x11, memory.bytes(), stream));
    HIP(hipMemcpy2DFromArrayAsync(memory, kRow, array, 0, 0, kRow, kHeight, hipMemcpyDeviceToDevice, stream));
  }
  HIP(hipMemcpy2DFromArrayAsync(back.data(), kRow, array, 0, 0, kRow, kHeight, hipMemcpyDeviceToHost, stream));
  HIP(hipStreamSynchronize(stream));
  EXPECT_EQ(back[0], 20);
  EXPECT_EQ(back[kCount - 1], 20);
}

// More than anybody keeps in hand at a time.
TEST(large) {
  onlyWithImages();
  constexpr std::size_t kWidth = 4096, kHeight = 4700;  // 73 MiB
  const DeviceArray array(hipCreateChannelDesc<unsigned>(), {kWidth, kHeight, 0});
  std::vector<unsigned> host(kWidth * kHeight);
  for (std::size_t i = 0; i < host.size(); ++i) host[i] = static_cast<unsigned>(i * 2654435761u);
  upload(array, host, {kWidth, kHeight, 1});
  const auto back = download<unsigned>(array, {kWidth, kHeight, 1});
  EXPECT(back == host);
}

TEST(in_graphs) {
  onlyWithImages();
  constexpr int kWidth = 32, kHeight = 16, kCount = kWidth * kHeight;
  constexpr std::size_t kRow = kWidth * sizeof(int);
  const DeviceArray array(hipCreateChannelDesc<int>(), {kWidth, kHeight, 0});
  Buffer<int> memory(kCount);
  auto host = numbered<int>(kCount);
  std::vector<int> back(kCount, 0);
  hipGraph_t graph;
  HIP(hipGraphCreate(&graph, 0));
  hipMemcpy3DParms in = whole(array, host, {kWidth, kHeight, 1}, true), out = whole(array, back, {kWidth, kHeight, 1}, false);
  hipMemcpy3DParms aside{};
  aside.srcArray = array;
  aside.dstPtr = make_hipPitchedPtr(memory.get(), kRow, kWidth, kHeight);
  aside.extent = {kWidth, kHeight, 1};
  aside.kind = hipMemcpyDeviceToDevice;
  hipGraphNode_t first, second, third;
  HIP(hipGraphAddMemcpyNode(&first, graph, nullptr, 0, &in));
  HIP(hipGraphAddMemcpyNode(&second, graph, &first, 1, &aside));
  HIP(hipGraphAddMemcpyNode(&third, graph, &second, 1, &out));
  hipGraphExec_t exec;
  HIP(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  Stream stream;
  for (int round = 0; round < 3; ++round) {
    for (int& value : host) value += 7;
    memory.fill(0);
    HIP(hipGraphLaunch(exec, stream));
    HIP(hipStreamSynchronize(stream));
    EXPECT_VEC(back, host);
    EXPECT_VEC(memory.download(), host);
  }
  HIP(hipGraphExecDestroy(exec));
  HIP(hipGraphDestroy(graph));

  HIP(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
  hipLaunchKernelGGL(countUp, dim3(kCount / 64), dim3(64), 0, stream, memory.get(), kCount);
  HIP(hipMemcpy2DToArrayAsync(array, 0, 0, memory, kRow, kRow, kHeight, hipMemcpyDeviceToDevice, stream));
  HIP(hipMemcpy2DFromArrayAsync(back.data(), kRow, array, 0, 0, kRow, kHeight, hipMemcpyDeviceToHost, stream));
  HIP(hipStreamEndCapture(stream, &graph));
  HIP(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  HIP(hipGraphLaunch(exec, stream));
  HIP(hipGraphLaunch(exec, stream));
  HIP(hipStreamSynchronize(stream));
  EXPECT_EQ(back[5], host[5] + 2);
  HIP(hipGraphExecDestroy(exec));
  HIP(hipGraphDestroy(graph));
}

// Freed while copies of it are under way, and enough of them that memory has to come back.
TEST(come_and_go) {
  onlyWithImages();
  constexpr std::size_t kWidth = 1024, kHeight = 1024, kRow = kWidth * sizeof(int);
  Buffer<int> memory(kWidth * kHeight);
  memory.fill(3);
  Stream stream;
  for (int i = 0; i < 100; ++i) {
    hipArray_t array;
    const auto channels = hipCreateChannelDesc<int>();
    HIP(hipMallocArray(&array, &channels, kWidth, kHeight, 0));
    HIP(hipMemcpy2DToArrayAsync(array, 0, 0, memory, kRow, kRow, kHeight, hipMemcpyDeviceToDevice, stream));
    HIP(hipMemcpy2DFromArrayAsync(memory, kRow, array, 0, 0, kRow, kHeight, hipMemcpyDeviceToDevice, stream));
    HIP(hipFreeArray(array));
  }
  HIP(hipStreamSynchronize(stream));
  EXPECT_EQ(memory.download()[12345], 0x03030303);
}

// A reset gives back what arrays took, also where another device goes on.
TEST(reset) {
  onlyWithImages();
  int devices = 0;
  HIP(hipGetDeviceCount(&devices));
  if (devices > 1) {
    HIP(hipSetDevice(1));
    HIP(hipFree(nullptr));
    Buffer<int> elsewhere(4);
    HIP(hipSetDevice(0));
    std::size_t before = 0, after = 0, all = 0;
    HIP(hipMemGetInfo(&before, &all));
    for (int round = 0; round < 3; ++round) {
      hipArray_t array;
      const auto channels = hipCreateChannelDesc<float4>();
      HIP(hipMallocArray(&array, &channels, 4096, 4096, 0));
      hipResourceDesc resource{};
      resource.resType = hipResourceTypeArray;
      resource.res.array.array = array;
      const hipTextureDesc reading{};
      hipTextureObject_t texture;
      HIP(hipCreateTextureObject(&texture, &resource, &reading, nullptr));
      HIP(hipDeviceReset());
      HIP_ERR(hipFreeArray(array), hipErrorContextIsDestroyed);
      HIP_ERR(hipDestroyTextureObject(texture), hipErrorInvalidValue);
    }
    HIP(hipMemGetInfo(&after, &all));
    EXPECT(after + (std::size_t{64} << 20) > before);
  }
}

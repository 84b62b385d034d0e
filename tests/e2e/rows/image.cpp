// Arrays, textures and surfaces, on a device without image instructions; other APIs' memory and OpenGL, on one without
// a display. What cannot be done is refused without asking anyone.
#include "tests/e2e/rows/book.h"

namespace hipr::rows {
namespace {

// A row whose answer is an error (or success) that its arguments decide.
template <class Row, class... A>
void answers(Row row, hipError_t error, A... arguments) {
  row.standard([=](Scene& s, auto f) { s.expect(error).call(f, arguments...); });
}

template <class T>
T any() {  // a handle of nothing
  return reinterpret_cast<T>(0x1000);
}

constexpr hipError_t kRefused = hipErrorNotSupported, kInvalid = hipErrorInvalidValue, kHandle = hipErrorInvalidHandle;

hipChannelFormatDesc channel{32, 0, 0, 0, hipChannelFormatKindFloat};
HIP_ARRAY_DESCRIPTOR flat{.Width = 4, .Height = 4, .Format = HIP_AD_FORMAT_FLOAT, .NumChannels = 1};
HIP_ARRAY3D_DESCRIPTOR deep{
    .Width = 4, .Height = 4, .Depth = 4, .Format = HIP_AD_FORMAT_FLOAT, .NumChannels = 1, .Flags = 0};
textureReference reference;
char out[256];  // room for whatever is described

template <class T>
T* room() {
  return reinterpret_cast<T*>(out);
}

void addArrays(Book& book) {
  auto* array = room<hipArray_t>();
  answers(ROW(hipMallocArray), kRefused, array, &channel, std::size_t{4}, std::size_t{4}, 0u);
  answers(ROW(hipMalloc3DArray), kRefused, array, &channel, hipExtent{4, 4, 4}, 0u);
  answers(ROW(hipArrayCreate), kRefused, array, &flat);
  answers(ROW(hipArray3DCreate), kRefused, array, &deep);
  answers(ROW(hipFreeArray), hipErrorContextIsDestroyed, any<hipArray_t>());
  answers(ROW(hipArrayDestroy), hipErrorContextIsDestroyed, any<hipArray_t>());
  answers(ROW(hipArrayGetInfo), kHandle, &channel, nullptr, nullptr, any<hipArray_t>());
  answers(ROW(hipArrayGetDescriptor), kHandle, &flat, any<hipArray_t>());
  answers(ROW(hipArray3DGetDescriptor), kHandle, &deep, any<hipArray_t>());
  auto* mipmap = room<hipMipmappedArray_t>();
  answers(ROW(hipMallocMipmappedArray), kRefused, mipmap, &channel, hipExtent{4, 4, 0}, 2u, 0u);
  answers(ROW(hipMipmappedArrayCreate), kRefused, mipmap, &deep, 2u);
  answers(ROW(hipFreeMipmappedArray), kInvalid, any<hipMipmappedArray_t>());
  answers(ROW(hipMipmappedArrayDestroy), kInvalid, any<hipMipmappedArray_t>());
  answers(ROW(hipGetMipmappedArrayLevel), kHandle, array, nullptr, 0u);
  answers(ROW(hipMipmappedArrayGetLevel), kHandle, array, nullptr, 0u);
  answers(ROW(hipMipmappedArrayGetMemoryRequirements), kRefused, room<hipArrayMemoryRequirements>(),
          any<hipMipmappedArray_t>(), 0);

  constexpr std::size_t kSize = 8, kZero = 0;
  auto* none = any<hipArray_t>();
  answers(ROW(hipMemcpy2DToArray), kHandle, none, kZero, kZero, out, kSize, kSize, kSize, hipMemcpyHostToDevice);
  answers(ROW(hipMemcpy2DFromArray), kHandle, out, kSize, none, kZero, kZero, kSize, kSize, hipMemcpyDeviceToHost);
  ROW(hipMemcpy2DToArrayAsync).standard([=](Scene& s, auto f) {
    s.expect(kHandle).call(f, none, kZero, kZero, out, kSize, kSize, kSize, hipMemcpyHostToDevice, s.stream);
  });
  ROW(hipMemcpy2DFromArrayAsync).standard([=](Scene& s, auto f) {
    s.expect(kHandle).call(f, out, kSize, none, kZero, kZero, kSize, kSize, hipMemcpyDeviceToHost, s.stream);
  });
  answers(ROW(hipMemcpy2DArrayToArray), kHandle, none, kZero, kZero, none, kZero, kZero, kSize, kSize,
          hipMemcpyDeviceToDevice);
  answers(ROW(hipMemcpyToArray), kInvalid, none, kZero, kZero, out, kSize, hipMemcpyHostToDevice);
  answers(ROW(hipMemcpyFromArray), kInvalid, out, none, kZero, kZero, kSize, hipMemcpyDeviceToHost);
  answers(ROW(hipMemcpyAtoA), kInvalid, none, kZero, none, kZero, kSize);
  answers(ROW(hipMemcpyAtoD), kInvalid, nullptr, none, kZero, kSize);
  answers(ROW(hipMemcpyDtoA), kInvalid, none, kZero, nullptr, kSize);
  answers(ROW(hipMemcpyAtoH), kInvalid, out, none, kZero, kSize);
  answers(ROW(hipMemcpyHtoA), kInvalid, none, kZero, out, kSize);
  answers(ROW(hipMemcpyAtoHAsync), kInvalid, out, none, kZero, kSize, nullptr);
  answers(ROW(hipMemcpyHtoAAsync), kInvalid, none, kZero, out, kSize, nullptr);
}

void addObjects(Book& book) {
  auto* texture = room<hipTextureObject_t>();
  auto* none = any<hipTextureObject_t>();
  answers(ROW(hipCreateTextureObject), kRefused, texture, nullptr, nullptr, nullptr);
  answers(ROW(hipTexObjectCreate), kRefused, texture, room<HIP_RESOURCE_DESC>(), room<HIP_TEXTURE_DESC>(), nullptr);
  answers(ROW(hipDestroyTextureObject), kRefused, none);
  answers(ROW(hipTexObjectDestroy), kRefused, none);
  answers(ROW(hipGetTextureObjectResourceDesc), kRefused, room<hipResourceDesc>(), none);
  answers(ROW(hipGetTextureObjectResourceViewDesc), kRefused, room<hipResourceViewDesc>(), none);
  answers(ROW(hipGetTextureObjectTextureDesc), kRefused, room<hipTextureDesc>(), none);
  answers(ROW(hipTexObjectGetResourceDesc), kRefused, room<HIP_RESOURCE_DESC>(), none);
  answers(ROW(hipTexObjectGetResourceViewDesc), kRefused, room<HIP_RESOURCE_VIEW_DESC>(), none);
  answers(ROW(hipTexObjectGetTextureDesc), kRefused, room<HIP_TEXTURE_DESC>(), none);
  answers(ROW(hipGetChannelDesc), kRefused, &channel, any<hipArray_t>());
  answers(ROW(hipDeviceGetTexture1DLinearMaxWidth), hipSuccess, room<std::size_t>(), &channel, 0);
  answers(ROW(hipCreateSurfaceObject), kRefused, room<hipSurfaceObject_t>(), nullptr);
  answers(ROW(hipDestroySurfaceObject), kInvalid, any<hipSurfaceObject_t>());
}

void addReferences(Book& book) {
  const auto registered = [](auto call) {
    return [=](Scene& s, auto f) {
      Scene::Wrapper wrapper{.image = Scene::code()};
      void** code = s.hip.__hipRegisterFatBinary(&wrapper);
      char name[] = "reference";
      s.hip.__hipRegisterTexture(code, &reference, name, name, 0, 0, 0);
      s.expect(kRefused);
      call(s, f);
      s.hip.__hipUnregisterFatBinary(code);
    };
  };
  const auto registering = [](auto call) {
    return [=](Scene& s, auto f) {
      Scene::Wrapper wrapper{.image = Scene::code()};
      void** code = s.hip.__hipRegisterFatBinary(&wrapper);
      char name[] = "reference";
      call(s, f, code, name);
      s.hip.__hipUnregisterFatBinary(code);
    };
  };
  ROW(__hipRegisterTexture).standard(registering([](Scene& s, auto f, void** code, char* name) {
    s.call(f, code, &reference, name, name, 0, 0, 0);
  }));
  ROW(__hipRegisterSurface).standard(registering([](Scene& s, auto f, void** code, char* name) {
    s.call(f, code, &reference, name, name, 0, 0);
  }));
  constexpr std::size_t kSize = 64;
  ROW(hipBindTexture).standard(registered([](Scene& s, auto f) {
    s.call(f, nullptr, &reference, s.device, &channel, kSize);
  }));
  ROW(hipBindTexture2D).standard(registered([](Scene& s, auto f) {
    s.call(f, nullptr, &reference, s.device, &channel, kSize, kSize, kSize);
  }));
  ROW(hipBindTextureToArray).standard(registered([](Scene& s, auto f) {
    s.call(f, &reference, any<hipArray_t>(), &channel);
  }));
  ROW(hipBindTextureToMipmappedArray).standard(registered([](Scene& s, auto f) {
    s.call(f, &reference, any<hipMipmappedArray_t>(), &channel);
  }));
  answers(ROW(hipUnbindTexture), kRefused, &reference);
  answers(ROW(hipGetTextureReference), kRefused, room<const textureReference*>(), nullptr);
  answers(ROW(hipGetTextureAlignmentOffset), kRefused, room<std::size_t>(), &reference);
  answers(ROW(hipModuleGetTexRef), kRefused, room<textureReference*>(), any<hipModule_t>(), "name");

  answers(ROW(hipTexRefGetAddress), kInvalid, room<hipDeviceptr_t>(), &reference);
  answers(ROW(hipTexRefGetArray), kInvalid, room<hipArray_t>(), &reference);
  answers(ROW(hipTexRefGetMipMappedArray), kRefused, room<hipMipmappedArray_t>(), &reference);
  answers(ROW(hipTexRefGetAddressMode), kRefused, room<hipTextureAddressMode>(), &reference, 0);
  answers(ROW(hipTexRefGetBorderColor), kRefused, room<float>(), &reference);
  answers(ROW(hipTexRefGetFilterMode), kRefused, room<hipTextureFilterMode>(), &reference);
  answers(ROW(hipTexRefGetFlags), kRefused, room<unsigned>(), &reference);
  answers(ROW(hipTexRefGetFormat), kRefused, room<hipArray_Format>(), room<int>(), &reference);
  answers(ROW(hipTexRefGetMaxAnisotropy), kRefused, room<int>(), &reference);
  answers(ROW(hipTexRefGetMipmapFilterMode), kRefused, room<hipTextureFilterMode>(), &reference);
  answers(ROW(hipTexRefGetMipmapLevelBias), kRefused, room<float>(), &reference);
  answers(ROW(hipTexRefGetMipmapLevelClamp), kRefused, room<float>(), room<float>(), &reference);

  answers(ROW(hipTexRefSetAddress), hipErrorNotFound, nullptr, &reference, nullptr, kSize);
  answers(ROW(hipTexRefSetAddress2D), hipErrorNotFound, &reference, &flat, nullptr, kSize);
  answers(ROW(hipTexRefSetArray), hipErrorNotFound, &reference, any<hipArray_t>(), unsigned{HIP_TRSA_OVERRIDE_FORMAT});
  answers(ROW(hipTexRefSetMipmappedArray), hipErrorNotFound, &reference, any<hipMipmappedArray*>(),
          unsigned{HIP_TRSA_OVERRIDE_FORMAT});
  answers(ROW(hipTexRefSetAddressMode), kRefused, &reference, 0, hipAddressModeClamp);
  answers(ROW(hipTexRefSetBorderColor), kRefused, &reference, room<float>());
  answers(ROW(hipTexRefSetFilterMode), kRefused, &reference, hipFilterModePoint);
  answers(ROW(hipTexRefSetFlags), kRefused, &reference, 0u);
  answers(ROW(hipTexRefSetFormat), kRefused, &reference, HIP_AD_FORMAT_FLOAT, 1);
  answers(ROW(hipTexRefSetMaxAnisotropy), kRefused, &reference, 1u);
  answers(ROW(hipTexRefSetMipmapFilterMode), kRefused, &reference, hipFilterModePoint);
  answers(ROW(hipTexRefSetMipmapLevelBias), kRefused, &reference, 0.0f);
  answers(ROW(hipTexRefSetMipmapLevelClamp), kRefused, &reference, 0.0f, 1.0f);
}

void addInterop(Book& book) {
  static hipExternalMemoryHandleDesc memory{};
  memory.type = hipExternalMemoryHandleTypeOpaqueFd;
  memory.handle.fd = 3;
  memory.size = 4096;
  static hipExternalSemaphoreHandleDesc semaphore{};
  semaphore.type = hipExternalSemaphoreHandleTypeOpaqueFd;
  semaphore.handle.fd = 3;
  answers(ROW(hipImportExternalMemory), hipErrorOutOfMemory, room<hipExternalMemory_t>(), &memory);
  answers(ROW(hipExternalMemoryGetMappedBuffer), kInvalid, room<void*>(), nullptr, nullptr);
  answers(ROW(hipExternalMemoryGetMappedMipmappedArray), kInvalid, room<hipMipmappedArray_t>(), nullptr, nullptr);
  answers(ROW(hipDestroyExternalMemory), kInvalid, nullptr);
  answers(ROW(hipImportExternalSemaphore), kRefused, room<hipExternalSemaphore_t>(), &semaphore);
  ROW(hipSignalExternalSemaphoresAsync).standard([](Scene& s, auto f) {
    s.call(f, room<hipExternalSemaphore_t>(), room<hipExternalSemaphoreSignalParams>(), 0u, s.stream);
  });
  ROW(hipWaitExternalSemaphoresAsync).standard([](Scene& s, auto f) {
    s.call(f, room<hipExternalSemaphore_t>(), room<hipExternalSemaphoreWaitParams>(), 0u, s.stream);
  });
  answers(ROW(hipDestroyExternalSemaphore), kInvalid, nullptr);
  answers(ROW(hipGLGetDevices), hipErrorNoDevice, room<unsigned>(), room<int>(), 4u, hipGLDeviceListAll);
  answers(ROW(hipGraphicsGLRegisterBuffer), kInvalid, room<hipGraphicsResource*>(), GLuint{1}, 0u);
  answers(ROW(hipGraphicsGLRegisterImage), kInvalid, room<hipGraphicsResource*>(), GLuint{1}, GLenum{1}, 0u);
  answers(ROW(hipGraphicsMapResources), hipErrorUnknown, 0, nullptr, nullptr);
  answers(ROW(hipGraphicsResourceGetMappedPointer), hipErrorUnknown, room<void*>(), room<std::size_t>(), nullptr);
  answers(ROW(hipGraphicsSubResourceGetMappedArray), kInvalid, room<hipArray_t>(), nullptr, 0u, 0u);
  answers(ROW(hipGraphicsUnregisterResource), kInvalid, nullptr);
  ROW(hipGraphicsUnmapResources)
      .standard("behind a launch",
                [](Scene& s, auto f) { s.behind([&] { s.launch(); }).call(f, 0, nullptr, s.stream); })
      .local("idle", [](Scene& s, auto f) { s.call(f, 0, nullptr, s.stream); });
}

}  // namespace

void addImageRows(Book& book) {
  addArrays(book);
  addObjects(book);
  addReferences(book);
  addInterop(book);
}

}  // namespace hipr::rows

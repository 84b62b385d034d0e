// Textures, surfaces and texture references.
#include "tests/e2e/rows/book.h"
#include "tests/e2e/rows/image_scene.h"

namespace hipr::rows {
namespace {

// What describes textures and is described; the calls are told its address.
textureReference reference;
char out[256];
template <class T>
T* room() {
  return reinterpret_cast<T*>(out);
}

const hipTextureDesc kReading{};
const HIP_TEXTURE_DESC kDriverReading{};

hipTextureObject_t madeTexture(Scene& s, const hipResourceDesc& resource) {
  hipTextureObject_t texture = nullptr;
  HIPR_OK(s, hipCreateTextureObject(&texture, &resource, &kReading, nullptr));
  return texture;
}

hipResourceDesc ofMemory(Scene& s) {
  hipResourceDesc resource{};
  resource.resType = hipResourceTypeLinear;
  resource.res.linear = {s.device, kFloats, 256};
  return resource;
}

// The call is told a texture that exists.
template <class Row, class... A>
void tells(Row row, A... told) {
  row.standard([=](Scene& s, auto f) {
    const hipTextureObject_t texture = madeTexture(s, ofMemory(s));
    s.call(f, told..., texture);
    HIPR_OK(s, hipDestroyTextureObject(texture));
  });
}

void addObjects(Book& book) {
  ROW(hipCreateTextureObject).standard([](Scene& s, auto f) {
    const hipResourceDesc resource = ofMemory(s);
    hipTextureObject_t texture = nullptr;
    s.call(f, &texture, &resource, &kReading, nullptr);
    HIPR_OK(s, hipDestroyTextureObject(texture));
  });
  ROW(hipTexObjectCreate).standard([](Scene& s, auto f) {
    HIP_RESOURCE_DESC resource{};
    resource.resType = HIP_RESOURCE_TYPE_LINEAR;
    resource.res.linear = {s.device, HIP_AD_FORMAT_FLOAT, 1, 256};
    hipTextureObject_t texture = nullptr;
    s.call(f, &texture, &resource, &kDriverReading, nullptr);
    HIPR_OK(s, hipDestroyTextureObject(texture));
  });
  ROW(hipDestroyTextureObject).standard([](Scene& s, auto f) { s.call(f, madeTexture(s, ofMemory(s))); });
  ROW(hipTexObjectDestroy).standard([](Scene& s, auto f) { s.call(f, madeTexture(s, ofMemory(s))); });
  tells(ROW(hipGetTextureObjectResourceDesc), room<hipResourceDesc>());
  tells(ROW(hipGetTextureObjectResourceViewDesc), room<hipResourceViewDesc>());
  tells(ROW(hipGetTextureObjectTextureDesc), room<hipTextureDesc>());
  tells(ROW(hipTexObjectGetResourceDesc), room<HIP_RESOURCE_DESC>());
  tells(ROW(hipTexObjectGetResourceViewDesc), room<HIP_RESOURCE_VIEW_DESC>());
  tells(ROW(hipTexObjectGetTextureDesc), room<HIP_TEXTURE_DESC>());
  ROW(hipDeviceGetTexture1DLinearMaxWidth).standard([](Scene& s, auto f) {
    s.call(f, room<std::size_t>(), &kFloats, 0);
  });
  ROW(hipCreateSurfaceObject).standard([](Scene& s, auto f) {
    const SceneArray array(s);
    const hipResourceDesc resource = array.resource();
    hipSurfaceObject_t surface = nullptr;
    s.call(f, &surface, &resource);
    HIPR_OK(s, hipDestroySurfaceObject(surface));
  });
  ROW(hipDestroySurfaceObject).standard([](Scene& s, auto f) {
    const SceneArray array(s);
    const hipResourceDesc resource = array.resource();
    hipSurfaceObject_t surface = nullptr;
    HIPR_OK(s, hipCreateSurfaceObject(&surface, &resource));
    s.call(f, surface);
  });
}

// `call` with the reference as a registered variable of the scene's code, which is as large as one.
template <class Call>
auto registered(Call call) {
  return [call](Scene& s, auto f) {
    Scene::Wrapper wrapper{.image = Scene::code()};
    void** code = s.hip.__hipRegisterFatBinary(&wrapper);
    char name[] = "reference";
    s.hip.__hipRegisterTexture(code, &reference, name, name, 0, 0, 0);
    void* address = nullptr;
    HIPR_OK(s, hipGetSymbolAddress(&address, &reference));  // its code is loaded
    reference = {};
    call(s, f);
    if (reference.textureObject != nullptr) HIPR_OK(s, hipUnbindTexture(&reference));
    s.hip.__hipUnregisterFatBinary(code);
  };
}

// The same with a reference that the scene's module has.
template <class Call>
auto ofModule(Call call) {
  return [call](Scene& s, auto f) {
    textureReference* found = nullptr;
    HIPR_OK(s, hipModuleGetTexRef(&found, s.module, "reference"));
    HIPR_OK(s, hipTexRefSetFormat(found, HIP_AD_FORMAT_FLOAT, 1));
    call(s, f, found);
    if (found->textureObject != nullptr) HIPR_OK(s, hipUnbindTexture(found));
  };
}

void addBinding(Book& book) {
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
  ROW(hipBindTexture).standard(registered([](Scene& s, auto f) {
    s.call(f, nullptr, &reference, s.device, &kFloats, std::size_t{64});
  }));
  ROW(hipBindTexture2D).standard(registered([](Scene& s, auto f) {
    s.call(f, nullptr, &reference, s.device, &kFloats, std::size_t{8}, std::size_t{8}, std::size_t{256});
  }));
  ROW(hipBindTextureToArray).standard(registered([](Scene& s, auto f) {
    const SceneArray array(s);
    s.call(f, &reference, array.handle, &kFloats);
    HIPR_OK(s, hipUnbindTexture(&reference));
  }));
  ROW(hipBindTextureToMipmappedArray).standard(registered([](Scene& s, auto f) {
    s.expect(hipErrorNotSupported).call(f, &reference, reinterpret_cast<hipMipmappedArray_t>(0x1000), &kFloats);
  }));
  ROW(hipUnbindTexture).standard(registered([](Scene& s, auto f) {
    HIPR_OK(s, hipBindTexture(nullptr, &reference, s.device, &kFloats, 64));
    s.call(f, &reference);
  }));
  ROW(hipTexRefGetAddress).standard(registered([](Scene& s, auto f) {
    HIPR_OK(s, hipBindTexture(nullptr, &reference, s.device, &kFloats, 64));
    s.call(f, room<hipDeviceptr_t>(), &reference);
  }));
  ROW(hipTexRefGetArray).standard(registered([](Scene& s, auto f) {
    const SceneArray array(s);
    HIPR_OK(s, hipBindTextureToArray(&reference, array.handle, &kFloats));
    s.call(f, room<hipArray_t>(), &reference);
    HIPR_OK(s, hipUnbindTexture(&reference));
  }));
  ROW(hipModuleGetTexRef)
      .standard("right after the load",
                [](Scene& s, auto f) {
                  hipModule_t module = nullptr;
                  s.behind([&] { HIPR_OK(s, hipModuleLoadData(&module, Scene::code())); });
                  s.call(f, room<textureReference*>(), std::ref(module), "reference");
                  HIPR_OK(s, hipModuleUnload(module));
                })
      .local("later", [](Scene& s, auto f) {
        textureReference* found = nullptr;
        HIPR_OK(s, hipModuleGetTexRef(&found, s.module, "reference"));
        s.call(f, &found, s.module, "reference");
      });
  ROW(hipTexRefSetAddress).standard(ofModule([](Scene& s, auto f, textureReference* found) {
    s.call(f, nullptr, found, s.device, std::size_t{64});
  }));
  ROW(hipTexRefSetAddress2D).standard(ofModule([](Scene& s, auto f, textureReference* found) {
    const HIP_ARRAY_DESCRIPTOR plane{.Width = 8, .Height = 8, .Format = HIP_AD_FORMAT_FLOAT, .NumChannels = 1};
    s.call(f, found, &plane, s.device, std::size_t{256});
  }));
  ROW(hipTexRefSetArray).standard(ofModule([](Scene& s, auto f, textureReference* found) {
    const SceneArray array(s);
    s.call(f, found, array.handle, unsigned{HIP_TRSA_OVERRIDE_FORMAT});
    HIPR_OK(s, hipUnbindTexture(found));
  }));
  ROW(hipTexRefSetMipmappedArray).standard(ofModule([](Scene& s, auto f, textureReference* found) {
    auto* const none = reinterpret_cast<hipMipmappedArray*>(0x1000);
    s.expect(hipErrorNotSupported).call(f, found, none, unsigned{HIP_TRSA_OVERRIDE_FORMAT});
  }));
}

template <class Row, class... A>
void answers(Row row, hipError_t error, A... arguments) {
  row.standard([=](Scene& s, auto f) { s.expect(error).call(f, arguments...); });
}

void addParts(Book& book) {
  constexpr hipError_t kInvalid = hipErrorInvalidValue;
  answers(ROW(hipGetTextureReference), hipSuccess, room<const textureReference*>(), &reference);
  answers(ROW(hipGetTextureAlignmentOffset), hipSuccess, room<std::size_t>(), &reference);
  answers(ROW(hipTexRefGetMipMappedArray), kInvalid, room<hipMipmappedArray_t>(), &reference);
  answers(ROW(hipTexRefGetAddressMode), hipSuccess, room<hipTextureAddressMode>(), &reference, 0);
  answers(ROW(hipTexRefGetBorderColor), hipSuccess, room<float>(), &reference);
  answers(ROW(hipTexRefGetFilterMode), hipSuccess, room<hipTextureFilterMode>(), &reference);
  answers(ROW(hipTexRefGetFlags), hipSuccess, room<unsigned>(), &reference);
  answers(ROW(hipTexRefGetFormat), hipSuccess, room<hipArray_Format>(), room<int>(), &reference);
  answers(ROW(hipTexRefGetMaxAnisotropy), hipSuccess, room<int>(), &reference);
  answers(ROW(hipTexRefGetMipmapFilterMode), kInvalid, room<hipTextureFilterMode>(), &reference);
  answers(ROW(hipTexRefGetMipmapLevelBias), kInvalid, room<float>(), &reference);
  answers(ROW(hipTexRefGetMipmapLevelClamp), kInvalid, room<float>(), room<float>(), &reference);
  answers(ROW(hipTexRefSetAddressMode), hipSuccess, &reference, 0, hipAddressModeClamp);
  answers(ROW(hipTexRefSetBorderColor), hipSuccess, &reference, room<float>());
  answers(ROW(hipTexRefSetFilterMode), hipSuccess, &reference, hipFilterModePoint);
  answers(ROW(hipTexRefSetFlags), hipSuccess, &reference, 0u);
  answers(ROW(hipTexRefSetFormat), hipSuccess, &reference, HIP_AD_FORMAT_FLOAT, 1);
  answers(ROW(hipTexRefSetMaxAnisotropy), hipSuccess, &reference, 1u);
  answers(ROW(hipTexRefSetMipmapFilterMode), hipSuccess, &reference, hipFilterModePoint);
  answers(ROW(hipTexRefSetMipmapLevelBias), hipSuccess, &reference, 0.0f);
  answers(ROW(hipTexRefSetMipmapLevelClamp), hipSuccess, &reference, 0.0f, 1.0f);
}

}  // namespace

void addImageRows(Book& book) {
  addObjects(book);
  addBinding(book);
  addParts(book);
}

}  // namespace hipr::rows

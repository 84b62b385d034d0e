// Texture references: variables that the compiler registers, or that a module has, and that the program changes itself.
// Binding one makes a texture object as the reference describes it, and tells the device.
#include "runtime/api.h"
#include "runtime/image.h"
#include "runtime/memcpy.h"
#include "runtime/module.h"
#include "runtime/registry.h"

namespace hipr::api {

namespace {

hipTextureDesc readingOf(const textureReference& r) {
  hipTextureDesc out{};
  for (int i = 0; i < 3; ++i) out.addressMode[i] = r.addressMode[i];
  out.filterMode = r.filterMode;
  out.readMode = r.readMode;
  out.sRGB = r.sRGB;
  out.normalizedCoords = r.normalized;
  out.maxAnisotropy = r.maxAnisotropy;
  out.mipmapFilterMode = r.mipmapFilterMode;
  out.mipmapLevelBias = r.mipmapLevelBias;
  out.minMipmapLevelClamp = r.minMipmapLevelClamp;
  out.maxMipmapLevelClamp = r.maxMipmapLevelClamp;
  return out;
}

hipError_t unbind(textureReference& reference) {
  HIPR_TRY(destroyTexture(reference.textureObject));
  reference.textureObject = nullptr;
  return hipSuccess;
}

// In place of what it was bound to before. `where`: the device's own copy of the reference.
hipError_t bindAt(void* where, textureReference& reference, const hipResourceDesc& resource,
                  const hipResourceViewDesc* view) {
  HIPR_TRY(unbind(reference));
  const hipTextureDesc reading = readingOf(reference);
  HIPR_TRY(createTexture(&resource, &reading, view, &reference.textureObject));
  return copyMemory(nullptr, linear(where, &reference, sizeof reference, hipMemcpyHostToDevice), Stage::kVisible);
}

hipError_t bindRegistered(const textureReference* reference, const hipResourceDesc& resource,
                          const hipResourceViewDesc* view) {
  Process* p;
  Device* device;
  void* where;
  std::size_t size;
  HIPR_TRY(withImages(p, device));
  HIPR_TRY(registeredVariable(*p, *device, reference, where, size));
  return bindAt(where, *const_cast<textureReference*>(reference), resource, view);
}

// What binding a registered one checks first: that it is one, and that there is something to bind.
hipError_t bindable(const textureReference* texture, std::initializer_list<const void*> pointers) {
  Process* p;
  HIPR_TRY(process(p));
  if (!registeredSymbol(texture)) return hipErrorInvalidSymbol;
  return withImagesAfter(pointers);
}

// Texture memory begins at aligned addresses; whoever binds another one is told how far off it is.
hipError_t align(std::size_t* offset, void*& address) {
  Process* p;
  Device* device;
  HIPR_TRY(withImages(p, device));
  const std::size_t alignment = std::max<std::size_t>(device->info->props.textureAlignment, 1);
  const std::size_t off = (alignment - reinterpret_cast<std::uintptr_t>(address) % alignment) % alignment;
  if (off != 0 && offset == nullptr) return hipErrorInvalidValue;
  if (offset != nullptr) *offset = off;
  address = static_cast<std::byte*>(address) - off;
  return hipSuccess;
}

hipResourceDesc ofLine(void* address, const hipChannelFormatDesc& channels, std::size_t bytes) {
  hipResourceDesc out{};
  out.resType = hipResourceTypeLinear;
  out.res.linear = {address, channels, bytes};
  return out;
}
hipResourceDesc ofRows(void* address, const hipChannelFormatDesc& channels, std::size_t width, std::size_t height,
                       std::size_t pitch) {
  hipResourceDesc out{};
  out.resType = hipResourceTypePitch2D;
  out.res.pitch2D = {address, channels, width, height, pitch};
  return out;
}
hipResourceDesc ofArray(hipArray_const_t array) {
  hipResourceDesc out{};
  out.resType = hipResourceTypeArray;
  out.res.array.array = const_cast<hipArray_t>(array);
  return out;
}

// A whole array, seen as texels of that kind.
hipResourceViewDesc wholeView(const Array& array, const Texel& texel) {
  hipResourceViewDesc out{};
  for (int format = hipResViewFormatUnsignedChar1; format <= hipResViewFormatFloat4; ++format) {
    Texel seen;
    if (texelOf(static_cast<hipResourceViewFormat>(format), seen) && seen.format == texel.format &&
        seen.channels == texel.channels)
      out.format = static_cast<hipResourceViewFormat>(format);
  }
  out.width = array.head.width;
  out.height = array.head.height;
  out.depth = array.head.depth;
  return out;
}

// What a reference is bound to. hipErrorInvalidValue when it is bound to nothing.
hipError_t bound(const void* out, const textureReference* reference, hipResourceDesc& resource) {
  Process* p;
  HIPR_TRY(process(p));
  if (out == nullptr || reference == nullptr) return hipErrorInvalidValue;
  return api::hipGetTextureObjectResourceDesc(&resource, reference->textureObject);
}

// References of modules are found by hipModuleGetTexRef.
hipError_t ofModule(std::initializer_list<const void*> pointers, const textureReference* reference, void*& where,
                    bool good = true) {
  Process* p;
  HIPR_TRY(process(p));
  for (const void* pointer : pointers)
    if (pointer == nullptr) return hipErrorInvalidValue;
  if (!good) return hipErrorInvalidValue;
  where = p->moduleTextures.variableOf(reference);
  return where != nullptr ? hipSuccess : hipErrorNotFound;
}

}  // namespace

hipError_t hipModuleGetTexRef(textureReference** texRef, hipModule_t hmod, const char* name) {
  Process* p;
  HIPR_TRY(process(p));
  if (texRef == nullptr || name == nullptr || *name == 0) return hipErrorInvalidValue;
  if (hmod == nullptr) return hipErrorInvalidHandle;
  HIPR_TRY(withImages());
  Module* const module = p->modules.find(hmod);
  void* where = nullptr;
  std::size_t size = 0;
  if (module == nullptr) return hipErrorNotFound;
  HIPR_TRY(findVariable(*p, *module, name, where, size));
  if (size != sizeof(textureReference)) return hipErrorNotFound;
  *texRef = p->moduleTextures.make(*module, where);
  return hipSuccess;
}
hipError_t hipGetTextureReference(const textureReference** texref, const void* symbol) {
  HIPR_TRY(withImagesAfter({texref}));
  *texref = static_cast<const textureReference*>(symbol);
  return hipSuccess;
}
hipError_t hipGetTextureAlignmentOffset(size_t* offset, const textureReference* texref) {
  HIPR_TRY(withImagesAfter({offset, texref}));
  *offset = 0;
  return hipSuccess;
}

hipError_t hipBindTexture(size_t* offset, const textureReference* tex, const void* devPtr,
                          const hipChannelFormatDesc* desc, size_t size) {
  HIPR_TRY(bindable(tex, {devPtr, desc}));
  void* memory = const_cast<void*>(devPtr);
  HIPR_TRY(align(offset, memory));
  return bindRegistered(tex, ofLine(memory, *desc, size), nullptr);
}
hipError_t hipBindTexture2D(size_t* offset, const textureReference* tex, const void* devPtr,
                            const hipChannelFormatDesc* desc, size_t width, size_t height, size_t pitch) {
  HIPR_TRY(bindable(tex, {devPtr, desc, pitch != 0 ? tex : nullptr}));
  void* memory = const_cast<void*>(devPtr);
  HIPR_TRY(align(offset, memory));
  return bindRegistered(tex, ofRows(memory, *desc, width, height, pitch), nullptr);
}
hipError_t hipBindTextureToMipmappedArray(const textureReference* tex, hipMipmappedArray_const_t mipmappedArray,
                                          const hipChannelFormatDesc* desc) {
  HIPR_TRY(bindable(tex, {mipmappedArray, desc}));
  return hipErrorNotSupported;
}
// The pointers come first here.
hipError_t hipBindTextureToArray(const textureReference* tex, hipArray_const_t array,
                                 const hipChannelFormatDesc* desc) {
  HIPR_TRY(tex != nullptr && array != nullptr && desc != nullptr ? hipSuccess : hipErrorInvalidValue);
  HIPR_TRY(bindable(tex, {}));
  const Array* const a = findArray(*openedProcess(), array);
  Texel texel;
  if (a == nullptr || !texelOf(*desc, texel)) return hipErrorInvalidValue;
  const hipResourceViewDesc view = wholeView(*a, texel);
  return bindRegistered(tex, ofArray(array), &view);
}
hipError_t hipUnbindTexture(const textureReference* tex) {
  HIPR_TRY(withImagesAfter({tex}));
  return unbind(*const_cast<textureReference*>(tex));
}

hipError_t hipTexRefGetAddress(hipDeviceptr_t* dev_ptr, const textureReference* texRef) {
  hipResourceDesc resource;
  HIPR_TRY(bound(dev_ptr, texRef, resource));
  if (resource.resType == hipResourceTypeLinear) *dev_ptr = resource.res.linear.devPtr;
  if (resource.resType == hipResourceTypePitch2D) *dev_ptr = resource.res.pitch2D.devPtr;
  return resource.resType == hipResourceTypeArray ? hipErrorInvalidValue : hipSuccess;
}
hipError_t hipTexRefGetArray(hipArray_t* pArray, const textureReference* texRef) {
  hipResourceDesc resource;
  HIPR_TRY(bound(pArray, texRef, resource));
  if (resource.resType != hipResourceTypeArray) return hipErrorInvalidValue;
  *pArray = resource.res.array.array;
  return hipSuccess;
}
hipError_t hipTexRefGetMipMappedArray(hipMipmappedArray_t* pArray, const textureReference* texRef) {
  HIPR_TRY(withImagesAfter({pArray, texRef}));
  return hipErrorInvalidValue;  // there are none it could be bound to
}

hipError_t hipTexRefSetAddress(size_t* offset, textureReference* texRef, hipDeviceptr_t dptr, size_t bytes) {
  void* where;
  HIPR_TRY(ofModule({texRef}, texRef, where));
  HIPR_TRY(align(offset, dptr));
  const Texel texel{texRef->format, static_cast<unsigned>(texRef->numChannels)};
  return bindAt(where, *texRef, ofLine(dptr, channelsOf(texel), bytes), nullptr);
}
hipError_t hipTexRefSetAddress2D(textureReference* texRef, const HIP_ARRAY_DESCRIPTOR* desc, hipDeviceptr_t dptr,
                                 size_t Pitch) {
  void* where;
  HIPR_TRY(ofModule({texRef, desc}, texRef, where));
  const hipChannelFormatDesc channels = channelsOf({desc->Format, desc->NumChannels});
  return bindAt(where, *texRef, ofRows(dptr, channels, desc->Width, desc->Height, Pitch), nullptr);
}
hipError_t hipTexRefSetArray(textureReference* tex, hipArray_const_t array, unsigned int flags) {
  void* where;
  HIPR_TRY(ofModule({tex, array}, tex, where, flags == HIP_TRSA_OVERRIDE_FORMAT));
  const Array* const a = findArray(*openedProcess(), array);
  if (a == nullptr) return hipErrorInvalidValue;
  tex->format = a->head.format;
  tex->numChannels = static_cast<int>(a->head.channels);
  const hipResourceViewDesc view = wholeView(*a, {a->head.format, a->head.channels});
  return bindAt(where, *tex, ofArray(array), &view);
}
hipError_t hipTexRefSetMipmappedArray(textureReference* texRef, hipMipmappedArray* mipmappedArray, unsigned int Flags) {
  void* where;
  HIPR_TRY(ofModule({texRef, mipmappedArray}, texRef, where, Flags == HIP_TRSA_OVERRIDE_FORMAT));
  return hipErrorNotSupported;
}

}  // namespace hipr::api

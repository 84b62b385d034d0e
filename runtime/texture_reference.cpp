// Texture references (runtime/image.h): variables that the compiler registers and the program changes itself.
#include "runtime/api.h"
#include "runtime/image.h"
#include "runtime/registry.h"

namespace hipr::api {

namespace {

// What binding one checks: that it is registered, and that there is something to bind.
hipError_t bind(const textureReference* texture, std::initializer_list<const void*> pointers) {
  Process* p;
  HIPR_TRY(process(p));
  if (!registeredSymbol(texture)) return hipErrorInvalidSymbol;
  return noImagesAfter(pointers);
}

// What a reference is bound to. None is, unless the program wrote the handle itself.
hipError_t bound(const void* out, const textureReference* texture) {
  Process* p;
  HIPR_TRY(process(p));
  if (out == nullptr || texture == nullptr) return hipErrorInvalidValue;
  return noImagesAfter({texture->textureObject});
}

// References of modules are found by hipModuleGetTexRef, so there are none.
hipError_t setModuleReference(std::initializer_list<const void*> pointers, bool good = true) {
  Process* p;
  HIPR_TRY(process(p));
  for (const void* pointer : pointers)
    if (pointer == nullptr) return hipErrorInvalidValue;
  return good ? hipErrorNotFound : hipErrorInvalidValue;
}

}  // namespace

hipError_t hipModuleGetTexRef(textureReference** texRef, hipModule_t hmod, const char* name) {
  Process* p;
  HIPR_TRY(process(p));
  if (texRef == nullptr || name == nullptr || *name == 0) return hipErrorInvalidValue;
  return hmod == nullptr ? hipErrorInvalidHandle : noImages();
}
hipError_t hipGetTextureReference(const textureReference** texref, const void*) {
  return noImagesAfter({texref});
}
hipError_t hipGetTextureAlignmentOffset(size_t* offset, const textureReference* texref) {
  return noImagesAfter({offset, texref});
}

hipError_t hipBindTexture(size_t*, const textureReference* tex, const void* devPtr, const hipChannelFormatDesc* desc,
                          size_t) {
  return bind(tex, {devPtr, desc});
}
hipError_t hipBindTexture2D(size_t*, const textureReference* tex, const void* devPtr, const hipChannelFormatDesc* desc,
                            size_t, size_t, size_t pitch) {
  return bind(tex, {devPtr, desc, pitch != 0 ? tex : nullptr});
}
hipError_t hipBindTextureToMipmappedArray(const textureReference* tex, hipMipmappedArray_const_t mipmappedArray,
                                          const hipChannelFormatDesc* desc) {
  return bind(tex, {mipmappedArray, desc});
}
// The pointers come first here.
hipError_t hipBindTextureToArray(const textureReference* tex, hipArray_const_t array,
                                 const hipChannelFormatDesc* desc) {
  const hipError_t error = noImagesAfter({tex, array, desc});
  return error == hipErrorNotSupported ? bind(tex, {}) : error;
}
hipError_t hipUnbindTexture(const textureReference* tex) {
  return noImagesAfter({tex});
}

hipError_t hipTexRefGetAddress(hipDeviceptr_t* dev_ptr, const textureReference* texRef) {
  return bound(dev_ptr, texRef);
}
hipError_t hipTexRefGetArray(hipArray_t* pArray, const textureReference* texRef) {
  return bound(pArray, texRef);
}
hipError_t hipTexRefSetAddress(size_t*, textureReference* texRef, hipDeviceptr_t, size_t) {
  return setModuleReference({texRef});
}
hipError_t hipTexRefSetAddress2D(textureReference* texRef, const HIP_ARRAY_DESCRIPTOR* desc, hipDeviceptr_t, size_t) {
  return setModuleReference({texRef, desc});
}
hipError_t hipTexRefSetArray(textureReference* tex, hipArray_const_t array, unsigned int flags) {
  return setModuleReference({tex, array}, flags == HIP_TRSA_OVERRIDE_FORMAT);
}
hipError_t hipTexRefSetMipmappedArray(textureReference* texRef, hipMipmappedArray* mipmappedArray, unsigned int Flags) {
  return setModuleReference({texRef, mipmappedArray}, Flags == HIP_TRSA_OVERRIDE_FORMAT);
}

hipError_t hipTexRefGetMipMappedArray(hipMipmappedArray_t* pArray, const textureReference* texRef) {
  return noImagesAfter({pArray, texRef});
}
hipError_t hipTexRefGetAddressMode(hipTextureAddressMode* pam, const textureReference* texRef, int) {
  return noImagesAfter({pam, texRef});
}
hipError_t hipTexRefGetBorderColor(float* pBorderColor, const textureReference* texRef) {
  return noImagesAfter({pBorderColor, texRef});
}
hipError_t hipTexRefGetFilterMode(hipTextureFilterMode* pfm, const textureReference* texRef) {
  return noImagesAfter({pfm, texRef});
}
hipError_t hipTexRefGetFlags(unsigned int* pFlags, const textureReference* texRef) {
  return noImagesAfter({pFlags, texRef});
}
hipError_t hipTexRefGetFormat(hipArray_Format* pFormat, int* pNumChannels, const textureReference* texRef) {
  return noImagesAfter({pFormat, pNumChannels, texRef});
}
hipError_t hipTexRefGetMaxAnisotropy(int* pmaxAnsio, const textureReference* texRef) {
  return noImagesAfter({pmaxAnsio, texRef});
}
hipError_t hipTexRefGetMipmapFilterMode(hipTextureFilterMode* pfm, const textureReference* texRef) {
  return noImagesAfter({pfm, texRef});
}
hipError_t hipTexRefGetMipmapLevelBias(float* pbias, const textureReference* texRef) {
  return noImagesAfter({pbias, texRef});
}
hipError_t hipTexRefGetMipmapLevelClamp(float* pminMipmapLevelClamp, float* pmaxMipmapLevelClamp,
                                        const textureReference* texRef) {
  return noImagesAfter({pminMipmapLevelClamp, pmaxMipmapLevelClamp, texRef});
}

hipError_t hipTexRefSetAddressMode(textureReference* texRef, int dim, hipTextureAddressMode) {
  return noImagesAfter({dim >= 0 && dim <= 2 ? texRef : nullptr});
}
hipError_t hipTexRefSetBorderColor(textureReference* texRef, float* pBorderColor) {
  return noImagesAfter({texRef, pBorderColor});
}
hipError_t hipTexRefSetFilterMode(textureReference* texRef, hipTextureFilterMode) {
  return noImagesAfter({texRef});
}
hipError_t hipTexRefSetFlags(textureReference* texRef, unsigned int) {
  return noImagesAfter({texRef});
}
hipError_t hipTexRefSetFormat(textureReference* texRef, hipArray_Format, int) {
  return noImagesAfter({texRef});
}
hipError_t hipTexRefSetMaxAnisotropy(textureReference* texRef, unsigned int) {
  return noImagesAfter({texRef});
}
hipError_t hipTexRefSetMipmapFilterMode(textureReference* texRef, hipTextureFilterMode) {
  return noImagesAfter({texRef});
}
hipError_t hipTexRefSetMipmapLevelBias(textureReference* texRef, float) {
  return noImagesAfter({texRef});
}
hipError_t hipTexRefSetMipmapLevelClamp(textureReference* texRef, float, float) {
  return noImagesAfter({texRef});
}

}  // namespace hipr::api

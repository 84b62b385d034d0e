// What a texture reference says of itself (texture_reference.cpp binds it): parts of a structure of the program's.
#include "runtime/api.h"
#include "runtime/image.h"

namespace hipr::api {

namespace {

template <class T>
hipError_t tell(T* out, const textureReference* reference, T textureReference::* part) {
  HIPR_TRY(withImagesAfter({out, reference}));
  *out = reference->*part;
  return hipSuccess;
}

template <class T>
hipError_t change(textureReference* reference, T textureReference::* part, T value) {
  HIPR_TRY(withImagesAfter({reference}));
  reference->*part = value;
  return hipSuccess;
}

// AMD's runtime tells what it knows of mipmaps and calls that an invalid value.
hipError_t ofMipmaps(hipError_t error) {
  return error == hipSuccess ? hipErrorInvalidValue : error;
}

}  // namespace

hipError_t hipTexRefGetAddressMode(hipTextureAddressMode* pam, const textureReference* texRef, int dim) {
  HIPR_TRY(withImagesAfter({pam, texRef}));
  if (dim != 0 && dim != 1) return hipErrorInvalidValue;
  *pam = texRef->addressMode[dim];
  return hipSuccess;
}
hipError_t hipTexRefSetAddressMode(textureReference* texRef, int dim, hipTextureAddressMode am) {
  HIPR_TRY(withImagesAfter({dim >= 0 && dim <= 2 ? texRef : nullptr}));
  texRef->addressMode[dim] = am;
  return hipSuccess;
}

// A reference has no place for a colour; AMD's runtime leaves it at that.
hipError_t hipTexRefGetBorderColor(float* pBorderColor, const textureReference* texRef) {
  return withImagesAfter({pBorderColor, texRef});
}
hipError_t hipTexRefSetBorderColor(textureReference* texRef, float* pBorderColor) {
  return withImagesAfter({texRef, pBorderColor});
}

hipError_t hipTexRefGetFilterMode(hipTextureFilterMode* pfm, const textureReference* texRef) {
  return tell(pfm, texRef, &textureReference::filterMode);
}
hipError_t hipTexRefSetFilterMode(textureReference* texRef, hipTextureFilterMode fm) {
  return change(texRef, &textureReference::filterMode, fm);
}

hipError_t hipTexRefGetFlags(unsigned int* pFlags, const textureReference* texRef) {
  HIPR_TRY(withImagesAfter({pFlags, texRef}));
  *pFlags = (texRef->readMode == hipReadModeElementType ? HIP_TRSF_READ_AS_INTEGER : 0u) |
            (texRef->normalized == 1 ? HIP_TRSF_NORMALIZED_COORDINATES : 0u) | (texRef->sRGB == 1 ? HIP_TRSF_SRGB : 0u);
  return hipSuccess;
}
hipError_t hipTexRefSetFlags(textureReference* texRef, unsigned int Flags) {
  HIPR_TRY(withImagesAfter({texRef}));
  texRef->readMode = (Flags & HIP_TRSF_READ_AS_INTEGER) != 0 ? hipReadModeElementType : hipReadModeNormalizedFloat;
  texRef->normalized = (Flags & HIP_TRSF_NORMALIZED_COORDINATES) != 0;
  texRef->sRGB = (Flags & HIP_TRSF_SRGB) != 0;
  return hipSuccess;
}

hipError_t hipTexRefGetFormat(hipArray_Format* pFormat, int* pNumChannels, const textureReference* texRef) {
  HIPR_TRY(withImagesAfter({pFormat, pNumChannels, texRef}));
  *pFormat = texRef->format;
  *pNumChannels = texRef->numChannels;
  return hipSuccess;
}
hipError_t hipTexRefSetFormat(textureReference* texRef, hipArray_Format fmt, int NumPackedComponents) {
  HIPR_TRY(withImagesAfter({texRef}));
  texRef->format = fmt;
  texRef->numChannels = NumPackedComponents;
  return hipSuccess;
}

hipError_t hipTexRefGetMaxAnisotropy(int* pmaxAnsio, const textureReference* texRef) {
  HIPR_TRY(withImagesAfter({pmaxAnsio, texRef}));
  *pmaxAnsio = static_cast<int>(texRef->maxAnisotropy);
  return hipSuccess;
}
hipError_t hipTexRefSetMaxAnisotropy(textureReference* texRef, unsigned int maxAniso) {
  return change(texRef, &textureReference::maxAnisotropy, maxAniso);
}

hipError_t hipTexRefGetMipmapFilterMode(hipTextureFilterMode* pfm, const textureReference* texRef) {
  return ofMipmaps(tell(pfm, texRef, &textureReference::mipmapFilterMode));
}
hipError_t hipTexRefSetMipmapFilterMode(textureReference* texRef, hipTextureFilterMode fm) {
  return change(texRef, &textureReference::mipmapFilterMode, fm);
}
hipError_t hipTexRefGetMipmapLevelBias(float* pbias, const textureReference* texRef) {
  return ofMipmaps(tell(pbias, texRef, &textureReference::mipmapLevelBias));
}
hipError_t hipTexRefSetMipmapLevelBias(textureReference* texRef, float bias) {
  return change(texRef, &textureReference::mipmapLevelBias, bias);
}
hipError_t hipTexRefGetMipmapLevelClamp(float* pminMipmapLevelClamp, float* pmaxMipmapLevelClamp,
                                        const textureReference* texRef) {
  HIPR_TRY(withImagesAfter({pminMipmapLevelClamp, pmaxMipmapLevelClamp, texRef}));
  *pminMipmapLevelClamp = texRef->minMipmapLevelClamp;
  *pmaxMipmapLevelClamp = texRef->maxMipmapLevelClamp;
  return ofMipmaps(hipSuccess);
}
hipError_t hipTexRefSetMipmapLevelClamp(textureReference* texRef, float minMipMapLevelClamp,
                                        float maxMipMapLevelClamp) {
  HIPR_TRY(withImagesAfter({texRef}));
  texRef->minMipmapLevelClamp = minMipMapLevelClamp;
  texRef->maxMipmapLevelClamp = maxMipMapLevelClamp;
  return hipSuccess;
}

}  // namespace hipr::api

// Images: arrays, textures and surfaces. A device without image instructions (gfx942) has none of them, and each call
// says so after the checks that AMD's runtime makes first.
#pragma once

#include <initializer_list>

#include "runtime/process.h"
#include "types/texel.h"

namespace hipr {

// The current device; hipErrorNotSupported when it has no images.
hipError_t withImages(Process*& p, Device*& device);
hipError_t withImages();

// The same, but hipErrorInvalidValue when one of the pointers is null.
hipError_t withImagesAfter(std::initializer_list<const void*> pointers);

// The array behind a handle; null when there is none.
inline Array* findArray(const Process& p, const void* handle) {
  return p.arrays.find(handle);
}
inline bool layered1D(const Array& array) {
  return (array.head.flags & hipArrayLayered) != 0 && array.head.height == 0;
}

// What hipCreateTextureObject does, and its end. hipErrorInvalidValue when there is no such object.
hipError_t createTexture(const hipResourceDesc* resource, const hipTextureDesc* reading,
                         const hipResourceViewDesc* view, hipTextureObject_t* out);
hipError_t destroyTexture(hipTextureObject_t object);
hipError_t createSurface(const hipResourceDesc* resource, hipSurfaceObject_t* out);
hipError_t destroySurface(hipSurfaceObject_t object);

}  // namespace hipr

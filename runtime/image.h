// Images: arrays, mipmaps, textures and surfaces. A device without image instructions has none of them, and each call
// says so after the checks that AMD's runtime makes first; gfx942 is such a device, and so is softgpu. On a worker
// whose GPU has them they are not carried yet: the same answers, and a line in the log.
#pragma once

#include <initializer_list>

#include "runtime/process.h"

namespace hipr {

// hipErrorNotSupported, for the current device.
hipError_t noImages();

// The same, but hipErrorInvalidValue when one of the pointers is null.
hipError_t noImagesAfter(std::initializer_list<const void*> pointers);

}  // namespace hipr

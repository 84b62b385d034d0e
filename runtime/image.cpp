#include "runtime/image.h"

namespace hipr {

hipError_t withImages(Process*& p, Device*& device) {
  HIPR_TRY(currentDevice(p, device));
  const bool has = device->info->attributes.get(hipDeviceAttributeImageSupport).value_or(0) != 0;
  return has ? hipSuccess : hipErrorNotSupported;
}

hipError_t withImages() {
  Process* p;
  Device* device;
  return withImages(p, device);
}

hipError_t withImagesAfter(std::initializer_list<const void*> pointers) {
  Process* p;
  HIPR_TRY(process(p));
  for (const void* pointer : pointers)
    if (pointer == nullptr) return hipErrorInvalidValue;
  return withImages();
}

}  // namespace hipr

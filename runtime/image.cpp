#include "runtime/image.h"

#include "base/log.h"

namespace hipr {

hipError_t noImages() {
  Process* p;
  Device* device;
  HIPR_TRY(currentDevice(p, device));
  if (device->info->attributes.get(hipDeviceAttributeImageSupport).value_or(0) != 0) {
    static LogOnce once;
    once.error("images of %s are not carried to a worker: arrays, textures and surfaces answer hipErrorNotSupported",
               device->info->props.gcnArchName);
  }
  return hipErrorNotSupported;
}

hipError_t noImagesAfter(std::initializer_list<const void*> pointers) {
  Process* p;
  HIPR_TRY(process(p));
  for (const void* pointer : pointers)
    if (pointer == nullptr) return hipErrorInvalidValue;
  return noImages();
}

}  // namespace hipr

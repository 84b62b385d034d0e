// What programs about images share: arrays and texels with values that tell where they are.
#pragma once
#include "support.h"

#pragma clang diagnostic ignored "-Wdeprecated-declarations"  // some of these calls HIP would rather not have

inline void onlyWithImages() {
  int images = 0;
  HIP(hipDeviceGetAttribute(&images, hipDeviceAttributeImageSupport, 0));
  if (images == 0) SKIP("this device has no images");
}

class DeviceArray {
 public:
  DeviceArray(const hipChannelFormatDesc& channels, hipExtent extent, unsigned flags = hipArrayDefault) {
    HIP(hipMalloc3DArray(&array_, &channels, extent, flags));
  }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  ~DeviceArray() { (void)hipFreeArray(array_); }
  operator hipArray_t() const { return array_; }

 private:
  hipArray_t array_ = nullptr;
};

// Every texel of the array, as its rows lie one after the other; `extent` with 1 in place of 0.
template <class T>
hipMemcpy3DParms whole(hipArray_t array, const std::vector<T>& host, hipExtent extent, bool toArray) {
  hipMemcpy3DParms box{};
  const hipPitchedPtr memory =
      make_hipPitchedPtr(const_cast<T*>(host.data()), extent.width * sizeof(T), extent.width, extent.height);
  (toArray ? box.dstArray : box.srcArray) = array;
  (toArray ? box.srcPtr : box.dstPtr) = memory;
  box.extent = extent;
  box.kind = toArray ? hipMemcpyHostToDevice : hipMemcpyDeviceToHost;
  return box;
}
template <class T>
void upload(hipArray_t array, const std::vector<T>& host, hipExtent extent) {
  const hipMemcpy3DParms box = whole(array, host, extent, true);
  HIP(hipMemcpy3D(&box));
}
template <class T>
std::vector<T> download(hipArray_t array, hipExtent extent) {
  std::vector<T> host(extent.width * extent.height * extent.depth);
  const hipMemcpy3DParms box = whole(array, host, extent, false);
  HIP(hipMemcpy3D(&box));
  return host;
}

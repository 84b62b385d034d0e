// Arrays and textures of the client. The runtime's own go with them: an array with the last of its textures, so that no
// texture shows memory that is gone. Whoever gives one up does so when everything sent so far is done.
#pragma once

#include <cstdint>
#include <memory>

#include "wire/image_messages.h"
#include "worker/backend.h"
#include "worker/device_memory.h"
#include "worker/quotas.h"

namespace hipr::worker {

struct Array {
  Array(const Backend& runtime, DeviceMemory& books, const wire::ArrayCreate& as, std::uint64_t texelBytes);
  ~Array();
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;

  hipError_t make();  // once
  // Whole texels that it has.
  bool holds(const wire::ArraySide& box, const wire::ArrayCopy& extent) const;

  const Backend& backend;
  DeviceMemory& memory;
  Meter::Share share;
  const int device;
  const HIP_ARRAY3D_DESCRIPTOR shape;
  const std::uint64_t texel, rows, slices;  // bytes; at least 1
  const std::uint64_t cost;                 // of device memory
  hipArray_t native = nullptr;
};

struct Texture {
  Texture(const Backend& runtime, int ofDevice, bool asSurface)
      : backend(runtime), device(ofDevice), surface(asSurface) {}
  ~Texture();
  Texture(const Texture&) = delete;
  Texture& operator=(const Texture&) = delete;

  hipError_t make(const hipResourceDesc& source, const hipTextureDesc& reading, const hipResourceViewDesc* view);

  const Backend& backend;
  Meter::Share share;
  const int device;
  const bool surface;
  std::shared_ptr<Array> array;  // null: plain memory, which the client may free at any time, as on a local GPU
  void* native = nullptr;
};

// A copy from or to arrays, as the runtime takes it. It keeps no array alive.
struct ArrayWork {
  wire::ArrayCopy message;
  std::weak_ptr<Array> to{}, from{};
  hipMemcpy3DParms params{};
  hipError_t broken = hipSuccess;  // the runtime has no way to say it
};

}  // namespace hipr::worker

// FakeHip: arrays and textures. An array is rows of texels, one behind the other; nobody reads through a texture. As on
// a GPU, using an array that is gone is a fault, and so is an end of an array that a texture still shows.
#include <algorithm>
#include <cstring>

#include "base/log.h"
#include "worker/fake_hip.h"

namespace hipr::worker {
namespace {

struct FakeArray {
  std::size_t texel, width, height, depth;
  std::vector<char> bytes;
  char* at(std::size_t x, std::size_t y, std::size_t z) {
    return bytes.data() + ((z * height + y) * width + x) * texel;
  }
};

std::mutex imageMutex;
std::map<const void*, std::shared_ptr<FakeArray>> arrays;
std::map<const void*, const void*> textures, surfaces;  // and the array of each, or null
std::uintptr_t lastImage = 0x7f0000000000;              // handles look like addresses

std::size_t texelOf(const HIP_ARRAY3D_DESCRIPTOR& d) {
  switch (d.Format) {
    case HIP_AD_FORMAT_UNSIGNED_INT8:
    case HIP_AD_FORMAT_SIGNED_INT8:
      return d.NumChannels;
    case HIP_AD_FORMAT_UNSIGNED_INT16:
    case HIP_AD_FORMAT_SIGNED_INT16:
    case HIP_AD_FORMAT_HALF:
      return 2 * d.NumChannels;
    default:
      return 4 * d.NumChannels;
  }
}

std::shared_ptr<FakeArray> find(const void* handle) {
  const std::lock_guard lock(imageMutex);
  const auto found = arrays.find(handle);
  return found == arrays.end() ? nullptr : found->second;
}

bool inside(const FakeArray& array, const hipPos& begin, const hipExtent& size) {
  return begin.x + size.width <= array.width && begin.y + size.height <= array.height &&
         begin.z + size.depth <= array.depth;
}

// Where row y of slice z of one side begins. REQUIRES: an array, if it is one, is still there
class Side {
 public:
  Side(hipArray_t array, const hipPos& position, const hipPitchedPtr& rows)
      : handle_(array), position_(position), rows_(rows) {}
  template <class BytesAt>
  char* row(std::size_t y, std::size_t z, BytesAt&& bytesAt) const {
    if (!handle_)
      return static_cast<char*>(bytesAt(static_cast<const char*>(rows_.ptr) + (z * rows_.ysize + y) * rows_.pitch));
    const std::shared_ptr<FakeArray> array = find(handle_);
    if (!array) logAndAbort("FakeHip: a copy of an array that is gone");
    return array->at(position_.x, position_.y + y, position_.z + z);
  }
  // 0: it is none, or not as large as that.
  std::size_t texel(const hipExtent& size) const {
    const std::shared_ptr<FakeArray> array = find(handle_);
    return array && inside(*array, position_, size) ? array->texel : 0;
  }
  bool isArray() const { return handle_ != nullptr; }
  bool spacious(std::size_t width, const hipExtent& size) const {
    return rows_.ptr && rows_.pitch >= width && (size.depth == 1 || rows_.ysize >= size.height);
  }

 private:
  hipArray_t handle_;
  hipPos position_;
  hipPitchedPtr rows_;
};

hipError_t make(std::map<const void*, const void*>& made, const hipResourceDesc& from, void** out) {
  const std::lock_guard lock(imageMutex);
  const bool array = from.resType == hipResourceTypeArray;
  if (array && !arrays.contains(from.res.array.array)) return hipErrorInvalidHandle;
  if (!array && (from.resType == hipResourceTypeMipmappedArray || !from.res.linear.devPtr)) return hipErrorInvalidValue;
  *out = reinterpret_cast<void*>(lastImage += 16);
  made[*out] = array ? from.res.array.array : nullptr;
  return hipSuccess;
}

hipError_t destroy(std::map<const void*, const void*>& made, const void* object) {
  const std::lock_guard lock(imageMutex);
  return made.erase(object) ? hipSuccess : hipErrorInvalidValue;
}

bool shown(const void* array) {  // REQUIRES: imageMutex
  const auto shows = [array](const auto& entry) { return entry.second == array; };
  return std::ranges::any_of(textures, shows) || std::ranges::any_of(surfaces, shows);
}

}  // namespace

std::size_t FakeHip::liveArrays() {
  const std::lock_guard lock(imageMutex);
  return arrays.size();
}

std::size_t FakeHip::liveTextures() {
  const std::lock_guard lock(imageMutex);
  return textures.size() + surfaces.size();
}

void FakeHip::addImages(HipTable& t) {
  t.hipArray3DCreate = [](hipArray_t* out, const HIP_ARRAY3D_DESCRIPTOR* d) {
    refuseInHostFunction("hipArray3DCreate");
    if (the_->fails("hipArray3DCreate")) return hipErrorOutOfMemory;
    if (!d->Width || (d->Depth && !d->Height && !(d->Flags & hipArrayLayered))) return hipErrorInvalidValue;
    auto made = std::make_shared<FakeArray>(
        FakeArray{texelOf(*d), d->Width, std::max<std::size_t>(d->Height, 1), std::max<std::size_t>(d->Depth, 1), {}});
    made->bytes.resize(made->texel * made->width * made->height * made->depth);
    const std::lock_guard lock(imageMutex);
    *out = reinterpret_cast<hipArray_t>(lastImage += 16);
    arrays[*out] = std::move(made);
    return hipSuccess;
  };
  t.hipArrayDestroy = [](hipArray_t array) {
    refuseInHostFunction("hipArrayDestroy");
    const std::lock_guard lock(imageMutex);
    if (shown(array)) logAndAbort("FakeHip: the end of an array that a texture shows");
    return arrays.erase(array) ? hipSuccess : hipErrorInvalidHandle;
  };
  t.hipMemcpy3DAsync = [](const hipMemcpy3DParms* p, hipStream_t stream) {
    refuseInHostFunction("hipMemcpy3DAsync");
    if (the_->fails("hipMemcpy3DAsync")) return hipErrorInvalidValue;
    const Side to(p->dstArray, p->dstPos, p->dstPtr), from(p->srcArray, p->srcPos, p->srcPtr);
    const hipExtent size = p->extent;
    const std::size_t toTexel = to.isArray() ? to.texel(size) : 0, fromTexel = from.isArray() ? from.texel(size) : 0;
    if ((to.isArray() && !toTexel) || (from.isArray() && !fromTexel)) return hipErrorInvalidValue;
    if (toTexel && fromTexel && toTexel != fromTexel) return hipErrorInvalidValue;
    const std::size_t width = size.width * std::max({toTexel, fromTexel, std::size_t{1}});
    if ((!toTexel && !to.spacious(width, size)) || (!fromTexel && !from.spacious(width, size)))
      return hipErrorInvalidPitchValue;
    return the_->enqueue(stream, [=] {
      const auto bytesAt = [](const void* address) { return the_->memory_.bytesAt(address); };
      for (std::size_t z = 0; z < size.depth; ++z) {
        for (std::size_t y = 0; y < size.height; ++y)
          std::memmove(to.row(y, z, bytesAt), from.row(y, z, bytesAt), width);
      }
    });
  };
  t.hipCreateTextureObject = [](hipTextureObject_t* out, const hipResourceDesc* from, const hipTextureDesc*,
                                const hipResourceViewDesc*) {
    refuseInHostFunction("hipCreateTextureObject");
    if (the_->fails("hipCreateTextureObject")) return hipErrorNotSupported;
    return make(textures, *from, reinterpret_cast<void**>(out));
  };
  t.hipDestroyTextureObject = [](hipTextureObject_t texture) {
    refuseInHostFunction("hipDestroyTextureObject");
    return destroy(textures, texture);
  };
  t.hipCreateSurfaceObject = [](hipSurfaceObject_t* out, const hipResourceDesc* from) {
    refuseInHostFunction("hipCreateSurfaceObject");
    return make(surfaces, *from, reinterpret_cast<void**>(out));
  };
  t.hipDestroySurfaceObject = [](hipSurfaceObject_t surface) {
    refuseInHostFunction("hipDestroySurfaceObject");
    return destroy(surfaces, surface);
  };
}

}  // namespace hipr::worker

// Arrays, and copies from and to them. Sizes and boxes are checked before the runtime sees them; what it cannot do is
// its own to say.
#include "worker/images.h"

#include <algorithm>

#include "types/texel.h"
#include "worker/give.h"
#include "worker/session.h"

namespace hipr::worker {
namespace {

constexpr std::uint32_t kArrayFlags =
    hipArrayLayered | hipArraySurfaceLoadStore | hipArrayCubemap | hipArrayTextureGather;

// 0 when there are no such texels.
std::uint64_t texelBytes(std::uint32_t format, std::uint32_t channels) {
  if ((channels != 1 && channels != 2 && channels != 4) || format > HIP_AD_FORMAT_FLOAT) return 0;
  return bytesOf(Texel{static_cast<hipArray_Format>(format), channels});
}

wire::Shape rowsOf(const wire::ArraySide& side, const wire::ArrayCopy& m) {
  return {side.address, side.pitch, side.slice, m.width, m.height, m.depth};
}

// Distances between rows and between slices, as HIP has them: of slices it counts the rows. REQUIRES: the extent is
// known to be sound
bool express(const wire::ArraySide& side, const wire::ArrayCopy& m, hipPitchedPtr& out) {
  const std::uint64_t pitch = m.height > 1 ? side.pitch : m.depth > 1 ? side.slice : m.width;
  const std::uint64_t rows = m.depth > 1 ? side.slice / pitch : m.height;
  out = {at(side.address), pitch, m.width, rows};
  return m.depth == 1 || pitch * rows == side.slice;
}

// Neither keeps the other: whoever dropped the last share would have to free the array.
bool same(const std::weak_ptr<Array>& one, const std::shared_ptr<Array>& other) {
  return other && !one.owner_before(other) && !other.owner_before(one);
}

}  // namespace

Array::Array(const Backend& runtime, DeviceMemory& books, const wire::ArrayCreate& as, std::uint64_t texelBytes)
    : backend(runtime),
      memory(books),
      device(as.device),
      shape{as.width, as.height, as.depth, static_cast<hipArray_Format>(as.format), as.channels, as.flags},
      texel(texelBytes),
      rows(std::max<std::uint64_t>(as.height, 1)),
      slices(std::max<std::uint64_t>(as.depth, 1)),
      cost(wire::costOfArray(as.width * rows * slices * texel)) {}

hipError_t Array::make() {
  backend.use(device);
  const hipError_t error = backend.hip.hipArray3DCreate(&native, &shape);
  if (error != hipSuccess) native = nullptr;
  if (native) memory.charge(device, cost);
  return error == hipSuccess && !native ? hipErrorUnknown : error;
}

Array::~Array() {
  if (!native) return;
  backend.use(device);
  backend.hip.hipArrayDestroy(native);
  memory.refund(device, cost);
}

bool Array::holds(const wire::ArraySide& box, const wire::ArrayCopy& m) const {
  const auto inside = [](std::uint64_t begin, std::uint64_t size, std::uint64_t all) {
    return size && begin <= all && size <= all - begin;
  };
  return box.x % texel == 0 && m.width % texel == 0 && inside(box.x, m.width, shape.Width * texel) &&
         inside(box.y, m.height, rows) && inside(box.z, m.depth, slices);
}

Session::Answer Session::onArrayCreate(const wire::ArrayCreate& m) {
  if (!hasDevice(m.device)) return std::nullopt;
  const std::uint64_t texel = texelBytes(m.format, m.channels);
  // Within the limit the product of all of them is a number.
  if (!texel || !m.width || std::max({m.width, m.height, m.depth}) > wire::kMostTexels || m.flags & ~kArrayFlags)
    return hipErrorInvalidValue;
  auto array = std::make_shared<Array>(backend_, memory_, m, texel);
  array->share = meter_.take(Quota::kImages);
  if (!arrays_.add(m.array, array)) {
    refuse("array " + std::to_string(m.array) + " cannot be made");
    return std::nullopt;
  }
  hipError_t error = array->share && obtainCredit(m.device, array->cost) ? array->make() : hipErrorOutOfMemory;
  if (error != hipSuccess) arrays_.take(m.array);
  return error;
}

hipError_t Session::onArrayDestroy(const wire::ArrayDestroy& m) {
  std::shared_ptr<Array> array = arrays_.take(m.array);
  if (!array) {
    refuse("array " + std::to_string(m.array) + " does not exist");
    return hipErrorInvalidHandle;
  }
  ++departures_;
  dropLater(std::move(array));
  return hipSuccess;
}

void Session::dropLater(std::shared_ptr<void> image) {
  order_.afterEverything([image = std::move(image)]() mutable { image.reset(); });
}

void Session::dropImages(int device) {
  ++departures_;
  const auto ofDevice = [device](const auto& image) { return image.device == device; };
  for (auto& texture : textures_.takeIf(ofDevice)) dropLater(std::move(texture));
  for (auto& array : arrays_.takeIf(ofDevice)) dropLater(std::move(array));
}

// Fills in the rest of it. False after refuse().
bool Session::resolve(ArrayWork& work) {
  const wire::ArrayCopy& m = work.message;
  hipMemcpy3DParms& p = work.params;
  if (!m.to.array && !m.from.array) refuse("a copy between arrays without an array");
  const auto side = [&](const wire::ArraySide& of, std::weak_ptr<Array>& kept, hipArray_t& native, hipPos& position,
                        hipPitchedPtr& rows) -> std::uint64_t {  // bytes of a texel
    if (!of.array) {
      if (extentOf(rowsOf(of, m)) == 0 || !express(of, m, rows)) work.broken = hipErrorInvalidValue;
      return 0;
    }
    const std::shared_ptr<Array>& array = arrays_.find(of.array);
    if (!array) refuse("array " + std::to_string(of.array) + " does not exist");
    if (!array || !array->holds(of, m)) {
      refuse("a copy of what array " + std::to_string(of.array) + " does not have");
      return 0;
    }
    kept = array;
    native = array->native;
    position = {of.x / array->texel, of.y, of.z};
    return array->texel;
  };
  const std::uint64_t to = side(m.to, work.to, p.dstArray, p.dstPos, p.dstPtr);
  const std::uint64_t from = side(m.from, work.from, p.srcArray, p.srcPos, p.srcPtr);
  if (!refusal_.empty()) return false;
  if (to && from && to != from) work.broken = hipErrorInvalidValue;
  p.extent = {m.width / std::max(to, from), m.height, m.depth};
  p.kind = hipMemcpyDeviceToDevice;
  return true;
}

bool Session::namedExists(const ArrayWork& work) {
  const auto exists = [&](const wire::ArraySide& side, const std::weak_ptr<Array>& array) {
    DeviceMemory::Span span;
    return side.array ? same(array, arrays_.find(side.array))
                      : locate(side.address, extentOf(rowsOf(side, work.message)), span);
  };
  return exists(work.message.to, work.to) && exists(work.message.from, work.from);
}

void Session::onArrayCopy(const wire::ArrayCopy& m) {
  const StreamPtr s = stream(m.stream);
  ArrayWork work{.message = m};
  if (!s || !resolve(work)) return;
  hipError_t error = work.broken;
  if (error == hipSuccess && !namedExists(work)) error = hipErrorInvalidDevicePointer;
  // Arrays that the client gives up meanwhile stay until this is done, too.
  submit<wire::Opcode::kArrayCopy>(s, m, error,
                                   [this, params = work.params](const StreamPtr& on, const wire::ArrayCopy&) {
                                     return backend_.hip.hipMemcpy3DAsync(&params, on->native);
                                   });
  if (!m.to.array) noteHostWrite(*s, m.to.address);
}

}  // namespace hipr::worker

// RemoteCore: arrays and textures, and copies between arrays and memory that only this process has.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <vector>

#include "client/image_pieces.h"
#include "client/remote_core.h"
#include "client/work.h"

namespace hipr::client {
using wire::Opcode;

namespace {

constexpr std::size_t kMostOnItsWay = 32 << 20;  // of a copy through device memory; as much as the heap keeps mapped

// What an array takes of its device's credit. The worker keeps the array as long as a texture shows it.
struct ArrayCost {
  ArrayCost(int ofDevice, std::uint64_t size) : device(ofDevice), bytes(size) {}
  const int device;
  const std::uint64_t bytes;
  std::atomic<int> users{1};
};
using ArrayCostPtr = std::shared_ptr<ArrayCost>;

struct ImageObject : CoreObject {  // of an array or a texture
  explicit ImageObject(ArrayCostPtr its) : cost(std::move(its)) {}
  const ArrayCostPtr cost;  // null: of a texture of other memory
};

const ArrayCostPtr& costOf(const std::unique_ptr<CoreObject>& impl) {
  return static_cast<const ImageObject&>(*impl).cost;
}

bool take(Session& s, const ArrayCost& cost) {
  return !s.placesMemory() || s.heap(cost.device).takeCredit(cost.bytes);
}

void give(Session& s, const ArrayCost& cost) {
  if (s.placesMemory()) s.heap(cost.device).giveCredit(cost.bytes);
}

void letGo(Session& s, const ArrayCostPtr& cost) {
  if (cost && --cost->users == 0) give(s, *cost);
}

std::uint64_t wireId(const Array& array) {
  return wire::kFirstObject + array.id;
}
std::uint64_t wireId(const Texture& texture) {
  return wire::kFirstObject + texture.id;
}

// Where the worker has it; host memory is exposed, since kernels will read it.
std::uint64_t addressThere(Session& s, const void* pointer) {
  std::vector<std::byte> address(sizeof pointer);
  std::memcpy(address.data(), &pointer, sizeof pointer);
  if (s.host().needsScan()) s.host().scanArguments(address);
  std::uint64_t there = 0;
  std::memcpy(&there, address.data(), sizeof there);
  return there;
}

void describe(wire::TextureSource& out, const hipChannelFormatDesc& channels) {
  out.bits = {channels.x, channels.y, channels.z, channels.w};
  out.kind = channels.f;
}

wire::TextureSource sourceOf(Session& s, const Texture& t) {
  wire::TextureSource out;
  if (t.array) {
    out.type = hipResourceTypeArray;
    out.array = wireId(*t.array);
    return out;
  }
  out.type = t.resource.resType;
  if (out.type == hipResourceTypeLinear) {
    const auto& linear = t.resource.res.linear;
    out.address = addressThere(s, linear.devPtr);
    out.bytes = linear.sizeInBytes;
    describe(out, linear.desc);
  } else {
    const auto& rows = t.resource.res.pitch2D;
    out.address = addressThere(s, rows.devPtr);
    out.width = rows.width;
    out.height = rows.height;
    out.pitch = rows.pitchInBytes;
    describe(out, rows.desc);
  }
  return out;
}

// Some programs leave what does not count as they found it. Runtimes do not mind; a worker would.
template <class T>
std::int32_t known(T value, T last, T otherwise) {
  const auto number = static_cast<std::int32_t>(value);
  return number >= 0 && number <= static_cast<std::int32_t>(last) ? number : static_cast<std::int32_t>(otherwise);
}

wire::TextureReading readingOf(const hipTextureDesc& d) {
  const auto mode = [&](int axis) { return known(d.addressMode[axis], hipAddressModeBorder, hipAddressModeClamp); };
  return {.addressMode = {mode(0), mode(1), mode(2)},
          .filterMode = known(d.filterMode, hipFilterModeLinear, hipFilterModePoint),
          .readMode = known(d.readMode, hipReadModeNormalizedFloat, hipReadModeElementType),
          .sRGB = d.sRGB != 0,
          .borderColor = {d.borderColor[0], d.borderColor[1], d.borderColor[2], d.borderColor[3]},
          .normalizedCoords = d.normalizedCoords != 0,
          .maxAnisotropy = d.maxAnisotropy,
          .mipmapLevelBias = d.mipmapLevelBias};  // and nothing of mipmaps: there are none
}

// All of the array, whatever else the program has said: runtimes look at the format alone.
wire::TextureView viewOf(const hipResourceViewDesc& v, const Array& array) {
  return {.format = v.format, .width = array.head.width, .height = array.head.height, .depth = array.head.depth};
}

}  // namespace

bool namesArray(const Copy& copy) {
  return copy.to.array || copy.from.array;
}

wire::ArrayCopy arrayCopyMessage(Session& s, const Copy& c) {
  const auto side = [&](const Plane& plane) -> wire::ArraySide {
    if (plane.array) return {.array = wireId(*plane.array), .x = plane.x, .y = plane.y, .z = plane.z};
    const wire::Shape rows = shapeThere(s, plane, c);
    return {.address = rows.address, .pitch = rows.pitch, .slice = rows.slice};
  };
  return {.to = side(c.to), .from = side(c.from), .width = c.width, .height = c.height, .depth = c.depth};
}

hipError_t RemoteCore::create(Array& array) {
  Session& s = session();
  if (!s.hasImages()) return hipErrorNotSupported;
  const ArrayHead& head = array.head;
  const auto cost =
      std::make_shared<ArrayCost>(array.device, wire::costOfArray(array.rowBytes() * array.rows() * array.slices()));
  if (!take(s, *cost)) return hipErrorOutOfMemory;
  const auto ask = [&](wire::Done& done) {
    return s.connection().call<Opcode::kArrayCreate>(
        {wireId(array), array.device, head.width, head.height, head.depth, static_cast<std::uint32_t>(head.format),
         head.channels, head.flags},
        done);
  };
  wire::Done done;
  if (!ask(done)) return kLost;
  // As for other memory: what was freed is there until the work that may use it is done.
  if (const Moment everything = s.streams().now(); done.status == hipErrorOutOfMemory && !everything.passed())
    if (s.waitFor(everything) == kLost || !ask(done)) return kLost;
  if (done.status != hipSuccess) {
    give(s, *cost);
    return errorFrom(done.status);
  }
  array.impl = std::make_unique<ImageObject>(cost);
  return hipSuccess;
}

hipError_t RemoteCore::destroy(Array& array) {
  Session& s = session();
  s.connection().post<Opcode::kArrayDestroy>({wireId(array)});
  letGo(s, costOf(array.impl));
  array.impl.reset();
  return hipSuccess;
}

hipError_t RemoteCore::create(Texture& texture) {
  Session& s = session();
  if (!s.hasImages()) return hipErrorNotSupported;
  wire::TextureCreate message{
      .texture = wireId(texture), .device = texture.device, .surface = texture.surface, .source = sourceOf(s, texture)};
  if (!texture.surface) message.reading = readingOf(texture.reading);
  if (texture.view) message.view = viewOf(*texture.view, *texture.array);
  wire::TextureCreateReply reply;
  if (!s.connection().call<Opcode::kTextureCreate>(message, reply)) return kLost;
  if (reply.status != hipSuccess) return errorFrom(reply.status);
  if (!reply.object) {
    s.connection().loseAndRest(Status::invalid("a texture without a name"));
    return kLost;
  }
  // An address of the worker's process: here something else may be there, even memory whose addresses are exchanged in
  // arguments of kernels.
  s.host().addHandle(reply.object);
  const ArrayCostPtr cost = texture.array ? costOf(texture.array->impl) : nullptr;
  if (cost) ++cost->users;
  texture.object = reinterpret_cast<void*>(reply.object);
  texture.impl = std::make_unique<ImageObject>(cost);
  return hipSuccess;
}

hipError_t RemoteCore::destroy(Texture& texture) {
  Session& s = session();
  // First: the worker may give the next texture the same name.
  s.host().dropHandle(reinterpret_cast<std::uint64_t>(texture.object));
  s.connection().post<Opcode::kTextureDestroy>({wireId(texture)});
  letGo(s, costOf(texture.impl));
  texture.impl.reset();
  return hipSuccess;
}

// Bytes travel to and from memory at addresses, where all that there is for bulk data is at hand; from there to an
// array, or back, is another operation of the stream. The pieces use the same memory, since a stream does one thing
// after the other.
hipError_t RemoteCore::copyByWay(const Copy& c, Stream& stream, Stage until, HostAccess access) {
  const Plane& array = c.to.array ? c.to : c.from;
  Allocation room{.kind = MemoryKind::kDevice, .owner = array.owner, .device = array.array->device};
  room.size = std::min(c.width * c.height * c.depth, std::max(kMostOnItsWay, c.width));
  hipError_t error = allocate(room);
  while (error == hipErrorOutOfMemory && room.size > c.width) {
    room.size = std::max(room.size / 2, c.width);
    error = allocate(room);
  }
  if (error != hipSuccess) return error;
  for (const ImagePiece& piece : cut(c.width, c.height, c.depth, room.size)) {
    const auto part = [&](Plane plane) {
      plane.synchronous = false;  // all of it is waited for, not each piece
      if (plane.array) {
        plane.y += piece.y;
        plane.z += piece.z;
      } else {
        plane.address = static_cast<std::byte*>(plane.address) + piece.z * plane.slice + piece.y * plane.pitch;
      }
      return plane;
    };
    const Plane between{.address = room.devicePointer,
                        .pitch = c.width,
                        .slice = c.width * piece.height,
                        .kind = MemoryKind::kDevice,
                        .owner = room.owner,
                        .device = room.device};
    error = copy({between, part(c.from), c.width, piece.height, piece.depth}, stream, until, access);
    if (error == hipSuccess)
      error = copy({part(c.to), between, c.width, piece.height, piece.depth}, stream, until, access);
    if (error != hipSuccess) break;
  }
  static_cast<void>(release(room));
  if (error != hipSuccess || until != Stage::kVisible || !(c.to.synchronous || c.from.synchronous)) return error;
  return synchronize(stream);
}

}  // namespace hipr::client

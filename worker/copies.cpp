// Copies between the client and device memory, within device memory, and fills.
#include <algorithm>
#include <bit>
#include <cstring>

#include "worker/give.h"
#include "worker/session.h"

namespace hipr::worker {
namespace {

constexpr std::uint64_t kLeastUploads = 4096;

hipError_t fillLine(const HipTable& hip, std::uint64_t address, std::uint32_t value, std::uint32_t elementSize,
                    std::uint64_t count, hipStream_t stream) {
  switch (elementSize) {
    case 1:
      return hip.hipMemsetAsync(at(address), static_cast<int>(value & 0xff), count, stream);
    case 2:
      return hip.hipMemsetD16Async(at(address), static_cast<unsigned short>(value), count, stream);
    default:
      return hip.hipMemsetD32Async(at(address), static_cast<int>(value), count, stream);
  }
}

// All bytes of the elements are the same one.
bool ofOneByte(const wire::FillMemory& m) {
  const std::uint32_t low = m.value & 0xff;
  return m.elementSize == 1 ||
         (m.value & (m.elementSize == 2 ? 0xffff : ~0u)) == low * (m.elementSize == 2 ? 0x0101u : 0x01010101u);
}

// Of other elements no runtime fills several rows at once. So the first is filled, and then what there is is copied:
// with each copy there are twice as many.
hipError_t fillPlane(const HipTable& hip, const wire::FillMemory& m, const wire::Shape& to, hipStream_t stream) {
  hipError_t error = fillLine(hip, to.address, m.value, m.elementSize, m.to.width, stream);
  for (std::uint64_t rows = 1; rows < to.height && error == hipSuccess; rows *= 2) {
    error = hip.hipMemcpy2DAsync(at(to.address + rows * to.pitch), to.pitch, at(to.address), to.pitch, to.width,
                                 std::min(rows, to.height - rows), hipMemcpyDefault, stream);
  }
  return error;
}

// The planes of a copy: as few as both sides allow.
wire::DeviceCopy fewestPlanes(wire::DeviceCopy m) {
  const wire::Shape to = flattened(m.to), from = flattened(sourceOf(m));
  if (to.depth != from.depth) return m;
  m.to = to;
  m.fromPitch = from.pitch;
  return m;
}

}  // namespace

std::uint64_t piecesOf(const wire::DeviceCopy& m) {
  return contiguous(m.to) && contiguous(sourceOf(m)) ? 1 : fewestPlanes(m).to.depth;
}

std::uint64_t piecesOf(const wire::FillMemory& m) {
  const wire::Shape to = bytesOf(m), flat = flattened(to);
  if (contiguous(to)) return 1;
  return flat.depth + (ofOneByte(m) ? 0 : static_cast<std::uint64_t>(std::bit_width(flat.height - 1)));
}

wire::Shape sourceOf(const wire::DeviceCopy& m) {
  wire::Shape source = m.to;
  source.address = m.from;
  source.pitch = m.fromPitch;
  source.slice = m.fromSlice;
  return source;
}

wire::Shape bytesOf(const wire::FillMemory& m) {
  wire::Shape bytes = m.to;
  bytes.width *= m.elementSize;
  return bytes;
}

hipError_t giveCopy(const HipTable& hip, const wire::DeviceCopy& m, hipStream_t stream) {
  if (contiguous(m.to) && contiguous(sourceOf(m)))
    return hip.hipMemcpyAsync(at(m.to.address), at(m.from), m.to.bytes(), hipMemcpyDefault, stream);
  const wire::DeviceCopy c = fewestPlanes(m);
  hipError_t error = hipSuccess;
  for (std::uint64_t z = 0; z < c.to.depth && error == hipSuccess; ++z) {
    error = hip.hipMemcpy2DAsync(at(c.to.address + z * c.to.slice), std::max(c.to.pitch, c.to.width),
                                 at(c.from + z * c.fromSlice), std::max(c.fromPitch, c.to.width), c.to.width,
                                 c.to.height, hipMemcpyDefault, stream);
  }
  return error;
}

hipError_t giveFill(const HipTable& hip, const wire::FillMemory& m, hipStream_t stream) {
  if (contiguous(bytesOf(m))) {
    const std::uint64_t count = m.to.width * m.to.height * m.to.depth;
    return fillLine(hip, m.to.address, m.value, m.elementSize, count, stream);
  }
  wire::Shape to = flattened(bytesOf(m));
  to.pitch = std::max(to.pitch, to.width);
  hipError_t error = hipSuccess;
  for (std::uint64_t z = 0; z < to.depth && error == hipSuccess; ++z) {
    void* const plane = at(to.address + z * to.slice);
    if (ofOneByte(m)) {
      error = hip.hipMemset2DAsync(plane, to.pitch, static_cast<int>(m.value & 0xff), to.width, to.height, stream);
    } else if (z == 0) {
      error = fillPlane(hip, m, to, stream);
    } else {
      error = hip.hipMemcpy2DAsync(plane, to.pitch, at(to.address), to.pitch, to.width, to.height, hipMemcpyDefault,
                                   stream);
    }
  }
  return error;
}

bool Session::locate(std::uint64_t address, std::uint64_t size, DeviceMemory::Span& span) {
  if (!size || address > UINT64_MAX - size) return false;
  if (memory_.find(address, size, span)) return true;
  span = {0, true};
  return hostMemory_.covers(address, size);
}

void Session::noteHostWrite(Stream& stream, std::uint64_t address) {
  if (hostMemory_.any() && hostMemory_.covers(address, 1)) stream.lastWriter = stream.sent;
}

void Session::onUpload(const wire::Upload& m) {
  const StreamPtr s = stream(m.stream);
  if (!s) return;
  const std::uint64_t extent = extentOf(m.to);
  DeviceMemory::Span span;
  hipError_t error = locate(m.to.address, extent, span) ? hipSuccess : hipErrorInvalidDevicePointer;
  if (extent == 0 || (m.transfer ? !m.bytes.empty() : m.bytes.size() != m.to.bytes()))
    return refuse("an upload whose bytes do not fill its rows");
  if (m.bytes.size() > wire::kMostInline)
    return refuse("an upload of " + std::to_string(m.bytes.size()) + " bytes in one message");
  if (m.transfer) {
    uploadLater(m, s, span.direct, error);
  } else {
    order_.submit(s, m, [this, direct = span.direct, error](const StreamPtr& on, const wire::Upload& upload) mutable {
      if (error == hipSuccess) error = on->broken;
      if (error == hipSuccess && !order_.weigh(*on, planesOf(upload.to))) error = hipErrorOutOfMemory;
      if (error == hipSuccess && direct && order_.quiet(on)) {
        scatter(upload.to, 0, upload.bytes);
        return Start::kDone;
      }
      const Staging::Block block = error == hipSuccess ? staging_.take(upload.bytes.size(), &error) : nullptr;
      if (block) {
        std::memcpy(block.get(), upload.bytes.data(), upload.bytes.size());
        backend_.use(on->device);
        error =
            copyPacked(backend_.hip, on->native, upload.to, 0, upload.bytes.size(), block.get(), hipMemcpyHostToDevice);
        order_.keep(on, block);
      }
      if (error != hipSuccess) reporter_.fail(error, "Upload", wire::Opcode::kUpload);
      return Start::kGiven;
    });
  }
  noteHostWrite(*s, m.to.address);
}

void Session::uploadLater(const wire::Upload& m, const StreamPtr& s, bool direct, hipError_t error) {
  const std::shared_ptr<Upload> upload = expectUpload(m, s, direct);
  if (!upload) return;
  if (error == hipSuccess) error = s->broken;
  if (error != hipSuccess) upload->abandon(error);
  order_.submit(s, m, [this, upload](const StreamPtr& on, const wire::Upload& of) {
    if (!upload->abandoned() && !order_.weigh(*on, planesOf(of.to))) upload->abandon(hipErrorOutOfMemory);
    return upload->start();
  });
}

void Session::swallow(const wire::Upload& m, const StreamPtr& s) {
  if (extentOf(m.to) == 0 || !m.bytes.empty()) return refuse("an upload whose bytes do not fill its rows");
  if (const std::shared_ptr<Upload> upload = expectUpload(m, s, false)) upload->abandon(hipErrorOutOfMemory);
}

std::shared_ptr<Upload> Session::expectUpload(const wire::Upload& m, const StreamPtr& s, bool direct) {
  forgetUploads();
  // Those that have failed are not among the operations any more, but their bytes may still come. More than a client
  // has on its way that has not been told yet; a KiB or two each.
  if (uploads_.size() > std::max(kLeastUploads, meter_.limits()[Quota::kOperations] / 2)) {
    refuse("too many uploads on their way");
    return nullptr;
  }
  auto upload = std::make_shared<Upload>(transferContext_, m.transfer, s, m.to, direct);
  if (uploads_.emplace(m.transfer, upload).second) return upload;
  refuse("upload " + std::to_string(m.transfer) + " is already on its way");
  return nullptr;
}

Session::Answer Session::onDownload(const wire::Download& m) {
  const StreamPtr s = stream(m.stream);
  if (m.transfer == 0) refuse("a download without a number");  // the channel keeps its own bytes under that
  if (!refusal_.empty()) return std::nullopt;
  if (order_.full()) {
    order_.drop(s);
    return answerWhenDone({s}, wire::Opcode::kDownload, hipErrorOutOfMemory);  // in its place in the stream, too
  }
  DeviceMemory::Span span;
  hipError_t error = s->broken;
  if (error == hipSuccess && !locate(m.from.address, extentOf(m.from), span)) error = hipErrorInvalidDevicePointer;
  auto download = std::make_shared<Download>(transferContext_, m.transfer, request_, s, m.from, span.direct);
  order_.submit(s, m, [this, download, error](const StreamPtr& on, const wire::Download& of) {
    if (error != hipSuccess) return download->refuse(error);
    return order_.weigh(*on, planesOf(of.from)) ? download->start() : download->refuse(hipErrorOutOfMemory);
  });
  return std::nullopt;
}

hipError_t Session::onPackDownloads(const wire::PackDownloads& m) {
  transferContext_.packing.start(m.always ? net::When::kAlways : net::When::kWhereItPays);
  return hipSuccess;
}

void Session::onDeviceCopy(const wire::DeviceCopy& m) {
  const StreamPtr s = stream(m.stream);
  if (!s) return;
  DeviceMemory::Span to, from;
  const bool known = locate(m.to.address, extentOf(m.to), to) && locate(m.from, extentOf(sourceOf(m)), from);
  submit<wire::Opcode::kDeviceCopy>(
      s, m, known ? hipSuccess : hipErrorInvalidDevicePointer,
      [this](const StreamPtr& on, const wire::DeviceCopy& c) { return giveCopy(backend_.hip, c, on->native); },
      known ? piecesOf(m) : 1);
  noteHostWrite(*s, m.to.address);
}

void Session::onFillMemory(const wire::FillMemory& m) {
  const StreamPtr s = stream(m.stream);
  if (!s) return;
  if (m.elementSize != 1 && m.elementSize != 2 && m.elementSize != 4)
    return refuse("a fill with elements of " + std::to_string(m.elementSize) + " bytes");
  DeviceMemory::Span span;
  const bool known = locate(m.to.address, extentOf(m.to, m.elementSize), span);
  submit<wire::Opcode::kFillMemory>(
      s, m, known ? hipSuccess : hipErrorInvalidDevicePointer,
      [this](const StreamPtr& on, const wire::FillMemory& f) { return giveFill(backend_.hip, f, on->native); },
      known ? piecesOf(m) : 1);
  noteHostWrite(*s, m.to.address);
}

}  // namespace hipr::worker

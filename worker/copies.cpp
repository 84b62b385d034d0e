// Copies between the client and device memory, within device memory, and fills.
#include <algorithm>
#include <cstring>

#include "worker/session.h"

namespace hipr::worker {
namespace {

void* at(std::uint64_t address) {
  return reinterpret_cast<void*>(address);
}

constexpr std::uint64_t kSmallDownload = 64 << 10;  // answered by the reader itself when nothing has to be waited for

}  // namespace

bool Session::locate(std::uint64_t address, std::uint64_t size, DeviceMemory::Span& span) {
  if (!size || address > UINT64_MAX - size) return false;
  if (memory_.find(address, size, span)) return true;
  span = {0, true};
  return hostMemory_.covers(address, size);
}

// After counting: this operation wrote memory the client may look at, or that other streams must find written.
void Session::noteWrite(const StreamPtr& s, std::uint64_t address, bool barrier) {
  if (hostMemory_.any() && hostMemory_.covers(address, 1)) s->lastWriter = s->issued;
  if (barrier) raiseBarrier(s);
}

hipError_t Session::onUpload(const wire::Upload& m) {
  const StreamPtr s = stream(m.stream);
  if (!s) return hipErrorInvalidHandle;
  const std::uint64_t extent = extentOf(m.to);
  DeviceMemory::Span span;
  hipError_t error = s->broken;
  if (error == hipSuccess && !locate(m.to.address, extent, span)) error = hipErrorInvalidDevicePointer;
  if (m.transfer) {
    error = uploadTransfer(m, s, span, error);
  } else if (extent == 0 || m.bytes.size() != m.to.bytes()) {
    refuse("an upload whose bytes do not fill its rows");
  } else if (error == hipSuccess) {
    error = uploadInline(m, s, span.direct);
  }
  progress_.count(s);
  noteWrite(s, m.to.address, m.barrier);
  return error;
}

hipError_t Session::uploadInline(const wire::Upload& m, const StreamPtr& s, bool direct) {
  if (direct && quiet(s)) {
    scatter(m.to, 0, m.bytes);
    return hipSuccess;
  }
  Staging::Block block = staging_.take(m.bytes.size());
  if (!block) return hipErrorOutOfMemory;
  std::memcpy(block.get(), m.bytes.data(), m.bytes.size());
  backend_.use(s->device);
  const hipError_t error =
      copyPacked(backend_.hip, s->native, m.to, 0, m.bytes.size(), block.get(), hipMemcpyHostToDevice);
  progress_.whenNextFinished(s, [block] {});
  return error;
}

hipError_t Session::uploadTransfer(const wire::Upload& m, const StreamPtr& s, const DeviceMemory::Span& span,
                                   hipError_t invalid) {
  if (extentOf(m.to) == 0 || !m.bytes.empty()) {
    refuse("an upload without shape, or with bytes and a transfer");
    return hipErrorInvalidValue;
  }
  auto upload = std::make_shared<UploadTransfer>(transferContext_, m.transfer, m.to, s->device, span.direct);
  upload->position = s->issued + 1;
  if (!uploads_.emplace(m.transfer, upload).second) {
    refuse("upload " + std::to_string(m.transfer) + " is already on its way");
    return hipErrorInvalidHandle;
  }
  if (invalid == hipSuccess) {
    if (quiet(s)) {
      upload->open();
    } else {
      progress_.expect(*s, upload);
    }
    backend_.use(s->device);
    invalid = backend_.callHost(s->native, [this, s, upload] {
      progress_.reached(*s, upload.get());
      upload->open();
      upload->hold();
      if (hipError_t error = upload->error(); error != hipSuccess)
        progress_.fail(error, "Upload", wire::Opcode::kUpload);
    });
  }
  if (invalid != hipSuccess) upload->abandon(invalid);
  return invalid;
}

Session::Answer Session::onDownload(const wire::Download& m) {
  const StreamPtr s = stream(m.stream);
  if (!s) return std::nullopt;
  const std::uint64_t extent = extentOf(m.from);
  DeviceMemory::Span span;
  hipError_t error = s->broken;
  if (error == hipSuccess && !locate(m.from.address, extent, span)) error = hipErrorInvalidDevicePointer;
  if (error == hipSuccess) {
    auto download =
        std::make_shared<DownloadTransfer>(transferContext_, m.transfer, request_, m.from, s->device, span.direct);
    download->position = s->issued + 1;
    if (span.direct && m.from.bytes() <= kSmallDownload && quiet(s)) {
      progress_.count(s);
      progress_.settled(*s);
      progress_.told(*s);
      download->sendNow();
      return std::nullopt;
    }
    progress_.expect(*s, download);
    backend_.use(s->device);
    error = backend_.callHost(s->native, [this, s, download] {
      progress_.reached(*s, download.get());
      download->send([&] { progress_.aboutToAnswer(*s, download->position); });
    });
    if (error != hipSuccess) progress_.reached(*s, download.get());
  }
  progress_.count(s);
  return error == hipSuccess ? Answer() : Answer(error);
}

hipError_t Session::onDeviceCopy(const wire::DeviceCopy& m) {
  const StreamPtr s = stream(m.stream);
  if (!s) return hipErrorInvalidHandle;
  wire::Shape source = m.to;
  source.address = m.from;
  source.pitch = m.fromPitch;
  source.slice = m.fromSlice;
  DeviceMemory::Span to, from;
  hipError_t error = s->broken;
  if (error == hipSuccess && (!locate(m.to.address, extentOf(m.to), to) || !locate(m.from, extentOf(source), from))) {
    error = hipErrorInvalidDevicePointer;
  }
  backend_.use(s->device);
  const HipTable& hip = backend_.hip;
  if (error == hipSuccess && contiguous(m.to) && contiguous(source)) {
    error = hip.hipMemcpyAsync(at(m.to.address), at(m.from), m.to.bytes(), hipMemcpyDefault, s->native);
  } else if (error == hipSuccess) {
    for (std::uint64_t z = 0; z < m.to.depth && error == hipSuccess; ++z) {
      error = hip.hipMemcpy2DAsync(at(m.to.address + z * m.to.slice), std::max(m.to.pitch, m.to.width),
                                   at(m.from + z * m.fromSlice), std::max(m.fromPitch, m.to.width), m.to.width,
                                   m.to.height, hipMemcpyDefault, s->native);
    }
  }
  progress_.count(s);
  noteWrite(s, m.to.address, m.barrier);
  return error;
}

namespace {

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

hipError_t fill(const HipTable& hip, const wire::Shape& to, std::uint32_t value, std::uint32_t size,
                hipStream_t stream) {
  wire::Shape bytes = to;
  bytes.width *= size;
  if (contiguous(bytes)) return fillLine(hip, to.address, value, size, to.width * to.height * to.depth, stream);
  hipError_t error = hipSuccess;
  for (std::uint64_t z = 0; z < to.depth && error == hipSuccess; ++z) {
    const std::uint64_t plane = to.address + z * to.slice;
    if (size == 1) {
      error = hip.hipMemset2DAsync(at(plane), std::max(to.pitch, to.width), static_cast<int>(value & 0xff), to.width,
                                   to.height, stream);
      continue;
    }
    for (std::uint64_t y = 0; y < to.height && error == hipSuccess; ++y) {
      error = fillLine(hip, plane + y * to.pitch, value, size, to.width, stream);
    }
  }
  return error;
}

}  // namespace

hipError_t Session::onFillMemory(const wire::FillMemory& m) {
  const StreamPtr s = stream(m.stream);
  if (!s) return hipErrorInvalidHandle;
  if (m.elementSize != 1 && m.elementSize != 2 && m.elementSize != 4) {
    refuse("a fill with elements of " + std::to_string(m.elementSize) + " bytes");
    return hipErrorInvalidValue;
  }
  DeviceMemory::Span span;
  hipError_t error = s->broken;
  if (error == hipSuccess && !locate(m.to.address, extentOf(m.to, m.elementSize), span)) {
    error = hipErrorInvalidDevicePointer;
  }
  backend_.use(s->device);
  if (error == hipSuccess) error = fill(backend_.hip, m.to, m.value, m.elementSize, s->native);
  progress_.count(s);
  noteWrite(s, m.to.address, m.barrier);
  return error;
}

}  // namespace hipr::worker

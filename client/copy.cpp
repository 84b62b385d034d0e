// RemoteCore: copies and fills. Each side of a copy is either here (plain host memory) or there (device memory, and
// host memory that kernels may have written); the two decide how it travels.
#include <cstring>

#include "client/remote_core.h"
#include "runtime/async_error.h"

namespace hipr::client {
using wire::Opcode;

namespace {

std::uint64_t address(const void* pointer) {
  return reinterpret_cast<std::uint64_t>(pointer);
}

bool isThere(Session& s, const Plane& plane) {
  return plane.kind == MemoryKind::kDevice ||
         (plane.kind != MemoryKind::kPageable && s.host().exposed(address(plane.address)));
}

std::uint64_t placeThere(Session& s, const Plane& plane) {
  return plane.kind == MemoryKind::kRegistered ? s.host().alias(address(plane.address)) : address(plane.address);
}

HostShape hostShape(const Plane& plane, const Copy& c) {
  return {static_cast<std::byte*>(plane.address), plane.pitch, plane.slice, c.width, c.height, c.depth};
}

wire::Shape wireShape(Session& s, const Plane& plane, const Copy& c) {
  return {placeThere(s, plane), plane.pitch, plane.slice, c.width, c.height, c.depth};
}

void packInto(const HostShape& from, std::vector<std::byte>& out) {
  out.resize(from.bytes());
  std::byte* at = out.data();
  for (std::size_t z = 0; z < from.depth; ++z) {
    for (std::size_t y = 0; y < from.height; ++y, at += from.width) {
      std::memcpy(at, from.address + z * from.slice + y * from.pitch, from.width);
    }
  }
}

// What is uploaded may hold addresses of host memory.
void scan(Session& s, const HostShape& from) {
  if (from.contiguous()) return s.host().scanUpload({from.address, from.bytes()});
  for (std::size_t z = 0; z < from.depth; ++z) {
    for (std::size_t y = 0; y < from.height; ++y) {
      s.host().scanUpload({from.address + z * from.slice + y * from.pitch, from.width});
    }
  }
}

void upload(Session& s, const Copy& c, RemoteStream& stream, Stage until) {
  const HostShape from = hostShape(c.from, c);
  const std::size_t bytes = from.bytes();
  wire::Upload message{.stream = stream.id, .to = wireShape(s, c.to, c)};
  std::vector<std::byte> packed;
  wire::Bytes source(from.address, bytes);
  if (bytes <= wire::kMostInline && !from.contiguous()) {
    packInto(from, packed);
    source = packed;
  }
  if (s.host().needsScan()) {
    scan(s, from);
    s.host().flush();
  }
  if (bytes <= wire::kMostInline) {
    message.bytes = source;
    const bool noticeable = c.to.kind != MemoryKind::kDevice;
    s.connection().post<Opcode::kUpload>(message, [&] { s.streams().count(stream, noticeable); });
    return;
  }
  auto upload = std::make_shared<BulkUpload>();
  upload->transfer = message.transfer = s.newTransfer();
  upload->from = from;
  // Only pinned memory may be read after an asynchronous call has returned.
  upload->late = until != Stage::kVisible && c.from.kind != MemoryKind::kPageable;
  Outbox& outbox = s.connection().outbox();
  s.connection().post<Opcode::kUpload>(message, !upload->late, [&] {
    s.streams().count(stream);
    outbox.enqueue(upload);
  });
  if (upload->late) return;
  outbox.flush();
  outbox.waitSent(*upload);
}

Status truncated() {
  return Status::invalid("a download that was said to be over before its last byte had come");
}

// The answer to a download nobody waits for.
class LateDownload : public Pending {
 public:
  LateDownload(Session& s, std::uint64_t transfer, RemoteStream& stream)
      : session_(s), transfer_(transfer), stream_(stream.shared_from_this()) {}
  void answered(wire::Bytes reply) override {
    const bool whole = session_.connection().removeDownload(transfer_);
    if (!reply.data()) return;
    wire::Done done;
    wire::Reader reader(reply);
    reader.get(done);
    if (!reader.ok() || (done.status == hipSuccess && !whole)) return session_.connection().lose(truncated());
    if (done.status != hipSuccess) raiseAsyncError(errorFrom(done.status), "a copy to the host failed on the worker");
    session_.streams().show(*stream_, position);
  }
  std::uint64_t position = 0;

 private:
  Session& session_;
  std::uint64_t transfer_;
  std::shared_ptr<RemoteStream> stream_;
};

hipError_t download(Session& s, const Copy& c, RemoteStream& stream, Stage until) {
  const std::uint64_t transfer = s.newTransfer();
  const wire::Download message{.stream = stream.id, .from = wireShape(s, c.from, c), .transfer = transfer};
  s.connection().addDownload(transfer, {hostShape(c.to, c)});
  if (until != Stage::kVisible && c.to.kind != MemoryKind::kPageable) {
    auto late = std::make_unique<LateDownload>(s, transfer, stream);
    std::uint64_t& position = late->position;
    s.connection().send<Opcode::kDownload>(message, std::move(late), [&] { position = s.streams().count(stream); });
    return hipSuccess;
  }
  std::uint64_t position = 0;
  wire::Done done;
  const bool answered =
      s.connection().call<Opcode::kDownload>(message, done, [&] { position = s.streams().count(stream); });
  const bool whole = s.connection().removeDownload(transfer);
  if (answered && done.status == hipSuccess && !whole) s.connection().lose(truncated());
  if (!answered || (done.status == hipSuccess && !whole)) return kLost;
  s.streams().show(stream, position);
  return errorFrom(done.status);
}

void copyThere(Session& s, const Copy& c, RemoteStream& stream) {
  s.submit<Opcode::kDeviceCopy>(stream, {.stream = stream.id,
                                         .to = wireShape(s, c.to, c),
                                         .from = placeThere(s, c.from),
                                         .fromPitch = c.from.pitch,
                                         .fromSlice = c.from.slice,
                                         .toDevice = c.to.device,
                                         .fromDevice = c.from.device});
}

void copyHere(const Copy& c) {
  const HostShape to = hostShape(c.to, c), from = hostShape(c.from, c);
  for (std::size_t z = 0; z < c.depth; ++z) {
    for (std::size_t y = 0; y < c.height; ++y) {
      std::memmove(to.address + z * to.slice + y * to.pitch, from.address + z * from.slice + y * from.pitch, c.width);
    }
  }
}

}  // namespace

hipError_t RemoteCore::perform(const Copy& c, Stream& stream, Stage until) {
  Session& s = session();
  RemoteStream& r = remote(stream);
  const bool toThere = isThere(s, c.to), fromThere = isThere(s, c.from);
  if (fromThere && !toThere) {
    s.host().flush();
    return download(s, c, r, until);
  }
  if (!toThere) {
    const hipError_t error = synchronize(stream);
    if (error == hipSuccess) copyHere(c);
    return error;
  }
  if (fromThere) {
    s.host().flush();
    copyThere(s, c, r);
  } else {
    upload(s, c, r, until);
  }
  // Host memory must really be read and written; what becomes of device memory only a query could tell.
  const bool hostSide = c.to.kind != MemoryKind::kDevice || (fromThere && c.from.kind != MemoryKind::kDevice);
  return until == Stage::kVisible && hostSide ? synchronize(stream) : hipSuccess;
}

hipError_t RemoteCore::perform(const Fill& f, Stream& stream, Stage until) {
  Session& s = session();
  const Plane plane{.address = f.address, .pitch = f.pitch, .slice = f.slice, .kind = f.kind};
  if (isThere(s, plane)) {
    s.host().flush();
    s.submit<Opcode::kFillMemory>(remote(stream),
                                  {.stream = remote(stream).id,
                                   .to = {placeThere(s, plane), f.pitch, f.slice, f.width, f.height, f.depth},
                                   .value = f.value,
                                   .elementSize = f.elementSize});
    return until == Stage::kVisible && f.kind != MemoryKind::kDevice ? synchronize(stream) : hipSuccess;
  }
  // Host memory that no kernel knows of: fill it here, in stream order.
  if (const hipError_t error = synchronize(stream); error != hipSuccess) return error;
  for (std::size_t z = 0; z < f.depth; ++z) {
    for (std::size_t y = 0; y < f.height; ++y) {
      auto* row = static_cast<std::byte*>(f.address) + z * f.slice + y * f.pitch;
      for (std::size_t x = 0; x < f.width; ++x) std::memcpy(row + x * f.elementSize, &f.value, f.elementSize);
    }
  }
  return hipSuccess;
}

}  // namespace hipr::client

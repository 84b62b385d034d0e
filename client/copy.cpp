// core: copies and fills. Each side of a copy is either here (plain host memory) or there (device memory, and host
// memory that kernels may have written); the two decide how it travels.
#include <cstring>

#include "client/session.h"
#include "runtime/core.h"

namespace hipr::core {
using namespace client;
using wire::Opcode;

namespace {

constexpr std::size_t kInlineUpload = 64 << 10;

RemoteStream& remote(Stream& stream) {
  return *static_cast<RemoteStream*>(stream.impl);
}
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

hipError_t upload(Session& s, const Copy& c, RemoteStream& stream) {
  const HostShape from = hostShape(c.from, c);
  const std::size_t bytes = from.bytes();
  wire::Upload message{.stream = stream.id, .to = wireShape(s, c.to, c), .barrier = c.synchronous};
  std::vector<std::byte> packed;
  wire::Bytes source(from.address, bytes);
  if (bytes <= kInlineUpload && !from.contiguous()) {
    packInto(from, packed);
    source = packed;
  }
  if (s.host().needsScan()) {
    scan(s, from);
    s.host().flush();
  }
  if (bytes <= kInlineUpload) {
    message.bytes = source;
    s.operate<Opcode::kUpload>(stream, message);
    return hipSuccess;
  }
  message.transfer = s.newTransfer();
  // Only pinned memory may be read after an asynchronous call has returned.
  const bool later = !c.blocking && c.from.kind != MemoryKind::kPageable;
  BulkUpload waited;
  BulkUpload& upload = later ? *new BulkUpload : waited;
  upload.transfer = message.transfer;
  upload.from = from;
  upload.owned = later;
  s.connection().post<Opcode::kUpload>(message, [&] {
    stream.posted.store(stream.posted.load(std::memory_order_relaxed) + 1);
    s.connection().outbox().enqueue(upload);
  });
  if (!later) s.connection().outbox().waitSent(waited);
  return hipSuccess;
}

// The answer to a download nobody waits for.
class LateDownload : public Pending {
 public:
  LateDownload(Session& s, std::uint64_t transfer, RemoteStream& stream, std::uint64_t position)
      : session_(s), transfer_(transfer), stream_(stream.shared_from_this()), position_(position) {}
  void answered(wire::Bytes reply) override {
    session_.connection().removeDownload(transfer_);
    if (reply.data()) stream_->advance(position_);
  }
  std::uint64_t& position() { return position_; }

 private:
  Session& session_;
  std::uint64_t transfer_;
  std::shared_ptr<RemoteStream> stream_;
  std::uint64_t position_;
};

hipError_t download(Session& s, const Copy& c, RemoteStream& stream) {
  const std::uint64_t transfer = s.newTransfer();
  const wire::Download message{.stream = stream.id, .from = wireShape(s, c.from, c), .transfer = transfer};
  s.connection().addDownload(transfer, {hostShape(c.to, c)});
  std::uint64_t position = 0;
  const auto count = [&](std::uint64_t& at) {
    at = stream.posted.load(std::memory_order_relaxed) + 1;
    stream.posted.store(at);
  };
  if (!c.blocking && c.to.kind != MemoryKind::kPageable) {
    auto late = std::make_unique<LateDownload>(s, transfer, stream, 0);
    std::uint64_t& at = late->position();
    s.connection().send<Opcode::kDownload>(message, std::move(late), [&] { count(at); });
    return hipSuccess;
  }
  wire::Done done;
  const bool answered = s.connection().call<Opcode::kDownload>(message, done, [&] { count(position); });
  s.connection().removeDownload(transfer);
  if (!answered) return kLost;
  stream.advance(position);
  return static_cast<hipError_t>(done.status);
}

void copyThere(Session& s, const Copy& c, RemoteStream& stream) {
  s.operate<Opcode::kDeviceCopy>(stream, {.stream = stream.id,
                                          .to = wireShape(s, c.to, c),
                                          .from = placeThere(s, c.from),
                                          .fromPitch = c.from.pitch,
                                          .fromSlice = c.from.slice,
                                          .toDevice = c.to.device,
                                          .fromDevice = c.from.device,
                                          .barrier = c.synchronous});
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

hipError_t copy(const Copy& c, Stream& stream) {
  Session& s = session();
  RemoteStream& r = remote(stream);
  if (!s.connection().alive()) return kLost;
  const bool toThere = isThere(s, c.to), fromThere = isThere(s, c.from);
  if (toThere && fromThere) {
    s.host().flush();
    copyThere(s, c, r);
    const bool hostSide = c.to.kind != MemoryKind::kDevice || c.from.kind != MemoryKind::kDevice;
    if (c.blocking && hostSide) return streamSynchronize(stream);
    if (c.blocking && c.synchronous) r.owe();
    return hipSuccess;
  }
  if (toThere) {
    const hipError_t error = upload(s, c, r);
    if (error != hipSuccess) return error;
    // The program may read what it copied into host memory as soon as a blocking call returns.
    if (c.blocking && c.to.kind != MemoryKind::kDevice) return streamSynchronize(stream);
    if (c.blocking && c.synchronous) r.owe();
    return hipSuccess;
  }
  if (fromThere) {
    s.host().flush();
    return download(s, c, r);
  }
  const hipError_t error = streamSynchronize(stream);
  if (error == hipSuccess) copyHere(c);
  return error;
}

hipError_t fill(const Fill& f, Stream& stream) {
  Session& s = session();
  if (!s.connection().alive()) return kLost;
  const Plane plane{f.address, f.pitch, f.slice, f.kind, 0};
  if (isThere(s, plane)) {
    s.host().flush();
    s.operate<Opcode::kFillMemory>(remote(stream),
                                   {.stream = remote(stream).id,
                                    .to = {placeThere(s, plane), f.pitch, f.slice, f.width, f.height, f.depth},
                                    .value = f.value,
                                    .elementSize = f.elementSize,
                                    .barrier = f.synchronous});
    return hipSuccess;
  }
  // Host memory that no kernel knows of: fill it here, in stream order.
  if (const hipError_t error = streamSynchronize(stream); error != hipSuccess) return error;
  for (std::size_t z = 0; z < f.depth; ++z) {
    for (std::size_t y = 0; y < f.height; ++y) {
      auto* row = static_cast<std::byte*>(f.address) + z * f.slice + y * f.pitch;
      for (std::size_t x = 0; x < f.width; ++x) std::memcpy(row + x * f.elementSize, &f.value, f.elementSize);
    }
  }
  return hipSuccess;
}

}  // namespace hipr::core

// RemoteCore: copies and fills. Each side of a copy is either here (plain host memory) or there (device memory, and
// host memory that kernels may have written); the two decide how it travels.
#include <atomic>
#include <cstring>
#include <memory>

#include "base/spin.h"
#include "client/progress.h"
#include "client/remote_core.h"
#include "client/work.h"
#include "runtime/async_error.h"

namespace hipr::client {
using wire::Opcode;

namespace {

constexpr std::size_t kWorthHelp = 128 << 10;  // looking through fewer bytes takes no longer than waking somebody

std::uint64_t address(const void* pointer) {
  return reinterpret_cast<std::uint64_t>(pointer);
}

std::uint64_t placeThere(Session& s, const Plane& plane) {
  return plane.kind == MemoryKind::kRegistered ? s.host().alias(address(plane.address)) : address(plane.address);
}

HostShape hostShape(const Plane& plane, const Copy& c) {
  return {static_cast<std::byte*>(plane.address), plane.pitch, plane.slice, c.width, c.height, c.depth};
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

// Work that has been sent, but is not done, may still write it.
bool unsettled(Session& s, const HostShape& memory) {
  return s.hostFunctions().writing() || s.connection().downloadsInto(memory);
}

void share(Session& s, const HostShape& from) {
  if (!s.host().needsScan()) return;
  scan(s, from);
  s.host().flush();
}

void uploadNow(Session& s, const Copy& c, RemoteStream& stream, bool late) {
  const HostShape from = hostShape(c.from, c);
  const std::size_t bytes = from.bytes();
  wire::Upload message{.stream = stream.id, .to = shapeThere(s, c.to, c)};
  if (bytes <= wire::kMostInline) {
    share(s, from);
    std::vector<std::byte> rows;
    message.bytes = from.packed(0, bytes, rows);
    const bool noticeable = c.to.kind != MemoryKind::kDevice;
    stream.carried.fetch_add(bytes, std::memory_order_relaxed);
    s.connection().post<Opcode::kUpload>(message, [&] { s.streams().count(stream, noticeable); });
    return;
  }
  auto upload = std::make_shared<BulkUpload>();
  upload->transfer = message.transfer = s.newTransfer();
  upload->from = from;
  upload->late = late;
  const bool sentByWriter = late || bytes > Outbox::kLittleBulk;
  // A kernel that runs already may find what is uploaded: what that leads to comes first then.
  const bool atOnce = s.host().needsScan() && !s.streams().now().passed();
  const bool withHelp = !atOnce && !sentByWriter && bytes >= kWorthHelp && manyProcessors();
  if (atOnce || (!sentByWriter && !withHelp)) share(s, from);
  Outbox& outbox = s.connection().outbox();
  s.connection().post<Opcode::kUpload>(message, !late, [&] {
    s.streams().count(stream);
    outbox.enqueue(upload);
  });
  // Meanwhile, where none runs: what kernels will find is told of before any of them is launched.
  if (withHelp) outbox.flushBeside(upload, [&] { share(s, from); });
  if (!late && !withHelp) outbox.flush();
  if (sentByWriter && !atOnce) share(s, from);
  if (!late) outbox.waitSent(upload);
}

Status truncated() {
  return Status::invalid("a download that was said to be over before its last byte had come");
}

// The answer to a download nobody waits for.
class LateDownload : public Pending {
 public:
  // Its place in the stream, which is known when it has been sent: perhaps after this has been told of a loss.
  using Position = std::shared_ptr<std::atomic<std::uint64_t>>;
  LateDownload(Session& s, std::uint64_t transfer, RemoteStream& stream, Position position)
      : session_(s), transfer_(transfer), stream_(stream.shared_from_this()), position_(std::move(position)) {}
  void answered(wire::Bytes reply) override {
    const bool whole = session_.connection().removeDownload(transfer_);
    if (!reply.data()) return;
    wire::Done done;
    wire::Reader reader(reply);
    reader.get(done);
    if (!reader.ok() || (done.status == hipSuccess && !whole)) return session_.connection().lose(truncated());
    if (done.status != hipSuccess)
      raiseAsyncError(session_.core(), errorFrom(done.status), "a copy to the host failed on the worker");
    if (tellsOfOrder(done)) session_.streams().show(*stream_, *position_);
  }

 private:
  Session& session_;
  std::uint64_t transfer_;
  std::shared_ptr<RemoteStream> stream_;
  const Position position_;
};

hipError_t download(Session& s, const Copy& c, RemoteStream& stream, bool late) {
  const std::uint64_t transfer = s.newTransfer();
  const wire::Download message{.stream = stream.id, .from = shapeThere(s, c.from, c), .transfer = transfer};
  s.connection().addDownload(transfer, {hostShape(c.to, c)});
  if (late) {
    const auto position = std::make_shared<std::atomic<std::uint64_t>>(0);
    s.connection().send<Opcode::kDownload>(
        message, std::make_unique<LateDownload>(s, transfer, stream, position), [&](std::uint32_t asked) {
          *position = s.streams().count(stream);
          stream.downloadAsked = asked;  // first: whoever finds the position joins this question or a later one
          stream.downloadAt = position->load();
        });
    return hipSuccess;
  }
  std::uint64_t position = 0;
  wire::Done done;
  const bool answered =
      s.connection().call<Opcode::kDownload>(message, done, [&] { position = s.streams().count(stream); });
  const bool whole = s.connection().removeDownload(transfer);
  if (answered && done.status == hipSuccess && !whole) s.connection().loseAndRest(truncated());
  if (!answered || (done.status == hipSuccess && !whole)) return kLost;
  if (tellsOfOrder(done)) s.streams().show(stream, position);
  return errorFrom(done.status);
}

void copyHere(const Copy& c) {
  const HostShape to = hostShape(c.to, c), from = hostShape(c.from, c);
  for (std::size_t z = 0; z < c.depth; ++z) {
    for (std::size_t y = 0; y < c.height; ++y) {
      std::memmove(to.address + z * to.slice + y * to.pitch, from.address + z * from.slice + y * from.pitch, c.width);
    }
  }
}

void fillHere(const Fill& f) {
  for (std::size_t z = 0; z < f.depth; ++z) {
    for (std::size_t y = 0; y < f.height; ++y) {
      auto* row = static_cast<std::byte*>(f.address) + z * f.slice + y * f.pitch;
      for (std::size_t x = 0; x < f.width; ++x) std::memcpy(row + x * f.elementSize, &f.value, f.elementSize);
    }
  }
}

Plane planeOf(const Fill& f) {
  return {.address = f.address, .pitch = f.pitch, .slice = f.slice, .kind = f.kind};
}

}  // namespace

wire::Shape shapeThere(Session& s, const Plane& plane, const Copy& c) {
  return {placeThere(s, plane), plane.pitch, plane.slice, c.width, c.height, c.depth};
}

bool isThere(Session& s, const Plane& plane) {
  return plane.array || plane.kind == MemoryKind::kDevice ||
         (plane.kind != MemoryKind::kPageable && s.host().exposed(address(plane.address)));
}

bool isThere(Session& s, const Fill& fill) {
  return isThere(s, planeOf(fill));
}

wire::DeviceCopy copyMessage(Session& s, const Copy& c) {
  return {.to = shapeThere(s, c.to, c),
          .from = placeThere(s, c.from),
          .fromPitch = c.from.pitch,
          .fromSlice = c.from.slice,
          .toDevice = c.to.device,
          .fromDevice = c.from.device};
}

wire::FillMemory fillMessage(Session& s, const Fill& f) {
  return {.to = {placeThere(s, planeOf(f)), f.pitch, f.slice, f.width, f.height, f.depth},
          .value = f.value,
          .elementSize = f.elementSize};
}

// The upload has its place in the stream, and its bytes are read when the stream has come there.
void RemoteCore::uploadInOrder(const Copy& c, Stream& stream) {
  Session& s = session();
  RemoteStream& r = remote(stream);
  Outbox& outbox = s.connection().outbox();
  auto upload = std::make_shared<BulkUpload>();
  upload->transfer = s.newTransfer();
  upload->from = hostShape(c.from, c);
  upload->late = upload->held = true;
  runInOrder(stream, HostFunctions::Does::kRead, [&s, &outbox, upload] {
    client::share(s, upload->from);
    outbox.letGo(*upload);
  });
  s.connection().post<Opcode::kUpload>({.stream = r.id, .to = shapeThere(s, c.to, c), .transfer = upload->transfer},
                                       [&] {
                                         s.streams().count(r);
                                         outbox.enqueue(upload);
                                       });
}

// Whether work on this process's own memory is left for when its stream has come there. Nobody waits for a call with
// "Async", and where nothing is before it, it is done at once.
bool RemoteCore::inOrder(RemoteStream& stream, Stage until, HostAccess access) {
  return access == HostAccess::kInOrder || (until == Stage::kSent && !session().streams().now(stream).passed());
}

hipError_t RemoteCore::perform(const Copy& c, Stream& stream, Stage until) {
  const platform::ProgressLine line = lineOfCopy(session(), c);
  return copy(c, stream, until, HostAccess::kAsCalled);
}

hipError_t RemoteCore::copy(const Copy& c, Stream& stream, Stage until, HostAccess access) {
  Session& s = session();
  RemoteStream& r = remote(stream);
  const bool toThere = isThere(s, c.to), fromThere = isThere(s, c.from);
  const auto late = [&](const Plane& plane) {
    return access == HostAccess::kInOrder || (until != Stage::kVisible && plane.kind != MemoryKind::kPageable);
  };
  if ((c.to.array && !fromThere) || (c.from.array && !toThere)) return copyByWay(c, stream, until, access);
  if (fromThere && !toThere) {
    s.host().flush();
    return download(s, c, r, late(c.to));
  }
  if (!toThere) {
    if (inOrder(r, until, access)) {
      runInOrder(stream, HostFunctions::Does::kWrite, [c] { copyHere(c); });
      return hipSuccess;
    }
    const hipError_t error = synchronize(stream);
    if (error == hipSuccess) copyHere(c);
    return error;
  }
  if (namesArray(c)) {
    s.host().flush();
    wire::ArrayCopy message = arrayCopyMessage(s, c);
    message.stream = r.id;
    s.submit<Opcode::kArrayCopy>(r, message);
  } else if (fromThere) {
    s.host().flush();
    wire::DeviceCopy message = copyMessage(s, c);
    message.stream = r.id;
    s.submit<Opcode::kDeviceCopy>(r, message);
  } else if (!unsettled(s, hostShape(c.from, c))) {
    uploadNow(s, c, r, late(c.from));
  } else if (late(c.from)) {
    uploadInOrder(c, stream);
  } else {
    if (const hipError_t error = synchronize(stream); error != hipSuccess) return error;
    uploadNow(s, c, r, false);
  }
  // Host memory must really be read and written; what becomes of device memory only a query could tell.
  const bool hostSide = c.to.kind != MemoryKind::kDevice || (fromThere && c.from.kind != MemoryKind::kDevice);
  const bool synchronous = c.to.synchronous || c.from.synchronous;  // the program has asked for a wait
  return until == Stage::kVisible && (hostSide || synchronous) ? synchronize(stream) : hipSuccess;
}

hipError_t RemoteCore::fill(const Fill& f, Stream& stream, Stage until, HostAccess access) {
  Session& s = session();
  if (isThere(s, f)) {
    s.host().flush();
    wire::FillMemory message = fillMessage(s, f);
    message.stream = remote(stream).id;
    s.submit<Opcode::kFillMemory>(remote(stream), message);
    const bool told = f.kind != MemoryKind::kDevice || f.synchronous;  // as for copies
    return until == Stage::kVisible && told ? synchronize(stream) : hipSuccess;
  }
  // Host memory that no kernel knows of: fill it here, in stream order.
  if (inOrder(remote(stream), until, access)) {
    runInOrder(stream, HostFunctions::Does::kWrite, [f] { fillHere(f); });
    return hipSuccess;
  }
  if (const hipError_t error = synchronize(stream); error != hipSuccess) return error;
  fillHere(f);
  return hipSuccess;
}

}  // namespace hipr::client

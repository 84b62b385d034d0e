#include "worker/staging.h"

#include <algorithm>

namespace hipr::worker {

Staging::Staging(const Backend& backend, Waiters& waiters) : backend_(backend), waiters_(waiters) {
  lanes_.resize(static_cast<std::size_t>(backend.devices()));
}

Staging::~Staging() {
  for (const auto& lane : lanes_) {
    if (lane && lane->stream) backend_.hip.hipStreamDestroy(lane->stream);
  }
  for (void* slab : slabs_) backend_.hip.hipHostFree(slab);
}

Staging::Block Staging::take(std::size_t size) {
  const std::size_t which = size <= pools_[0].size ? 0 : size <= pools_[1].size ? 1 : 2;
  std::lock_guard lock(mutex_);
  Pool& pool = pools_[which];
  if (pool.free.empty()) {
    void* slab = nullptr;
    if (backend_.hip.hipHostMalloc(&slab, kBlock, hipHostMallocDefault) != hipSuccess) return nullptr;
    slabs_.push_back(slab);
    for (std::size_t at = 0; at < kBlock; at += pool.size) pool.free.push_back(static_cast<std::byte*>(slab) + at);
  }
  std::byte* memory = pool.free.back();
  pool.free.pop_back();
  return Block(memory, [this, which](std::byte* done) { give(done, which); });
}

void Staging::give(std::byte* memory, std::size_t pool) {
  std::lock_guard lock(mutex_);
  pools_[pool].free.push_back(memory);
}

Staging::Lane& Staging::lane(int device) {
  std::lock_guard lock(mutex_);
  auto& lane = lanes_[static_cast<std::size_t>(device)];
  if (!lane) {
    lane = std::make_unique<Lane>();
    lane->events = std::make_unique<EventPool>(backend_, device);
    backend_.use(device);
    lane->error = backend_.hip.hipStreamCreateWithFlags(&lane->stream, hipStreamNonBlocking);
  }
  return *lane;
}

void Staging::copyIn(int device, Block block, const wire::Shape& to, std::uint64_t offset, std::uint64_t length,
                     std::function<void(hipError_t)> done) {
  Lane& l = lane(device);
  hipError_t error = l.error;
  hipEvent_t event = nullptr;
  bool start = false;
  {
    // Held over both calls so that the queue of waits has the order of the stream.
    std::lock_guard ordered(l.order);
    backend_.use(device);
    if (error == hipSuccess) {
      error = copyPacked(backend_.hip, l.stream, to, offset, length, block.get(), hipMemcpyHostToDevice);
    }
    if (error == hipSuccess) event = l.events->record(l.stream, &error);
    if (event) {
      std::lock_guard lock(mutex_);
      l.waits.push_back({event, std::move(block), done});
      start = !std::exchange(l.waiting, true);
    }
  }
  if (!event) return done(error);
  if (start) waiters_.run([this, &l] { finishCopies(l); });
}

void Staging::finishCopies(Lane& lane) {
  for (;;) {
    Lane::Wait wait;
    {
      std::lock_guard lock(mutex_);
      if (lane.waits.empty()) {
        lane.waiting = false;
        return;
      }
      wait = std::move(lane.waits.front());
      lane.waits.pop_front();
    }
    const hipError_t error = backend_.hip.hipEventSynchronize(wait.event);
    lane.events->give(wait.event);
    wait.block.reset();
    wait.done(error);
  }
}

hipError_t Staging::copyOut(int device, const wire::Shape& from,
                            const std::function<void(std::span<const std::byte>, std::uint64_t)>& send) {
  constexpr std::size_t kAhead = 4;  // copies on their way while one piece is being sent
  struct Piece {
    Block block;
    hipEvent_t event;
    std::uint64_t offset, length;
  };
  std::deque<Piece> pieces;
  Lane& l = lane(device);
  hipError_t error = l.error;
  backend_.use(device);
  const std::uint64_t total = from.bytes();
  for (std::uint64_t next = 0; error == hipSuccess && (next < total || !pieces.empty());) {
    if (next < total && pieces.size() < kAhead) {
      const std::uint64_t length = std::min<std::uint64_t>(total - next, kBlock);
      Block block = take(length);
      if (!block) return hipErrorOutOfMemory;
      error = copyPacked(backend_.hip, l.stream, from, next, length, block.get(), hipMemcpyDeviceToHost);
      hipEvent_t event = error == hipSuccess ? l.events->record(l.stream, &error) : nullptr;
      if (event) pieces.push_back({std::move(block), event, next, length});
      next += length;
      continue;
    }
    Piece piece = std::move(pieces.front());
    pieces.pop_front();
    error = backend_.hip.hipEventSynchronize(piece.event);
    l.events->give(piece.event);
    if (error == hipSuccess) send({piece.block.get(), piece.length}, piece.offset);
  }
  // After a failure blocks may still be written: let the stream come to rest before they are used again.
  if (error != hipSuccess) backend_.hip.hipStreamSynchronize(l.stream);
  return error;
}

hipError_t copyPacked(const HipTable& hip, hipStream_t stream, const wire::Shape& shape, std::uint64_t offset,
                      std::uint64_t length, std::byte* host, hipMemcpyKind kind) {
  const bool in = kind == hipMemcpyHostToDevice;
  const auto line = [&](std::uint64_t device, std::uint64_t n) {
    void* address = reinterpret_cast<void*>(device);
    return in ? hip.hipMemcpyAsync(address, host, n, kind, stream) : hip.hipMemcpyAsync(host, address, n, kind, stream);
  };
  if (contiguous(shape)) return line(shape.address + offset, length);
  hipError_t error = hipSuccess;
  while (length && error == hipSuccess) {
    const std::uint64_t row = offset / shape.width, inRow = offset % shape.width, rowInPlane = row % shape.height;
    const std::uint64_t device = shape.address + row / shape.height * shape.slice + rowInPlane * shape.pitch + inRow;
    const std::uint64_t rows = inRow ? 0 : std::min(length / shape.width, shape.height - rowInPlane);
    std::uint64_t n = 0;
    if (rows > 1) {  // whole rows of one plane
      n = rows * shape.width;
      void* address = reinterpret_cast<void*>(device);
      error = in ? hip.hipMemcpy2DAsync(address, shape.pitch, host, shape.width, shape.width, rows, kind, stream)
                 : hip.hipMemcpy2DAsync(host, shape.width, address, shape.pitch, shape.width, rows, kind, stream);
    } else {
      n = std::min(length, shape.width - inRow);
      error = line(device, n);
    }
    host += n;
    offset += n;
    length -= n;
  }
  return error;
}

}  // namespace hipr::worker

// Copies and fills as stream work. All memory is this process's memory, so both are plain loops over rows; what matters
// is who runs them: the calling thread when it can, a copier thread when it would keep someone waiting. On a discrete
// device this is the copy engine: it knows where the bytes of device memory are.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>

#include "backends/softgpu/commands.h"
#include "backends/softgpu/core.h"
#include "backends/softgpu/image.h"
#include "backends/softgpu/state.h"
#include "backends/softgpu/stream.h"

namespace hipr::softgpu {
namespace {

constexpr std::size_t kQuick = std::size_t{32} << 10;     // bytes any thread may move on the side
constexpr std::size_t kShared = std::size_t{4} << 20;     // bytes from which several threads share the work
constexpr std::size_t kPiece = std::size_t{1} << 20;      // what each takes at a time
constexpr std::size_t kSnapshot = std::size_t{64} << 20;  // most that is kept aside to let the caller go on

// A box of bytes cut into pieces that can be done in any order.
struct Shape {
  std::size_t width = 0, height = 1, depth = 1;

  std::size_t bytes() const { return width * height * depth; }
};

// Calls body(x, y, z, n) for stretches of n bytes that cover the box, on several threads when it is large.
template <class Body>
void forEachStretch(const Shape& shape, const Body& body) {
  const std::size_t rows = shape.height * shape.depth;
  if (shape.bytes() < kShared) {
    for (std::size_t row = 0; row < rows; ++row)
      body(std::size_t{0}, row % shape.height, row / shape.height, shape.width);
    return;
  }
  const std::size_t perRow = (shape.width + kPiece - 1) / kPiece;
  const std::size_t rowsPerPiece = std::max<std::size_t>(1, kPiece / shape.width);
  const std::size_t pieces = (rows + rowsPerPiece - 1) / rowsPerPiece * perRow;
  state().copiers.forEach(pieces, [&](std::size_t piece) {
    const std::size_t x = piece % perRow * kPiece;
    const std::size_t first = piece / perRow * rowsPerPiece;
    for (std::size_t row = first; row < std::min(rows, first + rowsPerPiece); ++row)
      body(x, row % shape.height, row / shape.height, std::min(kPiece, shape.width - x));
  });
}

// Bytes to move on behalf of a stream.
class Transfer : public Command {
 public:
  Transfer(Device& device, Shape shape, bool blocking) : device_(device), shape_(shape), blocking_(blocking) {}

 protected:
  void start(Starter starter) override {
    const bool here = shape_.bytes() <= kQuick || (starter == Starter::kSubmitter && blocking_);
    if (here || device_.skipsWork()) return run();
    state().copiers.run([self = std::static_pointer_cast<Transfer>(shared_from_this())] { self->run(); });
  }
  virtual void move() = 0;

  Device& device_;
  const Shape shape_;

 private:
  void run() {
    if (!device_.skipsWork()) move();
    finish();
  }

  const bool blocking_;
};

// Where this process has the bytes at a device address, or at one of its own.
void* bytesAt(void* address) {
  const State& s = state();
  if (!s.discrete.on) return address;
  return static_cast<std::byte*>(address) + s.regions.shiftAt(reinterpret_cast<std::uint64_t>(address));
}
Plane bytesOf(Plane plane) {
  plane.address = bytesAt(plane.address);
  return plane;
}

std::byte* rowOf(const Plane& plane, std::size_t x, std::size_t y, std::size_t z) {
  return static_cast<std::byte*>(plane.address) + z * plane.slice + y * plane.pitch + x;
}

class CopyTransfer : public Transfer {
 public:
  CopyTransfer(Device& device, const Copy& copy, Shape shape, Stage until)
      : Transfer(device, shape, until != Stage::kSent), to_(bytesOf(copy.to)), from_(bytesOf(copy.from)) {}

  // Reads the source now. It must not be needed again after the call that submits this returns.
  void snapshot() {
    kept_ = std::make_unique_for_overwrite<std::byte[]>(shape_.bytes());
    Plane kept;
    kept.address = kept_.get();
    kept.pitch = shape_.width;
    kept.slice = shape_.width * shape_.height;
    const Plane from = std::exchange(from_, kept);
    forEachStretch(shape_, [&](std::size_t x, std::size_t y, std::size_t z, std::size_t n) {
      std::memcpy(rowOf(kept, x, y, z), rowOf(from, x, y, z), n);
    });
  }

 protected:
  void move() override {
    const std::size_t span = shape_.width;
    if (shape_.height * shape_.depth == 1 && overlaps(span)) {
      std::memmove(to_.address, from_.address, span);
      return;
    }
    forEachStretch(shape_, [&](std::size_t x, std::size_t y, std::size_t z, std::size_t n) {
      std::memcpy(rowOf(to_, x, y, z), rowOf(from_, x, y, z), n);
    });
    kept_.reset();
  }

 private:
  bool overlaps(std::size_t span) const {
    const auto a = reinterpret_cast<std::uintptr_t>(to_.address), b = reinterpret_cast<std::uintptr_t>(from_.address);
    return a < b + span && b < a + span;
  }

  Plane to_, from_;
  std::unique_ptr<std::byte[]> kept_;
};

template <class T>
void fillRow(std::byte* to, std::size_t bytes, std::uint32_t value) {
  std::fill_n(reinterpret_cast<T*>(to), bytes / sizeof(T), static_cast<T>(value));
}

class FillTransfer : public Transfer {
 public:
  FillTransfer(Device& device, const Fill& fill, Shape shape, Stage until)
      : Transfer(device, shape, until != Stage::kSent), fill_(fill), to_(bytesAt(fill.address)) {}

 protected:
  void move() override {
    Plane plane;
    plane.address = to_;
    plane.pitch = fill_.pitch;
    plane.slice = fill_.slice;
    forEachStretch(shape_, [&](std::size_t x, std::size_t y, std::size_t z, std::size_t n) {
      std::byte* to = rowOf(plane, x, y, z);
      switch (fill_.elementSize) {
        case 1:
          std::memset(to, static_cast<int>(fill_.value), n);
          break;
        case 2:
          fillRow<std::uint16_t>(to, n, fill_.value);
          break;
        default:
          fillRow<std::uint32_t>(to, n, fill_.value);
          break;
      }
    });
  }

 private:
  const Fill fill_;
  void* const to_;
};

// Rows that follow each other without a gap are one long row.
Shape flattened(std::size_t width, std::size_t height, std::size_t depth, bool rowsTouch, bool slicesTouch) {
  if (height > 1 && !rowsTouch) return {width, height, depth};
  if (depth > 1 && !slicesTouch) return {width * height, 1, depth};
  return {width * height * depth, 1, 1};
}

Shape shapeOf(const Copy& copy) {
  const auto touch = [&](const Plane& p) { return p.pitch == copy.width; };
  const auto slices = [&](const Plane& p) { return p.slice == copy.width * copy.height; };
  return flattened(copy.width, copy.height, copy.depth, touch(copy.to) && touch(copy.from),
                   slices(copy.to) && slices(copy.from));
}

Shape shapeOf(const Fill& fill) {
  const std::size_t width = fill.width * fill.elementSize;
  return flattened(width, fill.height, fill.depth, fill.pitch == width, fill.slice == width * fill.height);
}

// Done, for everybody who comes later: what the program does next finds it done, on any stream.
void orderFirst(const CommandPtr& command) {
  // But a stream that waits for a word may wait for what the program does next.
  if (command->done() || state().wordWaits.any()) return;
  for (Device& device : state().devices) device.queues.putBehind(command);
}

// With arrays where their bytes are.
Copy located(Copy copy) {
  copy.to = placed(copy.to);
  copy.from = placed(copy.from);
  return copy;
}

}  // namespace

CommandPtr copyCommand(Device& device, const Copy& asked) {
  const Copy copy = located(asked);
  return std::make_shared<CopyTransfer>(device, copy, shapeOf(copy), Stage::kSent);
}

CommandPtr fillCommand(Device& device, const Fill& fill) {
  return std::make_shared<FillTransfer>(device, fill, shapeOf(fill), Stage::kSent);
}

hipError_t SoftgpuCore::perform(const Copy& asked, Stream& stream, Stage until) {
  const Copy copy = located(asked);
  Device& device = state().device(stream.device);
  if (device.failure() != hipSuccess) return device.failure();
  const Shape shape = shapeOf(copy);
  const auto transfer = std::make_shared<CopyTransfer>(device, copy, shape, until);
  Queue& queue = queueOf(stream);
  // The program may change pageable memory as soon as the call returns, whatever it asked for. To a discrete device it
  // goes through buffers of the runtime, which then waits, in both directions.
  const bool pageableSource = copy.from.kind == MemoryKind::kPageable;
  const bool staged = state().discrete.on && (pageableSource || copy.to.kind == MemoryKind::kPageable);
  bool wait = until == Stage::kVisible || staged;
  if (pageableSource && !wait) {
    const bool quick = shape.bytes() <= kQuick && queue.unfinished().empty();
    if (shape.bytes() > kSnapshot) {
      wait = true;
    } else if (!quick) {
      transfer->snapshot();
    } else {
      wait = true;  // nothing before it: it is done when submit() returns, or almost
    }
  }
  queue.submit(transfer);
  if (wait) {
    transfer->wait();
    return device.failure();
  }
  if (until == Stage::kDone) orderFirst(transfer);
  return hipSuccess;
}

hipError_t SoftgpuCore::perform(const Fill& fill, Stream& stream, Stage until) {
  Device& device = state().device(stream.device);
  if (device.failure() != hipSuccess) return device.failure();
  const auto transfer = std::make_shared<FillTransfer>(device, fill, shapeOf(fill), until);
  queueOf(stream).submit(transfer);
  if (until == Stage::kVisible) {
    transfer->wait();
    return device.failure();
  }
  if (until == Stage::kDone) orderFirst(transfer);
  return hipSuccess;
}

}  // namespace hipr::softgpu

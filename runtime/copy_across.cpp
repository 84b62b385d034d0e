#include "runtime/copy_across.h"

#include <algorithm>

#include "runtime/process.h"

namespace hipr {

namespace {

// Below it a ticket and a connection take longer than the bytes.
constexpr std::size_t kWorthATicket = 256 << 10;

std::byte* at(const Plane& plane, std::size_t x, std::size_t y, std::size_t z) {
  return static_cast<std::byte*>(plane.address) + z * plane.slice + y * plane.pitch + x;
}

bool contiguous(const Plane& plane, const Copy& copy) {
  return (copy.height == 1 || plane.pitch == copy.width) &&
         (copy.depth == 1 || plane.slice == copy.width * copy.height);
}

// The same bytes as one row, where that is what they are.
Copy flat(const Copy& copy) {
  if (!contiguous(copy.to, copy) || !contiguous(copy.from, copy)) return copy;
  Copy row = copy;
  row.width = copy.width * copy.height * copy.depth;
  row.height = row.depth = 1;
  return row;
}

// Parts of the copy that fit into a buffer, in order: some rows of one slice, or some bytes of a row.
class Pieces {
 public:
  explicit Pieces(const Copy& copy)
      : copy_(copy),
        width_(std::min(copy.width, Courier::kPiece)),
        height_(std::clamp<std::size_t>(Courier::kPiece / copy.width, 1, copy.height)) {}

  bool next(Copy& out) {
    if (z_ == copy_.depth) return false;
    out = copy_;
    out.depth = 1;
    out.width = std::min(width_, copy_.width - x_);
    out.height = std::min(height_, copy_.height - y_);
    out.to.address = at(copy_.to, x_, y_, z_);
    out.from.address = at(copy_.from, x_, y_, z_);
    if ((x_ += out.width) < copy_.width) return true;
    x_ = 0;
    if ((y_ += out.height) < copy_.height) return true;
    y_ = 0;
    ++z_;
    return true;
  }

 private:
  const Copy copy_;
  const std::size_t width_, height_;
  std::size_t x_ = 0, y_ = 0, z_ = 0;
};

Plane buffered(std::byte* buffer, const Copy& piece, MemoryKind kind) {
  return {.address = buffer, .pitch = piece.width, .slice = piece.width * piece.height, .kind = kind};
}

hipError_t relay(Process& p, Courier& courier, const Copy& whole) {
  struct Lane {
    Stream* down = nullptr;
    Copy piece;
    bool busy = false;
  };
  std::array<Lane, Courier::kLanes> lanes;
  Core *source, *target;
  Stream* up;
  HIPR_TRY(whole.from.owner->reach(source));
  HIPR_TRY(whole.to.owner->reach(target));
  HIPR_TRY(courier.streamOn(p, *whole.to.owner, Courier::kLanes, up));
  for (int i = 0; i < Courier::kLanes; ++i) HIPR_TRY(courier.streamOn(p, *whole.from.owner, i, lanes[i].down));

  Pieces pieces(flat(whole));
  const auto fetch = [&](int i) {
    Lane& lane = lanes[i];
    if (!(lane.busy = pieces.next(lane.piece))) return hipSuccess;
    Copy down = lane.piece;
    down.to = buffered(courier.buffer(i), down, MemoryKind::kHost);  // which stays as it is until the copy is done
    return source->submit(*lane.down, down, Stage::kSent);
  };
  for (int i = 0; i < Courier::kLanes; ++i) HIPR_TRY(fetch(i));
  for (int i = 0; lanes[i].busy; i = (i + 1) % Courier::kLanes) {
    HIPR_TRY(source->synchronize(*lanes[i].down));
    Copy send = lanes[i].piece;
    send.from = buffered(courier.buffer(i), send, MemoryKind::kPageable);
    HIPR_TRY(target->submit(*up, send, Stage::kSent));  // and the buffer can have the next piece
    HIPR_TRY(fetch(i));
  }
  return target->synchronize(*up);
}

// False: nothing has come of it, and nothing of it is left.
bool pass(Process& p, Courier& courier, const Copy& whole) {
  Core *source, *target;
  Stream *down, *up;
  if (whole.width * whole.height * whole.depth < kWorthATicket || whole.from.owner->reach(source) != hipSuccess ||
      whole.to.owner->reach(target) != hipSuccess || !courier.mayBring(*source) ||
      courier.streamOn(p, *whole.to.owner, Courier::kLanes, up) != hipSuccess ||
      courier.streamOn(p, *whole.from.owner, 0, down) != hipSuccess)
    return false;
  const Copy copy = flat(whole);
  Invitation invitation;
  hipError_t error = target->invite(*up, copy, invitation);
  if (error == hipSuccess) {
    error = source->bring(*down, copy, invitation);
    if (error != hipSuccess) {
      target->withdraw(invitation);
      (void)target->synchronize(*up);  // none of its bytes come behind those that are copied in another way
    }
  }
  courier.tried(*source, error);
  return error == hipSuccess;
}

}  // namespace

hipError_t doAlone(Process& p, Courier& courier, Device& device, const Operation& operation) {
  Core* core;
  Stream* stream;
  HIPR_TRY(device.reach(core));
  HIPR_TRY(courier.streamOn(p, device, 0, stream));
  HIPR_TRY(core->submit(*stream, operation, Stage::kSent));
  return core->synchronize(*stream);
}

hipError_t copyAcross(Process& p, Courier& courier, const Copy& copy) {
  const bool toDevice = copy.to.kind == MemoryKind::kDevice, fromDevice = copy.from.kind == MemoryKind::kDevice;
  if (!toDevice || !fromDevice || sameCore(*copy.to.owner, *copy.from.owner))
    return doAlone(p, courier, toDevice ? *copy.to.owner : *copy.from.owner, copy);
  if (pass(p, courier, copy)) return hipSuccess;
  const hipError_t error = relay(p, courier, copy);
  if (error != hipSuccess) courier.abandonBuffers();
  return error;
}

}  // namespace hipr

#include <cstring>

#include "worker/transfers.h"

namespace hipr::worker {
namespace {

constexpr std::uint64_t kWideRow = 4096;  // rows from here on are received one by one, without a copy

}  // namespace

void scatter(const wire::Shape& to, std::uint64_t offset, std::span<const std::byte> bytes) {
  const std::byte* next = bytes.data();
  forEachRun(to, offset, bytes.size(), [&](std::uint64_t address, std::uint64_t length) {
    std::memcpy(reinterpret_cast<void*>(address), next, length);
    next += length;
  });
}

Status UploadTransfer::arrived(FrameReader& reader, std::uint64_t length) {
  const std::uint64_t offset = received_;
  if (length > total_ - offset) return Status::invalid("data beyond the end of its upload");
  received_ += length;
  State state;
  {
    std::lock_guard lock(mutex_);
    state = state_;
  }
  if (state == State::kAbandoned) return reader.skip(length);
  return state == State::kOpen ? readInto(reader, offset, length) : keepEarly(reader, offset, length);
}

Status UploadTransfer::readInto(FrameReader& reader, std::uint64_t offset, std::uint64_t length) {
  Status status;
  if (!direct_) {
    Staging::Block block = context_.staging.take(length);
    if (!block) {
      placed(length, hipErrorOutOfMemory);
      return reader.skip(length);
    }
    status = reader.read(block.get(), length);
    if (!status.ok()) return status;
    context_.staging.copyIn(device_, std::move(block), to_, offset, length,
                            [self = shared_from_this(), length](hipError_t error) { self->placed(length, error); });
    return status;
  }
  if (contiguous(to_) || to_.width >= kWideRow) {
    forEachRun(to_, offset, length, [&](std::uint64_t address, std::uint64_t n) {
      if (status.ok()) status = reader.read(reinterpret_cast<void*>(address), n);
    });
  } else {
    std::vector<std::byte> packed(length);
    status = reader.read(packed.data(), length);
    if (status.ok()) scatter(to_, offset, packed);
  }
  if (status.ok()) placed(length, hipSuccess);
  return status;
}

Status UploadTransfer::keepEarly(FrameReader& reader, std::uint64_t offset, std::uint64_t length) {
  if (context_.unopened.fetch_add(length) + length > wire::kEagerWindow) {
    return Status::invalid("more early data than the window allows");
  }
  std::vector<std::byte> bytes(length);
  Status status = reader.read(bytes.data(), length);
  if (!status.ok()) return status;
  {
    std::lock_guard lock(mutex_);
    if (state_ == State::kWaiting) {
      early_.push_back({offset, std::move(bytes)});
      return status;
    }
  }
  context_.unopened -= length;  // it was opened, or given up, while the bytes came in
  place(offset, std::move(bytes));
  return status;
}

void UploadTransfer::place(std::uint64_t offset, std::vector<std::byte> bytes) {
  {
    std::lock_guard lock(mutex_);
    if (state_ == State::kAbandoned) return;
  }
  if (direct_) {
    scatter(to_, offset, bytes);
    return placed(bytes.size(), hipSuccess);
  }
  // This may be a thread of the runtime, which must not call HIP.
  context_.waiters.run([self = shared_from_this(), offset, bytes = std::move(bytes)] {
    const std::uint64_t length = bytes.size();
    Staging::Block block = self->context_.staging.take(length);
    if (!block) return self->placed(length, hipErrorOutOfMemory);
    std::memcpy(block.get(), bytes.data(), length);
    self->context_.staging.copyIn(self->device_, std::move(block), self->to_, offset, length,
                                  [self, length](hipError_t error) { self->placed(length, error); });
  });
}

void UploadTransfer::placed(std::uint64_t length, hipError_t error) {
  std::lock_guard lock(mutex_);
  placed_ += length;
  if (error_ == hipSuccess) error_ = error;
  if (placed_ == total_) changed_.notify_all();
}

void UploadTransfer::open() {
  std::vector<Early> early;
  {
    std::lock_guard lock(mutex_);
    if (state_ != State::kWaiting) return;
    state_ = State::kOpen;
    early.swap(early_);
  }
  push(context_.outbox, wire::Opcode::kTransferOpen, wire::TransferOpen{id_});
  for (Early& piece : early) {
    context_.unopened -= piece.bytes.size();
    place(piece.offset, std::move(piece.bytes));
  }
}

void UploadTransfer::hold() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return placed_ == total_ || state_ == State::kAbandoned; });
}

hipError_t UploadTransfer::error() {
  std::lock_guard lock(mutex_);
  return error_;
}

void UploadTransfer::abandon(hipError_t error) {
  {
    std::lock_guard lock(mutex_);
    if (state_ == State::kAbandoned || placed_ == total_) return;
    if (state_ == State::kWaiting) {
      // The client must still get rid of the bytes it has promised.
      push(context_.outbox, wire::Opcode::kTransferOpen, wire::TransferOpen{id_});
      for (const Early& piece : early_) context_.unopened -= piece.bytes.size();
      early_.clear();
    }
    state_ = State::kAbandoned;
    error_ = error;
  }
  changed_.notify_all();
}

}  // namespace hipr::worker

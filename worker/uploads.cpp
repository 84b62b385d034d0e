#include <utility>

#include "worker/transfers.h"

namespace hipr::worker {
namespace {

constexpr std::uint64_t kWideRow = 4096;  // rows from here on are received one by one, without a copy
constexpr std::size_t kMostCopying = 16;  // blocks the GPU is reading while more come in

}  // namespace

Start Upload::start() {
  {
    std::lock_guard lock(mutex_);
    started_ = true;
    if (state_ == State::kAbandoned) return Start::kGiven;
    starting_ = true;
  }
  // Until everything before it is done the client sends no more than the window: however long that takes, this process
  // keeps no more of its bytes, and other transfers go on.
  if (context_.order.quiet(stream_)) {
    open();
  } else {
    context_.order.whenReached(stream_, [self = shared_from_this()](hipError_t error) {
      if (error != hipSuccess) return self->abandon(error);
      self->open();
    });
  }
  // All of it may have come early, and be in its place by now.
  std::lock_guard lock(mutex_);
  starting_ = false;
  if (owed_ && writers_ == 0) {
    owed_ = false;
    return Start::kGiven;
  }
  return placed_ == total_ ? over() : Start::kLater;
}

void Upload::open() {
  std::deque<Piece> early;
  {
    std::lock_guard lock(mutex_);
    if (state_ != State::kWaiting) return;
    state_ = State::kOpen;
    early.swap(early_);
    forgetEarly();  // first the window, then the word: as soon as the client knows, it may fill the window again
  }
  // A client that has more to send than it may unasked waits for this; otherwise there is no hurry.
  std::vector<std::byte> frame;
  appendFrame(frame, wire::Opcode::kTransferOpen, 0, wire::HIP_REMOTE_FLAG_NO_REPLY, wire::TransferOpen{id_});
  if (total_ > wire::kMaxDataChunk) {
    context_.outbox.post(frame);
  } else {
    context_.outbox.postAlong(frame);
  }
  for (Piece& piece : early) place(std::move(piece));
}

bool Upload::countEarly(std::uint64_t length) {
  earlyBytes_ += length;
  return context_.early.fetch_add(length) + length <= wire::kEagerWindow;
}

void Upload::forgetEarly() {
  context_.early -= std::exchange(earlyBytes_, 0);
}

Status Incoming::read(std::byte* out, net::Unpacker& unpacker) const {
  if (packed == 0) return reader.read(out, length);
  wire::Bytes bytes;
  if (Status status = reader.payload(packed, bytes); !status.ok()) return status;
  return unpacker.unpack(bytes, {out, length}) ? Status{} : Status::invalid("packed data that cannot be unpacked");
}

Status Upload::arrived(const Incoming& piece) {
  const bool late = piece.offset < received_;  // others behind it came before
  if (late ? !takeMissing(piece.offset, piece.length) : piece.offset != received_)
    return Status::invalid("data out of order");
  if (!late && piece.length > total_ - piece.offset) return Status::invalid("data beyond the end of its upload");
  if (!late) received_ += piece.length;
  if (abandoned()) return piece.skip();
  // What is kept is read later, when the client's kernels may have changed it in its place.
  if (!direct_ || piece.keep || piece.packed || !beginWriting()) return readBlock(piece, late);
  const Status status = readInPlace(piece.reader, piece.offset, piece.length);
  endWriting();
  return status;
}

bool Upload::beginWriting() {
  std::lock_guard lock(mutex_);
  writers_ += state_ == State::kOpen;
  return state_ == State::kOpen;
}

void Upload::endWriting() {
  {
    std::lock_guard lock(mutex_);
    if (--writers_ != 0 || starting_ || !owed_) return;  // start() tells
    owed_ = false;
  }
  context_.order.given(stream_);
}

Status Upload::readInPlace(FrameReader& reader, std::uint64_t offset, std::uint64_t length) {
  Status status;
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

Status Upload::readBlock(const Incoming& incoming, bool late) {
  const std::uint64_t length = incoming.length;
  hipError_t why = hipSuccess;
  Piece piece{context_.staging.take(length, &why), incoming.offset, length};
  if (!piece.block) {
    abandon(why);
    return incoming.skip();
  }
  if (Status status = incoming.read(piece.block.get(), context_.unpacker); !status.ok()) return status;
  if (incoming.keep) context_.keep(piece.block, length);
  {
    std::lock_guard lock(mutex_);
    if (state_ == State::kAbandoned) return {};
    if (state_ == State::kWaiting) {
      // It counts since it was named, if it was.
      if (!late && !countEarly(length)) return Status::invalid("more early data than the window allows");
      early_.push_back(std::move(piece));
      return {};
    }
  }
  place(std::move(piece));
  return {};
}

void Upload::place(Piece piece) {
  if (!beginWriting()) return;
  if (direct_) {
    scatter(to_, piece.offset, {piece.block.get(), piece.length});
    placed(piece.length, hipSuccess);
  } else {
    giveToDevice(std::move(piece));
  }
  endWriting();
}

void Upload::giveToDevice(Piece piece) {
  const std::uint64_t length = piece.length;
  context_.backend.use(stream_->device);
  hipError_t error = copyPacked(context_.backend.hip, stream_->native, to_, piece.offset, length, piece.block.get(),
                                hipMemcpyHostToDevice);
  if (error == hipSuccess) {
    std::deque<Piece> abandoned;  // since this began: nobody else sees to it
    {
      std::lock_guard lock(mutex_);
      piece.event = context_.order.events(stream_->device).record(stream_->native, &error);
      (state_ == State::kAbandoned ? abandoned : copying_).push_back(std::move(piece));
      boundBlocks();
    }
    release(abandoned);
  }
  placed(length, error);
}

// Everything before the upload is done, so this waits for a copy, never for a kernel.
void Upload::boundBlocks() {
  while (copying_.size() > kMostCopying) {
    const Piece oldest = std::move(copying_.front());
    copying_.pop_front();
    if (!oldest.event) continue;
    context_.backend.hip.hipEventSynchronize(oldest.event);
    context_.order.events(stream_->device).give(oldest.event);
  }
}

void Upload::placed(std::uint64_t length, hipError_t error) {
  std::deque<Piece> copying;
  bool starting = false;
  {
    std::lock_guard lock(mutex_);
    if (state_ == State::kAbandoned || placed_ == total_) return;  // over: whatever is next in its stream is not ours
    placed_ += length;
    if (error_ == hipSuccess) error_ = error;
    if (placed_ != total_) return;
    copying.swap(copying_);
    error = error_;
    starting = starting_;
  }
  release(copying);
  if (error != hipSuccess) context_.reporter.fail(error, "Upload", wire::Opcode::kUpload);
  if (starting) return;  // start() tells
  if (over() == Start::kDone) {
    context_.order.done(stream_);
  } else {
    context_.order.given(stream_);
  }
}

// The GPU may still be reading them.
void Upload::release(std::deque<Piece>& copying) {
  for (Piece& piece : copying) {
    if (piece.event) context_.order.events(stream_->device).give(piece.event);
    context_.order.keep(stream_, std::move(piece.block));
  }
}

void Upload::abandon(hipError_t error) {
  bool held = false;
  std::deque<Piece> copying;
  {
    std::lock_guard lock(mutex_);
    if (state_ == State::kAbandoned || placed_ == total_) return;
    if (state_ == State::kWaiting) {
      forgetEarly();
      early_.clear();
      // The client must still get rid of the bytes it has promised.
      push(context_.outbox, wire::Opcode::kTransferOpen, wire::TransferOpen{id_});
    }
    state_ = State::kAbandoned;
    owed_ = started_ && writers_ > 0;
    held = started_ && !owed_;
    copying.swap(copying_);
  }
  release(copying);
  context_.reporter.fail(error, "Upload", wire::Opcode::kUpload);
  if (held) context_.order.given(stream_);
}

}  // namespace hipr::worker

// Transfers: bulk data between the client and device memory, in stream order.
//
// Where the CPU can reach device memory (softgpu) the socket reads and writes it directly, once everything before the
// transfer is done; elsewhere the GPU copies between device memory and pinned blocks, in its stream.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>

#include "worker/frame_reader.h"
#include "worker/order.h"
#include "worker/outbox.h"
#include "worker/reporter.h"
#include "worker/staging.h"

namespace hipr::worker {

struct TransferContext {
  const Backend& backend;
  Order& order;
  Crew& crew;
  Outbox& outbox;
  Reporter& reporter;
  Staging& staging;
  std::atomic<std::uint64_t> early{0};  // bytes of all uploads that came before their stream had come to them
};

// Bytes on their way to the device. They may arrive before the stream comes to it: then they wait in blocks,
// kEagerWindow at most.
class Upload : public std::enable_shared_from_this<Upload> {
 public:
  Upload(TransferContext& context, std::uint64_t id, StreamPtr stream, const wire::Shape& to, bool direct)
      : context_(context), id_(id), stream_(std::move(stream)), to_(to), total_(to.bytes()), direct_(direct) {}

  std::uint64_t received() const { return received_; }  // the reader's, as is arrived()
  std::uint64_t total() const { return total_; }
  // kInvalid when the client sends more than it may.
  Status arrived(FrameReader& reader, std::uint64_t length);

  Start start();  // REQUIRES: called as a start function
  // It will not come to its place: what still arrives is thrown away. Idempotent.
  void abandon(hipError_t error);

 private:
  enum class State { kWaiting, kOpen, kAbandoned };
  struct Piece {
    Staging::Block block;
    std::uint64_t offset = 0, length = 0;
    hipEvent_t event = nullptr;  // the GPU has read it
  };

  void open();  // bytes may go to their place; tells the client
  Status readInPlace(FrameReader& reader, std::uint64_t offset, std::uint64_t length);
  Status readBlock(FrameReader& reader, std::uint64_t offset, std::uint64_t length);
  void place(Piece piece);
  void placed(std::uint64_t length, hipError_t error);
  void boundBlocks();  // REQUIRES: mutex_
  Start over() const { return direct_ ? Start::kDone : Start::kGiven; }
  void release(std::deque<Piece>& copying);

  TransferContext& context_;
  const std::uint64_t id_;
  const StreamPtr stream_;
  const wire::Shape to_;
  const std::uint64_t total_;
  const bool direct_;
  std::uint64_t received_ = 0;

  std::mutex mutex_;  // guards what follows
  State state_ = State::kWaiting;
  bool started_ = false;
  bool starting_ = false;  // start() has not returned
  std::uint64_t placed_ = 0;
  hipError_t error_ = hipSuccess;
  std::deque<Piece> early_, copying_;
};

// Bytes on their way to the client: Data frames, then the answer.
class Download : public Delivery, public std::enable_shared_from_this<Download> {
 public:
  Download(TransferContext& context, std::uint64_t id, std::uint32_t request, StreamPtr stream, const wire::Shape& from,
           bool direct)
      : context_(context), id_(id), request_(request), stream_(std::move(stream)), from_(from), direct_(direct) {}

  Start start();  // REQUIRES: called as a start function
  bool complete() override;
  void send() override;

 private:
  struct Piece {
    Staging::Block block;
    std::uint64_t offset = 0, length = 0;
    hipEvent_t event = nullptr;  // the GPU has written it
  };

  hipError_t copyNext();  // lets the GPU copy the next piece into a block. REQUIRES: mutex_
  bool begun();           // the first piece can be sent
  bool allGiven() const { return given_ == from_.bytes(); }
  void sendFirst();  // of the pieces. REQUIRES: mutex_, and the GPU has copied it
  void deliver();    // on a thread that may wait: sends the pieces as they come, and answers
  void deliverDirect(hipError_t error);
  void sendPiece(std::span<const std::byte> bytes, std::uint64_t offset);
  void sendNow();  // all of it and the answer in one go
  void answer(hipError_t error);

  TransferContext& context_;
  const std::uint64_t id_;
  const std::uint32_t request_;
  const StreamPtr stream_;
  const wire::Shape from_;
  const bool direct_;
  std::uint64_t position_ = 0;

  std::mutex mutex_;         // guards what follows; not held while Order or the reporter is called
  std::uint64_t given_ = 0;  // bytes the GPU has been told to copy
  std::deque<Piece> pieces_;
  std::vector<hipEvent_t> events_;  // of all pieces; they go back when nobody can be waiting for one
};

}  // namespace hipr::worker

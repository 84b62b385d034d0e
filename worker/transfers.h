// Transfers: bulk data between the client and device memory, in stream order.
//
// Where device memory is ordinary memory (softgpu), the socket reads and writes it directly, once everything before the
// transfer is done. Elsewhere the GPU copies between device memory and pinned blocks, in its stream.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>

#include "net/packing.h"
#include "worker/data_frame.h"
#include "worker/frame_reader.h"
#include "worker/lane_downloads.h"
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
  std::function<void(Staging::Block, std::uint64_t size)> keep;  // a block of an upload, for the next time
  DownloadPacking packing{outbox};
  LaneDownloads lanes{outbox, packing, staging.most()};
  net::Unpacker unpacker{};             // the reader's
  std::atomic<std::uint64_t> early{0};  // bytes of all uploads that came before their stream had come to them
  std::atomic<std::size_t> missing{0};  // pieces of all uploads that were not found and have not been sent yet
};

// A piece of an upload, as the reader is about to read it.
struct Incoming {
  FrameReader& reader;
  std::uint64_t offset = 0, length = 0;
  std::uint64_t packed = 0;  // bytes that it travels in; 0: as it is
  bool keep = false;         // for the next time, too

  Status read(std::byte* out, net::Unpacker& unpacker) const;  // all of it. kInvalid: it cannot be unpacked
  Status skip() const { return reader.skip(packed ? packed : length); }
};

// Bytes on their way to the device. They may arrive before the stream comes to it: then they wait in blocks,
// kEagerWindow at most. A piece may also be named instead, and looked for here (named_data.cpp); if it is not found,
// its bytes arrive later than those behind it.
class Upload : public std::enable_shared_from_this<Upload> {
 public:
  Upload(TransferContext& context, std::uint64_t id, StreamPtr stream, const wire::Shape& to, bool direct)
      : context_(context), id_(id), stream_(std::move(stream)), to_(to), total_(to.bytes()), direct_(direct) {}

  std::uint64_t received() const { return received_; }  // or named: where the next piece belongs
  // The next piece, or one that was not found. kInvalid when the client sends what it may not. The reader's, as is
  // named().
  Status arrived(const Incoming& piece);
  Status named(std::uint64_t length);  // the next piece; it is looked for
  // One of these follows: the piece has been found, or not.
  void found(Staging::Block block, std::uint64_t offset, std::uint64_t length);
  void missing(std::uint64_t offset, std::uint64_t length);
  bool complete();   // nothing more of it will come
  bool abandoned();  // nobody needs what still comes

  Start start();  // REQUIRES: called as a start function
  // It will not come to its place: what still arrives is thrown away. Idempotent. What comes after it in its stream
  // goes on when nobody writes to its place any more.
  void abandon(hipError_t error);

 private:
  enum class State { kWaiting, kOpen, kAbandoned };
  struct Piece {
    Staging::Block block;
    std::uint64_t offset = 0, length = 0;
    hipEvent_t event = nullptr;  // the GPU has read it
  };

  void open();  // bytes may go to their place; tells the client
  // Around what writes there; false: nobody may any more.
  bool beginWriting();
  void endWriting();
  Status readInPlace(FrameReader& reader, std::uint64_t offset, std::uint64_t length);
  Status readBlock(const Incoming& incoming, bool late);
  bool takeMissing(std::uint64_t offset, std::uint64_t length);  // false: it is not one of them
  // Counts bytes that came before their time; false: too many. REQUIRES: mutex_, as for the next
  bool countEarly(std::uint64_t length);
  void forgetEarly();
  void place(Piece piece);
  void giveToDevice(Piece piece);
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
  std::atomic<std::uint64_t> received_{0};

  std::mutex mutex_;  // guards what follows
  State state_ = State::kWaiting;
  bool started_ = false;
  bool starting_ = false;  // start() has not returned
  int writers_ = 0;        // threads that put bytes in their place
  bool owed_ = false;      // abandoned meanwhile: Order waits for the last of them
  std::uint64_t placed_ = 0;
  hipError_t error_ = hipSuccess;
  std::deque<Piece> early_, copying_;
  std::uint64_t earlyBytes_ = 0;                    // of context_.early
  std::size_t sought_ = 0;                          // pieces that were named and are being looked for
  std::map<std::uint64_t, std::uint64_t> missing_;  // offset → length of those not found, until they arrive
};

// Bytes on their way to the client: Data frames, then the answer.
class Download : public Delivery, public std::enable_shared_from_this<Download> {
 public:
  Download(TransferContext& context, std::uint64_t id, std::uint32_t request, StreamPtr stream, const wire::Shape& from,
           bool direct)
      : context_(context), id_(id), request_(request), stream_(std::move(stream)), from_(from), direct_(direct) {}

  Start start();                   // REQUIRES: called as a start function, as is the next
  Start refuse(hipError_t error);  // nothing of it is sent; says so when what is before it is done
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
  // `block`: where the bytes are, if they stay there.
  void sendPiece(std::span<const std::byte> bytes, std::uint64_t offset, Staging::Block block = nullptr);
  // Over the session's own connection. `behind`: frames that leave with them.
  void sendHere(std::span<const std::byte> bytes, std::uint64_t offset, std::span<const std::byte> behind = {});
  void answerOnArrival();  // of what goes over lanes: until then this is a delivery, and nobody waits here
  void sendNow();          // all of it and the answer in one go
  std::vector<std::byte> answerFrame(hipError_t error);  // REQUIRES: it is sent now
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

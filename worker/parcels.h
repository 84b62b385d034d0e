// Parcels: copies from the device memory of one worker to that of another, without passing the client (PROTOCOL.md,
// "Between workers"). On each worker the copy is an operation of a stream. When the stream has come there the copy gets
// a thread, and the two workers a connection. The supervisors make that connection and pass it on, because sessions
// make none. If anything goes wrong, the worker that has the bytes tells the client, which copies them through its own
// memory instead; so nothing is reported as a failure.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "net/socket.h"
#include "tls/shield.h"
#include "worker/pass_descriptor.h"
#include "worker/transfers.h"

namespace hipr::worker {

class Parcel : public std::enable_shared_from_this<Parcel> {
 public:
  static constexpr std::size_t kMost = 8;  // of a session, for each direction
  // Of one of them: each is an operation of the runtime, and these are not counted. More go through the client.
  static constexpr std::uint64_t kMostPlanes = 4096;

  virtual ~Parcel() = default;  // REQUIRES: stop(), where it was started
  Parcel(const Parcel&) = delete;
  Parcel& operator=(const Parcel&) = delete;

  Start start();  // REQUIRES: called as a start function
  void cancel();  // it is over as soon as its stream has come there
  void stop();    // and waits for its thread
  bool over();

 protected:
  Parcel(TransferContext& context, StreamPtr stream, const wire::Shape& shape)
      : context_(context), stream_(std::move(stream)), shape_(shape) {}

  virtual Status carry() = 0;                       // on a thread of its own
  virtual void conclude(const Status& status) = 0;  // tells whoever waits
  virtual void interrupt() {}                       // carry() waits for somebody. REQUIRES: mutex_
  bool cancelled();
  void protect(const tls::Shield& shield);         // what it speaks through
  bool speakThrough(net::TransportPtr transport);  // from now on; false: it was cancelled meanwhile

  // Pieces that the GPU copies now, from or to blocks.
  struct Piece {
    Staging::Block block;
    std::uint64_t offset = 0, length = 0;
    hipEvent_t event = nullptr;
  };
  Status give(Piece piece, hipMemcpyKind kind);  // to the GPU
  Status finishFirst(Piece& piece);              // waits until it has copied it
  static constexpr std::size_t kAhead = 4;
  std::deque<Piece> pieces_;

  TransferContext& context_;
  const StreamPtr stream_;
  const wire::Shape shape_;
  net::TransportPtr transport_;  // changed under mutex_
  std::uint64_t position_ = 0;

 private:
  void begin(hipError_t error);
  void run(Status status);

  std::mutex mutex_;  // guards what follows
  bool cancelled_ = false, over_ = false;
  std::thread thread_;
};

// Bytes that another worker brings. `door`: where its connection comes in (tickets.h).
class IncomingParcel : public Parcel {
 public:
  IncomingParcel(TransferContext& context, StreamPtr stream, const wire::Shape& to, Descriptor door)
      : Parcel(context, std::move(stream), to), door_(door.release()) {}

 private:
  Status carry() override;
  void conclude(const Status& status) override;
  void interrupt() override { door_.shutdown(); }
  Status meet();
  Status unpack(FrameReader& reader);

  net::Socket door_;
};

// Bytes that this worker brings to another one.
class OutgoingParcel : public Parcel {
 public:
  struct Errand {
    std::function<Descriptor(const std::string& worker)> connect;  // begins to; empty: it may not be
    std::string worker;
    wire::Bits256 ticket;
    std::uint32_t request;  // of the client
    Meter::Share place;     // among those who wait
  };
  OutgoingParcel(TransferContext& context, StreamPtr stream, const wire::Shape& from, Errand errand)
      : Parcel(context, std::move(stream), from), errand_(std::move(errand)) {}

 private:
  Status carry() override;
  void conclude(const Status& status) override;
  Status meet();
  Status pack();
  Status hearAnswer();

  const Errand errand_;
};

}  // namespace hipr::worker

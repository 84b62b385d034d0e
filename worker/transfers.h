// Transfers: bulk data between the client and device memory, in stream order.
//
// Each holds its stream with a function of the runtime (Backend::callHost) until the bytes have moved. Where the CPU
// can reach device memory (softgpu) the socket reads and writes it directly; elsewhere bytes pass through pinned blocks
// and an internal stream (staging.h).
//
// An upload's bytes may arrive before its stream comes to it: then they wait in buffers, kEagerWindow at most.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "worker/frame_reader.h"
#include "worker/outbox.h"
#include "worker/shapes.h"
#include "worker/staging.h"
#include "worker/streams.h"

namespace hipr::worker {

struct TransferContext {
  Outbox& outbox;
  Staging& staging;
  Waiters& waiters;
  std::atomic<std::uint64_t> unopened{0};  // bytes of all transfers that arrived early
};

struct Transfer {
  virtual ~Transfer() = default;
  // Its stream has failed or the session ends: it will not come to it, or need not wait any longer. Idempotent.
  virtual void abandon(hipError_t error) = 0;

  std::uint64_t position = 0;  // which operation of its stream it is
};

// Bytes on their way to the device. The reader calls arrived(); the stream waits in hold().
class UploadTransfer : public Transfer, public std::enable_shared_from_this<UploadTransfer> {
 public:
  UploadTransfer(TransferContext& context, std::uint64_t id, const wire::Shape& to, int device, bool direct)
      : context_(context), id_(id), to_(to), total_(to.bytes()), device_(device), direct_(direct) {}

  std::uint64_t received() const { return received_; }  // the reader's, as is arrived()
  std::uint64_t total() const { return total_; }
  // kInvalid when the client sends more than it may.
  Status arrived(FrameReader& reader, std::uint64_t length);

  void open();  // bytes may go to their place; tells the client. Idempotent
  void hold();  // returns when every byte is there
  void abandon(hipError_t error) override;
  hipError_t error();

 private:
  enum class State { kWaiting, kOpen, kAbandoned };

  Status readInto(FrameReader& reader, std::uint64_t offset, std::uint64_t length);
  Status keepEarly(FrameReader& reader, std::uint64_t offset, std::uint64_t length);
  void place(std::uint64_t offset, std::vector<std::byte> bytes);
  void placed(std::uint64_t length, hipError_t error);

  TransferContext& context_;
  const std::uint64_t id_;
  const wire::Shape to_;
  const std::uint64_t total_;
  const int device_;
  const bool direct_;
  std::uint64_t received_ = 0;

  std::mutex mutex_;
  std::condition_variable changed_;
  State state_ = State::kWaiting;
  std::uint64_t placed_ = 0;
  hipError_t error_ = hipSuccess;
  struct Early {
    std::uint64_t offset;
    std::vector<std::byte> bytes;
  };
  std::vector<Early> early_;
};

class DownloadTransfer : public Transfer {
 public:
  DownloadTransfer(TransferContext& context, std::uint64_t id, std::uint32_t request, const wire::Shape& from,
                   int device, bool direct)
      : context_(context), id_(id), request_(request), from_(from), device_(device), direct_(direct) {}

  // The stream has come to it: sends everything, calls `beforeDone`, sends Done.
  void send(const std::function<void()>& beforeDone);
  void sendNow();  // the same in one go from the reader, for small ones on an idle stream
  void abandon(hipError_t error) override;

 private:
  void sendPiece(std::span<const std::byte> bytes, std::uint64_t offset);
  void sendDirect();
  hipError_t sendStaged();
  void done(hipError_t error);

  TransferContext& context_;
  const std::uint64_t id_;
  const std::uint32_t request_;
  const wire::Shape from_;
  const int device_;
  const bool direct_;
  std::atomic<bool> claimed_{false};  // somebody answers it
};

// Between packed bytes and memory the CPU can reach.
void scatter(const wire::Shape& to, std::uint64_t offset, std::span<const std::byte> bytes);
void gather(const wire::Shape& from, std::uint64_t offset, std::span<std::byte> bytes);

}  // namespace hipr::worker

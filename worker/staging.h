// Staging: pinned memory for bytes between the network and a GPU the CPU cannot reach, and for small uploads that wait
// in their stream. Per device an internal stream that takes no part in the null stream's rules. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "wire/frame.h"
#include "worker/backend.h"
#include "worker/shapes.h"
#include "worker/waiters.h"

namespace hipr::worker {

class Staging {
 public:
  static constexpr std::size_t kBlock = wire::kMaxDataChunk;

  // A piece of pinned memory; goes back to the pool when the last share is dropped.
  using Block = std::shared_ptr<std::byte>;

  Staging(const Backend& backend, Waiters& waiters);
  ~Staging();

  Block take(std::size_t size);  // at most kBlock; null when there is no memory

  // Copies block → device at the packed offset, and calls `done` on some thread when that has happened.
  void copyIn(int device, Block block, const wire::Shape& to, std::uint64_t offset, std::uint64_t length,
              std::function<void(hipError_t)> done);
  // Copies all of `from` and calls send(bytes, offset) piece by piece, in order; returns when done.
  hipError_t copyOut(int device, const wire::Shape& from,
                     const std::function<void(std::span<const std::byte>, std::uint64_t)>& send);

 private:
  struct Lane {  // of one device
    hipStream_t stream = nullptr;
    hipError_t error = hipSuccess;
    std::unique_ptr<EventPool> events;
    std::mutex order;  // held while giving work to the stream
    struct Wait {
      hipEvent_t event;
      Block block;
      std::function<void(hipError_t)> done;
    };
    std::deque<Wait> waits;
    bool waiting = false;
  };
  struct Pool {
    std::size_t size;
    std::vector<std::byte*> free;
  };

  Lane& lane(int device);  // made on first use
  void finishCopies(Lane& lane);
  void give(std::byte* memory, std::size_t pool);

  const Backend& backend_;
  Waiters& waiters_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  Pool pools_[3] = {{4 << 10, {}}, {64 << 10, {}}, {kBlock, {}}};
  std::vector<void*> slabs_;
};

// Queues the copy between packed host bytes and [offset, offset + length) of the packed bytes of a shape.
hipError_t copyPacked(const HipTable& hip, hipStream_t stream, const wire::Shape& shape, std::uint64_t offset,
                      std::uint64_t length, std::byte* host, hipMemcpyKind kind);

}  // namespace hipr::worker

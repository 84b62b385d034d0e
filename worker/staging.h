// Staging: pinned memory for bytes between the network and a GPU. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "wire/frame.h"
#include "worker/backend.h"
#include "worker/quotas.h"
#include "worker/shapes.h"

namespace hipr::worker {

class Staging {
 public:
  static constexpr std::size_t kBlock = wire::kMaxDataChunk;

  // A piece of pinned memory; goes back to the pool when the last share is dropped.
  using Block = std::shared_ptr<std::byte>;

  Staging(const Backend& backend, Meter& meter) : backend_(backend), meter_(meter) {}
  ~Staging();

  // Null when it is more than kBlock, or there is no memory: the runtime says why, which may be that its device failed.
  Block take(std::size_t size, hipError_t* why = nullptr);
  std::uint64_t most() const { return meter_.limits()[Quota::kStagedBytes]; }  // bytes

 private:
  struct Pool {
    std::size_t size;
    std::vector<std::byte*> free;
  };

  void give(std::byte* memory, std::size_t pool);

  const Backend& backend_;
  Meter& meter_;
  std::mutex mutex_;
  Pool pools_[3] = {{4 << 10, {}}, {64 << 10, {}}, {kBlock, {}}};
  std::vector<std::pair<void*, Meter::Share>> slabs_;
};

// Queues the copy between packed host bytes and [offset, offset + length) of the packed bytes of a shape.
hipError_t copyPacked(const HipTable& hip, hipStream_t stream, const wire::Shape& shape, std::uint64_t offset,
                      std::uint64_t length, std::byte* host, hipMemcpyKind kind);

// Between packed bytes and memory the CPU can reach.
void scatter(const wire::Shape& to, std::uint64_t offset, std::span<const std::byte> bytes);
void gather(const wire::Shape& from, std::uint64_t offset, std::span<std::byte> bytes);

}  // namespace hipr::worker

// Host memory of the client that kernels can reach: memory of this process at the client's own address, registered with
// the runtime, and a copy of the content both sides last agreed on. Differences travel as HostBytes. Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>

#include "worker/backend.h"
#include "worker/leaving.h"
#include "worker/outbox.h"

namespace hipr::worker {

class HostMemory {
 public:
  explicit HostMemory(const Backend& backend) : backend_(backend) {}
  ~HostMemory();

  // Takes the range from the process's address space, so that nothing else can settle there. False when it is not free.
  bool reserve(std::uint64_t base, std::uint64_t size);

  hipError_t expose(std::uint64_t address, std::uint64_t size);
  // Gives it up; null when nothing begins there.
  std::shared_ptr<Leaving> conceal(std::uint64_t address);
  bool covers(std::uint64_t address, std::uint64_t size);
  bool any() const { return count_.load() != 0; }

  // What the client has changed. False when it is not exposed.
  bool apply(std::uint64_t address, wire::Bytes bytes);
  // Sends what kernels have changed. May wait for the socket.
  void sendChanges(Outbox& outbox);

 private:
  struct Free {
    void operator()(std::byte* memory) const { std::free(memory); }
  };
  struct Region {
    std::uint64_t size = 0;
    std::unique_ptr<std::byte, Free> agreed;
  };

  std::map<std::uint64_t, Region>::iterator around(std::uint64_t address, std::uint64_t size);  // end() when outside

  const Backend& backend_;
  std::atomic<std::size_t> count_{0};
  std::mutex mutex_;
  std::uint64_t base_ = 0, size_ = 0;
  std::map<std::uint64_t, Region> regions_;
  LeavingList leaving_;
};

}  // namespace hipr::worker

// Host memory of the client that kernels can reach: memory of this process at the client's own address, registered with
// the runtime. Either it is the client's own, which a client on the same machine shares with us, or a mirror keeps it
// like the client's (mirror/mirror.h). Thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "mirror/mirror.h"
#include "platform/shared_memory.h"
#include "worker/backend.h"
#include "worker/leaving.h"
#include "worker/outbox.h"
#include "worker/quotas.h"

namespace hipr::worker {

class HostMemory {
 public:
  HostMemory(const Backend& backend, Outbox& outbox, Meter& meter);
  ~HostMemory();

  // Takes the range from the process's address space, so that nothing else can settle there. False when it is not free.
  bool reserve(std::uint64_t base, std::uint64_t size);

  hipError_t expose(const wire::ExposeHost& m);
  // `memory`: the client's own, of sharedSize(size) bytes.
  hipError_t share(const wire::ShareHost& m, const platform::SharedMemory& memory);
  static std::uint64_t sharedSize(std::uint64_t size);
  // Gives it up; null when nothing begins there.
  std::shared_ptr<Leaving> conceal(std::uint64_t address);
  bool covers(std::uint64_t address, std::uint64_t size);
  bool any() const { return mirror_.any(); }  // that is mirrored

  // What the client has changed. False when it is not exposed.
  bool apply(const wire::HostBytes& m) { return mirror_.apply(m); }
  // Sends what kernels have changed. May wait for the socket.
  void sendChanges() { mirror_.send(); }
  bool exchange() { return mirror_.exchange(); }  // the same while kernels run

 private:
  bool free(std::uint64_t address, std::uint64_t size) const;       // such a region could be there. REQUIRES: mutex_
  hipError_t place(std::uint64_t address, std::uint64_t size);      // memory that the runtime knows, all zeros
  hipError_t introduce(std::uint64_t address, std::uint64_t size);  // what is mapped there to the runtime

  struct Region {
    std::uint64_t size = 0, number = 0;  // 0: it is shared
    Meter::Share share;
  };

  const Backend& backend_;
  Meter& meter_;
  std::mutex mutex_;
  std::uint64_t base_ = 0, size_ = 0;
  std::map<std::uint64_t, Region> regions_;
  LeavingList leaving_;
  mirror::Mirror mirror_;
};

}  // namespace hipr::worker

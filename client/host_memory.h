// HostMemory: memory of this process that kernels on the worker can reach, at the same address.
//
// Pinned, managed and registered memory all live here. A worker on the same machine is handed pinned and managed memory
// when it is allocated: the worker and its kernels have the very same memory. Registered memory, and all kinds with a
// worker elsewhere, is plain local memory as long as no kernel could know its address. Once an address of it travels to
// the worker (as a kernel argument, inside an upload, or inside exposed memory), the region is exposed: the worker maps
// it too, and from then on a mirror on each side exchanges what changed (mirror/mirror.h) at launches, at
// synchronization, and now and then while work is unfinished. Thread-safe.
//
// The sessions of a process have their regions in one window of addresses, of which each session owns a part. What one
// session allocates the others admit: their kernels can reach it, too, and each session keeps its own worker's copy
// equal to this process's memory.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "mirror/mirror.h"
#include "platform/address_range.h"
#include "platform/shared_memory.h"
#include "wire/messages.h"

namespace hipr::client {

struct HostWindow {
  std::uint64_t base = 0, size = 0;
};

class HostMemory {
 public:
  struct Calls {  // all posted, with no lock held that apply() needs: they may wait for room
    std::function<void(const wire::ExposeHost&)> expose;
    std::function<void(const wire::ConcealHost&)> conceal;
    std::function<void(const wire::HostBytes&)> send;
    // Hands it over, then posts the message; null: the worker is elsewhere.
    std::function<Status(const wire::ShareHost&, const platform::SharedMemory&)> share{};
  };

  using Pages = std::shared_ptr<platform::SharedMemory>;

  // `most`: bytes of all regions together. The window has the range in it; without one it is the range.
  HostMemory(platform::AddressRange range, Calls calls, std::uint64_t most = UINT64_MAX, HostWindow window = {});

  void* allocate(std::size_t size);  // null when the range, the limit or the machine leaves no room
  void release(void* address);
  // The same of memory that other sessions will admit: where this system can share memory, it is made of such pages.
  void* allocateFor(std::size_t size, Pages& pages);
  // A region that another session has at this address, and this process at `host`. False when there is no room, or it
  // is not in the window; true when it is known already.
  bool admit(std::uint64_t address, std::size_t size, void* host, const Pages& pages);
  void dismiss(std::uint64_t address);

  // The program's own memory: kernels reach it through the address returned (null when the range is full).
  void* adopt(void* host, std::size_t size);
  // The same for whole pages that nobody uses meanwhile: where memory is shared, they are exchanged for some that are.
  void* replace(void* host, std::size_t size, Pages* pages = nullptr);
  void reveal(void* alias);  // the program may write this address where nobody looks for it: into shared memory
  void disown(void* alias);

  // Any of these may expose regions. They cost nothing while no region exists. Uploads of any size can be scanned, row
  // by row where rows do not follow each other.
  bool mayName(wire::Bytes arguments) const;              // some region; false costs no lock, and need not be scanned
  void scanArguments(std::vector<std::byte>& arguments);  // also turns addresses of adopted memory into their aliases
  void scanUpload(wire::Bytes bytes);
  // What scanArguments() leaves as it is, for it is no address of this process, though it may look like one of adopted
  // memory: the name of a texture, which is an address of the worker's process. Such memory may be there already, or be
  // adopted later; and the worker's runtime would often put the next texture right beside this one. So it is told apart
  // by its value. A program that gives a kernel the address of exactly this byte of its adopted memory is not
  // understood; any other byte is.
  void addHandle(std::uint64_t value);
  void dropHandle(std::uint64_t value);
  bool needsScan() const { return soughtCount_.load(std::memory_order_relaxed) != 0; }

  bool anyExposed() const { return mirror_.any() || sharedCount_.load(std::memory_order_relaxed) != 0; }
  bool anyMirrored() const { return mirror_.any(); }  // and has to be exchanged
  bool exposed(std::uint64_t address);                // kernels may have changed it: the worker's copy counts
  std::uint64_t alias(std::uint64_t host);            // where the worker has the byte at this host address
  void flush();                                       // send what the program changed
  bool exchange();                                    // the same while kernels run (Mirror::exchange)
  bool apply(const wire::HostBytes& changes);         // what kernels changed; false when it makes no sense

 private:
  struct Region {
    std::uint64_t address = 0;  // on the worker; and here, unless adopted
    std::size_t size = 0;
    std::byte* host = nullptr;
    std::uint64_t number = 0;  // of its exposure; 0: not exposed
    bool shared = false;
    bool guest = false;  // of another session
    bool adopted() const { return reinterpret_cast<std::uint64_t>(host) != address; }
    bool there() const { return number || shared; }
  };

  Region* find(std::uint64_t address);  // REQUIRES: mutex_, as for the next two
  Region* findByHost(std::uint64_t address);
  Region* add(std::size_t size, std::byte* host);  // null when there is no room
  Region* insert(const Region& region);
  bool roomFor(std::size_t size) const;
  bool inWindow(std::uint64_t address) const { return address - window_.base < window_.size; }
  void noteAdopted(const Region& region);
  void erase(std::uint64_t address, bool committed);
  void* addShared(std::size_t size, std::byte* host, Pages* pages);
  // Exchanges the region's memory here for some that can be handed over, and has the same content; null when that
  // fails. REQUIRES: the mirror's sending lock held, mutex_ not, as for the next.
  Pages makePages(std::uint64_t address);
  bool handOver(std::uint64_t address, std::size_t size, const platform::SharedMemory& pages);
  // Exposes the regions of these addresses. REQUIRES: the mirror's sending lock held, mutex_ not
  void expose(const std::vector<std::uint64_t>& addresses);
  void exposeReached(const std::vector<std::uint64_t>& addresses);  // and sends their content

  Calls calls_;
  std::mutex mutex_;  // taken after the mirror's sending lock and before its state lock
  platform::AddressRange range_;
  const HostWindow window_;
  const std::uint64_t most_;
  std::uint64_t total_ = 0;  // of all regions, in whole pages
  std::map<std::uint64_t, std::uint64_t> free_;
  std::map<std::uint64_t, Region> regions_;         // by address
  std::map<std::uint64_t, std::uint64_t> adopted_;  // host address → alias
  std::set<std::uint64_t> handles_;
  std::atomic<int> soughtCount_{0}, sharedCount_{0};  // regions whose addresses are looked for; those shared
  std::atomic<bool> anyAdopted_{false};               // and elsewhere than in the window, so far

  // --- under the mirror's sending lock
  std::uint64_t exposures_ = 0;
  std::vector<std::uint64_t> unsent_;  // numbers of regions whose content has not been sent yet
  bool sendingReached_ = false;

  mirror::Mirror mirror_;
};

}  // namespace hipr::client

// HostMemory: memory of this process that kernels on the worker can reach, at the same address.
//
// Pinned, managed and registered memory all live here. As long as no kernel could know its address a region is plain
// local memory. Once an address of it travels to the worker (as a kernel argument, or inside an uploaded buffer) the
// region is exposed: the worker maps it too, and from then on both sides exchange what changed, at byte granularity, at
// launches and at synchronization. `shadow` is the content both sides agreed on last. Thread-safe.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "client/address_range.h"
#include "wire/stream.h"

namespace hipr::client {

class HostMemory {
 public:
  struct Calls {
    std::function<void(std::uint64_t address, std::uint64_t size)> expose;  // all posted
    std::function<void(std::uint64_t address)> conceal;
    std::function<void(std::uint64_t address, wire::Bytes bytes)> send;
  };

  HostMemory(AddressRange range, Calls calls);

  void* allocate(std::size_t size);  // null when the range or the machine has no room
  void release(void* address);

  // The program's own memory: kernels reach it through the address returned (null when the range is full).
  void* adopt(void* host, std::size_t size);
  void disown(void* alias);

  // Any of these may expose regions. They cost nothing while no region exists.
  void scanArguments(std::vector<std::byte>& arguments);  // also turns addresses of adopted memory into their aliases
  void scanUpload(wire::Bytes bytes);
  bool needsScan() const { return regionCount_.load(std::memory_order_relaxed) != 0; }

  bool anyExposed() const { return exposedCount_.load(std::memory_order_relaxed) != 0; }
  bool exposed(std::uint64_t address);                   // kernels may have changed it: the worker's copy counts
  std::uint64_t alias(std::uint64_t host);               // where the worker has the byte at this host address
  void flush();                                          // send what the program changed
  bool apply(std::uint64_t address, wire::Bytes bytes);  // what kernels changed; false when out of bounds

 private:
  struct Region {
    std::uint64_t address;  // on the worker; and here, unless adopted
    std::size_t size;
    std::byte* host;
    bool exposed = false;
    std::unique_ptr<std::byte[]> shadow;
  };

  Region* find(std::uint64_t address);  // REQUIRES: mutex_, as for all below
  Region* findByHost(std::uint64_t address);
  Region& add(std::size_t size, std::byte* host);
  void erase(std::uint64_t address);
  void expose(Region& region);
  void scan(wire::Bytes bytes);  // exposes what its words point to
  void flush(Region& region);

  std::mutex mutex_;
  AddressRange range_;
  Calls calls_;
  std::map<std::uint64_t, std::uint64_t> free_;
  std::map<std::uint64_t, Region> regions_;         // by address
  std::map<std::uint64_t, std::uint64_t> adopted_;  // host address → alias
  std::atomic<int> regionCount_{0}, exposedCount_{0};
};

}  // namespace hipr::client

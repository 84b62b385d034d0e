// Memory that several processes of one machine have at once. Its size is fixed for good when it is made, and nobody is
// given any other kind: so none of them can make another one fault by taking pages away.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "base/status.h"

namespace hipr::platform {

extern const bool kCanShareMemory;  // this system is one that can

class SharedMemory {
 public:
  SharedMemory() = default;
  explicit SharedMemory(int descriptor) : descriptor_(descriptor) {}  // unchecked: nothing but release() is for it
  SharedMemory(SharedMemory&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, -1)), bytes_(std::exchange(other.bytes_, {})) {}
  SharedMemory& operator=(SharedMemory&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~SharedMemory();

  static Status make(std::size_t size, SharedMemory& out);  // zero-filled
  // What another process has made, checked: it is such memory, exactly so large. The descriptor is ours from now on,
  // whatever this says.
  static Status take(int descriptor, std::size_t size, SharedMemory& out);

  Status map();  // wherever the system has room
  // In place of reserved addresses; stays there when this goes. REQUIRES: whole pages.
  Status mapOver(void* address, std::size_t size) const;
  std::span<std::byte> bytes() const { return bytes_; }  // empty until it is mapped
  int descriptor() const { return descriptor_; }
  int release() { return std::exchange(descriptor_, -1); }
  bool open() const { return descriptor_ >= 0; }

 private:
  int descriptor_ = -1;
  std::span<std::byte> bytes_;
};

// For words in shared memory. Sleeps while the word has that value, at most so long; may return sooner.
void sleepWhile(const std::atomic<std::uint32_t>& word, std::uint32_t value, int milliseconds);
void wakeSleepers(std::atomic<std::uint32_t>& word);  // of all processes

}  // namespace hipr::platform

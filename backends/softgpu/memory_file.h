// Memory files: memory that several processes can map. A file is never given a name in a file system, and never
// shrinks, so who has mapped it can always touch it. Its own name says at random which one it is: a process that is
// told the number of a descriptor of another one can tell whether it still means the same file.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace hipr::softgpu {

using FileSecret = std::array<std::uint64_t, 2>;

class MemoryFile {
 public:
  MemoryFile() = default;
  static MemoryFile make(std::size_t size);  // zero; empty when the system has no more
  // Another reference to what somebody else has made; empty when it is no such file. Takes the descriptor over.
  static MemoryFile adopt(int descriptor);
  // That of another process of this user; empty when it is gone.
  static MemoryFile of(int process, int descriptor, const FileSecret& secret);

  MemoryFile(MemoryFile&& other) noexcept { swap(other); }
  MemoryFile& operator=(MemoryFile&& other) noexcept {
    swap(other);
    return *this;
  }
  ~MemoryFile();

  explicit operator bool() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }
  std::size_t size() const { return size_; }
  FileSecret secret() const;

  bool fill(const std::byte* from) const;                                         // all of it
  bool mapAt(std::uint64_t address, std::size_t size, std::size_t offset) const;  // over whatever is there

 private:
  void swap(MemoryFile& other);

  int descriptor_ = -1;
  std::size_t size_ = 0;
};

}  // namespace hipr::softgpu

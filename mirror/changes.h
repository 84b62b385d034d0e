// Changes: which bytes of which regions have which new values, as a HostBytes message carries them.
//
// `bytes` holds the new values of one run of bytes after another, `runs` says where each belongs. It is a list of
// numbers (seven bits to a byte, the lowest first, the high bit set in all but the last):
//   length, gap     the next `length` values belong `gap` behind the end of the run before (or before it: gaps are
//                   signed, 2n for n and 2n - 1 for -n)
//   0, region       what follows is about this region, from its beginning
// So a flag alone costs four bytes and its value, and nothing is ever sent of the bytes between two runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "wire/messages.h"

namespace hipr::mirror {

inline constexpr std::size_t kMaxMessage = 1 << 20;  // what a sender puts into one message, about

class ChangeWriter {
 public:
  // REQUIRES: size > 0
  void put(std::uint64_t region, std::uint64_t offset, const void* bytes, std::size_t size) {
    if (!length_ || offset != begin_ + length_ || region != region_) beginRun(region, offset);
    length_ += size;
    std::memcpy(bytes_.extend(size), bytes, size);
  }
  bool empty() const { return bytes_.size() == 0; }
  bool full() const { return runs_.size() + bytes_.size() >= kMaxMessage; }
  wire::HostBytes message();  // valid until the next put() or clear()
  void clear();

 private:
  void beginRun(std::uint64_t region, std::uint64_t offset);
  void closeRun();
  void number(std::uint64_t value);

  wire::Buffer runs_, bytes_;
  bool started_ = false;
  std::uint64_t region_ = 0, end_ = 0;    // of the last closed run
  std::uint64_t begin_ = 0, length_ = 0;  // the run being put together; none when 0
};

// Reads a message that anybody may have sent.
class ChangeReader {
 public:
  explicit ChangeReader(const wire::HostBytes& message) : runs_(message.runs), bytes_(message.bytes) {}

  struct Run {
    std::uint64_t region = 0, offset = 0;
    wire::Bytes bytes;
  };
  bool next(Run& run);             // false at the end
  bool ok() const { return ok_; }  // at the end: all of it made sense

 private:
  std::uint64_t number();
  bool fail();

  wire::Bytes runs_, bytes_;
  bool ok_ = true, started_ = false;
  std::uint64_t region_ = 0, end_ = 0;
};

}  // namespace hipr::mirror

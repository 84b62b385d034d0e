#include "net/ring.h"

#include <algorithm>
#include <cstring>

namespace hipr::net {
namespace {

// Copied before the other side hears of it, so that both copy at the same time.
constexpr std::size_t kPiece = 128 << 10;

}  // namespace

std::size_t RingWriter::room() const {
  const std::uint64_t unread = written_ - words_.read.load(std::memory_order_acquire);
  return unread <= area_.size() ? area_.size() - unread : kRingLies;
}

std::size_t RingWriter::write(std::span<const std::byte> bytes) {
  const std::size_t free = room();
  if (free == kRingLies) return kRingLies;
  const std::size_t size = std::min({bytes.size(), free, kPiece}), at = written_ & (area_.size() - 1);
  if (size == 0) return 0;
  const std::size_t first = std::min(size, area_.size() - at);
  std::memcpy(area_.data() + at, bytes.data(), first);
  std::memcpy(area_.data(), bytes.data() + first, size - first);
  written_ += size;
  words_.written.store(written_);
  return size;
}

bool RingWriter::prepareToSleep() {
  words_.writerSleeps.store(1);
  const std::uint64_t unread = written_ - words_.read.load();
  if (unread > area_.size() / 2) return true;  // or a lie, which write() tells
  stopSleeping();
  return false;
}

std::size_t RingReader::available() const {
  const std::uint64_t unread = words_.written.load(std::memory_order_acquire) - read_;
  return unread <= area_.size() ? unread : kRingLies;
}

std::size_t RingReader::read(std::span<std::byte> room) {
  const std::size_t here = available();
  if (here == kRingLies) return kRingLies;
  const std::size_t size = std::min({room.size(), here, kPiece}), at = read_ & (area_.size() - 1);
  if (size == 0) return 0;
  const std::size_t first = std::min(size, area_.size() - at);
  std::memcpy(room.data(), area_.data() + at, first);
  std::memcpy(room.data() + first, area_.data(), size - first);
  read_ += size;
  words_.read.store(read_);
  return size;
}

bool RingReader::writerWantsWaking() {
  if (!words_.writerSleeps.load()) return false;
  const std::uint64_t unread = words_.written.load() - read_;
  return unread <= area_.size() / 2 && words_.writerSleeps.exchange(0);
}

bool RingReader::prepareToSleep() {
  words_.readerSleeps.store(1);
  if (words_.written.load() == read_) return true;
  stopSleeping();
  return false;
}

}  // namespace hipr::net

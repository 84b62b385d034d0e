// Ring: bytes from one process to another through memory that both have. One thread writes, one reads; neither makes a
// system call here.
//
// The other process may be hostile. Each side keeps its own position to itself and believes the other's only as far as
// it is possible: a position is read once and checked, and bytes are copied out before anybody looks at them. So a
// process that lies only causes nonsense in place of its own bytes, and the side that notices stops (kLies).
//
// A side that goes to sleep says so first and then looks once more; a side that changes a position looks afterwards
// whether the other one sleeps. In this order one of the two always notices. How to sleep and to wake is the caller's
// business.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

namespace hipr::net {

// What both processes see of one direction, each word in a cache line of its own. All zeros is a new ring.
struct RingWords {
  alignas(64) std::atomic<std::uint64_t> written;  // bytes ever, by the writer
  alignas(64) std::atomic<std::uint64_t> read;     // bytes ever, by the reader
  alignas(64) std::atomic<std::uint32_t> readerSleeps;
  alignas(64) std::atomic<std::uint32_t> writerSleeps;
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free && std::atomic<std::uint32_t>::is_always_lock_free);

inline constexpr std::size_t kRingLies =
    SIZE_MAX;  // instead of a number of bytes: the other side's position is impossible

// `area`: the bytes, a power of two of them.
class RingWriter {
 public:
  RingWriter(RingWords& words, std::span<std::byte> area) : words_(words), area_(area) {}

  std::size_t room() const;                             // kRingLies
  std::size_t write(std::span<const std::byte> bytes);  // what there is room for, at most a piece: how much; kRingLies
  bool readerWantsWaking() { return words_.readerSleeps.load() && words_.readerSleeps.exchange(0); }

  // About to sleep until there is room: false when there is some already. The word to sleep on is 1 until then.
  bool prepareToSleep();
  void stopSleeping() { words_.writerSleeps.store(0); }
  std::atomic<std::uint32_t>& bed() { return words_.writerSleeps; }

 private:
  RingWords& words_;
  const std::span<std::byte> area_;
  std::uint64_t written_ = 0;
};

class RingReader {
 public:
  RingReader(RingWords& words, std::span<const std::byte> area) : words_(words), area_(area) {}

  std::size_t available() const;                // kRingLies
  std::size_t read(std::span<std::byte> room);  // what there is, at most a piece: how much; kRingLies
  // A writer that sleeps is woken when half of the ring is free, not for every byte.
  bool writerWantsWaking();
  std::atomic<std::uint32_t>& writersBed() { return words_.writerSleeps; }

  // About to sleep until there are bytes: false when there are some already.
  bool prepareToSleep();
  void stopSleeping() { words_.readerSleeps.store(0); }

 private:
  RingWords& words_;
  const std::span<const std::byte> area_;
  std::uint64_t read_ = 0;
};

}  // namespace hipr::net

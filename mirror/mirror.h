// Mirror: one side's half of host memory that two sides have at the same addresses. Client and worker have one each.
//
// For every region a mirror keeps the content that both sides agreed on last (zeros at first). Whatever differs from it
// was written on this side; it is sent, byte by byte exactly, and becomes agreed content. What arrives is written to
// the memory and becomes agreed content too, so it is not sent back. Bytes that the other side did not write are never
// touched: both sides may write different bytes of one word at the same time.
//
// Two locks, taken in this order:
//   sending   one sender at a time, from looking at the memory until the last message has been handed to Link::send,
//             which may wait for a full connection. So when send() returns, everything written here before it was
//             called has been handed over, by this call or by another thread's that came before; a launch, Done or
//             Progress that relies on it and is sent afterwards cannot overtake it.
//   state     while words are compared or written: never while sending. Only this one is needed for what arrives, so a
//             reader can always apply, the other side can always send, and two full connections empty each other.
//
// In what order changes become visible on the other side, where somebody may be polling a flag:
//   1. Words that could be flags (clusters.h) are held back until a whole look at the memory has found all of them as
//      the look before did: they had these values at the moment between the two. All other words are sent at once.
//      A flag that had its value at that moment was written after the data it guards; so the last look saw that data,
//      and sent it, or it is among the words held back, and in its final state. Now those held back are sent.
//      A counter that never rests is sent with its value in the look before the last. Somebody who writes ever new
//      words without waiting for an answer could keep this going for ever; so there is a limit, and what appeared only
//      in the last look waits for the next exchange.
//   2. Among themselves they travel with decreasing growth(): a counter that went up by one comes after a value that
//      jumped. They are written back to back; only if one of them guards another that grew even less, and somebody
//      reads both within those nanoseconds, is the wrong order seen.
//   3. Runs are written in the order in which they came, an aligned word at a time (words.h).
//
// Thread-safe.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "mirror/changes.h"
#include "mirror/clusters.h"

namespace hipr::mirror {

// How changes leave. Both functions are called with the sending lock and without the state lock.
struct Link {
  std::function<void(const wire::HostBytes&)> send;  // may wait; the message is valid during the call
  // Words about to be sent that lie in [base, base + size), or none: called before the message that has them.
  std::uint64_t base = 0, size = 0;
  std::function<void(const std::vector<std::uint64_t>& words)> addresses{};
};

class Mirror {
 public:
  explicit Mirror(Link link) : link_(std::move(link)) {}

  // False when there is no memory for the agreed content, or the number is not higher than all before.
  bool add(std::uint64_t number, std::byte* memory, std::size_t size);
  void remove(std::uint64_t number);  // when it returns nobody looks at the memory any more
  bool any() const { return count_.load(std::memory_order_relaxed) != 0; }

  // Writes what the other side has changed. False when the message makes no sense; then nothing is written. What is
  // said of regions that are gone is ignored.
  bool apply(const wire::HostBytes& message);

  // For messages that must not pass between or be passed by messages of this mirror.
  std::unique_lock<std::mutex> lockSending();

  bool send();                         // everything written before the call. False when there was nothing
  bool exchange();                     // the same, but gives up as soon as somebody else wants to send: he will do it
  void sendNew(std::uint64_t number);  // all of a region the other side has never seen. REQUIRES: sending lock held

 private:
  struct Free {
    void operator()(std::byte* memory) const { std::free(memory); }
  };
  struct Region {
    std::byte* memory = nullptr;
    std::size_t size = 0;
    std::unique_ptr<std::byte, Free> agreed;
  };
  struct Place {  // where a pass over all regions has come to
    std::uint64_t region = 0, offset = 0;
    std::uint64_t last = UINT64_MAX;  // the last region to look at
  };
  class Message;

  // REQUIRES: sending lock held, as for all below
  bool sendChanges(bool giveWay);
  bool look(const std::vector<ChangedWord>& known, bool giveWay, Message& out, std::vector<ChangedWord>& flags);
  void sendFlags(std::vector<ChangedWord> flags, Message& out);
  template <class Found, class Enough>
  bool compare(Place& place, Found&& found, Enough&& enough);  // false when all regions have been looked at

  const Link link_;
  std::mutex sending_;
  std::atomic<int> wantToSend_{0};
  std::mutex state_;
  std::map<std::uint64_t, Region> regions_;  // by number
  std::uint64_t newest_ = 0;
  std::atomic<std::size_t> count_{0};
};

}  // namespace hipr::mirror

// Fuzzes the ring between two processes (ring.h): one side does what it always does, the other writes whatever it likes
// where both can write, at any moment. What is read is what was written as long as nobody has lied; after that anything
// but a byte outside of what was given.
#include "net/ring.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <new>
#include <vector>

#include "tests/fuzz/fuzz.h"

using namespace hipr;

namespace {

constexpr std::size_t kArea = 64;  // small, so that a few bytes go round it

enum Deed : std::uint8_t { kWrite, kRead, kSetWritten, kSetRead, kShift, kSleep, kScribble, kAsk, kDeeds };

class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : at_(data), end_(data + size) {}
  bool more() const { return at_ < end_; }
  std::uint8_t next() { return more() ? *at_++ : 0; }
  std::uint64_t word() {
    std::uint64_t out = 0;
    for (int i = 0; i < 8; ++i) out = out << 8 | next();
    return out;
  }

 private:
  const std::uint8_t *at_, *const end_;
};

void require(bool condition) {
  if (!condition) std::abort();
}

class Game {
 public:
  void play(Bytes& in) {
    while (in.more()) turn(static_cast<Deed>(in.next() % kDeeds), in);
  }

 private:
  void turn(Deed deed, Bytes& in) {
    switch (deed) {
      case kWrite:
        return write(in.next());
      case kRead:
        return read(in.next());
      case kSetWritten:
        words_->written = in.word();
        lied_ = true;
        return;
      case kSetRead:
        words_->read = in.word();
        lied_ = true;
        return;
      case kShift: {  // a little beside the truth
        const int by = static_cast<std::int8_t>(in.next());
        auto& word = in.next() & 1 ? words_->written : words_->read;
        word += static_cast<std::uint64_t>(by);
        lied_ = true;
        return;
      }
      case kSleep:
        if (in.next() & 1) {
          if (!writer_.prepareToSleep()) require(writer_.bed() == 0);
        } else if (!reader_.prepareToSleep()) {
          require(words_->readerSleeps == 0);
        }
        words_->readerSleeps = in.next() & 1;
        words_->writerSleeps = in.next();
        return;
      case kScribble:
        area_[in.next() % kArea] = std::byte{in.next()};
        lied_ = true;
        return;
      default:
        (void)writer_.readerWantsWaking();
        (void)reader_.writerWantsWaking();
        require(lied_ || writer_.room() + reader_.available() == kArea);
    }
  }

  // Memory of exactly that size each time, so that the sanitizer sees what is beside it.
  void write(std::size_t size) {
    const std::unique_ptr<std::byte[]> bytes(new std::byte[size]);
    for (std::size_t i = 0; i < size; ++i) bytes[i] = std::byte(++last_);
    const std::size_t room = writer_.room(), taken = writer_.write({bytes.get(), size});
    require(taken == net::kRingLies ? lied_ : taken <= size && taken <= room && taken <= kArea);
    if (taken == net::kRingLies) return;
    last_ -= static_cast<std::uint8_t>(size - taken);
    for (std::size_t i = 0; i < taken; ++i) under_.push_back(bytes[i]);
  }

  void read(std::size_t size) {
    const std::unique_ptr<std::byte[]> room(new std::byte[size]);
    const std::size_t got = reader_.read({room.get(), size});
    require(got == net::kRingLies ? lied_ : got <= size && got <= kArea);
    if (lied_) return;
    require(got == std::min(size, under_.size()));
    for (std::size_t i = 0; i < got; ++i, under_.pop_front()) require(room[i] == under_.front());
  }

  const std::unique_ptr<net::RingWords> words_ = std::make_unique<net::RingWords>();
  const std::unique_ptr<std::byte[]> area_{new std::byte[kArea]{}};
  net::RingWriter writer_{*words_, {area_.get(), kArea}};
  net::RingReader reader_{*words_, {area_.get(), kArea}};
  std::deque<std::byte> under_;  // written and not read, as long as nobody has lied
  std::uint8_t last_ = 0;
  bool lied_ = false;
};

}  // namespace

std::vector<fuzz::Input> fuzz::seeds() {
  return {
      {kWrite, 40, kRead, 10, kAsk, kWrite, 60, kRead, 70, kAsk},
      {kWrite, 64, kSleep, 1, 0, 1, kRead, 33, kAsk, kSleep, 0, 1, 1},
      {kWrite, 9, kSetWritten, 255, 255, 255, 255, 255, 255, 255, 255, kRead, 64},
      {kWrite, 64, kSetRead, 0, 0, 0, 0, 0, 0, 1, 0, kWrite, 64, kAsk},
      {kWrite, 30, kShift, 250, 1, kRead, 64, kShift, 3, 0, kWrite, 64, kScribble, 5, 5, kRead, 99},
  };
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bytes in(data, size);
  Game().play(in);
  return 0;
}

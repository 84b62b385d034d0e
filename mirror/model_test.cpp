// Plays both sides with random regions, random writes to different bytes, launches and synchronizations, messages
// delayed and interleaved at random, and compares with what one shared memory would have.
#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <optional>
#include <variant>

#include "mirror/test_side.h"
#include "tests/fuzz/mutate.h"

namespace hipr::mirror {
namespace {

using Content = std::vector<std::vector<std::byte>>;  // by region

// What stands behind the changes a side has sent: the other one must see this in the bytes that are the sender's.
struct Mark {
  Content content;
};
struct Expose {
  std::size_t size;
  std::uint64_t number;
};
struct Conceal {
  std::uint64_t number;
};
using Message = std::variant<Parcel, Mark, Expose, Conceal>;

class Game {
 public:
  explicit Game(std::uint64_t seed) : random_(seed) {
    for (std::uint64_t i = 0; i < 1 + random_.next() % 3; ++i) expose();
  }

  void play(int steps) {
    for (int i = 0; i < steps && !::testing::Test::HasFatalFailure(); ++i) step();
    synchronize();
  }

 private:
  static constexpr int kClient = 0, kWorker = 1;
  struct Region {
    std::uint64_t number;
    std::vector<std::byte> shared;    // what one memory would have
    std::vector<std::uint8_t> owner;  // who may write each byte until the next synchronization
    std::byte* memory[2] = {};        // null while the worker has not heard of it
  };

  std::uint64_t below(std::uint64_t n) { return random_.next() % n; }
  std::size_t someSize() { return 1 + below(std::uint64_t{1} << (1 + below(15))); }

  void expose() {
    Region region{nextNumber_++, std::vector<std::byte>(someSize()), {}};
    region.memory[kClient] = sides_[kClient].add(region.number, region.shared.size(), below(4) ? 0 : below(16));
    queues_[kClient].push_back(Expose{region.shared.size(), region.number});
    regions_.push_back(std::move(region));
    share(regions_.back());
  }
  void share(Region& region) {  // says anew who writes what
    region.owner.assign(region.shared.size(), 0);
    const std::uint64_t grain = 1 + below(below(2) ? 4 : 200);
    for (std::size_t i = 0; i < region.owner.size();) {
      const auto owner = static_cast<std::uint8_t>(below(2));
      for (std::uint64_t n = 1 + below(grain); n && i < region.owner.size(); --n) region.owner[i++] = owner;
    }
  }
  void write(int side) {
    Region& region = regions_[below(regions_.size())];
    if (!region.memory[side]) return;
    std::size_t at = below(region.shared.size());
    const auto value = static_cast<std::byte>(below(3));  // often what is there already
    for (std::uint64_t n = 1 + below(std::uint64_t{1} << below(11)); n && at < region.shared.size(); --n, ++at) {
      if (region.owner[at] != side) continue;
      region.memory[side][at] = region.shared[at] = value;
    }
  }
  Content content() {
    Content out;
    for (const Region& region : regions_) out.push_back(region.shared);
    return out;
  }
  void sendAndMark(int side) {
    sides_[side].mirror.send();
    queues_[side].push_back(Mark{content()});
  }

  void deliver(int from) {
    if (queues_[from].empty()) return;
    const Message message = std::move(queues_[from].front());
    queues_[from].pop_front();
    const int to = 1 - from;
    if (const auto* parcel = std::get_if<Parcel>(&message)) {
      ASSERT_TRUE(sides_[to].mirror.apply(parcel->message()));
    } else if (const auto* mark = std::get_if<Mark>(&message)) {
      check(to, *mark);
    } else if (const auto* exposed = std::get_if<Expose>(&message)) {
      std::byte* memory = sides_[to].add(exposed->number, exposed->size, below(4) ? 0 : below(16));
      for (Region& region : regions_) {
        if (region.number == exposed->number) region.memory[to] = memory;
      }
    } else {
      sides_[to].mirror.remove(std::get<Conceal>(message).number);
    }
  }
  // A launch or Done has arrived. Everything the sender had written is here; what is this side's own is untouched.
  void check(int side, const Mark& mark) {
    for (std::size_t r = 0; r < mark.content.size() && r < regions_.size(); ++r) {
      const Region& region = regions_[r];
      if (!region.memory[side]) continue;
      for (std::size_t i = 0; i < region.shared.size(); ++i) {
        const std::byte expected = region.owner[i] == side ? region.shared[i] : mark.content[r][i];
        ASSERT_EQ(region.memory[side][i], expected) << "side " << side << ", region " << r << ", byte " << i;
      }
    }
  }
  void synchronize() {
    sendAndMark(kClient);
    while (!queues_[kClient].empty()) deliver(below(3) ? kClient : kWorker);
    sendAndMark(kWorker);
    while (!queues_[kWorker].empty()) deliver(kWorker);
    for (const Region& region : regions_) {
      for (const std::byte* memory : region.memory) {
        ASSERT_EQ(std::memcmp(memory, region.shared.data(), region.shared.size()), 0);
      }
    }
    // Everything is at rest: bytes may change hands, regions may go.
    for (Region& region : regions_) share(region);
    if (regions_.size() > 1 && below(4) == 0) {
      sides_[kClient].mirror.remove(regions_.front().number);
      queues_[kClient].push_back(Conceal{regions_.front().number});
      if (below(2)) sides_[kWorker].mirror.exchange();
      regions_.erase(regions_.begin());
    }
    if (regions_.size() < 5 && below(3) == 0) expose();
  }
  void step() {
    switch (below(12)) {
      case 0:
        return sendAndMark(kClient);
      case 1:
        return sendAndMark(kWorker);
      case 2:
        return void(sides_[kClient].mirror.exchange());
      case 3:
        return void(sides_[kWorker].mirror.exchange());
      case 4:
        return below(4) ? void() : synchronize();
      case 5:
      case 6:
        return deliver(kClient);
      case 7:
      case 8:
        return deliver(kWorker);
      default:
        return write(static_cast<int>(below(2)));
    }
  }

  fuzz::Random random_;
  std::deque<Message> queues_[2];  // by sender
  TestSide sides_[2] = {TestSide([this](Parcel p) { queues_[kClient].push_back(std::move(p)); }),
                        TestSide([this](Parcel p) { queues_[kWorker].push_back(std::move(p)); })};
  std::vector<Region> regions_;
  std::uint64_t nextNumber_ = 1;
};

TEST(MirrorModel, BothSidesHaveWhatOneMemoryWouldHave) {
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Game(seed).play(150);
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace hipr::mirror

#include "mirror/mirror.h"

#include <algorithm>
#include <cstring>

#include "mirror/words.h"

namespace hipr::mirror {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kHold = 4 << 20;   // how much is compared before others may have the state
constexpr std::size_t kMaxFlags = 4096;  // of one region; when more words stand alone they are data
constexpr int kMaxLooks = 16;
constexpr int kFreeRunning = 4;

// It has rested for a whole look, or it never does: a counter that somebody writes on without waiting for anybody.
bool settled(const ChangedWord& word) {
  return word.restless == 0 || word.restless >= kFreeRunning;
}

bool precedes(const ChangedWord& a, const ChangedWord& b) {
  return a.region != b.region ? a.region < b.region : a.offset < b.offset;
}

}  // namespace

// The message being put together.
class Mirror::Message {
 public:
  explicit Message(Mirror& mirror) : mirror_(mirror) {}

  void put(const ChangedWord& word, std::byte* agreed) {  // REQUIRES: state lock held
    if (word.mask == kHighBits) {
      std::memcpy(agreed + word.offset, &word.now, kWord);
      changes_.put(word.region, word.offset, &word.now, kWord);
    } else {
      // One bit for each byte, side by side.
      for (auto left = static_cast<unsigned>((word.mask >> 7) * 0x0102040810204080 >> 56); left;) {
        const int first = std::countr_zero(left), size = std::countr_one(left >> first);
        const auto* bytes = reinterpret_cast<const std::byte*>(&word.now) + first;
        const std::uint64_t offset = word.offset + static_cast<unsigned>(first);
        std::memcpy(agreed + offset, bytes, static_cast<std::size_t>(size));
        changes_.put(word.region, offset, bytes, static_cast<std::size_t>(size));
        left &= ~0u << (first + size);
      }
    }
    if (word.now - mirror_.link_.base < mirror_.link_.size) addresses_.push_back(word.now);
  }
  bool full() const { return changes_.full(); }
  bool send() {  // REQUIRES: state lock not held
    if (!addresses_.empty()) mirror_.link_.addresses(addresses_);
    addresses_.clear();
    if (changes_.empty()) return false;
    mirror_.link_.send(changes_.message());
    changes_.clear();
    return true;
  }

 private:
  Mirror& mirror_;
  ChangeWriter changes_;
  std::vector<std::uint64_t> addresses_;
};

bool Mirror::add(std::uint64_t number, std::byte* memory, std::size_t size) {
  auto* agreed = static_cast<std::byte*>(std::calloc(size, 1));  // takes no memory until something differs
  if (!agreed) return false;
  Region region{memory, size, std::unique_ptr<std::byte, Free>(agreed)};
  std::lock_guard lock(state_);
  if (number <= newest_) return false;
  regions_[number] = std::move(region);
  newest_ = number;
  count_ = regions_.size();
  return true;
}

void Mirror::remove(std::uint64_t number) {
  std::lock_guard lock(state_);
  regions_.erase(number);
  count_ = regions_.size();
}

bool Mirror::apply(const wire::HostBytes& message) {
  std::lock_guard lock(state_);
  auto region = regions_.end();
  const auto find = [&](std::uint64_t number) {
    if (region == regions_.end() || region->first != number) region = regions_.find(number);
    return region != regions_.end();
  };
  ChangeReader::Run run;
  ChangeReader check(message);
  while (check.next(run)) {
    if (!find(run.region)) {
      if (run.region > newest_) return false;
    } else if (run.bytes.size() > region->second.size || run.offset > region->second.size - run.bytes.size()) {
      return false;
    }
  }
  if (!check.ok()) return false;

  WordWriter writer;
  ChangeReader reader(message);
  while (reader.next(run)) {
    if (!find(run.region)) continue;
    const Region& r = region->second;
    // First what is agreed: if the program writes the same byte now, the difference will show.
    std::memcpy(r.agreed.get() + run.offset, run.bytes.data(), run.bytes.size());
    writer.write(r.memory + run.offset, run.bytes.data(), run.bytes.size(), r.memory, r.memory + r.size);
  }
  return true;
}

// Calls found(word, region) for every changed word from `place` on, until enough() or a good deal has been compared.
template <class Found, class Enough>
bool Mirror::compare(Place& place, Found&& found, Enough&& enough) {
  std::lock_guard lock(state_);
  std::size_t compared = 0;
  for (auto it = regions_.lower_bound(place.region); it != regions_.end() && it->first <= place.last; ++it) {
    Region& r = it->second;
    if (it->first != place.region) place = {it->first, 0, place.last};
    for (; place.offset < r.size; place.offset += kPage) {
      if (compared >= kHold || enough()) return true;
      const std::size_t size = std::min<std::size_t>(kPage, r.size - place.offset);
      compared += size;
      const std::byte *now = r.memory + place.offset, *agreed = r.agreed.get() + place.offset;
      if (!differs(now, agreed, size)) continue;
      for (std::size_t at = 0; at < size; at += kWord) {
        const std::size_t left = std::min(kWord, size - at);
        ChangedWord word{it->first, place.offset + at, loadWord(now + at, left)};
        std::memcpy(&word.before, agreed + at, left);
        if (word.now == word.before) continue;
        word.mask = differingBytes(word.now, word.before);
        found(word, r);
      }
    }
  }
  return false;
}

// Sends the data that has changed and finds the words that may be flags, those `known` as such among them; both in
// ascending order. False when it gave way and has not seen everything.
bool Mirror::look(const std::vector<ChangedWord>& known, bool giveWay, Message& out, std::vector<ChangedWord>& flags) {
  flags.clear();
  std::size_t first = 0;  // of the present region
  auto next = known.begin();
  const auto isKnown = [&](const ChangedWord& word) {  // asked in ascending order
    while (next != known.end() && precedes(*next, word)) ++next;
    return next != known.end() && !precedes(word, *next);
  };
  const auto keep = [&](ChangedWord word) {
    if (isKnown(word)) word.restless = word.now == next->now ? 0 : next->restless + 1;
    if (first < flags.size() && flags.back().region != word.region) first = flags.size();
    flags.push_back(word);
    if (flags.size() - first < 2 * kMaxFlags) return;
    // So many are hardly flags. Those with the smallest steps still might be.
    const auto begin = flags.begin() + static_cast<std::ptrdiff_t>(first), middle = begin + kMaxFlags;
    std::nth_element(begin, middle, flags.end(),
                     [](const ChangedWord& a, const ChangedWord& b) { return growth(a) < growth(b); });
    const auto found = regions_.find(word.region);
    for (auto it = middle; it != flags.end() && found != regions_.end(); ++it) out.put(*it, found->second.agreed.get());
    flags.erase(middle, flags.end());
    std::sort(begin, flags.end(), precedes);
  };
  Region* region = nullptr;  // of the word being added; inner words are of the same
  Clusters clusters(keep, [&](const ChangedWord& word) {
    if (isKnown(word)) {
      keep(word);
    } else {
      out.put(word, region->agreed.get());
    }
  });
  Place place;
  for (bool more = true; more;) {
    more = compare(
        place,
        [&](const ChangedWord& word, Region& its) {
          region = &its;
          clusters.add(word);
        },
        [&] { return out.full(); });
    if (!more) {
      std::lock_guard lock(state_);
      clusters.close();
    }
    out.send();
    if (giveWay && wantToSend_.load(std::memory_order_relaxed)) return false;
  }
  return true;
}

void Mirror::sendFlags(std::vector<ChangedWord> flags, Message& out) {
  std::stable_sort(flags.begin(), flags.end(),
                   [](const ChangedWord& a, const ChangedWord& b) { return growth(a) > growth(b); });
  for (std::size_t i = 0; i < flags.size();) {
    {
      std::lock_guard lock(state_);
      for (; i < flags.size() && !out.full(); ++i) {
        const ChangedWord& word = flags[i];
        const auto found = regions_.find(word.region);
        if (found == regions_.end()) continue;
        std::byte* agreed = found->second.agreed.get();
        const std::uint64_t changed = wholeBytes(word.mask);
        const std::uint64_t agreedNow = loadWord(agreed + word.offset, found->second.size - word.offset);
        if ((agreedNow ^ word.before) & changed) continue;  // the other side has written it too: it is ours no more
        out.put(word, agreed);
      }
    }
    out.send();
  }
}

bool Mirror::send() {
  if (!any()) return false;
  const auto sending = lockSending();
  return sendChanges(false);
}

bool Mirror::exchange() {
  if (!any()) return false;
  std::unique_lock sending(sending_, std::try_to_lock);
  return sending ? sendChanges(true) : true;
}

std::unique_lock<std::mutex> Mirror::lockSending() {
  ++wantToSend_;
  std::unique_lock sending(sending_);
  --wantToSend_;
  return sending;
}

bool Mirror::sendChanges(bool giveWay) {
  Message out(*this);
  std::vector<ChangedWord> flags, again;
  if (!look({}, giveWay, out, flags)) return true;
  if (flags.empty()) return false;  // every change has edges
  for (int looks = 2;; ++looks) {
    if (!look(flags, giveWay, out, again)) return true;
    if (looks == kMaxLooks || std::all_of(again.begin(), again.end(), settled)) break;
    flags.swap(again);
  }
  std::erase_if(flags, [&](const ChangedWord& word) {  // what has its agreed value again
    return !std::binary_search(again.begin(), again.end(), word, precedes);
  });
  sendFlags(std::move(flags), out);
  return true;
}

void Mirror::sendNew(std::uint64_t number) {
  Message out(*this);
  Place place{number, 0, number};
  for (bool more = true; more;) {
    more = compare(
        place, [&](const ChangedWord& word, Region& region) { out.put(word, region.agreed.get()); },
        [&] { return out.full(); });
    out.send();
  }
}

}  // namespace hipr::mirror

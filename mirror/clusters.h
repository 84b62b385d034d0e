// Clusters: tells words that may be flags from plain data, by where they lie among the words that changed.
//
// Changed words less than a cache line apart belong to one cluster. Data comes in clusters; a flag stands alone, or in
// front of or behind its data. So the first and the last word of a cluster (which are one for a lone word) are its
// edges, and what could be a flag; the words between are data.
#pragma once

#include <cstdint>

namespace hipr::mirror {

struct ChangedWord {
  std::uint64_t region = 0, offset = 0;
  std::uint64_t now = 0, before = 0;
  std::uint64_t mask = 0;  // the high bit of each byte that changed
  int restless = 1;        // in how many looks in a row it had another value than in the look before
};

// How much the number that changed has grown. Flags and counters take small steps, data and addresses rarely do.
inline std::uint64_t growth(const ChangedWord& word) {
  const std::uint64_t upper = 0xffffffff00000000;
  if (!(word.mask & upper)) return static_cast<std::uint32_t>(word.now) - static_cast<std::uint32_t>(word.before);
  if (!(word.mask & ~upper)) {
    return static_cast<std::uint32_t>(word.now >> 32) - static_cast<std::uint32_t>(word.before >> 32);
  }
  return word.now - word.before;
}

// Takes changed words in ascending order; calls edge(word) and inner(word), also in ascending order.
template <class Edge, class Inner>
class Clusters {
 public:
  Clusters(Edge edge, Inner inner) : edge_(edge), inner_(inner) {}

  void add(const ChangedWord& word) {
    if (open_ && word.region == last_.region && word.offset - last_.offset <= kReach) {
      if (!single_) inner_(last_);
      single_ = false;
    } else {
      close();
      edge_(word);
      open_ = single_ = true;
    }
    last_ = word;
  }
  void close() {
    if (open_ && !single_) edge_(last_);
    open_ = false;
  }

 private:
  static constexpr std::uint64_t kReach = 64;

  Edge edge_;
  Inner inner_;
  bool open_ = false, single_ = false;
  ChangedWord last_;
};

}  // namespace hipr::mirror

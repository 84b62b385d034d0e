#include "net/retained.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace hipr::net {
namespace {

constexpr std::size_t kSegment = 64 << 10;
constexpr std::size_t kMostSpare = 4 << 20;  // about what a busy line has on its way
constexpr std::size_t kTooLarge = 4;         // times what is needed

}  // namespace

void Retained::copy(Part bytes) {
  end_ += bytes.size();
  copied_ += bytes.size();
  while (!bytes.empty()) {
    if (segments_.empty() || segments_.back().owner || segments_.back().own.size() >= kSegment) {
      segments_.emplace_back();
      segments_.back().own = roomFor(kSegment);
    }
    Segment& last = segments_.back();
    const std::size_t n = std::min(bytes.size(), kSegment - last.own.size());
    last.own.insert(last.own.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(n));
    last.bytes = last.own;
    bytes = bytes.subspan(n);
  }
}

void Retained::refer(Part bytes, std::uint64_t owner) {
  if (bytes.empty()) return;
  end_ += bytes.size();
  segments_.push_back({bytes, owner});
}

bool Retained::settle(std::uint64_t owner, std::size_t most) {
  return settleThose([owner](const Segment& segment) { return segment.owner == owner; }, most);
}

bool Retained::settle(Part memory, std::size_t most) {
  const auto overlaps = [memory](const Segment& segment) {
    const Part& bytes = segment.bytes;
    return segment.owner && bytes.data() < memory.data() + memory.size() && memory.data() < bytes.data() + bytes.size();
  };
  return settleThose(overlaps, most);
}

template <class Which>
bool Retained::settleThose(Which which, std::size_t most) {
  std::size_t more = 0;
  for (const Segment& segment : segments_)
    if (which(segment)) more += segment.bytes.size();
  if (more == 0) return true;
  if (copied_ + more > most) return false;
  for (Segment& segment : segments_) {
    if (!which(segment)) continue;
    segment.own = roomFor(segment.bytes.size());
    segment.own.assign(segment.bytes.begin(), segment.bytes.end());
    segment.bytes = segment.own;
    segment.owner = 0;
    copied_ += segment.own.size();
  }
  return true;
}

void Retained::dropFirst() {
  Segment& first = segments_.front();
  begin_ += first.bytes.size();
  if (!first.owner) {
    copied_ -= first.own.size();
    giveBack(std::move(first.own));
  }
  segments_.pop_front();
}

std::vector<std::byte> Retained::roomFor(std::size_t size) {
  auto best = spare_.end();
  for (auto it = spare_.begin(); it != spare_.end(); ++it) {
    const bool fits = it->capacity() >= size && it->capacity() / kTooLarge <= size;
    if (fits && (best == spare_.end() || it->capacity() < best->capacity())) best = it;
  }
  std::vector<std::byte> room;
  if (best != spare_.end()) {
    spareBytes_ -= best->capacity();
    room.swap(*best);
    spare_.erase(best);
  }
  room.clear();
  room.reserve(size);
  return room;
}

void Retained::giveBack(std::vector<std::byte> room) {
  spareBytes_ += room.capacity();
  spare_.push_back(std::move(room));
  for (; spareBytes_ > kMostSpare; spare_.pop_front()) spareBytes_ -= spare_.front().capacity();
}

bool Retained::acknowledge(std::uint64_t position) {
  if (position > end_) return false;
  acknowledged_ = std::max(acknowledged_, position);
  while (!segments_.empty() && begin_ + segments_.front().bytes.size() <= position) dropFirst();
  return true;
}

void Retained::clear() {
  while (!segments_.empty()) dropFirst();
  acknowledged_ = end_;
}

std::size_t Retained::read(std::uint64_t position, std::span<std::byte> out) const {
  std::size_t done = 0;
  std::uint64_t at = begin_;
  for (const Segment& segment : segments_) {
    const std::uint64_t next = at + segment.bytes.size();
    if (position < next) {
      const Part rest = segment.bytes.subspan(static_cast<std::size_t>(position - at));
      const std::size_t n = std::min(rest.size(), out.size() - done);
      std::memcpy(out.data() + done, rest.data(), n);
      done += n;
      position += n;
      if (done == out.size()) break;
    }
    at = next;
  }
  return done;
}

}  // namespace hipr::net

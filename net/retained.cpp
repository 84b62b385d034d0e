#include "net/retained.h"

#include <algorithm>
#include <cstring>

namespace hipr::net {
namespace {

constexpr std::size_t kSegment = 64 << 10;

}  // namespace

void Retained::copy(Part bytes) {
  end_ += bytes.size();
  copied_ += bytes.size();
  while (!bytes.empty()) {
    if (segments_.empty() || segments_.back().owner || segments_.back().own.size() >= kSegment) {
      segments_.emplace_back();
      segments_.back().own.swap(spare_);
      segments_.back().own.clear();
      segments_.back().own.reserve(kSegment);
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

void Retained::settle(std::uint64_t owner) {
  for (Segment& segment : segments_) {
    if (segment.owner != owner) continue;
    segment.own.assign(segment.bytes.begin(), segment.bytes.end());
    segment.bytes = segment.own;
    segment.owner = 0;
    copied_ += segment.own.size();
  }
}

void Retained::dropFirst() {
  Segment& first = segments_.front();
  begin_ += first.bytes.size();
  if (!first.owner) {
    copied_ -= first.own.size();
    if (first.own.capacity() == kSegment) spare_.swap(first.own);
  }
  segments_.pop_front();
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

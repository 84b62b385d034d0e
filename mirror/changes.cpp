#include "mirror/changes.h"

namespace hipr::mirror {
namespace {

constexpr std::uint64_t kMaxOffset = std::uint64_t{1} << 56;  // no region is that large, and sums stay in range

std::uint64_t fold(std::int64_t gap) {
  return gap >= 0 ? static_cast<std::uint64_t>(gap) * 2 : static_cast<std::uint64_t>(-gap) * 2 - 1;
}
std::int64_t unfold(std::uint64_t number) {
  const auto half = static_cast<std::int64_t>(number / 2);
  return number % 2 ? -half - 1 : half;
}

}  // namespace

void ChangeWriter::number(std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) *runs_.extend(1) = static_cast<std::byte>(value | 0x80);
  *runs_.extend(1) = static_cast<std::byte>(value);
}

void ChangeWriter::closeRun() {
  if (!length_) return;
  number(length_);
  number(fold(static_cast<std::int64_t>(begin_ - end_)));
  end_ = begin_ + length_;
  length_ = 0;
}

void ChangeWriter::beginRun(std::uint64_t region, std::uint64_t offset) {
  closeRun();
  if (!started_ || region != region_) {
    number(0);
    number(region);
    started_ = true;
    region_ = region;
    end_ = 0;
  }
  begin_ = offset;
}

wire::HostBytes ChangeWriter::message() {
  closeRun();
  return {runs_.bytes(), bytes_.bytes()};
}

void ChangeWriter::clear() {
  runs_.clear();
  bytes_.clear();
  started_ = false;
  length_ = 0;
}

bool ChangeReader::fail() {
  ok_ = false;
  runs_ = {};
  return false;
}

std::uint64_t ChangeReader::number() {
  if (!runs_.empty() && runs_[0] < std::byte{0x80}) {  // nearly all of them
    const auto value = static_cast<std::uint64_t>(runs_[0]);
    runs_ = runs_.subspan(1);
    return value;
  }
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < runs_.size() && i < 8; ++i) {  // 56 bits are more than anything here needs
    const auto byte = static_cast<std::uint64_t>(runs_[i]);
    value |= (byte & 0x7f) << (7 * i);
    if (byte & 0x80) continue;
    runs_ = runs_.subspan(i + 1);
    return value;
  }
  fail();
  return 0;
}

bool ChangeReader::next(Run& run) {
  if (!ok_) return false;
  if (runs_.empty()) {
    if (!bytes_.empty()) fail();
    return false;
  }
  std::uint64_t length = number();
  while (ok_ && length == 0) {
    region_ = number();
    started_ = true;
    end_ = 0;
    length = number();  // a region about which nothing is said is a mistake
  }
  const std::int64_t gap = unfold(number());
  if (!ok_ || !started_ || length > bytes_.size()) return fail();
  const std::int64_t begin = static_cast<std::int64_t>(end_) + gap;
  if (begin < 0 || static_cast<std::uint64_t>(begin) > kMaxOffset) return fail();
  run = {region_, static_cast<std::uint64_t>(begin), bytes_.first(length)};
  bytes_ = bytes_.subspan(length);
  end_ = run.offset + length;
  return true;
}

}  // namespace hipr::mirror

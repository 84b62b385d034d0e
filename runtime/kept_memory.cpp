#include "runtime/kept_memory.h"

#include <utility>

namespace hipr {

bool KeptBlock::reached() {
  if (until != nullptr && until->reached()) until = nullptr;
  return until == nullptr;
}

KeptBlock KeptMemory::extract(Blocks::iterator block) {
  KeptBlock out = std::move(block->second);
  bytes_ -= block->first;
  blocks_.erase(block);
  return out;
}

void KeptMemory::add(KeptBlock block) {
  const std::size_t size = block.allocation.size;
  bytes_ += size;
  blocks_.emplace(size, std::move(block));
}

std::optional<KeptBlock> KeptMemory::take(std::size_t size, const Stream& stream, ReuseRules rules) {
  for (auto it = blocks_.lower_bound(size); it != blocks_.end(); ++it) {
    KeptBlock& block = it->second;
    const bool inOrder = block.freed.stream == 0 || block.freed.stream == stream.id ||
                         (rules.followEvents && stream.order.follows(block.freed));
    // Much more than was asked for is worth taking only from a stream that has it anyway.
    const bool fits = it->first - size <= size / 8;
    if (inOrder || (rules.opportunistic && fits && block.reached())) return extract(it);
  }
  return std::nullopt;
}

std::optional<KeptBlock> KeptMemory::takeAny(std::size_t size) {
  const auto it = blocks_.lower_bound(size);
  if (it == blocks_.end()) return std::nullopt;
  return extract(it);
}

std::vector<KeptBlock> KeptMemory::trim(std::uint64_t hold) {
  std::vector<KeptBlock> out;
  for (auto it = blocks_.begin(); it != blocks_.end() && bytes_ > hold;) {
    const auto block = it++;
    if (block->second.reached()) out.push_back(extract(block));
  }
  return out;
}

std::vector<KeptBlock> KeptMemory::takeAll() {
  std::vector<KeptBlock> out;
  while (!blocks_.empty()) out.push_back(extract(blocks_.begin()));
  return out;
}

}  // namespace hipr

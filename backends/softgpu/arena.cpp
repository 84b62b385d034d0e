#include "backends/softgpu/arena.h"

#include <iterator>

namespace hipr::softgpu {

void Arena::addFree(std::uint64_t address, std::size_t size) {
  free_.emplace(address, size);
  bySize_.emplace(size, address);
}

void Arena::removeFree(std::map<std::uint64_t, std::size_t>::iterator block) {
  bySize_.erase({block->second, block->first});
  free_.erase(block);
}

Arena::Place Arena::allocate(std::size_t size) {
  size = blockSize(size);
  const std::lock_guard lock(mutex_);
  auto best = bySize_.lower_bound({size, 0});
  if (best == bySize_.end()) {
    Mapping chunk = Mapping::make(kChunk, reach_);
    if (!chunk) return {};
    addFree(chunk.address(), chunk.size());
    chunks_.emplace(chunk.address(), std::move(chunk));
    best = bySize_.lower_bound({size, 0});
  }
  const auto [freeSize, address] = *best;
  removeFree(free_.find(address));
  if (freeSize > size) addFree(address + size, freeSize - size);
  return {address, std::prev(chunks_.upper_bound(address))->second.shift()};
}

void Arena::free(std::uint64_t begin, std::size_t size) {
  std::uint64_t end = begin + blockSize(size);
  const std::lock_guard lock(mutex_);
  const auto chunk = std::prev(chunks_.upper_bound(begin));
  const auto after = free_.lower_bound(begin);
  if (after != free_.begin()) {
    const auto before = std::prev(after);
    if (before->first + before->second == begin && before->first >= chunk->first) {
      begin = before->first;
      removeFree(before);
    }
  }
  if (after != free_.end() && after->first == end && end < chunk->first + kChunk) {
    end += after->second;
    removeFree(after);
  }
  if (end - begin == kChunk && chunks_.size() > 1) {
    chunks_.erase(chunk);  // one is kept, so that a program allocating and freeing one block does not map every time
  } else {
    addFree(begin, end - begin);
  }
}

const MemoryFile& Arena::share(std::uint64_t begin, std::size_t& offset) {
  const std::lock_guard lock(mutex_);
  const auto chunk = std::prev(chunks_.upper_bound(begin));
  offset = begin - chunk->first;
  return chunk->second.share();
}

}  // namespace hipr::softgpu

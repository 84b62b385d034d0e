#include "backends/softgpu/launch_pool.h"

#include <sys/mman.h>

#include <algorithm>

namespace hipr::softgpu {

LaunchPool::Block LaunchPool::take(std::size_t size) {
  std::size_t sizeClass = 0;
  while (kSmallest << sizeClass < size) ++sizeClass;
  const std::lock_guard lock(mutex_);
  if (free_[sizeClass].empty() && !grow(sizeClass)) return {};
  std::byte* const block = free_[sizeClass].back();
  free_[sizeClass].pop_back();
  return {this, block, sizeClass};
}

void LaunchPool::put(std::byte* block, std::size_t sizeClass) {
  const std::lock_guard lock(mutex_);
  free_[sizeClass].push_back(block);
}

bool LaunchPool::grow(std::size_t sizeClass) {
  const std::size_t blockSize = kSmallest << sizeClass;
  Mapping chunk = Mapping::make(std::max(kHugePage, blockSize));
  if (!chunk) return false;
  // A buffer for printf is hardly ever full, and a launch that waits has one already: it takes a page, not a huge one.
  if (blockSize >= kHugePage) madvise(chunk.bytes(), chunk.size(), MADV_NOHUGEPAGE);
  if (!regions_.insert({chunk.address(), chunk.address() + chunk.size(), std::uint64_t{1} << device_, device_, false}))
    return false;
  for (std::size_t at = chunk.size(); at >= blockSize; at -= blockSize)
    free_[sizeClass].push_back(chunk.bytes() + at - blockSize);
  chunks_.push_back(std::move(chunk));
  return true;
}

}  // namespace hipr::softgpu

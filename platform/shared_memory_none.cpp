// Systems whose clients reach workers over the network only.
#include "platform/shared_memory.h"

namespace hipr::platform {
namespace {

Status none() {
  return Status::unsupported("shared memory is for Linux only");
}

}  // namespace

const bool kCanShareMemory = false;

SharedMemory::~SharedMemory() = default;

Status SharedMemory::make(std::size_t, SharedMemory&) {
  return none();
}

Status SharedMemory::take(int, std::size_t, SharedMemory&) {
  return none();
}

Status SharedMemory::map() {
  return none();
}

Status SharedMemory::mapOver(void*, std::size_t) const {
  return none();
}

void sleepWhile(const std::atomic<std::uint32_t>&, std::uint32_t, int) {}
void wakeSleepers(std::atomic<std::uint32_t>&) {}

}  // namespace hipr::platform

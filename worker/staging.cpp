#include "worker/staging.h"

#include <algorithm>
#include <cstring>

namespace hipr::worker {

Staging::~Staging() {
  for (const auto& [slab, share] : slabs_) backend_.hip.hipHostFree(slab);
}

Staging::Block Staging::take(std::size_t size, hipError_t* why) {
  const auto refuse = [&](hipError_t error) {
    if (why) *why = error;
    return nullptr;
  };
  if (size > kBlock) return refuse(hipErrorOutOfMemory);
  const std::size_t which = size <= pools_[0].size ? 0 : size <= pools_[1].size ? 1 : 2;
  std::lock_guard lock(mutex_);
  Pool& pool = pools_[which];
  if (pool.free.empty()) {
    void* slab = nullptr;
    Meter::Share share = meter_.take(Quota::kStagedBytes, kBlock);
    if (!share) return refuse(hipErrorOutOfMemory);
    const hipError_t error = backend_.hip.hipHostMalloc(&slab, kBlock, hipHostMallocDefault);
    if (error != hipSuccess) return refuse(error);
    slabs_.emplace_back(slab, std::move(share));
    for (std::size_t at = 0; at < kBlock; at += pool.size) pool.free.push_back(static_cast<std::byte*>(slab) + at);
  }
  std::byte* memory = pool.free.back();
  pool.free.pop_back();
  return Block(memory, [this, which](std::byte* done) { give(done, which); });
}

void Staging::give(std::byte* memory, std::size_t pool) {
  std::lock_guard lock(mutex_);
  pools_[pool].free.push_back(memory);
}

void scatter(const wire::Shape& to, std::uint64_t offset, std::span<const std::byte> bytes) {
  const std::byte* next = bytes.data();
  forEachRun(to, offset, bytes.size(), [&](std::uint64_t address, std::uint64_t length) {
    std::memcpy(reinterpret_cast<void*>(address), next, length);
    next += length;
  });
}

void gather(const wire::Shape& from, std::uint64_t offset, std::span<std::byte> bytes) {
  std::byte* next = bytes.data();
  forEachRun(from, offset, bytes.size(), [&](std::uint64_t address, std::uint64_t length) {
    std::memcpy(next, reinterpret_cast<const void*>(address), length);
    next += length;
  });
}

hipError_t copyPacked(const HipTable& hip, hipStream_t stream, const wire::Shape& of, std::uint64_t offset,
                      std::uint64_t length, std::byte* host, hipMemcpyKind kind) {
  const wire::Shape shape = flattened(of);
  const bool in = kind == hipMemcpyHostToDevice;
  const auto line = [&](std::uint64_t device, std::uint64_t n) {
    void* address = reinterpret_cast<void*>(device);
    return in ? hip.hipMemcpyAsync(address, host, n, kind, stream) : hip.hipMemcpyAsync(host, address, n, kind, stream);
  };
  if (contiguous(shape)) return line(shape.address + offset, length);
  hipError_t error = hipSuccess;
  while (length && error == hipSuccess) {
    const std::uint64_t row = offset / shape.width, inRow = offset % shape.width, rowInPlane = row % shape.height;
    const std::uint64_t device = shape.address + row / shape.height * shape.slice + rowInPlane * shape.pitch + inRow;
    const std::uint64_t rows = inRow ? 0 : std::min(length / shape.width, shape.height - rowInPlane);
    std::uint64_t n = 0;
    if (rows > 1) {  // whole rows of one plane
      n = rows * shape.width;
      void* address = reinterpret_cast<void*>(device);
      error = in ? hip.hipMemcpy2DAsync(address, shape.pitch, host, shape.width, shape.width, rows, kind, stream)
                 : hip.hipMemcpy2DAsync(host, shape.width, address, shape.pitch, shape.width, rows, kind, stream);
    } else {
      n = std::min(length, shape.width - inRow);
      error = line(device, n);
    }
    host += n;
    offset += n;
    length -= n;
  }
  return error;
}

}  // namespace hipr::worker

// Outbox: blocks of uploads that are packed for their way, by helpers.
#include <algorithm>

#include "client/outbox.h"

namespace hipr::client {
namespace {

constexpr std::size_t kLeastCode = 4 << 10;  // one packet has room for less

}  // namespace

void Outbox::packBlocks(net::When mode) {
  std::lock_guard lock(mutex_);
  packing_.start(mode);
}

OwnBytes Outbox::packCode(wire::Bytes code) {
  {
    std::lock_guard lock(mutex_);
    if (code.size() < kLeastCode || !(packing_.undecided() || packing_.pays())) return nullptr;
  }
  return pack(code);
}

bool Outbox::beginReading(BulkUpload& upload) {
  std::lock_guard lock(mutex_);
  if (upload.finished) return false;
  addReader(upload);
  return true;
}

void Outbox::addReader(BulkUpload& upload) {
  ++upload.readers;
  ++readers_;
}

void Outbox::endReading(BulkUpload& upload) {
  --readers_;
  if (--upload.readers == 0 && upload.finished) sent_.notify_all();
}

OwnBytes Outbox::pack(wire::Bytes bytes) {
  auto packed = std::make_shared<std::vector<std::byte>>();
  const Clock::time_point begin = Clock::now();
  const bool smaller = packer_.pack(bytes, *packed);
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  std::lock_guard lock(mutex_);
  if (!smaller) {
    packing_.stayedLarge();
    return nullptr;
  }
  packing_.shrank(bytes.size(), seconds);
  packed->shrink_to_fit();
  return packed;
}

void Outbox::packBlock(const BulkUploadPtr& upload, std::size_t block) {
  if (!beginReading(*upload)) return;
  const std::size_t offset = block * kBlock;
  std::vector<std::byte> room;
  OwnBytes packed = pack(upload->from.packed(offset, std::min(kBlock, upload->from.bytes() - offset), room));
  {
    std::lock_guard lock(mutex_);
    upload->blocks[block] = {.packed = std::move(packed)};
    endReading(*upload);
    pending_ = true;
  }
  wakeWriter();
}

// A block that was named and that the worker does not have.
void Outbox::packWanted(const BulkUploadPtr& upload, std::size_t offset, const OwnBytes& copy) {
  if (!copy && !beginReading(*upload)) return;
  std::vector<std::byte> room;
  const std::size_t size = std::min(kBlock, upload->from.bytes() - offset);
  OwnBytes packed = pack(copy ? wire::Bytes(*copy) : upload->from.packed(offset, size, room));
  {
    std::lock_guard lock(mutex_);
    const Place place{upload->transfer, offset};
    if (const auto found = named_.find(place); found != named_.end()) {
      found->second.packed = std::move(packed);
      wanted_.push_back(place);
    }
    if (!copy) endReading(*upload);
    pending_ = true;
  }
  wakeWriter();
}

}  // namespace hipr::client

#include <algorithm>
#include <array>
#include <cstring>

#include "worker/transfers.h"

namespace hipr::worker {
namespace {

// The head of a Data frame: header and message; the bytes themselves follow.
std::array<std::byte, wire::kHeaderSize + wire::kDataPrefix> dataHead(std::uint64_t transfer, std::uint64_t offset,
                                                                      std::uint64_t length) {
  std::array<std::byte, wire::kHeaderSize + wire::kDataPrefix> head;
  wire::encodeHeader({.opcode = static_cast<std::uint16_t>(wire::Opcode::kData),
                      .flags = wire::HIP_REMOTE_FLAG_NO_REPLY,
                      .length = wire::kDataPrefix + length},
                     head.data());
  std::memcpy(head.data() + wire::kHeaderSize, &transfer, sizeof transfer);
  std::memcpy(head.data() + wire::kHeaderSize + 8, &offset, sizeof offset);
  return head;
}

}  // namespace

void gather(const wire::Shape& from, std::uint64_t offset, std::span<std::byte> bytes) {
  std::byte* next = bytes.data();
  forEachRun(from, offset, bytes.size(), [&](std::uint64_t address, std::uint64_t length) {
    std::memcpy(next, reinterpret_cast<const void*>(address), length);
    next += length;
  });
}

void DownloadTransfer::sendPiece(std::span<const std::byte> bytes, std::uint64_t offset) {
  context_.outbox.sendBulk(dataHead(id_, offset, bytes.size()), bytes);
}

void DownloadTransfer::done(hipError_t error) {
  reply(context_.outbox, wire::Opcode::kDownload, request_, wire::Done{error});
}

void DownloadTransfer::send(const std::function<void()>& beforeDone) {
  if (claimed_.exchange(true)) return;
  hipError_t error = hipSuccess;
  if (direct_) {
    sendDirect();
  } else {
    error = sendStaged();
  }
  beforeDone();
  done(error);
}

void DownloadTransfer::sendDirect() {
  const std::uint64_t total = from_.bytes();
  std::vector<std::byte> packed;
  if (!contiguous(from_)) packed.resize(std::min(total, wire::kMaxDataChunk));
  for (std::uint64_t offset = 0; offset < total; offset += wire::kMaxDataChunk) {
    const std::uint64_t length = std::min(total - offset, wire::kMaxDataChunk);
    std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(from_.address + offset), length);
    if (!packed.empty()) {
      gather(from_, offset, std::span(packed).first(length));
      bytes = std::span(packed).first(length);
    }
    sendPiece(bytes, offset);
  }
}

// The thread of the runtime that got here must not call HIP, so another one does the copying while it holds the stream.
hipError_t DownloadTransfer::sendStaged() {
  std::mutex mutex;
  std::condition_variable changed;
  bool finished = false;
  hipError_t error = hipSuccess;
  context_.waiters.run([&] {
    const hipError_t result = context_.staging.copyOut(
        device_, from_, [this](std::span<const std::byte> bytes, std::uint64_t offset) { sendPiece(bytes, offset); });
    std::lock_guard lock(mutex);
    error = result;
    finished = true;
    changed.notify_all();
  });
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return finished; });
  return error;
}

void DownloadTransfer::sendNow() {
  std::vector<std::byte> frames;
  const std::uint64_t total = from_.bytes();
  const auto head = dataHead(id_, 0, total);
  frames.insert(frames.end(), head.begin(), head.end());
  const std::size_t at = frames.size();
  frames.resize(at + total);
  gather(from_, 0, std::span(frames).subspan(at));
  appendFrame(frames, wire::Opcode::kDownload, request_, wire::HIP_REMOTE_FLAG_REPLY, wire::Done{hipSuccess});
  context_.outbox.post(frames);
}

void DownloadTransfer::abandon(hipError_t error) {
  if (!claimed_.exchange(true)) done(error);
}

}  // namespace hipr::worker

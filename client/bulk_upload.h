// Bulk data on its way to the worker: what an upload consists of, and the lanes that may carry it besides the session's
// own connection. All of it belongs to the outbox (outbox.h).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "net/transport.h"
#include "wire/messages.h"

namespace hipr::client {

// Rows of host memory, read or written tightly packed.
struct HostShape {
  std::byte* address = nullptr;
  std::size_t pitch = 0, slice = 0, width = 0, height = 1, depth = 1;

  std::size_t bytes() const { return width * height * depth; }
  bool contiguous() const { return (height == 1 || pitch == width) && (depth == 1 || slice == width * height); }
  // Bytes [offset, offset + size) of the packed form: where they are, or packed into `room`.
  wire::Bytes packed(std::size_t offset, std::size_t size, std::vector<std::byte>& room) const;
  void unpack(std::size_t offset, wire::Bytes bytes) const;  // to their places

  // Where bytes [offset, offset + size) of the packed form are, one after the other.
  template <class Visit>
  void forEachRun(std::size_t offset, std::size_t size, Visit&& visit) const {
    const std::size_t span = contiguous() ? bytes() : width;
    while (size) {
      const std::size_t n = std::min(size, span - offset % span), row = contiguous() ? 0 : offset / span;
      visit(address + (row / height) * slice + (row % height) * pitch + offset % span, n);
      offset += n;
      size -= n;
    }
  }
};

using OwnBytes = std::shared_ptr<const std::vector<std::byte>>;

// A block of an upload that may be named or packed.
struct UploadBlock {
  enum class State { kReady, kBusy, kNamed };  // kBusy: a helper is naming or packing it
  State state = State::kReady;
  wire::Bits256 name{};
  OwnBytes packed{};  // what is sent instead, if it is smaller
  OwnBytes copy{};    // of kNamed, in case it is wanted when the call that made the upload has returned
};

// One upload on its way.
struct BulkUpload {
  std::uint64_t transfer = 0;
  HostShape from;
  bool late = false;      // the call that made it has returned
  bool held = false;      // its memory must not be read before letGo(); from then on under the outbox's lock
  std::size_t taken = 0;  // bytes that are being sent, or were; the rest is under the outbox's lock
  std::size_t given = 0;  // bytes that connections have got, not in order
  bool allSent = false;   // they have got them all
  bool open = false;      // the worker's stream has come to it
  bool finished = false;  // every byte has been handed over: the memory may change
  std::vector<UploadBlock> blocks{};  // those about which it has been decided
  std::size_t unanswered = 0;         // pieces that were named, or go over lanes, and may be wanted yet
  int readers = 0;                    // threads that are at its memory; some may be when a connection is lost
};
using BulkUploadPtr = std::shared_ptr<BulkUpload>;

// A further connection, with a thread that sends over it.
struct UploadLane {
  enum class State { kNone, kOpening, kOpen, kClosing, kOver };
  State state = State::kNone;
  std::uint32_t number = 0;
  net::TransportPtr link;
  std::thread thread;
  std::vector<std::byte> rows;  // room to pack them
};

}  // namespace hipr::client

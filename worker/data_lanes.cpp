#include "worker/data_lanes.h"

#include <algorithm>
#include <string>
#include <system_error>

#include "base/log.h"
#include "platform/thread.h"
#include "wire/append.h"
#include "wire/messages.h"
#include "worker/transfers.h"

namespace hipr::worker {
namespace {

template <class Message>
Status say(net::Transport& link, wire::Opcode opcode, std::uint32_t flags, const Message& message) {
  std::vector<std::byte> frame;
  wire::appendFrame(frame, opcode, 0, flags, message);
  return link.send(net::Transport::Part(frame));
}

}  // namespace

void DataLanes::join(std::uint32_t number, net::TransportPtr link) {
  std::lock_guard lock(mutex_);
  sweep();
  if (stopped_ || number <= last_ || lanes_.size() >= 2 * wire::kMostLanes) {
    (void)say(*link, wire::Opcode::kRefused, wire::HIP_REMOTE_FLAG_NO_REPLY,
              wire::Refused{hipErrorInvalidValue, "this session takes no such lane"});
    return;
  }
  if (!say(*link, wire::Opcode::kJoin, wire::HIP_REMOTE_FLAG_REPLY, wire::JoinReply{number}).ok()) return;
  last_ = number;
  DataLane& lane = lanes_.emplace_back(number, std::move(link));
  try {
    lane.thread = std::thread([this, &lane] { serve(lane); });
  } catch (const std::system_error&) {  // no room for a thread: it ends at once
    lanes_.pop_back();
  }
}

void DataLanes::sweep() {
  lanes_.remove_if([](DataLane& lane) {
    if (lane.ended) lane.thread.join();  // it has nothing more to do
    return lane.ended;
  });
}

bool DataLanes::announce(std::uint32_t number, LanePiece piece) {
  {
    std::lock_guard lock(mutex_);
    if (number == 0 || number > last_) return false;
    const auto lane = std::ranges::find(lanes_, number, &DataLane::number);
    if (lane != lanes_.end() && !lane->ended) {
      lane->coming.push_back(std::move(piece));
      changed_.notify_all();
      return true;
    }
  }
  calls_.lost(piece);
  return true;
}

bool DataLanes::find(std::uint32_t number, std::shared_ptr<net::Transport>& link) {
  std::lock_guard lock(mutex_);
  const auto lane = std::ranges::find(lanes_, number, &DataLane::number);
  link = lane != lanes_.end() && !lane->ended ? lane->link : nullptr;
  return number != 0 && number <= last_;
}

void DataLanes::stop() {
  std::list<DataLane> lanes;
  {
    std::lock_guard lock(mutex_);
    stopped_ = true;
    for (DataLane& lane : lanes_) lane.link->shutdown();
    lanes.splice(lanes.end(), lanes_);
    changed_.notify_all();
  }
  for (DataLane& lane : lanes) lane.thread.join();
}

// Its bytes may be faster than the word about them.
bool DataLanes::expected(DataLane& lane, LanePiece& piece) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return stopped_ || !lane.coming.empty(); });
  if (stopped_) return false;
  piece = lane.coming.front();
  return true;
}

Status DataLanes::receive(DataLane& lane) {
  wire::Header header;
  LanePiece piece;
  if (Status status = lane.reader.next(header); !status.ok()) return status;
  if (!expected(lane, piece)) return Status::unavailable("the session ends");
  const bool packed = header.opcode == static_cast<std::uint16_t>(wire::Opcode::kPackedData);
  const std::uint64_t prefixed = packed ? wire::kPackedDataPrefix : wire::kDataPrefix;
  std::uint64_t prefix[3] = {};
  if ((!packed && header.opcode != static_cast<std::uint16_t>(wire::Opcode::kData)) || header.length < prefixed)
    return Status::invalid("something else than data on a lane");
  if (Status status = lane.reader.read(prefix, prefixed); !status.ok()) return status;
  Incoming incoming{.reader = lane.reader, .offset = prefix[1], .length = header.length - prefixed};
  if (packed) incoming.packed = std::exchange(incoming.length, prefix[2]);
  if (prefix[0] != piece.transfer || incoming.offset != piece.offset || incoming.length != piece.size ||
      (packed && (incoming.packed == 0 || incoming.packed >= incoming.length)))
    return Status::invalid("other data on a lane than was announced");
  const Staging::Block block = piece.upload->abandoned() ? nullptr : staging_.take(piece.size);
  if (Status status = block ? incoming.read(block.get(), lane.unpacker) : incoming.skip(); !status.ok()) return status;
  {
    std::lock_guard lock(mutex_);
    if (stopped_) return Status::unavailable("the session ends");
    lane.coming.pop_front();
  }
  calls_.arrived(piece, block, header.flags & wire::HIP_REMOTE_FLAG_KEEP);
  return {};
}

void DataLanes::serve(DataLane& lane) {
  platform::nameThisThread("hip-lane");
  Status status;
  while (status.ok()) status = receive(lane);
  logDebug("lane %u: %s", lane.number, status.message().c_str());
  lane.link->shutdown();
  std::deque<LanePiece> lost;
  {
    std::lock_guard lock(mutex_);
    if (stopped_) return;
    lost.swap(lane.coming);
    lane.ended = true;  // whatever is announced from now on is lost at once
  }
  for (const LanePiece& piece : lost) calls_.lost(piece);
}

}  // namespace hipr::worker

#include "client/download_lanes.h"

#include <algorithm>
#include <system_error>

#include "base/log.h"
#include "platform/thread.h"
#include "wire/frame.h"

namespace hipr::client {
namespace {

constexpr int kLooks = 4;  // within a lane's patience

// A download ends one round trip later than its last piece: that must not be much of the time it takes.
constexpr int kWorth = 4;

}  // namespace

void DownloadLanes::start(net::When when, OpenLane open, std::chrono::milliseconds patience) {
  std::lock_guard lock(mutex_);
  choice_.start(when, lanes_.size());
  open_ = std::move(open);
  patience_ = patience;
  started_ = when != net::When::kNever;
}

void DownloadLanes::stop() {
  {
    std::lock_guard lock(mutex_);
    stopped_ = true;
    for (const DownloadLane& lane : lanes_)
      if (lane.link) lane.link->shutdown();
    changed_.notify_all();
  }
  for (DownloadLane& lane : lanes_)
    if (lane.thread.joinable()) lane.thread.join();
}

void DownloadLanes::closeInChild() {
  for (DownloadLane& lane : lanes_) lane.link.reset();
}

// --- how many

void DownloadLanes::resumed() {
  std::lock_guard lock(mutex_);
  choice_.resumed(Clock::now());
}

void DownloadLanes::arrived(std::uint64_t bytes, std::uint64_t waiting) {
  std::lock_guard lock(mutex_);
  if (stopped_) return;
  switch (choice_.arrived(Clock::now(), bytes, waiting)) {
    case LaneChoice::Advice::kNothing:
      return;
    case LaneChoice::Advice::kOpen:
      return begin();
    case LaneChoice::Advice::kClose: {
      const auto newest = std::ranges::max_element(
          lanes_, {}, [this](const DownloadLane& lane) { return isOpen(lane) ? lane.number : 0; });
      newest->state = DownloadLane::State::kClosing;  // its end comes when the worker has sent what it announced
      return say();
    }
  }
}

void DownloadLanes::begin() {
  using State = DownloadLane::State;
  const auto free = std::ranges::find_if(
      lanes_, [](const DownloadLane& lane) { return lane.state == State::kNone || lane.state == State::kOver; });
  if (free == lanes_.end()) return choice_.failed(Clock::now());
  if (free->thread.joinable()) free->thread.join();  // it said so in the end
  free->number = 0;
  try {
    free->thread = std::thread([this, &lane = *free] { run(lane); });
    free->state = State::kOpening;
  } catch (const std::system_error&) {  // no room for a thread: downloads do without
    choice_.failed(Clock::now());
  }
}

void DownloadLanes::say() {
  wire::DownloadLanes message{.all = choice_.lanesCarryAll()};
  Clock::duration roundTrip{};
  for (const DownloadLane& lane : lanes_) {
    if (!isOpen(lane)) continue;
    message.lanes.push_back(lane.number);
    roundTrip = std::max(roundTrip, lane.roundTrip);
  }
  const double worth = kWorth * std::chrono::duration<double>(roundTrip).count() * choice_.speedOfOne();
  message.least = std::max(message.all ? kLeastRelief : kLeast, static_cast<std::uint64_t>(worth));
  calls_.use(message);
}

// --- pieces

bool DownloadLanes::announced(const wire::LaneData& piece) {
  {
    std::lock_guard lock(mutex_);
    if (piece.lane == 0 || piece.lane > last_ || unanswered_ >= wire::kMostUnanswered) return false;
    const auto lane = std::ranges::find_if(lanes_, [&](const DownloadLane& other) {
      return other.number == piece.lane && other.state != DownloadLane::State::kOver;
    });
    if (lane != lanes_.end()) {
      lane->coming.push_back(piece);
      ++unanswered_;
      changed_.notify_all();
      return true;
    }
  }
  calls_.lost(piece);
  return true;
}

// Its bytes may be faster than the word about them.
bool DownloadLanes::expected(DownloadLane& lane, wire::LaneData& piece) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return stopped_ || !lane.coming.empty(); });
  if (stopped_) return false;
  piece = lane.coming.front();
  return true;
}

Status DownloadLanes::fill(DownloadLane& lane, net::Transport::Room room) {
  for (int silent = 0; !room.empty();) {
    std::size_t got = 0;
    if (Status status = lane.link->receive({&room, 1}, net::Transport::Patience::kWait, &got); !status.ok())
      return status;
    bytes_ += got;
    room = room.subspan(got);
    std::lock_guard lock(mutex_);
    silent = got != 0 || lane.coming.empty() ? 0 : silent + 1;
    if (silent > kLooks) return Status::unavailable("nothing came over it");
  }
  return {};
}

Status DownloadLanes::receive(DownloadLane& lane) {
  std::byte head[wire::kHeaderSize];
  wire::Header header;
  wire::LaneData piece;
  if (Status status = fill(lane, head); !status.ok()) return status;
  if (!expected(lane, piece)) return Status::unavailable("the session ends");
  if (!wire::decodeHeader(head, header) || header.version != wire::kProtocolVersion)
    return Status::invalid("malformed frame header");
  const bool packed = header.opcode == static_cast<std::uint16_t>(wire::Opcode::kPackedData);
  if (!packed && header.opcode != static_cast<std::uint16_t>(wire::Opcode::kData))
    return Status::invalid("something else than data on a lane");
  const std::uint64_t prefixed = packed ? wire::kPackedDataPrefix : wire::kDataPrefix;
  std::uint64_t prefix[3] = {};
  if (header.length <= prefixed || header.length - prefixed > piece.size)
    return Status::invalid("data of another size than was announced");
  const std::uint64_t coming = header.length - prefixed;
  if (Status status = fill(lane, std::as_writable_bytes(std::span(prefix)).first(prefixed)); !status.ok())
    return status;
  if (prefix[0] != piece.transfer || prefix[1] != piece.offset || (packed ? prefix[2] : coming) != piece.size ||
      (packed && coming >= piece.size))
    return Status::invalid("other data on a lane than was announced");
  lane.payload.resize(coming);
  if (Status status = fill(lane, lane.payload); !status.ok()) return status;
  if (packed) {
    lane.unpacked.resize(piece.size);
    if (!lane.unpacker.unpack(lane.payload, lane.unpacked))
      return Status::invalid("packed data that cannot be unpacked");
  }
  {
    std::lock_guard lock(mutex_);
    if (stopped_) return Status::unavailable("the session ends");
    lane.coming.pop_front();
    --unanswered_;
  }
  calls_.came(piece, packed ? lane.unpacked : lane.payload, coming);
  return {};
}

void DownloadLanes::run(DownloadLane& lane) {
  using State = DownloadLane::State;
  platform::nameThisThread("hip-lane");
  net::TransportPtr link;
  std::uint32_t number = 0;
  Clock::duration roundTrip{};
  Status status = open_(number, link, roundTrip);
  {
    std::lock_guard lock(mutex_);
    if (!status.ok()) choice_.failed(Clock::now());
    if (!status.ok() || stopped_ || !choice_.opened(Clock::now(), roundTrip)) {
      logDebug("no further connection for downloads: %s", status.ok() ? "the line is short" : status.message().c_str());
      lane.state = State::kOver;
      return;
    }
    link->setTimeout(static_cast<int>(patience_.count()) / kLooks);
    lane.link = std::move(link);
    lane.roundTrip = roundTrip;
    lane.number = last_ = number;
    lane.state = State::kOpen;
    ++lanesSoFar_;
    say();
  }
  logDebug("downloads have another connection");
  while (status.ok()) status = receive(lane);
  logDebug("downloads have a connection less: %s", status.message().c_str());
  std::deque<wire::LaneData> lost;
  {
    std::lock_guard lock(mutex_);
    if (stopped_) return;
    lane.link.reset();
    lost.swap(lane.coming);
    unanswered_ -= lost.size();
    choice_.closed(Clock::now());
    const bool unforeseen = isOpen(lane);
    lane.state = State::kOver;  // whatever is announced from now on is lost at once
    if (unforeseen) say();
  }
  for (const wire::LaneData& piece : lost) calls_.lost(piece);
}

}  // namespace hipr::client

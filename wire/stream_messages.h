// Messages about devices, streams and events.
#pragma once

#include <cstdint>
#include <vector>

#include "types/word_step.h"
#include "wire/stream.h"

namespace hipr::wire {

// The null stream of device d.
inline constexpr std::uint64_t kNullStream = 1;
inline constexpr std::uint64_t kFirstObject = 1 << 16;  // numbers below are reserved

struct DeviceSynchronize {
  std::int32_t device = 0;
  static auto fields(auto& m) { return std::tie(m.device); }
};
using DeviceReset = DeviceSynchronize;

struct SetLimit {
  std::int32_t device = 0, limit = 0;
  std::uint64_t value = 0;
  static auto fields(auto& m) { return std::tie(m.device, m.limit, m.value); }
};

struct SetPeerAccess {
  std::int32_t device = 0, peer = 0;
  bool enabled = false;
  static auto fields(auto& m) { return std::tie(m.device, m.peer, m.enabled); }
};

struct MemoryInfo {
  std::int32_t device = 0;
  static auto fields(auto& m) { return std::tie(m.device); }
};
struct MemoryInfoReply {
  std::int32_t status = 0;
  std::uint64_t free = 0, total = 0;
  static auto fields(auto& m) { return std::tie(m.status, m.free, m.total); }
};

struct StreamCreate {
  std::uint64_t stream = 0;
  std::int32_t device = 0;
  std::uint32_t flags = 0;
  std::int32_t priority = 0;
  std::vector<std::uint32_t> cuMask{};
  static auto fields(auto& m) { return std::tie(m.stream, m.device, m.flags, m.priority, m.cuMask); }
};
struct StreamDestroy {
  std::uint64_t stream = 0;
  static auto fields(auto& m) { return std::tie(m.stream); }
};
using StreamSynchronize = StreamDestroy;

// Whatever is sent behind this message, to any stream, starts after what this stream (or every stream of this device)
// has been sent so far. HIP's calls without "Async" in their name are done when they return, and frees wait for the
// device; this keeps their promise without waiting.
using StreamFence = StreamDestroy;
using DeviceFence = DeviceSynchronize;

// Tell me, with Progress, as soon as what this stream has been sent so far is done.
using StreamWatch = StreamDestroy;

struct StreamWaitEvent {
  std::uint64_t stream = 0, event = 0;
  static auto fields(auto& m) { return std::tie(m.stream, m.event); }
};

struct HostFunction {
  std::uint64_t stream = 0, id = 0;
  static auto fields(auto& m) { return std::tie(m.stream, m.id); }
};

// A word that the stream writes or waits for, and `bytes` (4 or 8) of it.
struct WordStep {
  WordAction action = WordAction::kWrite;
  std::uint8_t bytes = 4;
  std::uint64_t address = 0, value = 0, mask = 0;
  static auto fields(auto& m) { return std::tie(m.action, m.bytes, m.address, m.value, m.mask); }
};
struct WordSteps {
  std::uint64_t stream = 0;
  std::vector<WordStep> list{};  // at most kMostWordSteps
  static auto fields(auto& m) { return std::tie(m.stream, m.list); }
};

struct EventCreate {
  std::uint64_t event = 0;
  std::int32_t device = 0;
  std::uint32_t flags = 0;
  static auto fields(auto& m) { return std::tie(m.event, m.device, m.flags); }
};
struct EventDestroy {
  std::uint64_t event = 0;
  static auto fields(auto& m) { return std::tie(m.event); }
};
struct EventRecord {
  std::uint64_t event = 0, stream = 0;
  static auto fields(auto& m) { return std::tie(m.event, m.stream); }
};
using EventSynchronize = EventDestroy;
using EventWatch = EventDestroy;  // tell me, with Progress, as soon as its last record is done

struct EventElapsed {
  std::uint64_t start = 0, stop = 0;
  static auto fields(auto& m) { return std::tie(m.start, m.stop); }
};
struct EventElapsedReply {
  std::int32_t status = 0;
  float milliseconds = 0;
  static auto fields(auto& m) { return std::tie(m.status, m.milliseconds); }
};

}  // namespace hipr::wire

#include "runtime/shared_event.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "runtime/memory.h"
#include "runtime/stream.h"
#include "runtime/submit.h"

namespace hipr {

namespace {

using Words = SharedEvent::Words;

hipError_t findOwn(Process& p, const SharedEvent& event, Stream*& out) {
  out = p.streams.find(event.stream);
  return out != nullptr ? hipSuccess : hipErrorInvalidHandle;
}

// The words as they are now.
hipError_t read(Process& p, SharedEvent& event, Words& out) {
  Stream* stream;
  HIPR_TRY(findOwn(p, event, stream));
  Copy copy;
  copy.to = {.address = &out, .pitch = sizeof out, .slice = sizeof out};
  copy.from = {.address = event.words,
               .pitch = sizeof out,
               .slice = sizeof out,
               .kind = MemoryKind::kDevice,
               .owner = event.owner,
               .device = event.owner->index};
  copy.width = sizeof out;
  return hand(*stream, copy, Stage::kVisible);
}

WordStep step(const SharedEvent& event, WordAction action, std::uint64_t* word, std::uint64_t value) {
  return {.action = action, .bytes = 8, .address = word, .owner = event.owner, .value = value, .mask = ~0ULL};
}

bool isReached(const Words& words, std::uint64_t record) {
  return record == 0 || words.reached[record % SharedEvent::kRecords] >= record;
}

// Asks again and again, ever more rarely: other processes do not tell when they are done.
hipError_t untilReached(Process& p, SharedEvent& event, std::uint64_t record, Words& words) {
  constexpr std::chrono::microseconds kLongest(1000);
  for (std::chrono::microseconds pause(20); !isReached(words, record); pause = std::min(kLongest, pause * 2)) {
    std::this_thread::sleep_for(pause);
    HIPR_TRY(read(p, event, words));
  }
  return hipSuccess;
}

hipError_t make(Process& p, Event& e, std::unique_ptr<SharedEvent>& out) {
  out = std::make_unique<SharedEvent>();
  out->owner = e.owner;
  return createStream(p, *e.owner, &out->stream, hipStreamNonBlocking, 0, {});
}

void dropStream(Process& p, SharedEvent& event) {
  if (Stream* stream = p.streams.find(event.stream)) destroyStream(p, stream);
}

// The words of an event that no other process has made.
hipError_t ensure(Process& p, Event& e) {
  static std::mutex firsts;  // of threads that use a new event at the same time
  std::lock_guard lock(firsts);
  if (e.shared) return hipSuccess;
  std::unique_ptr<SharedEvent> made;
  HIPR_TRY(make(p, e, made));
  void* words = nullptr;
  Stream* stream;
  hipError_t error = allocateMemory(p, *e.owner, MemoryKind::kDevice, sizeof(Words), hipDeviceMallocDefault,
                                    Region::Origin::kEvent, words);
  if (error == hipSuccess) error = findOwn(p, *made, stream);
  if (error == hipSuccess) {
    Fill zero{.address = words, .pitch = sizeof(Words), .slice = sizeof(Words), .width = sizeof(Words)};
    zero.owner = e.owner;
    error = hand(*stream, zero, Stage::kDone);
  }
  made->words = static_cast<Words*>(words);
  e.shared = std::move(made);
  if (error != hipSuccess) endShared(p, e);
  return error;
}

}  // namespace

hipError_t shareEvent(Process& p, Event& event, SharedPart& part) {
  HIPR_TRY(ensure(p, event));
  const auto region = p.allocations.find(event.shared->words);
  if (!region || event.shared->joined) return hipErrorInvalidValue;
  return sharePart(*region, part);
}

hipError_t joinEvent(Process& p, Event& event, const SharedPart& part) {
  if (part.size < sizeof(Words)) return hipErrorInvalidValue;
  std::unique_ptr<SharedEvent> made;
  HIPR_TRY(make(p, event, made));
  void* words = nullptr;
  if (const hipError_t error = openPart(p, *event.owner, part, words); error != hipSuccess) {
    dropStream(p, *made);
    return error;
  }
  made->words = static_cast<Words*>(words);
  made->joined = true;
  event.shared = std::move(made);
  return hipSuccess;
}

hipError_t recordShared(Process& p, Event& e, Stream& stream) {
  HIPR_TRY(ensure(p, e));
  SharedEvent& event = *e.shared;
  std::lock_guard lock(event.records);
  Words words;
  HIPR_TRY(read(p, event, words));
  const std::uint64_t number = words.last + 1;
  if (number > SharedEvent::kRecords) HIPR_TRY(untilReached(p, event, number - SharedEvent::kRecords, words));
  Stream* own;
  HIPR_TRY(findOwn(p, event, own));
  const WordStep announce = step(event, WordAction::kWrite, &event.words->last, number);
  HIPR_TRY(hand(*own, WordSteps{{&announce, 1}}, Stage::kSent));
  HIPR_TRY(synchronize(*own));
  const WordStep reach = step(event, WordAction::kWrite, &event.words->reached[number % SharedEvent::kRecords], number);
  return hand(stream, WordSteps{{&reach, 1}}, Stage::kSent);
}

hipError_t waitShared(Process& p, SharedEvent& event, Stream& stream) {
  Words words;
  HIPR_TRY(read(p, event, words));
  if (isReached(words, words.last)) return hipSuccess;
  const WordStep wait =
      step(event, WordAction::kWaitAtLeast, &event.words->reached[words.last % SharedEvent::kRecords], words.last);
  return hand(stream, WordSteps{{&wait, 1}}, Stage::kSent);
}

hipError_t queryShared(Process& p, SharedEvent& event) {
  Words words;
  HIPR_TRY(read(p, event, words));
  return isReached(words, words.last) ? hipSuccess : hipErrorNotReady;
}

hipError_t synchronizeShared(Process& p, SharedEvent& event) {
  Words words;
  HIPR_TRY(read(p, event, words));
  return untilReached(p, event, words.last, words);
}

// What streams still have to write is written: memory goes when nothing uses it any more.
void endShared(Process& p, Event& e) {
  if (!e.shared) return;
  SharedEvent& event = *e.shared;
  const auto region = event.words != nullptr ? p.allocations.find(event.words) : std::nullopt;
  if (region && event.joined) {
    static_cast<void>(closePart(p, *region));
  } else if (region && p.allocations.take(event.words, [](const Region&) { return true; })) {
    static_cast<void>(releaseMemory(p, *region));
  }
  dropStream(p, event);
  e.shared.reset();
}

}  // namespace hipr

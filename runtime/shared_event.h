// An event that several processes record and wait for (hipEventInterprocess). It is a few words of device memory that
// they share: the number of the last record, and for each of the last records whether it was reached. Streams write
// these words and wait for them like any others; the host reads them through a stream of the event's own.
//
// A record is known to other processes when the call that makes it has returned, so that call waits.
#pragma once

#include "runtime/objects.h"
#include "runtime/process.h"
#include "runtime/shared_memory.h"

namespace hipr {

struct SharedEvent {
  static constexpr std::size_t kRecords = 63;  // that may be unfinished at a time
  struct Words {
    std::uint64_t last = 0;                // record; 0: there is none yet
    std::uint64_t reached[kRecords] = {};  // by number modulo kRecords, the last such record that was reached
  };

  Device* owner = nullptr;
  Words* words = nullptr;  // an address of the device
  bool joined = false;     // another process has made it
  hipStream_t stream = nullptr;
  std::mutex records;  // one record at a time
};

// What an event with hipEventInterprocess does from its first record on, or from when its handle is asked for or
// opened.
inline SharedEvent* sharedEvent(const Event& event) {
  return event.shared.get();
}

hipError_t shareEvent(Process& p, Event& event, SharedPart& part);       // so that others can join
hipError_t joinEvent(Process& p, Event& event, const SharedPart& part);  // what another process has shared
hipError_t recordShared(Process& p, Event& event, Stream& stream);
hipError_t waitShared(Process& p, SharedEvent& event, Stream& stream);  // the stream waits
hipError_t queryShared(Process& p, SharedEvent& event);
hipError_t synchronizeShared(Process& p, SharedEvent& event);
void endShared(Process& p, Event& event);

}  // namespace hipr

// The calls that turn the profiler on and off and read it.
#include "runtime/profiler.h"

#include <mutex>

#include "base/log.h"
#include "runtime/activity.h"
#include "runtime/api.h"

namespace hipr {

namespace {

void turnOn() {
  ++kernelTimesWanted;
  ++profilersOn;
}

// What was launched before is recorded.
void turnOff() {
  static std::mutex one;  // at a time, so that nobody turns it off twice
  const std::lock_guard lock(one);
  if (!profilerWantsRecords()) return;
  --kernelTimesWanted;
  awaitKernelTimes();
  --profilersOn;
}

}  // namespace

namespace api {

hipError_t hipProfilerStart() {
  turnOn();
  return hipSuccess;
}
hipError_t hipProfilerStop() {
  turnOff();
  return hipSuccess;
}

hipError_t hipProfilerEnableExt(uint64_t* start_record_id, uint64_t) {
  if (start_record_id != nullptr) *start_record_id = ProfilerRecords::instance().count();
  turnOn();
  return hipSuccess;
}
hipError_t hipProfilerDisableExt(uint64_t* end_record_id) {
  turnOff();
  if (end_record_id != nullptr) *end_record_id = ProfilerRecords::instance().count();
  return hipSuccess;
}
hipError_t hipProfilerGetRecordsExt(const HipApiRecordExt* const** chunks, size_t* chunk_count, size_t* chunk_size,
                                    size_t* total_count) {
  if (chunks == nullptr || chunk_count == nullptr || chunk_size == nullptr || total_count == nullptr)
    return hipErrorInvalidValue;
  ProfilerRecords& records = ProfilerRecords::instance();
  *total_count = records.count();
  *chunks = records.pieces();
  *chunk_size = ProfilerRecords::kPiece;
  *chunk_count = (*total_count + ProfilerRecords::kPiece - 1) / ProfilerRecords::kPiece;
  return hipSuccess;
}
hipError_t hipProfilerRegisterChunkCallbackExt(hipProfilerChunkCallback cb, void* user_data) {
  ProfilerRecords::instance().setCallback(cb, user_data);
  return hipSuccess;
}

// AMD's log levels run from 1 (errors, which are always shown here) to 4 (everything).
static std::atomic<std::size_t> logLevel{0};
hipError_t hipExtSetLoggingParams(size_t log_level, size_t, size_t) {
  logLevel = log_level;
  return hipSuccess;
}
hipError_t hipExtEnableLogging() {
  constexpr std::size_t kInformation = 3;
  setDebug(logLevel >= kInformation);
  return hipSuccess;
}
hipError_t hipExtDisableLogging() {
  setDebug(false);
  return hipSuccess;
}

}  // namespace api
}  // namespace hipr

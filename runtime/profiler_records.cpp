// The part of the profiler that every exported call comes through.
#include <chrono>

#include "base/log.h"
#include "base/trace.h"
#include "platform/thread.h"
#include "runtime/activity.h"
#include "runtime/profiler.h"

namespace hipr {

namespace {

std::uint64_t nanoseconds() {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

ProfilerRecords& ProfilerRecords::instance() {
  static auto* records = new ProfilerRecords;
  return *records;
}

void ProfilerRecords::add(const HipApiRecordExt& record) {
  const HipApiRecordExt* full = nullptr;
  hipProfilerChunkCallback callback = nullptr;
  void* user = nullptr;
  {
    std::lock_guard lock(mutex_);
    if (count_ == kPiece * kPieces) return;
    if (count_ % kPiece == 0) pieces_[count_ / kPiece] = new HipApiRecordExt[kPiece];
    HipApiRecordExt* piece = pieces_[count_ / kPiece];
    piece[count_ % kPiece] = record;
    if (++count_ == kPiece * kPieces) logError("profiler: no more than %zu records are kept", count_);
    if (count_ % kPiece == 0) full = piece;
    callback = callback_;
    user = user_;
  }
  if (full != nullptr && callback != nullptr) callback(full, kPiece, user);
}

void ProfilerRecords::setCallback(hipProfilerChunkCallback callback, void* user) {
  std::lock_guard lock(mutex_);
  callback_ = callback;
  user_ = user;
}

std::size_t ProfilerRecords::count() {
  std::lock_guard lock(mutex_);
  return count_;
}

void ProfiledCall::begin(const char* name) {
  name_ = name;
  trace::enterCall(name);
  start_ = nanoseconds();
}

void ProfiledCall::end() {
  HipApiRecordExt record{};
  record.api_name = name_;
  record.thread_id = platform::threadId();
  record.start_ns = start_;
  record.end_ns = nanoseconds();
  trace::enterCall(nullptr);
  trace::call({.name = name_, .begin = start_, .end = record.end_ns, .thread = record.thread_id});
  if (profilerWantsRecords()) ProfilerRecords::instance().add(record);
}

// A kernel has a record of its own, since its time is known long after the call has returned.
void profileKernel(const KernelTime& kernel) {
  if (!profilerWantsRecords()) return;
  HipApiRecordExt record{};
  record.api_name = "kernel";
  record.flags = 1;
  record.start_ns = kernel.begin;
  record.end_ns = kernel.end;
  record.gpu.flags = static_cast<std::uint64_t>(kernel.device & 0xffff) << 16 | (kernel.queue & 0xffff) << 32;
  record.gpu.begin_ns = kernel.begin;
  record.gpu.end_ns = kernel.end;
  record.gpu.kernel_name = kernel.name;
  record.gpu.gpu_op_count = 1;
  ProfilerRecords::instance().add(record);
}

}  // namespace hipr

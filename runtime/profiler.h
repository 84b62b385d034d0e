// The built-in profiler: a record of every call the program makes while it is on, and of the kernels with their times.
// Records lie in pieces that stay where they are.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

#include "hip_remote/hip.h"

namespace hipr {

inline constinit std::atomic<int> profilersOn{0};      // it is counted who turned it on
inline constinit std::atomic<int> tracesAmongThem{0};  // a trace (trace.h) wants its calls, but no records

inline bool profilerWantsRecords() {
  return profilersOn.load(std::memory_order_relaxed) > tracesAmongThem.load(std::memory_order_relaxed);
}

// Around a call; costs one look at a counter when the profiler is off.
class ProfiledCall {
 public:
  explicit ProfiledCall(const char* name) {
    if (profilersOn.load(std::memory_order_relaxed) != 0) [[unlikely]]
      begin(name);
  }
  ~ProfiledCall() {
    if (name_ != nullptr) [[unlikely]]
      end();
  }
  ProfiledCall(const ProfiledCall&) = delete;
  ProfiledCall& operator=(const ProfiledCall&) = delete;

 private:
  void begin(const char* name);
  void end();

  const char* name_ = nullptr;
  [[maybe_unused]] std::uint64_t start_ = 0;  // of begin() and end(), which a test has of its own
};

// Thread-safe. Never destroyed: calls are recorded until the end.
class ProfilerRecords {
 public:
  static constexpr std::size_t kPiece = 1024, kPieces = 16384;

  static ProfilerRecords& instance();

  void add(const HipApiRecordExt& record);
  void setCallback(hipProfilerChunkCallback callback, void* user);
  std::size_t count();
  const HipApiRecordExt* const* pieces() const { return pieces_.get(); }

 private:
  std::mutex mutex_;
  std::unique_ptr<HipApiRecordExt*[]> pieces_ = std::make_unique<HipApiRecordExt*[]>(kPieces);
  std::size_t count_ = 0;
  hipProfilerChunkCallback callback_ = nullptr;
  void* user_ = nullptr;
};

struct KernelTime;
void profileKernel(const KernelTime& kernel);

}  // namespace hipr

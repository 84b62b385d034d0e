// librocprofiler-sdk: there is no profiler to register with here. A program that offers itself to be profiled is told
// so and goes on.
#include <ctime>

#include "standins/refused.h"

namespace {

constexpr std::uint32_t kSuccess = 0, kInvalidArgument = 18, kNotImplemented = 16;

}  // namespace

#define ROCPROFILER_EXPORT extern "C" HIPR_EXPORTED

ROCPROFILER_EXPORT std::uint32_t rocprofiler_get_version(std::uint32_t* major, std::uint32_t* minor,
                                                         std::uint32_t* patch) {
  if (major) *major = 1;
  if (minor) *minor = 0;
  if (patch) *patch = 0;
  return kSuccess;
}

// Nobody has registered, and nobody will.
ROCPROFILER_EXPORT std::uint32_t rocprofiler_is_initialized(int* status) {
  if (!status) return kInvalidArgument;
  *status = 0;
  return kSuccess;
}
ROCPROFILER_EXPORT std::uint32_t rocprofiler_is_finalized(int* status) {
  return rocprofiler_is_initialized(status);
}

ROCPROFILER_EXPORT std::uint32_t rocprofiler_get_timestamp(std::uint64_t* out) {
  if (!out) return kInvalidArgument;
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  *out = static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
  return kSuccess;
}

ROCPROFILER_EXPORT const char* rocprofiler_get_status_name(std::uint32_t status) {
  switch (status) {
    case kSuccess:
      return "ROCPROFILER_STATUS_SUCCESS";
    case kNotImplemented:
      return "ROCPROFILER_STATUS_ERROR_NOT_IMPLEMENTED";
    case kInvalidArgument:
      return "ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT";
    default:
      return nullptr;
  }
}
ROCPROFILER_EXPORT const char* rocprofiler_get_status_string(std::uint32_t status) {
  switch (status) {
    case kSuccess:
      return "success";
    case kNotImplemented:
      return "no profiler on a machine without a GPU (hip-remote)";
    case kInvalidArgument:
      return "an argument is invalid";
    default:
      return nullptr;
  }
}

#define REFUSED(name) HIPR_REFUSED(name, kNotImplemented)
#include "standins/rocprofiler_refused.def"
#undef REFUSED

// amdsmi-remote: the small library. Same source, same one request for many calls.
#include <cstring>
#include <limits>
#include <mutex>
#include <optional>

#include "amdsmi/fit.h"
#include "amdsmi/live.h"
#include "platform/compiler.h"
#include "smi_remote/smi_remote_client.h"

namespace {

using hipr::smi::Live;
using hipr::telemetry::Gpu;
using hipr::telemetry::Maybe;
using hipr::telemetry::Reading;

struct Connection {
  std::mutex mutex;
  std::optional<Live> live;
};
Connection& connection() {
  static Connection* const instance = new Connection;
  return *instance;
}

// body(Live&), once there is a connection.
template <class Body>
smi_remote_status_t connected(Body body) {
  try {
    const std::lock_guard lock(connection().mutex);
    return connection().live ? body(*connection().live) : SMI_STATUS_NOT_INITIALIZED;
  } catch (const std::exception&) {
    return SMI_STATUS_API_FAILED;
  }
}

// body(const Gpu&, const Reading&) of GPU `index`.
template <class Body>
smi_remote_status_t onReading(uint32_t index, bool argumentsGood, Body body) {
  return connected([&](Live& live) -> smi_remote_status_t {
    if (!argumentsGood) return SMI_STATUS_INVALID_ARGS;
    if (index >= live.gpus().size()) return SMI_STATUS_NOT_FOUND;
    const auto* readings = live.readings();
    return readings ? body(live.gpus()[index], (*readings)[index]) : SMI_STATUS_IO_ERROR;
  });
}

template <class T>
uint32_t whole(const Maybe<T>& value) {
  return hipr::smi::fit<uint32_t>(value).value_or(SMI_REMOTE_UNKNOWN);
}
int32_t degrees(const Maybe<double>& value) {
  return hipr::smi::fit<int32_t>(value).value_or(std::numeric_limits<int32_t>::min());
}

template <std::size_t kSize>
void setText(char (&out)[kSize], const std::string& text) {
  std::memset(out, 0, kSize);
  std::memcpy(out, text.data(), std::min(text.size(), kSize - 1));
}

}  // namespace

#define SMI_REMOTE_EXPORT extern "C" HIPR_EXPORTED_UNLISTED

SMI_REMOTE_EXPORT smi_remote_status_t smi_remote_init() {
  try {
    const std::lock_guard lock(connection().mutex);
    if (connection().live) return SMI_STATUS_SUCCESS;
    hipr::telemetry::SourcePtr source;
    if (!hipr::smi::openWorker(source).ok()) return SMI_STATUS_IO_ERROR;
    connection().live.emplace(std::move(source));
    return SMI_STATUS_SUCCESS;
  } catch (const std::exception&) {
    return SMI_STATUS_API_FAILED;
  }
}

SMI_REMOTE_EXPORT void smi_remote_shutdown() {
  const std::lock_guard lock(connection().mutex);
  connection().live.reset();
}

SMI_REMOTE_EXPORT bool smi_remote_is_connected() {
  const std::lock_guard lock(connection().mutex);
  return connection().live.has_value();
}

SMI_REMOTE_EXPORT smi_remote_status_t smi_remote_get_processor_count(uint32_t* count) {
  return connected([&](Live& live) {
    if (!count) return SMI_STATUS_INVALID_ARGS;
    *count = static_cast<uint32_t>(live.gpus().size());
    return SMI_STATUS_SUCCESS;
  });
}

SMI_REMOTE_EXPORT smi_remote_status_t smi_remote_get_gpu_metrics(uint32_t index, smi_remote_gpu_metrics_t* out) {
  return onReading(index, out, [&](const Gpu& gpu, const Reading& r) {
    *out = {.temperature_edge = degrees(r.edgeCelsius),
            .temperature_hotspot = degrees(r.hotspotCelsius),
            .temperature_mem = degrees(r.memoryCelsius),
            .power_watts = whole(r.powerWatts),
            .gfx_activity = whole(r.busyPercent),
            .mem_activity = whole(r.memoryBusyPercent),
            .mm_activity = whole(r.mediaBusyPercent),
            .gfx_clock_mhz = whole(r.engineMHz),
            .mem_clock_mhz = whole(r.memoryMHz),
            .soc_clock_mhz = whole(r.socMHz),
            .vram_total_bytes = gpu.memoryBytes,
            .vram_used_bytes = r.memoryUsedBytes.value_or(std::numeric_limits<uint64_t>::max()),
            .fan_speed_rpm = whole(r.fanRpm),
            .throttle_status = whole(r.throttled)};
    return SMI_STATUS_SUCCESS;
  });
}

SMI_REMOTE_EXPORT smi_remote_status_t smi_remote_get_power_info(uint32_t index, smi_remote_power_info_t* out) {
  return onReading(index, out, [&](const Gpu& gpu, const Reading& r) {
    *out = {.current_power_watts = whole(r.powerWatts),
            .average_power_watts = SMI_REMOTE_UNKNOWN,
            .gfx_voltage_mv = whole(r.voltageMillivolts),
            .soc_voltage_mv = SMI_REMOTE_UNKNOWN,
            .mem_voltage_mv = SMI_REMOTE_UNKNOWN,
            .power_limit_watts = whole(gpu.powerCapWatts)};
    return SMI_STATUS_SUCCESS;
  });
}

SMI_REMOTE_EXPORT smi_remote_status_t smi_remote_get_asic_info(uint32_t index, smi_remote_asic_info_t* out) {
  return connected([&](Live& live) {
    if (!out) return SMI_STATUS_INVALID_ARGS;
    if (index >= live.gpus().size()) return SMI_STATUS_NOT_FOUND;
    const Gpu& gpu = live.gpus()[index];
    setText(out->market_name, gpu.name);
    setText(out->serial, gpu.serial);
    out->vendor_id = whole(gpu.vendorId);
    out->device_id = whole(gpu.deviceId);
    out->rev_id = whole(gpu.revisionId);
    out->num_compute_units = whole(gpu.computeUnits);
    return SMI_STATUS_SUCCESS;
  });
}

SMI_REMOTE_EXPORT smi_remote_status_t smi_remote_get_vram_usage(uint32_t index, uint64_t* total, uint64_t* used) {
  return onReading(index, total && used, [&](const Gpu& gpu, const Reading& r) {
    if (!r.memoryUsedBytes) return SMI_STATUS_NOT_SUPPORTED;
    *total = gpu.memoryBytes;
    *used = *r.memoryUsedBytes;
    return SMI_STATUS_SUCCESS;
  });
}

SMI_REMOTE_EXPORT smi_remote_status_t smi_remote_get_gpu_activity(uint32_t index, uint32_t* gfx, uint32_t* memory,
                                                                  uint32_t* media) {
  return onReading(index, gfx && memory && media, [&](const Gpu&, const Reading& r) {
    if (!r.busyPercent) return SMI_STATUS_NOT_SUPPORTED;
    *gfx = whole(r.busyPercent);
    *memory = whole(r.memoryBusyPercent);
    *media = whole(r.mediaBusyPercent);
    return SMI_STATUS_SUCCESS;
  });
}

SMI_REMOTE_EXPORT const char* smi_remote_status_string(smi_remote_status_t status) {
  switch (status) {
    case SMI_STATUS_SUCCESS:
      return "success";
    case SMI_STATUS_INVALID_ARGS:
      return "an argument is invalid";
    case SMI_STATUS_NOT_SUPPORTED:
      return "this GPU does not tell";
    case SMI_STATUS_NOT_FOUND:
      return "no GPU of that number";
    case SMI_STATUS_NOT_INITIALIZED:
      return "smi_remote_init has not been called";
    case SMI_STATUS_IO_ERROR:
      return "the worker cannot be reached";
    case SMI_STATUS_API_FAILED:
      return "the library failed";
  }
  return "not a status of this library";
}

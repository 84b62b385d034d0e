/* amdsmi-remote: the telemetry of a worker's GPUs in a dozen C calls, for programs that need no more than that.
 *
 * The worker is TF_WORKER_HOST and TF_WORKER_PORT (localhost, 18515); TF_DEBUG=1 tells more. Every function may be
 * called from any thread. A reading that the GPU does not have is SMI_REMOTE_UNKNOWN (temperatures: INT32_MIN). */
#ifndef SMI_REMOTE_CLIENT_H
#define SMI_REMOTE_CLIENT_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SMI_REMOTE_UNKNOWN UINT32_MAX

typedef enum {
  SMI_STATUS_SUCCESS = 0,
  SMI_STATUS_INVALID_ARGS = 1,
  SMI_STATUS_NOT_SUPPORTED = 2,   /* this GPU does not tell */
  SMI_STATUS_NOT_FOUND = 3,       /* no GPU of that number */
  SMI_STATUS_NOT_INITIALIZED = 4, /* before smi_remote_init */
  SMI_STATUS_IO_ERROR = 5,        /* the worker cannot be reached */
  SMI_STATUS_API_FAILED = 6       /* the library itself failed, e.g. for lack of memory */
} smi_remote_status_t;

typedef struct {
  int32_t temperature_edge; /* degrees Celsius */
  int32_t temperature_hotspot;
  int32_t temperature_mem;
  uint32_t power_watts;
  uint32_t gfx_activity; /* percent */
  uint32_t mem_activity;
  uint32_t mm_activity;
  uint32_t gfx_clock_mhz;
  uint32_t mem_clock_mhz;
  uint32_t soc_clock_mhz;
  uint64_t vram_total_bytes;
  uint64_t vram_used_bytes;
  uint32_t fan_speed_rpm;
  uint32_t throttle_status; /* 0: not throttled */
} smi_remote_gpu_metrics_t;

typedef struct {
  uint32_t current_power_watts;
  uint32_t average_power_watts;
  uint32_t gfx_voltage_mv;
  uint32_t soc_voltage_mv;
  uint32_t mem_voltage_mv;
  uint32_t power_limit_watts;
} smi_remote_power_info_t;

typedef struct {
  char market_name[256];
  uint32_t vendor_id;
  uint32_t device_id;
  uint32_t rev_id;
  uint32_t num_compute_units;
  char serial[64];
} smi_remote_asic_info_t;

/* Connects; the first call that does anything. */
smi_remote_status_t smi_remote_init(void);
void smi_remote_shutdown(void);
bool smi_remote_is_connected(void);

/* GPUs are numbered from 0. */
smi_remote_status_t smi_remote_get_processor_count(uint32_t* count);
smi_remote_status_t smi_remote_get_gpu_metrics(uint32_t processor_index, smi_remote_gpu_metrics_t* metrics);
smi_remote_status_t smi_remote_get_power_info(uint32_t processor_index, smi_remote_power_info_t* power_info);
smi_remote_status_t smi_remote_get_asic_info(uint32_t processor_index, smi_remote_asic_info_t* asic_info);
smi_remote_status_t smi_remote_get_vram_usage(uint32_t processor_index, uint64_t* total_bytes, uint64_t* used_bytes);
smi_remote_status_t smi_remote_get_gpu_activity(uint32_t processor_index, uint32_t* gfx_activity,
                                                uint32_t* mem_activity, uint32_t* mm_activity);

/* What a status means; a static string. */
const char* smi_remote_status_string(smi_remote_status_t status);

#ifdef __cplusplus
}
#endif

#endif

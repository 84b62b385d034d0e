/* test_smi_basic: does the telemetry of a worker arrive? Set TF_WORKER_HOST and run it; exits 0 when all is well. */
#include <stdio.h>
#include <string.h>

#include "smi_remote/smi_remote_client.h"

static int failures = 0;

static void check(const char* what, int good) {
  printf("  %s: %s\n", what, good ? "OK" : "FAILED");
  failures += !good;
}

static void print(const char* what, uint32_t value, const char* unit) {
  if (value == SMI_REMOTE_UNKNOWN) {
    printf("  %s: not available\n", what);
  } else {
    printf("  %s: %u %s\n", what, value, unit);
  }
}

static void testGpu(uint32_t gpu) {
  smi_remote_asic_info_t asic;
  smi_remote_gpu_metrics_t metrics;
  smi_remote_power_info_t power;
  uint64_t total = 0, used = 0;
  uint32_t gfx = 0, memory = 0, media = 0;

  printf("Test: smi_remote_get_asic_info\n");
  check("answered", smi_remote_get_asic_info(gpu, &asic) == SMI_STATUS_SUCCESS);
  printf("  GPU %u: %s\n", gpu, asic.market_name);
  check("has a name", asic.market_name[0] != 0);

  printf("Test: smi_remote_get_gpu_metrics\n");
  check("answered", smi_remote_get_gpu_metrics(gpu, &metrics) == SMI_STATUS_SUCCESS);
  print("Activity", metrics.gfx_activity, "%");
  print("Clock", metrics.gfx_clock_mhz, "MHz");
  print("Power", metrics.power_watts, "W");
  check("has memory", metrics.vram_total_bytes != 0);

  printf("Test: smi_remote_get_power_info\n");
  check("answered", smi_remote_get_power_info(gpu, &power) == SMI_STATUS_SUCCESS);
  print("Limit", power.power_limit_watts, "W");

  printf("Test: smi_remote_get_vram_usage\n");
  check("answered", smi_remote_get_vram_usage(gpu, &total, &used) == SMI_STATUS_SUCCESS);
  printf("  %llu of %llu MiB used\n", (unsigned long long)(used >> 20), (unsigned long long)(total >> 20));
  check("uses no more than there is", used <= total && total == metrics.vram_total_bytes);

  printf("Test: smi_remote_get_gpu_activity\n");
  const smi_remote_status_t activity = smi_remote_get_gpu_activity(gpu, &gfx, &memory, &media);
  check("answered, or says that it cannot tell",
        activity == SMI_STATUS_SUCCESS || activity == SMI_STATUS_NOT_SUPPORTED);
  check("a percentage", activity != SMI_STATUS_SUCCESS || gfx <= 100);
}

static void testMistakes(uint32_t count) {
  smi_remote_asic_info_t asic;
  smi_remote_gpu_metrics_t metrics;
  printf("Test: mistakes\n");
  check("a GPU that is not there", smi_remote_get_asic_info(count, &asic) == SMI_STATUS_NOT_FOUND);
  check("the same for metrics", smi_remote_get_gpu_metrics(count, &metrics) == SMI_STATUS_NOT_FOUND);
  check("nowhere to write to", smi_remote_get_gpu_metrics(0, NULL) == SMI_STATUS_INVALID_ARGS);
  check("a second start", smi_remote_init() == SMI_STATUS_SUCCESS);
}

int main(void) {
  uint32_t count = 0;
  printf("=== Remote SMI Basic Tests ===\n\n");

  printf("Test: smi_remote_init\n");
  check("nothing works before", smi_remote_get_processor_count(&count) == SMI_STATUS_NOT_INITIALIZED);
  const smi_remote_status_t status = smi_remote_init();
  check("connected", status == SMI_STATUS_SUCCESS && smi_remote_is_connected());
  if (status != SMI_STATUS_SUCCESS) {
    printf("  %s\n", smi_remote_status_string(status));
    return 1;
  }

  printf("Test: smi_remote_get_processor_count\n");
  check("answered", smi_remote_get_processor_count(&count) == SMI_STATUS_SUCCESS);
  printf("  Found %u GPU(s)\n", count);
  check("at least one", count > 0);
  for (uint32_t gpu = 0; gpu < count; ++gpu) testGpu(gpu);
  testMistakes(count);

  printf("Test: smi_remote_shutdown\n");
  smi_remote_shutdown();
  check("disconnected", !smi_remote_is_connected());

  printf("\n=== Results ===\n");
  if (failures == 0) {
    printf("All tests PASSED\n");
  } else {
    printf("%d FAILED\n", failures);
  }
  return failures != 0;
}

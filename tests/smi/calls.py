# What amd-smi does to libamd_smi, without amd-smi: binds every name of the soname's list, as its wrapper does at import,
# then makes the calls of its sub-commands in their order, as far as that soname has them. calls.py LIBRARY LIST EXPECTED_GPUS
import ctypes
import sys

path, names_file, expected_gpus = sys.argv[1], sys.argv[2], int(sys.argv[3])
library = ctypes.CDLL(path)
names = [line.split()[0] for line in open(names_file)]
functions = {name: getattr(library, name) for name in names}
print("bound", len(functions), "functions")

OK, UNSUPPORTED = 0, 2


def call(name, *arguments):
    return functions["amdsmi_" + name](*arguments) & 0xFFFFFFFF


def must(name, *arguments):
    code = call(name, *arguments)
    if code != OK:
        sys.exit(f"{name} returned {code}")


def handles(name, *first):
    count = ctypes.c_uint32(0)
    must(name, *first, ctypes.byref(count), None)
    array = (ctypes.c_void_p * count.value)()
    must(name, *first, ctypes.byref(count), array)
    return [ctypes.c_void_p(array[i]) for i in range(count.value)]


# The calls of each sub-command that come with a GPU handle: (name, arguments between handle and output). Every
# answer is written into a large buffer; a sub-command may find any of them unsupported.
PLAIN = lambda *names: [(name, ()) for name in names]
COMMANDS = {
    "list": PLAIN("get_gpu_device_bdf", "get_gpu_kfd_info", "get_gpu_enumeration_info"),
    "static": PLAIN("get_gpu_asic_info", "get_gpu_device_bdf", "get_pcie_info", "get_gpu_pci_bandwidth", "get_gpu_vbios_info")
    + [("get_power_cap_info", (0,))]
    + [("get_temp_metric", (sensor, metric)) for sensor in (0, 1, 2) for metric in (5, 7)]
    + PLAIN("get_gpu_ptl_state", "get_gpu_ptl_formats", "get_gpu_driver_info", "get_gpu_board_info",
            "get_gpu_ras_feature_info", "get_gpu_bad_page_threshold", "get_soc_pstate", "get_xgmi_plpd",
            "get_gpu_process_isolation", "topo_get_numa_node_number", "get_gpu_topo_numa_affinity", "get_gpu_vram_info",
            "get_gpu_cache_info", "get_gpu_virtualization_mode")
    + [("get_clk_freq", (clock,)) for clock in range(9)],
    "metric": PLAIN("get_gpu_metrics_info", "get_gpu_kfd_info", "get_pcie_info", "get_gpu_activity", "get_power_info",
                    "is_gpu_power_management_enabled")
    + [("get_clock_info", (clock,)) for clock in (0, 4, 6, 7, 8, 9)]
    + [("get_temp_metric", (sensor, 0)) for sensor in list(range(8)) + list(range(100, 150))]
    + PLAIN("get_gpu_total_ecc_count")
    + [("get_gpu_fan_speed", (0,)), ("get_gpu_fan_speed_max", (0,)), ("get_gpu_fan_rpms", (0,))]
    + PLAIN("get_gpu_od_volt_info", "get_gpu_overdrive_level", "get_gpu_mem_overdrive_level", "get_gpu_perf_level",
            "gpu_xgmi_error_status")
    + [("get_gpu_volt_metric", (0, 0))]
    + [("get_gpu_memory_total", (kind,)) for kind in range(3)]
    + [("get_gpu_memory_usage", (kind,)) for kind in range(3)]
    + PLAIN("get_violation_status"),
    "monitor": PLAIN("get_gpu_metrics_info", "get_gpu_kfd_info", "get_gpu_asic_info")
    + [("get_gpu_memory_usage", (0,)), ("get_gpu_memory_total", (0,))],
}
# Without these the sub-commands end with an error or show nothing of use.
NEEDED = {"get_gpu_device_bdf", "get_gpu_kfd_info", "get_gpu_metrics_info", "get_gpu_asic_info", "get_gpu_vram_info",
          "get_gpu_driver_info"}

must("init", ctypes.c_uint64(2))
gpus = [gpu for socket in handles("get_socket_handles") for gpu in handles("get_processor_handles", socket)]
if len(gpus) != expected_gpus:
    sys.exit(f"{len(gpus)} GPUs instead of {expected_gpus}")
for command, calls in COMMANDS.items():
    calls = [row for row in calls if "amdsmi_" + row[0] in functions]
    carried = 0
    for gpu in gpus:
        for name, arguments in calls:
            out = ctypes.create_string_buffer(65536)
            code = call(name, gpu, *arguments, out)
            if code not in (OK, UNSUPPORTED) or (code == UNSUPPORTED and name in NEEDED):
                sys.exit(f"{command}: {name}{arguments} returned {code}")
            carried += code == OK
    print(command, len(calls) * len(gpus), "calls,", carried, "answered")

uuid = ctypes.create_string_buffer(38)
must("get_gpu_device_uuid", gpus[0], ctypes.byref(ctypes.c_uint(38)), uuid)
total, used = ctypes.c_uint64(0), ctypes.c_uint64(0)
must("get_gpu_memory_total", gpus[0], 0, ctypes.byref(total))
must("get_gpu_memory_usage", gpus[0], 0, ctypes.byref(used))
if not 0 <= used.value <= total.value or total.value == 0:
    sys.exit(f"{used.value} of {total.value} bytes used")
must("get_gpu_process_list", gpus[0], ctypes.byref(ctypes.c_uint32(1024)), ctypes.create_string_buffer(1024 * 704))
must("shut_down")
print("uuid", uuid.value.decode(), "memory", total.value >> 20, "MiB")

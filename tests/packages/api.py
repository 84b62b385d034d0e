"""The Python API: a worker of one's own, and HIP calls through whatever libamdhip64 the loader finds."""
import ctypes

import hip_remote

with hip_remote.worker(runtime="softgpu") as address:
    hip = ctypes.CDLL("libamdhip64.so.6")  # as a framework would: by its name
    count, device = ctypes.c_int(), ctypes.c_void_p()
    assert hip.hipGetDeviceCount(ctypes.byref(count)) == 0 and count.value == 1, address
    assert hip.hipMalloc(ctypes.byref(device), 4096) == 0
    data, back = bytes(range(256)) * 16, ctypes.create_string_buffer(4096)
    assert hip.hipMemcpy(device, data, 4096, 1) == 0
    assert hip.hipMemcpy(back, device, 4096, 2) == 0 and back.raw == data
    for name in ("librocm_smi64.so.1", "librocm_smi64.so.7"):
        smi, seen = ctypes.CDLL(name), ctypes.c_uint32()
        assert smi.rsmi_init(ctypes.c_uint64(0)) == 0, name
        assert smi.rsmi_num_monitor_devices(ctypes.byref(seen)) == 0 and seen.value == 1, name
    for name in ("libroctracer64.so.4", "librocprofiler-sdk.so.1", "librocm_sysdeps_drm.so.2",
                 "librocm_sysdeps_drm_amdgpu.so.1", "librocm_sysdeps_numa.so.1"):
        ctypes.CDLL(name)
try:
    hip_remote.softgpu()
except hip_remote.Error as error:
    assert "loaded already" in str(error)
else:
    raise AssertionError("a second kind of libamdhip64 in one process")
print("the API works")

"""Uses its GPU again and again until told to end; each time a line, with HIP's error where there was one."""
import ctypes
import time

hip = ctypes.CDLL("libamdhip64.so.7")
while True:
    pointer = ctypes.c_void_p()
    code = hip.hipMalloc(ctypes.byref(pointer), ctypes.c_size_t(1 << 20))
    if code == 0:
        code = hip.hipMemset(pointer, 1, ctypes.c_size_t(1 << 20)) or hip.hipFree(pointer)
    print(f"error={code}", flush=True)
    time.sleep(0.5)

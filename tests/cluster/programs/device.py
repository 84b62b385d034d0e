"""What a program sees of its GPU, in lines NAME=VALUE: memory, and whether it can have that much; compute units."""
import ctypes

hip = ctypes.CDLL("libamdhip64.so.7")
MALLOC_OK, OUT_OF_MEMORY, MULTIPROCESSORS = 0, 2, 63


def allocate(size):
    pointer = ctypes.c_void_p()
    code = hip.hipMalloc(ctypes.byref(pointer), ctypes.c_size_t(size))
    if code == MALLOC_OK:
        hip.hipFree(pointer)
    return code


free, total, units = ctypes.c_size_t(), ctypes.c_size_t(), ctypes.c_int()
assert hip.hipMemGetInfo(ctypes.byref(free), ctypes.byref(total)) == 0
assert hip.hipDeviceGetAttribute(ctypes.byref(units), MULTIPROCESSORS, 0) == 0
print(f"memory={total.value >> 20}")
print(f"units={units.value}")
print(f"within={allocate(total.value // 2)}")
print(f"beyond={allocate(total.value + (64 << 20))}")
# Beyond it, then as before: an error, not the end of the program.
print(f"after={allocate(total.value // 2)}", flush=True)

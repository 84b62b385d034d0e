"""A Python program that uses HIP and knows nothing of us: data goes to each device and comes back."""
import ctypes

hip = ctypes.CDLL("libamdhip64.so.6")
count, device = ctypes.c_int(), ctypes.c_void_p()
assert hip.hipGetDeviceCount(ctypes.byref(count)) == 0 and count.value == 2, count.value
data, back = bytes(range(256)) * 16, ctypes.create_string_buffer(4096)
for number in range(count.value):
    assert hip.hipSetDevice(number) == 0
    assert hip.hipMalloc(ctypes.byref(device), 4096) == 0
    assert hip.hipMemcpy(device, data, 4096, 1) == 0
    assert hip.hipMemcpy(back, device, 4096, 2) == 0 and back.raw == data
    assert hip.hipFree(device) == 0
print("two devices keep what they are given")

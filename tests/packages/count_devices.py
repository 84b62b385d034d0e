import ctypes

count = ctypes.c_int()
assert ctypes.CDLL("libamdhip64.so.6").hipGetDeviceCount(ctypes.byref(count)) == 0 and count.value == 1
print("one device")

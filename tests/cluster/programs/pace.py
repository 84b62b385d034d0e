"""Runs kernels, one after another, until told to end; now and then a line kernels=SECONDS COUNT, by the clock on the wall and since it began."""
import ctypes
import time

import torch

SIDE = 256
left, right, result = (torch.ones(SIDE, SIDE, "cuda") for _ in range(3))
values = (left.data, right.data, result.data, ctypes.c_int(SIDE))
arguments = (ctypes.c_void_p * len(values))(*(ctypes.cast(ctypes.pointer(value), ctypes.c_void_p) for value in values))
product, count, shown = torch.kernel("product"), 0, 0.0
while True:
    torch.done(torch.hip.hipModuleLaunchKernel(product, SIDE // 256, SIDE, 1, 256, 1, 1, 0, None, arguments, None))
    torch.done(torch.hip.hipDeviceSynchronize())
    count += 1
    if time.time() - shown > 0.25:
        shown = time.time()
        print(f"kernels={shown:.3f} {count}", flush=True)

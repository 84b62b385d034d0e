"""Kernels of Triton on whatever GPU HIP finds, launched with hip-python: each result is compared with NumPy's.

  hip-remote run --worker gpu-box python triton_check.py

One line a kernel: its name and the largest difference to NumPy relative to NumPy's largest number. Exit code 1 when one is too large.
"""
import ctypes
import sys

import ml_dtypes
import numpy as np
import triton
import triton.language as tl
from hip import hip
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

TO_GPU, TO_HOST = hip.hipMemcpyKind.hipMemcpyHostToDevice, hip.hipMemcpyKind.hipMemcpyDeviceToHost
random = np.random.default_rng(0)


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)


@triton.jit
def softmax(x, out, columns, BLOCK: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, BLOCK)
    values = tl.load(x + row * columns + i, mask=i < columns, other=-float("inf"))
    powers = tl.exp(values - tl.max(values, axis=0))
    tl.store(out + row * columns + i, powers / tl.sum(powers, axis=0), mask=i < columns)


@triton.jit
def product(a, b, out, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    sums = tl.dot(tl.load(a + m[:, None] * K + k[None, :]), tl.load(b + k[:, None] * N + n[None, :]), out_dtype=tl.float32)
    tl.store(out + m[:, None] * N + n[None, :], sums)


def ok(result):
    error, *values = result
    if error != hip.hipError_t.hipSuccess:
        raise RuntimeError(str(error))
    return values[0] if values else None


def run(kernel, target, types, constants, blocks, inputs, shape, *numbers):
    """What the kernel writes; its parameters are the inputs, the output and the numbers."""
    signature = dict(zip(kernel.arg_names, [*types, *["i32"] * len(numbers), *["constexpr"] * len(constants)]))
    built = triton.compile(ASTSource(kernel, signature, constants), target=target)
    function = ok(hip.hipModuleGetFunction(ok(hip.hipModuleLoadData(built.asm["hsaco"])), built.metadata.name.encode()))
    result = np.zeros(shape, np.float32)
    arrays = [*map(np.ascontiguousarray, inputs), result]
    memory = [ok(hip.hipMalloc(array.nbytes)) for array in arrays]
    for there, array in zip(memory, arrays):
        ok(hip.hipMemcpy(there, array.view(np.uint8), array.nbytes, TO_GPU))
    scratch = [ctypes.c_void_p(0)] * 2  # two more parameters that Triton adds, and that these kernels do not use
    values = [ctypes.c_void_p(int(there)) for there in memory] + [ctypes.c_int(number) for number in numbers] + scratch
    ok(hip.hipModuleLaunchKernel(function, blocks, 1, 1, target.warp_size * built.metadata.num_warps, 1, 1,
                                 sharedMemBytes=built.metadata.shared, stream=None, kernelParams=None, extra=tuple(values)))
    ok(hip.hipMemcpy(result, memory[-1], result.nbytes, TO_HOST))
    return result


def checks(target):
    """The name of each, what the GPU says, what NumPy says, and how much they may differ."""
    x, y = random.normal(size=(2, 5000)).astype(np.float32)
    yield "vector add", run(add, target, ["*fp32"] * 3, {"BLOCK": 1024}, 5, [x, y], 5000, 5000), x + y, 0
    rows = random.normal(size=(7, 300)).astype(np.float32)
    powers = np.exp(rows - rows.max(axis=1, keepdims=True))
    there = run(softmax, target, ["*fp32"] * 2, {"BLOCK": 512}, 7, [rows], rows.shape, 300)
    yield "softmax", there, powers / powers.sum(axis=1, keepdims=True), 1e-6
    for name, kind in (("fp16", np.float16), ("bf16", ml_dtypes.bfloat16), ("fp32", np.float32)):
        a, b = random.normal(size=(64, 32)).astype(kind), random.normal(size=(32, 64)).astype(kind)
        there = run(product, target, [f"*{name}"] * 2 + ["*fp32"], {"M": 64, "N": 64, "K": 32}, 1, [a, b], (64, 64))
        yield f"matrix product, {name}", there, a.astype(np.float64) @ b.astype(np.float64), 1e-5


def main():
    properties = hip.hipDeviceProp_t()
    ok(hip.hipGetDeviceProperties(properties, 0))
    target = GPUTarget("hip", properties.gcnArchName.decode().split(":")[0], properties.warpSize)
    print(f"Triton {triton.__version__} on {properties.name.decode()} ({target.arch})", flush=True)
    failures = 0
    for name, there, here, allowed in checks(target):
        away = float(np.abs(there - here).max() / np.abs(here).max())
        failures += not away <= allowed
        print(f"{name:30} {away:.1e}", flush=True)
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())

"""CuPy on whatever GPU it finds: each result is compared with NumPy's.

  hip-remote run --worker gpu-box python cupy_check.py

One line a check: its name, the largest difference to NumPy relative to NumPy's largest number, and how long it took, compiling
included. Exit code 1 when a difference is too large or a check fails.
"""
import sys
import time
import traceback

import cupy as cp
import numpy as np

random = np.random.default_rng(0)
single = random.normal(size=(96, 64)).astype(np.float32)
double = random.normal(size=(48, 48))
whole = random.integers(-1000, 1000, size=4096, dtype=np.int32)
CHECKS = []


def check(name, allowed=0.0):
    def keep(function):
        CHECKS.append((name, allowed, function))
    return keep


def same(name, function, *arguments, allowed=0.0):
    """The same function of both libraries on the same data."""
    check(name, allowed)(lambda: (function(cp, *map(cp.asarray, arguments)), function(np, *arguments)))


same("copy there and back", lambda lib, a: a, single)
same("elementwise", lambda lib, a: lib.sin(a) * 2 + lib.exp(-a * a), single, allowed=1e-6)
same("elementwise, half precision", lambda lib, a: a.astype(lib.float16) * 3 - 1, single, allowed=1e-3)
same("complex numbers", lambda lib, a: lib.exp(1j * a) * lib.conj(a), double, allowed=1e-12)
same("integers", lambda lib, a: (a // 7) ^ (a % 13) << 2, whole)
same("broadcasting", lambda lib, a: a[:, None, :] - a[None, :8, :], single)
same("sum", lambda lib, a: a.sum(), single, allowed=1e-5)
same("sum along an axis", lambda lib, a: a.sum(axis=0), double, allowed=1e-12)
same("smallest and largest", lambda lib, a: lib.stack([a.min(axis=1), a.max(axis=1)]), single)
same("argmax", lambda lib, a: a.argmax(axis=1), single)
same("standard deviation", lambda lib, a: a.std(axis=1), double, allowed=1e-12)
same("running sum", lambda lib, a: lib.cumsum(a), whole)
same("sort", lambda lib, a: lib.sort(a), whole)
same("order", lambda lib, a: lib.argsort(a.ravel(), kind="stable"), single)
same("unique", lambda lib, a: lib.unique(a), whole)
same("choose and index", lambda lib, a: a[lib.where(a > 500)[0][::-1]], whole)
same("histogram", lambda lib, a: lib.bincount(a + 1000, minlength=2000), whole)
same("matrix product, single", lambda lib, a: a @ a.T, single, allowed=1e-5)
same("matrix product, double", lambda lib, a: a @ a, double, allowed=1e-12)
same("several matrix products", lambda lib, a: lib.matmul(a.reshape(4, 12, 48), a.reshape(4, 48, 12)), double, allowed=1e-12)
same("Fourier transform", lambda lib, a: lib.fft.fft2(a), double, allowed=1e-12)
same("linear equations", lambda lib, a: lib.linalg.solve(a + 20 * lib.eye(48), a[0]), double, allowed=1e-10)


@check("a kernel of one's own (RawKernel)", 1e-6)
def raw_kernel():
    kernel = cp.RawKernel(r"""
        extern "C" __global__ void saxpy(float* y, const float* x, float a, int n) {
          int i = blockIdx.x * blockDim.x + threadIdx.x;
          if (i < n) y[i] = a * x[i] + y[i];
        }""", "saxpy")
    x, y = cp.asarray(single.ravel()), cp.ones(single.size, cp.float32)
    kernel((x.size // 256 + 1,), (256,), (y, x, np.float32(3), np.int32(x.size)))
    return y, 3 * single.ravel() + 1


@check("a kernel with shared memory and a template (RawModule)")
def raw_module():
    module = cp.RawModule(code=r"""
        template <class T> __global__ void reverse(T* data) {
          __shared__ T copy[256];
          copy[threadIdx.x] = data[blockIdx.x * 256 + threadIdx.x];
          __syncthreads();
          data[blockIdx.x * 256 + threadIdx.x] = copy[255 - threadIdx.x];
        }""", options=("-std=c++17",), name_expressions=("reverse<int>",))
    data = cp.asarray(whole)
    module.get_function("reverse<int>")((whole.size // 256,), (256,), (data,))
    return data, whole.reshape(-1, 256)[:, ::-1].ravel()


@check("ElementwiseKernel", 1e-6)
def elementwise_kernel():
    kernel = cp.ElementwiseKernel("T x, T y", "T z", "z = (x - y) * (x - y)", "squared_difference")
    return kernel(cp.asarray(single), cp.float32(2)), (single - np.float32(2)) ** 2


@check("ReductionKernel", 1e-5)
def reduction_kernel():
    norm = cp.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "length")
    return norm(cp.asarray(single), axis=1), np.sqrt((single * single).sum(axis=1))


@check("fused", 1e-6)
def fused():
    @cp.fuse()
    def relu_of_sum(a, b):
        return cp.maximum(a + b, 0)
    return relu_of_sum(cp.asarray(single), cp.asarray(single[::-1].copy())), np.maximum(single + single[::-1], 0)


@check("two streams and an event")
def streams():
    first, second, between = cp.cuda.Stream(non_blocking=True), cp.cuda.Stream(non_blocking=True), cp.cuda.Event()
    with first:
        a = cp.arange(10000, dtype=cp.int64) * 3
        between.record()
    second.wait_event(between)
    with second:
        b = a + 1
    second.synchronize()
    return b, np.arange(10000) * 3 + 1


@check("random numbers are what their distribution says", 0.02)
def random_numbers():
    numbers = cp.random.default_rng(1).standard_normal(1 << 16)
    return cp.stack([numbers.mean(), numbers.std()]), np.array([0.0, 1.0])


def main():
    properties = cp.cuda.runtime.getDeviceProperties(0)
    print(f"CuPy {cp.__version__} on {properties['name'].decode()} ({properties['gcnArchName'].decode()})", flush=True)
    failures = 0
    for name, allowed, function in CHECKS:
        start = time.monotonic()
        try:
            got, expected = function()
            got, expected = np.asarray(cp.asnumpy(got)), np.asarray(expected)
            assert got.shape == expected.shape, f"{got.shape} instead of {expected.shape}"
            away = float(np.abs(got - expected).max() / max(np.abs(expected).max(), 1e-30))
            verdict = f"{away:.1e}" if away <= allowed else f"{away:.1e}, more than {allowed}"
            failures += not away <= allowed
        except Exception:
            failures += 1
            verdict = "failed\n" + "".join("    " + line for line in traceback.format_exc().splitlines(True)[-6:])
        print(f"{name:50} {verdict:12} {time.monotonic() - start:6.1f} s", flush=True)
    print(f"{len(CHECKS) - failures} of {len(CHECKS)} checks")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())

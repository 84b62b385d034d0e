"""Training a small convolutional network with tinygrad, on the GPU it finds and on the CPU: the losses of each step must agree.

  mkdir -p rocm/lib && ln -s /usr/lib/hip-remote/libamdhip64.so.7 rocm/lib/libamdhip64.so
  ln -s /usr/lib/x86_64-linux-gnu/libamd_comgr.so.3 rocm/lib/libamd_comgr.so
  TC=0 PARALLEL=0 ROCM_PATH=$PWD/rocm TF_WORKER_HOST=gpu-box python tinygrad_check.py [STEPS]

The CPU's side is compiled by clang (CC=clang-19 names another). Exit code 1 when they do not agree.
"""
import sys
import time

import numpy as np
from tinygrad import Device, Tensor, TinyJit

ALLOWED = 1e-4  # relative: the order of additions differs


def train(device, steps):
    random = np.random.default_rng(0)
    new = lambda *shape: Tensor(random.normal(0, 0.2, shape).astype(np.float32), device=device)
    filters, weights, bias = new(4, 1, 3, 3), new(4 * 4 * 4, 10), new(10)
    for tensor in (filters, weights, bias):
        tensor.requires_grad = True
    x, y = new(8, 1, 10, 10), Tensor(random.integers(0, 10, 8).astype(np.int32), device=device)

    @TinyJit
    def step():
        guess = x.conv2d(filters).relu().max_pool2d().flatten(1) @ weights + bias
        loss = guess.sparse_categorical_crossentropy(y)
        slopes = loss.gradient(filters, weights, bias)
        for tensor, slope in zip((filters, weights, bias), slopes):
            tensor.assign(tensor - 0.1 * slope)
        return loss.realize(filters, weights, bias)

    losses = []
    for _ in range(steps):
        start = time.monotonic()
        losses.append(step().item())
        print(f"{device} {losses[-1]:.9f} {time.monotonic() - start:8.3f} s", flush=True)
    return np.array(losses)


def main():
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 6
    print(f"tinygrad on {Device['HIP'].arch}", flush=True)
    there, here = train("HIP", steps), train("CPU", steps)
    away = float(np.abs(there / here - 1).max())
    print(f"{steps} steps, the losses differ by {away:.1e} at most")
    return not away <= ALLOWED


if __name__ == "__main__":
    sys.exit(main())

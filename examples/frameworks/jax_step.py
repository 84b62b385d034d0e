"""Training a small network with JAX, on the GPU it finds and on the CPU: the losses of each step must agree.

  XLA_FLAGS=--xla_gpu_autotune_level=0 hip-remote run --worker gpu-box python jax_step.py [STEPS]

Exit code 1 when they do not, or when JAX finds no GPU.
"""
import os
import sys
import time

os.environ.setdefault("JAX_PLATFORMS", "rocm,cpu")
import jax
import jax.numpy as jnp
import numpy as np

ALLOWED = 1e-5  # relative: the order of additions differs
SIZES = (16, 32, 32, 4)


def loss(layers, x, y):
    for weights, bias in layers[:-1]:
        x = jnp.tanh(x @ weights + bias)
    weights, bias = layers[-1]
    return jnp.mean((x @ weights + bias - y) ** 2)


@jax.jit
def step(layers, x, y):
    value, slope = jax.value_and_grad(loss)(layers, x, y)
    return jax.tree.map(lambda a, b: a - 0.1 * b, layers, slope), value


def train(device, steps):
    random = np.random.default_rng(0)
    layers = [(random.normal(0, 0.3, shape), np.zeros(shape[1])) for shape in zip(SIZES, SIZES[1:])]
    data = [random.normal(size=(64, SIZES[0])), random.normal(size=(64, SIZES[-1]))]
    layers, (x, y) = jax.device_put(jax.tree.map(np.float32, (layers, data)), device)
    losses = []
    for _ in range(steps):
        start = time.monotonic()
        layers, value = step(layers, x, y)
        losses.append(float(value))
        print(f"{device.platform} {losses[-1]:.9f} {time.monotonic() - start:8.3f} s", flush=True)
    return np.array(losses)


def main():
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 6
    gpu, cpu = jax.devices()[0], jax.devices("cpu")[0]
    print(f"JAX {jax.__version__} on {gpu.device_kind}", flush=True)
    there, here = train(gpu, steps), train(cpu, steps)
    away = float(np.abs(there / here - 1).max())
    print(f"{steps} steps, the losses differ by {away:.1e} at most")
    return gpu.platform == "cpu" or not away <= ALLOWED


if __name__ == "__main__":
    sys.exit(main())

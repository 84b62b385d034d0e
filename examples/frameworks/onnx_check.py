"""Small models with ONNX Runtime, on the GPU it finds and on the CPU: what they say must agree.

  MIOPEN_DEBUG_CONV_WINOGRAD=0 MIOPEN_DEBUG_CONV_IMPLICIT_GEMM=0 hip-remote run --worker gpu-box python onnx_check.py

One line a model: its name and the largest difference relative to the largest number. Exit code 1 when one is too large, or when a part of
a model would run on the CPU.
"""
import sys

import numpy as np
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper

ALLOWED = 1e-5
random = np.random.default_rng(0)
node = helper.make_node


def weights(*shape):
    return random.normal(0, 0.3, shape).astype(np.float32)


MODELS = {  # name: the shape of its input x, its constants, its nodes; y is what it says
    "perceptron": ((8, 16), dict(a=weights(16, 32), b=weights(32), c=weights(32, 4), d=weights(4)), [
        node("Gemm", ["x", "a", "b"], ["p"]), node("Relu", ["p"], ["q"]), node("Gemm", ["q", "c", "d"], ["r"]), node("Softmax", ["r"], ["y"])]),
    "layer normalization": ((4, 10, 64), dict(a=weights(64), b=weights(64)), [
        node("LayerNormalization", ["x", "a", "b"], ["p"]), node("Erf", ["p"], ["q"]), node("Mul", ["p", "q"], ["y"])]),
    "attention": ((2, 12, 32), dict(a=weights(32, 32)), [
        node("MatMul", ["x", "a"], ["k"]), node("Transpose", ["k"], ["t"], perm=[0, 2, 1]), node("MatMul", ["x", "t"], ["p"]),
        node("Softmax", ["p"], ["q"]), node("MatMul", ["q", "x"], ["y"])]),
    "reductions": ((6, 50), dict(axes=np.array([1])), [
        node("ReduceMean", ["x"], ["m"], axes=[1]), node("Mul", ["x", "x"], ["p"]), node("ReduceSum", ["p", "axes"], ["s"]),
        node("Concat", ["m", "s"], ["y"], axis=1)]),
    "convolution": ((2, 3, 8, 8), dict(a=weights(4, 3, 3, 3), b=weights(4), c=weights(64, 5), d=weights(5)), [
        node("Conv", ["x", "a", "b"], ["p"], pads=[1, 1, 1, 1]), node("Relu", ["p"], ["q"]),
        node("MaxPool", ["q"], ["r"], kernel_shape=[2, 2], strides=[2, 2]), node("Flatten", ["r"], ["f"]), node("Gemm", ["f", "c", "d"], ["y"])]),
}


def build(shape, constants, nodes):
    value = helper.make_tensor_value_info
    graph = helper.make_graph(nodes, "model", [value("x", TensorProto.FLOAT, shape)], [value("y", TensorProto.FLOAT, None)],
                              [numpy_helper.from_array(array, name) for name, array in constants.items()])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9).SerializeToString()


def main():
    only_gpu = ort.SessionOptions()
    only_gpu.add_session_config_entry("session.disable_cpu_ep_fallback", "1")
    print(f"ONNX Runtime {ort.__version__}", flush=True)
    failures = 0
    for name, (shape, constants, nodes) in MODELS.items():
        model, x = build(shape, constants, nodes), {"x": random.normal(size=shape).astype(np.float32)}
        there = ort.InferenceSession(model, only_gpu, providers=["ROCMExecutionProvider"]).run(None, x)[0]
        here = ort.InferenceSession(model, providers=["CPUExecutionProvider"]).run(None, x)[0]
        away = float(np.abs(there - here).max() / np.abs(here).max())
        failures += not away <= ALLOWED
        print(f"{name:30} {away:.1e}", flush=True)
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())

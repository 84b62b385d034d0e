"""Stands in for PyTorch in the image rocm/pytorch: what deploy/samples use of it, on a HIP library found by name, as PyTorch's own."""
import array
import ctypes
import os

hip = ctypes.CDLL("libamdhip64.so.7")


uint8 = 1
OUT_OF_MEMORY, MULTIPROCESSORS = 2, 63


def done(code):
    if code == OUT_OF_MEMORY:
        raise cuda.OutOfMemoryError()
    if code:
        raise RuntimeError(f"HIP error {code}")


def kernel(name):
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    done(hip.hipModuleLoad(ctypes.byref(module), os.path.join(os.path.dirname(__file__), "kernels.co").encode()))
    done(hip.hipModuleGetFunction(ctypes.byref(function), module, name.encode()))
    return function


def launch(name, columns, rows, *values):
    arguments = (ctypes.c_void_p * len(values))(*(ctypes.cast(ctypes.pointer(value), ctypes.c_void_p) for value in values))
    done(hip.hipModuleLaunchKernel(kernel(name), columns // 256, rows, 1, 256, 1, 1, 0, None, arguments, None))


class Tensor:
    """A square matrix of floats, its side a multiple of 256."""

    def __init__(self, side):
        self.side, self.data = side, ctypes.c_void_p()
        done(hip.hipMalloc(ctypes.byref(self.data), ctypes.c_size_t(side * side * 4)))

    def __matmul__(self, other):
        result = Tensor(self.side)
        launch("product", self.side, self.side, self.data, other.data, result.data, ctypes.c_int(self.side))
        return result

    def sum(self):
        host = array.array("f", bytes(self.side * self.side * 4))
        done(hip.hipMemcpy(ctypes.c_void_p(host.buffer_info()[0]), self.data, ctypes.c_size_t(self.side * self.side * 4), 2))
        return sum(host)


def ones(side, _, device):
    result = Tensor(side)
    launch("fill", side * side, 1, result.data, ctypes.c_float(1), ctypes.c_int(side * side))
    return result


def empty(size, dtype, device):
    data = ctypes.c_void_p()
    done(hip.hipMalloc(ctypes.byref(data), ctypes.c_size_t(size * dtype)))
    return data


class Properties:
    def __init__(self, device):
        units = ctypes.c_int()
        done(hip.hipDeviceGetAttribute(ctypes.byref(units), MULTIPROCESSORS, device))
        self.multi_processor_count = units.value


class cuda:
    get_device_properties = Properties

    class OutOfMemoryError(RuntimeError):
        pass

    @staticmethod
    def mem_get_info():
        free, total = ctypes.c_size_t(), ctypes.c_size_t()
        done(hip.hipMemGetInfo(ctypes.byref(free), ctypes.byref(total)))
        return free.value, total.value

    @staticmethod
    def device_count():
        count = ctypes.c_int()
        hip.hipGetDeviceCount(ctypes.byref(count))
        return count.value

    @staticmethod
    def is_available():
        return cuda.device_count() > 0

    @staticmethod
    def get_device_name(device):
        name = ctypes.create_string_buffer(256)
        done(hip.hipDeviceGetName(name, 256, device))
        return name.value.decode()

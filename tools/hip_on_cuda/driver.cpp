#include "tools/hip_on_cuda/driver.h"

#include <dlfcn.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <mutex>

namespace hipr::cuda {
namespace {

constexpr int kMaxDevices = 16;

hipError_t start(Driver& d) {
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    std::fprintf(stderr, "hip_on_cuda: %s\n", dlerror());
    return hipErrorNoDevice;
  }
#define CUDA_CALL(name, symbol, parameters) d.name = reinterpret_cast<CUresult(*) parameters>(dlsym(library, symbol));
#include "tools/hip_on_cuda/cuda_calls.def"
#undef CUDA_CALL
  if (!d.init || !d.deviceGetCount || !d.primaryCtxRetain || !d.ctxSetCurrent) {
    std::fprintf(stderr, "hip_on_cuda: libcuda.so.1 is not a CUDA driver\n");
    return hipErrorInsufficientDriver;
  }
  if (const CUresult result = d.init(0); result != kCudaSuccess) {
    std::fprintf(stderr, "hip_on_cuda: the CUDA driver does not start: error %d\n", result);
    return toHip(result);
  }
  return toHip(d.deviceGetCount(&d.devices));
}

struct Context {
  std::mutex mutex;
  CUcontext handle = nullptr;
  std::atomic<unsigned> generation{0};
};
std::array<Context, kMaxDevices> contexts;

struct Current {
  int device = 0;
  int entered = -1;  // the device whose context is current in CUDA
  unsigned generation = 0;
};
thread_local Current current;

}  // namespace

const Driver& driver() {
  static const Driver loaded = [] {
    Driver d;
    d.state = start(d);
    return d;
  }();
  return loaded;
}

hipError_t contextOf(int device, CUcontext& out) {
  const Driver& d = driver();
  if (d.state != hipSuccess) return d.state;
  if (device < 0 || device >= d.devices || device >= kMaxDevices) return hipErrorInvalidDevice;
  Context& context = contexts[static_cast<std::size_t>(device)];
  std::lock_guard lock(context.mutex);
  if (!context.handle) {
    CUdevice handle = 0;
    CUresult result = d.deviceGet(&handle, device);
    if (result == kCudaSuccess) result = d.primaryCtxRetain(&context.handle, handle);
    if (result != kCudaSuccess) return toHip(result);
  }
  out = context.handle;
  return hipSuccess;
}

void forgetContexts(int device) {
  Context& context = contexts[static_cast<std::size_t>(device)];
  std::lock_guard lock(context.mutex);
  context.handle = nullptr;
  context.generation.fetch_add(1);
}

hipError_t enter() {
  Current& c = current;
  const unsigned generation = contexts[static_cast<std::size_t>(c.device)].generation.load(std::memory_order_relaxed);
  if (c.entered == c.device && c.generation == generation) return hipSuccess;
  CUcontext context = nullptr;
  if (const hipError_t error = contextOf(c.device, context); error != hipSuccess) return error;
  if (const CUresult result = driver().ctxSetCurrent(context); result != kCudaSuccess) return toHip(result);
  c.entered = c.device;
  c.generation = generation;
  return hipSuccess;
}

int currentDevice() {
  return current.device;
}

hipError_t setCurrentDevice(int device) {
  const Driver& d = driver();
  if (d.state != hipSuccess) return d.state;
  if (device < 0 || device >= d.devices || device >= kMaxDevices) return hipErrorInvalidDevice;
  current.device = device;
  return hipSuccess;
}

}  // namespace hipr::cuda

// The HIP functions of FakeHip.
#include <cstdlib>
#include <cstring>

#include "code_object/select.h"
#include "types/platform.h"
#include "worker/fake_hip.h"

namespace hipr::worker {
namespace {

constexpr std::size_t kGranularity = 64 << 10;

}  // namespace

struct FakeCalls {
  static FakeHip& fake() { return *FakeHip::the_; }
  static void* freshHandle() { return reinterpret_cast<void*>(FakeHip::the_->nextHandle_ += 16); }

  static hipError_t hipSetDevice(int device) {
    if (device < 0 || device >= fake().settings_.devices) return hipErrorInvalidDevice;
    FakeHip::currentDevice_ = device;
    return hipSuccess;
  }
  static hipError_t hipGetDeviceCount(int* count) {
    *count = fake().settings_.devices;
    return *count ? hipSuccess : hipErrorNoDevice;
  }
  static hipError_t hipInit(unsigned) { return hipSuccess; }
  static hipError_t hipDeviceGetAttribute(int* value, hipDeviceAttribute_t attribute, int) {
    if (attribute == hipDeviceAttributeVirtualMemoryManagementSupported && !fake().settings_.placesMemory) {
      return hipErrorInvalidValue;
    }
    *value = static_cast<int>(attribute) != kOrdinaryMemory || fake().settings_.cpuReachesMemory;
    return hipSuccess;
  }
  static hipError_t hipMemGetInfo(size_t* free, size_t* total) {
    *free = 900 << 20;
    *total = 1000 << 20;
    return hipSuccess;
  }
  static const char* hipGetErrorName(hipError_t error) { return error == hipSuccess ? "hipSuccess" : "hipErrorFake"; }

  // --- memory
  static hipError_t hipMemGetAllocationGranularity(size_t* unit, const hipMemAllocationProp*,
                                                   hipMemAllocationGranularity_flags) {
    *unit = kGranularity;
    return hipSuccess;
  }
  static hipError_t hipMemAddressReserve(void** out, size_t size, size_t, void* hint, unsigned long long) {
    void* got = fake().memory_.reserve(size, hint, !fake().settings_.ignoresHint);
    if (got == nullptr) return hipErrorOutOfMemory;
    std::lock_guard lock(fake().mutex_);
    fake().reserved_.insert(got);
    *out = got;
    return hipSuccess;
  }
  static hipError_t hipMemAddressFree(void* address, size_t) {
    std::lock_guard lock(fake().mutex_);
    fake().memory_.unreserve(address);
    return fake().reserved_.erase(address) ? hipSuccess : hipErrorInvalidValue;
  }
  static hipError_t hipMemCreate(hipMemGenericAllocationHandle_t* out, size_t, const hipMemAllocationProp*,
                                 unsigned long long) {
    if (fake().fails("hipMemCreate")) return hipErrorOutOfMemory;
    std::lock_guard lock(fake().mutex_);
    void* handle = freshHandle();
    fake().allocated_.insert(handle);
    *out = static_cast<hipMemGenericAllocationHandle_t>(handle);
    return hipSuccess;
  }
  static hipError_t hipMemRelease(hipMemGenericAllocationHandle_t handle) {
    std::lock_guard lock(fake().mutex_);
    return fake().allocated_.erase(handle) ? hipSuccess : hipErrorInvalidValue;
  }
  static hipError_t hipMemMap(void* address, size_t size, size_t, hipMemGenericAllocationHandle_t, unsigned long long) {
    std::lock_guard lock(fake().mutex_);
    if (!fake().memory_.map(address, size)) return hipErrorAlreadyMapped;
    fake().mapped_.insert(address);
    return hipSuccess;
  }
  static hipError_t hipMemUnmap(void* address, size_t) {
    std::lock_guard lock(fake().mutex_);
    fake().mapped_.erase(address);
    return fake().memory_.unmap(address) ? hipSuccess : hipErrorInvalidValue;
  }
  static hipError_t hipMemSetAccess(void*, size_t, const hipMemAccessDesc*, size_t) { return hipSuccess; }
  static hipError_t hipDeviceCanAccessPeer(int* can, int, int) {
    *can = 1;
    return hipSuccess;
  }
  static hipError_t hipMalloc(void** out, size_t size) {
    if (fake().fails("hipMalloc")) return hipErrorOutOfMemory;
    *out = fake().memory_.allocate(size);
    std::lock_guard lock(fake().mutex_);
    fake().allocated_.insert(*out);
    return hipSuccess;
  }
  static hipError_t hipFree(void* pointer) {
    std::lock_guard lock(fake().mutex_);
    fake().allocated_.erase(pointer);
    return fake().memory_.free(pointer) ? hipSuccess : hipErrorInvalidValue;
  }
  static hipError_t hipHostMalloc(void** out, size_t size, unsigned) {
    if (fake().fails("hipMalloc")) return hipErrorOutOfMemory;
    if (fake().fails("hipHostMalloc")) return hipErrorLaunchFailure;  // its device has failed
    *out = std::malloc(size);
    fake().memory_.pin(*out, size);
    std::lock_guard lock(fake().mutex_);
    fake().allocated_.insert(*out);
    return hipSuccess;
  }
  static hipError_t hipHostFree(void* pointer) {
    std::lock_guard lock(fake().mutex_);
    if (!fake().allocated_.erase(pointer)) return hipErrorInvalidValue;
    fake().memory_.unpin(pointer);
    std::free(pointer);
    return hipSuccess;
  }
  static hipError_t hipHostRegister(void* pointer, size_t size, unsigned) {
    std::lock_guard lock(fake().mutex_);
    if (!fake().registered_.insert(pointer).second) return hipErrorHostMemoryAlreadyRegistered;
    fake().memory_.pin(pointer, size);
    return hipSuccess;
  }
  static hipError_t hipHostUnregister(void* pointer) {
    std::lock_guard lock(fake().mutex_);
    if (!fake().registered_.erase(pointer)) return hipErrorHostMemoryNotRegistered;
    fake().memory_.unpin(pointer);
    return hipSuccess;
  }

  // --- streams and events
  static hipError_t hipStreamCreateWithFlags(hipStream_t* out, unsigned) {
    if (fake().fails("hipStreamCreateWithFlags")) return hipErrorOutOfMemory;
    std::lock_guard lock(fake().mutex_);
    *out = static_cast<hipStream_t>(freshHandle());
    fake().queues_[*out] = std::make_unique<FakeHip::Queue>();
    return hipSuccess;
  }
  static hipError_t hipStreamCreateWithPriority(hipStream_t* out, unsigned flags, int) {
    return hipStreamCreateWithFlags(out, flags);
  }
  static hipError_t hipStreamDestroy(hipStream_t stream) {
    hipStreamSynchronize(stream);
    std::unique_ptr<FakeHip::Queue> q;
    {
      std::lock_guard lock(fake().mutex_);
      const auto found = fake().queues_.find(stream);
      if (found == fake().queues_.end()) return hipErrorInvalidHandle;
      q = std::move(found->second);
      fake().queues_.erase(found);
      q->ending = true;
      q->changed.notify_all();
    }
    if (q->thread.joinable()) q->thread.join();
    return hipSuccess;
  }
  static hipError_t hipStreamSynchronize(hipStream_t stream) {
    std::unique_lock lock(fake().mutex_);
    FakeHip::Queue& q = fake().queue(stream);
    q.changed.wait(lock, [&] { return q.work.empty() && !q.running; });
    return fake().workError_;
  }
  static hipError_t hipDeviceSynchronize() {  // sessions ask only when every stream is at rest
    std::lock_guard lock(fake().mutex_);
    return fake().workError_;
  }
  static hipError_t hipStreamQuery(hipStream_t stream) {
    std::lock_guard lock(fake().mutex_);
    FakeHip::Queue& q = fake().queue(stream);
    if (!q.work.empty() || q.running) return hipErrorNotReady;
    return fake().workError_;
  }
  static hipError_t hipLaunchHostFunc(hipStream_t stream, hipHostFn_t function, void* data) {
    if (fake().fails("hipLaunchHostFunc")) return hipErrorOutOfMemory;
    return fake().enqueue(stream, [function, data] { fake().runHostFunction(function, data); });
  }
  static std::shared_ptr<FakeHip::Point> point(hipEvent_t event) {
    std::lock_guard lock(fake().mutex_);
    return fake().events_.at(event);
  }
  static hipError_t hipEventCreateWithFlags(hipEvent_t* out, unsigned) {
    std::lock_guard lock(fake().mutex_);
    *out = static_cast<hipEvent_t>(freshHandle());
    fake().events_[*out] = std::make_shared<FakeHip::Point>();
    return hipSuccess;
  }
  static hipError_t hipEventDestroy(hipEvent_t event) {
    std::lock_guard lock(fake().mutex_);
    return fake().events_.erase(event) ? hipSuccess : hipErrorInvalidHandle;
  }
  static hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream) {
    auto reached = std::make_shared<FakeHip::Point>();
    reached->reached = false;
    {
      std::lock_guard lock(fake().mutex_);
      fake().events_.at(event) = reached;
    }
    return fake().enqueue(stream, [reached] {
      std::lock_guard lock(reached->mutex);
      reached->reached = true;
      reached->changed.notify_all();
    });
  }
  static void wait(FakeHip::Point& p) {
    std::unique_lock lock(p.mutex);
    p.changed.wait(lock, [&] { return p.reached; });
  }
  static hipError_t hipEventSynchronize(hipEvent_t event) {
    wait(*point(event));
    return fake().workError_;
  }
  static hipError_t hipEventQuery(hipEvent_t event) {
    const auto p = point(event);
    std::lock_guard lock(p->mutex);
    return p->reached ? fake().workError_.load() : hipErrorNotReady;
  }
  static hipError_t hipEventElapsedTime(float* ms, hipEvent_t start, hipEvent_t stop) {
    for (hipEvent_t event : {start, stop}) {
      const auto p = point(event);
      std::lock_guard lock(p->mutex);
      if (!p->reached) return hipErrorNotReady;
    }
    *ms = 2.5f;
    return hipSuccess;
  }
  static hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned) {
    return fake().enqueue(stream, [p = point(event)] { wait(*p); });
  }

  // --- copies
  static char* bytes(const void* address) { return static_cast<char*>(fake().memory_.bytesAt(address)); }
  // Memory that is not pinned goes through the runtime's own buffers, and the call waits.
  static hipError_t copy(const void* to, const void* from, hipStream_t stream, std::function<void()> work) {
    fake().enqueue(stream, std::move(work));
    const bool waits =
        fake().settings_.strictCallbacks && (fake().memory_.pageable(to) || fake().memory_.pageable(from));
    return waits ? hipStreamSynchronize(stream) : hipSuccess;
  }
  static hipError_t hipMemcpyAsync(void* to, const void* from, size_t size, hipMemcpyKind, hipStream_t stream) {
    if (fake().fails("hipMemcpyAsync")) return hipErrorInvalidValue;
    return copy(to, from, stream, [=] { std::memmove(bytes(to), bytes(from), size); });
  }
  static hipError_t hipMemcpy2DAsync(void* to, size_t toPitch, const void* from, size_t fromPitch, size_t width,
                                     size_t height, hipMemcpyKind, hipStream_t stream) {
    return copy(to, from, stream, [=] {
      for (std::size_t y = 0; y < height; ++y) {
        std::memmove(bytes(to) + y * toPitch, bytes(from) + y * fromPitch, width);
      }
    });
  }
  template <class T>
  static hipError_t set(void* to, T value, size_t count, hipStream_t stream) {
    return fake().enqueue(stream, [=] {
      char* const at = bytes(to);
      for (std::size_t i = 0; i < count; ++i) std::memcpy(at + i * sizeof value, &value, sizeof value);
    });
  }
  static hipError_t hipMemsetAsync(void* to, int value, size_t size, hipStream_t stream) {
    if (fake().fails("hipMemsetAsync")) return hipErrorInvalidValue;
    return set(to, static_cast<unsigned char>(value), size, stream);
  }
  static hipError_t hipMemsetD16Async(hipDeviceptr_t to, unsigned short value, size_t count, hipStream_t stream) {
    return set(to, value, count, stream);
  }
  static hipError_t hipMemsetD32Async(hipDeviceptr_t to, int value, size_t count, hipStream_t stream) {
    return set(to, value, count, stream);
  }
  static hipError_t hipMemset2DAsync(void* to, size_t pitch, int value, size_t width, size_t height,
                                     hipStream_t stream) {
    return fake().enqueue(stream, [=] {
      for (std::size_t y = 0; y < height; ++y) std::memset(bytes(to) + y * pitch, value, width);
    });
  }

  // --- modules
  // Like a real one it believes the headers, and reads everything that they name.
  static hipError_t hipModuleLoadData(hipModule_t* out, const void* image) {
    if (fake().fails("hipModuleLoadData")) return hipErrorNoBinaryForGpu;
    std::size_t size = 0;
    if (!code::imageSize(image, size).ok()) return hipErrorInvalidImage;
    const std::vector<char> read(static_cast<const char*>(image), static_cast<const char*>(image) + size);
    std::lock_guard lock(fake().mutex_);
    void* handle = freshHandle();
    fake().modules_.insert(handle);
    *out = static_cast<hipModule_t>(handle);
    return hipSuccess;
  }
  static hipError_t hipModuleUnload(hipModule_t module) {
    std::lock_guard lock(fake().mutex_);
    return fake().modules_.erase(module) ? hipSuccess : hipErrorInvalidHandle;
  }
  static hipError_t hipModuleGetFunction(hipFunction_t* out, hipModule_t, const char* name) {
    if (std::strcmp(name, "scale") != 0) return hipErrorNotFound;
    *out = reinterpret_cast<hipFunction_t>(std::uintptr_t{1});
    return hipSuccess;
  }
  static hipError_t hipModuleGetGlobal(hipDeviceptr_t* address, size_t* size, hipModule_t, const char* name) {
    if (std::strcmp(name, "counter") != 0) return hipErrorNotFound;
    *address = fake().counter_;
    *size = sizeof(int);
    return hipSuccess;
  }
  static hipError_t scale(const void* arguments, std::size_t size, hipStream_t stream) {
    if (size < 12) return hipErrorInvalidValue;
    ++fake().launches_;
    float* data;
    float factor;
    std::memcpy(&data, arguments, 8);
    std::memcpy(&factor, static_cast<const char*>(arguments) + 8, 4);
    return fake().enqueue(stream, [data, factor] {
      if (data && fake().settings_.runsKernels) *reinterpret_cast<float*>(bytes(data)) *= factor;
    });
  }
  static hipError_t hipModuleLaunchKernel(hipFunction_t, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                                          unsigned, hipStream_t stream, void**, void** extra) {
    return scale(extra[1], *static_cast<std::size_t*>(extra[3]), stream);
  }
  static hipError_t hipExtModuleLaunchKernel(hipFunction_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t,
                                             size_t, hipStream_t stream, void**, void** extra, hipEvent_t start,
                                             hipEvent_t stop, uint32_t) {
    if (start) hipEventRecord(start, stream);
    const hipError_t error = scale(extra[1], *static_cast<std::size_t*>(extra[3]), stream);
    if (stop) hipEventRecord(stop, stream);
    return error;
  }
  static hipError_t hipModuleLaunchCooperativeKernel(hipFunction_t, unsigned, unsigned, unsigned, unsigned, unsigned,
                                                     unsigned, unsigned, hipStream_t stream, void** params) {
    char arguments[12];
    std::memcpy(arguments, params[0], 8);
    std::memcpy(arguments + 8, params[1], 4);
    return scale(arguments, sizeof arguments, stream);
  }
};

HipTable FakeHip::table() const {
  HipTable t;
#define USE(name)                         \
  t.name = [](auto... arguments) {        \
    FakeHip::refuseInHostFunction(#name); \
    return FakeCalls::name(arguments...); \
  }
  USE(hipSetDevice);
  USE(hipGetDeviceCount);
  USE(hipInit);
  USE(hipDeviceGetAttribute);
  USE(hipMemGetInfo);
  t.hipGetErrorName = FakeCalls::hipGetErrorName;  // harmless anywhere
  USE(hipMemGetAllocationGranularity);
  USE(hipMemAddressReserve);
  USE(hipMemAddressFree);
  USE(hipMemCreate);
  USE(hipMemRelease);
  USE(hipMemMap);
  USE(hipMemUnmap);
  USE(hipMemSetAccess);
  USE(hipDeviceCanAccessPeer);
  USE(hipMalloc);
  USE(hipFree);
  USE(hipHostMalloc);
  USE(hipHostFree);
  USE(hipHostRegister);
  USE(hipHostUnregister);
  USE(hipStreamCreateWithFlags);
  USE(hipStreamCreateWithPriority);
  USE(hipStreamDestroy);
  USE(hipStreamSynchronize);
  USE(hipDeviceSynchronize);
  USE(hipStreamQuery);
  USE(hipLaunchHostFunc);
  USE(hipEventCreateWithFlags);
  USE(hipEventDestroy);
  USE(hipEventRecord);
  USE(hipEventSynchronize);
  USE(hipEventQuery);
  USE(hipEventElapsedTime);
  USE(hipStreamWaitEvent);
  USE(hipMemcpyAsync);
  USE(hipMemcpy2DAsync);
  USE(hipMemsetAsync);
  USE(hipMemsetD16Async);
  USE(hipMemsetD32Async);
  USE(hipMemset2DAsync);
  USE(hipModuleLoadData);
  USE(hipModuleUnload);
  USE(hipModuleGetFunction);
  USE(hipModuleGetGlobal);
  USE(hipModuleLaunchKernel);
  USE(hipExtModuleLaunchKernel);
  USE(hipModuleLaunchCooperativeKernel);
#undef USE
  if (settings_.images) addImages(t);
  if (settings_.graphs) addGraphs(t);
  return t;
}

}  // namespace hipr::worker

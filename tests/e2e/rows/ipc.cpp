// Memory and events that several processes use.
#include <unistd.h>

#include <cstring>

#include "tests/e2e/rows/book.h"

namespace hipr::rows {
namespace {

constexpr unsigned kLazyPeerAccess = 1;

// A handle that another process could have made: who made it is the second word.
template <class Handle>
Handle foreign(Handle handle) {
  std::uint64_t maker = 0;
  std::memcpy(&maker, reinterpret_cast<const char*>(&handle) + 8, sizeof maker);
  ++maker;
  std::memcpy(reinterpret_cast<char*>(&handle) + 8, &maker, sizeof maker);
  return handle;
}

hipIpcMemHandle_t memoryHandle(Scene& s) {
  hipIpcMemHandle_t handle{};
  HIPR_OK(s, hipIpcGetMemHandle(&handle, s.device));
  return foreign(handle);
}

struct SharedEvent {
  explicit SharedEvent(Scene& scene) : s(scene) {
    HIPR_OK(s, hipEventCreateWithFlags(&event, hipEventDisableTiming | hipEventInterprocess));
  }
  ~SharedEvent() { HIPR_OK(s, hipEventDestroy(event)); }
  Scene& s;
  hipEvent_t event = nullptr;
};

struct Pool {
  explicit Pool(Scene& scene) : s(scene) {
    hipMemPoolProps properties{};
    properties.allocType = hipMemAllocationTypePinned;
    properties.location = {hipMemLocationTypeDevice, 0};
    properties.handleTypes = hipMemHandleTypePosixFileDescriptor;
    HIPR_OK(s, hipMemPoolCreate(&pool, &properties));
    HIPR_OK(s, hipMallocFromPoolAsync(&memory, 4096, pool, s.stream));
    HIPR_OK(s, hipStreamSynchronize(s.stream));
  }
  ~Pool() {
    HIPR_OK(s, hipFreeAsync(memory, s.stream));
    HIPR_OK(s, hipMemPoolDestroy(pool));
  }
  Scene& s;
  hipMemPool_t pool = nullptr;
  void* memory = nullptr;
};

}  // namespace

void addIpcRows(Book& book) {
  ROW(hipIpcGetMemHandle).standard([](Scene& s, auto f) {
    hipIpcMemHandle_t handle{};
    s.call(f, &handle, s.device);
  });
  ROW(hipIpcOpenMemHandle).standard([](Scene& s, auto f) {
    const hipIpcMemHandle_t handle = memoryHandle(s);
    void* opened = nullptr;
    s.call(f, &opened, handle, kLazyPeerAccess);
    HIPR_OK(s, hipIpcCloseMemHandle(opened));
  });
  ROW(hipIpcCloseMemHandle).standard("behind a function of the program", [](Scene& s, auto f) {
    void* opened = nullptr;
    HIPR_OK(s, hipIpcOpenMemHandle(&opened, memoryHandle(s), kLazyPeerAccess));
    s.behind([&s] { HIPR_OK(s, hipLaunchHostFunc(s.stream, [](void*) {}, nullptr)); }).call(f, opened);
  });
  ROW(hipIpcGetEventHandle).standard([](Scene& s, auto f) {
    SharedEvent shared(s);
    hipIpcEventHandle_t handle{};
    s.call(f, &handle, shared.event);
  });
  ROW(hipIpcOpenEventHandle).standard([](Scene& s, auto f) {
    SharedEvent shared(s);
    hipIpcEventHandle_t handle{};
    HIPR_OK(s, hipIpcGetEventHandle(&handle, shared.event));
    hipEvent_t opened = nullptr;
    s.call(f, &opened, foreign(handle));
    HIPR_OK(s, hipEventDestroy(opened));
  });
  ROW(hipMemPoolExportToShareableHandle).standard([](Scene& s, auto f) {
    Pool pool(s);
    int descriptor = -1;
    s.call(f, static_cast<void*>(&descriptor), pool.pool, hipMemHandleTypePosixFileDescriptor, 0u);
    close(descriptor);
  });
  ROW(hipMemPoolImportFromShareableHandle).standard([](Scene& s, auto f) {
    Pool pool(s);
    int descriptor = -1;
    HIPR_OK(s, hipMemPoolExportToShareableHandle(&descriptor, pool.pool, hipMemHandleTypePosixFileDescriptor, 0));
    hipMemPool_t imported = nullptr;
    s.call(f, &imported, reinterpret_cast<void*>(static_cast<std::intptr_t>(descriptor)),
           hipMemHandleTypePosixFileDescriptor, 0u);
    HIPR_OK(s, hipMemPoolDestroy(imported));
    close(descriptor);
  });
  ROW(hipMemPoolExportPointer).standard([](Scene& s, auto f) {
    Pool pool(s);
    hipMemPoolPtrExportData data{};
    s.call(f, &data, pool.memory);
  });
  ROW(hipMemPoolImportPointer).standard([](Scene& s, auto f) {
    Pool pool(s);
    hipMemPoolPtrExportData data{};
    HIPR_OK(s, hipMemPoolExportPointer(&data, pool.memory));
    void* imported = nullptr;
    s.call(f, &imported, pool.pool, &data);
    HIPR_OK(s, hipFree(imported));
  });
  const auto physical = [](Scene& s) {
    hipMemAllocationProp prop{};
    prop.type = hipMemAllocationTypePinned;
    prop.location = {hipMemLocationTypeDevice, 0};
    prop.requestedHandleType = hipMemHandleTypePosixFileDescriptor;
    hipMemGenericAllocationHandle_t handle = nullptr;
    HIPR_OK(s, hipMemCreate(&handle, 2 << 20, &prop, 0));
    return handle;
  };
  ROW(hipMemExportToShareableHandle).standard([=](Scene& s, auto f) {
    const hipMemGenericAllocationHandle_t handle = physical(s);
    int descriptor = -1;
    s.call(f, static_cast<void*>(&descriptor), handle, hipMemHandleTypePosixFileDescriptor, 0ull);
    close(descriptor);
    HIPR_OK(s, hipMemRelease(handle));
  });
  ROW(hipMemImportFromShareableHandle).standard([=](Scene& s, auto f) {
    const hipMemGenericAllocationHandle_t handle = physical(s);
    int descriptor = -1;
    HIPR_OK(s, hipMemExportToShareableHandle(&descriptor, handle, hipMemHandleTypePosixFileDescriptor, 0));
    hipMemGenericAllocationHandle_t imported = nullptr;
    s.call(f, &imported, static_cast<void*>(&descriptor), hipMemHandleTypePosixFileDescriptor);
    close(descriptor);
    HIPR_OK(s, hipMemRelease(imported));
    HIPR_OK(s, hipMemRelease(handle));
  });
}

}  // namespace hipr::rows

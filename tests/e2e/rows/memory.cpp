// Allocation, and what a pointer is.
#include "tests/e2e/rows/book.h"

namespace hipr::rows {
namespace {

void ignore(void*) {}

// What makes a free wait: work whose end the program could notice, because a function of its own runs in it.
void pendingFunction(Scene& s) {
  HIPR_OK(s, hipLaunchHostFunc(s.stream, &ignore, nullptr));
}

void* allocated(Scene& s, std::size_t size) {
  void* block = nullptr;
  HIPR_OK(s, hipMalloc(&block, size));
  return block;
}

void* allocatedHost(Scene& s) {
  void* block = nullptr;
  HIPR_OK(s, hipHostMalloc(&block, Scene::kBytes, 0));
  return block;
}

// The three prices of device memory. `allocate` makes the measured call for a number of bytes.
template <class Row, class Allocate>
void addAllocation(Row row, Allocate allocate) {
  const auto ofSize = [allocate](auto size) {
    return [=](Scene& s, auto f) {
      void* block = allocate(s, f, size(s));
      HIPR_OK(s, hipFree(block));
    };
  };
  row.standard("beyond the memory granted so far", ofSize([](Scene& s) { return s.beyondCredit(); }))
      .post("with a mapping of its own", ofSize([](Scene&) { return Scene::kLarge; }))
      .local("among others", ofSize([](Scene&) { return std::size_t{4096}; }));
}

template <class Row>
void addHostFree(Row row) {
  row.standard("behind a kernel",
               [](Scene& s, auto f) {
                 void* block = allocatedHost(s);
                 s.behind([&] { s.launch(); }).call(f, block);
               })
      .local("idle", [](Scene& s, auto f) { s.call(f, allocatedHost(s)); });
}

}  // namespace

void addMemoryRows(Book& book) {
  addAllocation(ROW(hipMalloc), [](Scene& s, auto f, std::size_t size) {
    void* block = nullptr;
    s.call(f, &block, size);
    return block;
  });
  addAllocation(ROW(hipExtMallocWithFlags), [](Scene& s, auto f, std::size_t size) {
    void* block = nullptr;
    s.call(f, &block, size, unsigned{hipDeviceMallocDefault});
    return block;
  });
  addAllocation(ROW(hipMallocPitch), [](Scene& s, auto f, std::size_t size) {
    void* block = nullptr;
    std::size_t pitch = 0;
    s.call(f, &block, &pitch, std::size_t{4096}, size / 4096);
    return block;
  });
  addAllocation(ROW(hipMemAllocPitch), [](Scene& s, auto f, std::size_t size) {
    void* block = nullptr;
    std::size_t pitch = 0;
    s.call(f, &block, &pitch, std::size_t{4096}, size / 4096, 4u);
    return block;
  });
  addAllocation(ROW(hipMalloc3D), [](Scene& s, auto f, std::size_t size) {
    hipPitchedPtr block{};
    s.call(f, &block, hipExtent{4096, size / 4096, 1});
    return block.ptr;
  });
  ROW(hipFree)
      .standard("with a function of the program pending",
                [](Scene& s, auto f) {
                  void* block = allocated(s, 4096);
                  s.behind([&] { pendingFunction(s); }).call(f, block);
                })
      .standard("of host memory, behind a kernel",
                [](Scene& s, auto f) {
                  void* block = allocatedHost(s);
                  s.behind([&] { s.launch(); }).call(f, block);
                })
      .local("behind a kernel",
             [](Scene& s, auto f) {
               void* block = allocated(s, 4096);
               s.behind([&] { s.launch(); }).call(f, block);
             })
      .local("idle", [](Scene& s, auto f) { s.call(f, allocated(s, 4096)); })
      .post("idle, with a mapping of its own", [](Scene& s, auto f) { s.call(f, allocated(s, Scene::kLarge)); });
  addHostFree(ROW(hipHostFree));
  addHostFree(ROW(hipFreeHost));

  ROW(hipHostMalloc).standard([](Scene& s, auto f) {
    void* block = nullptr;
    s.call(f, &block, Scene::kBytes, 0u);
    HIPR_OK(s, hipHostFree(block));
  });
  ROW(hipHostAlloc).standard([](Scene& s, auto f) {
    void* block = nullptr;
    s.call(f, &block, Scene::kBytes, 0u);
    HIPR_OK(s, hipHostFree(block));
  });
  ROW(hipMallocHost).standard([](Scene& s, auto f) {
    void* block = nullptr;
    s.call(f, &block, Scene::kBytes);
    HIPR_OK(s, hipHostFree(block));
  });
  ROW(hipMemAllocHost).standard([](Scene& s, auto f) {
    void* block = nullptr;
    s.call(f, &block, Scene::kBytes);
    HIPR_OK(s, hipHostFree(block));
  });
  ROW(hipHostRegister).standard([](Scene& s, auto f) {
    s.call(f, static_cast<void*>(s.host.data()), s.host.size(), 0u);
    HIPR_OK(s, hipHostUnregister(s.host.data()));
  });
  ROW(hipHostUnregister)
      .standard("behind a kernel",
                [](Scene& s, auto f) {
                  HIPR_OK(s, hipHostRegister(s.host.data(), s.host.size(), 0));
                  s.behind([&] { s.launch(); }).call(f, static_cast<void*>(s.host.data()));
                })
      .local("idle", [](Scene& s, auto f) {
        HIPR_OK(s, hipHostRegister(s.host.data(), s.host.size(), 0));
        s.call(f, static_cast<void*>(s.host.data()));
      });
  ROW(hipHostGetDevicePointer).standard([](Scene& s, auto f) {
    void* pointer = nullptr;
    s.call(f, &pointer, s.pinned, 0u);
  });
  ROW(hipHostGetFlags).standard([](Scene& s, auto f) {
    unsigned flags = 0;
    s.call(f, &flags, s.pinned);
  });

  ROW(hipMemGetInfo).standard([](Scene& s, auto f) {
    std::size_t free = 0, total = 0;
    s.call(f, &free, &total);
  });
  ROW(hipMemGetAddressRange).standard([](Scene& s, auto f) {
    hipDeviceptr_t base = nullptr;
    std::size_t size = 0;
    s.call(f, &base, &size, s.device);
  });
  ROW(hipMemPtrGetInfo).standard([](Scene& s, auto f) {
    std::size_t size = 0;
    s.call(f, s.device, &size);
  });
  ROW(hipPointerGetAttribute).standard([](Scene& s, auto f) {
    hipMemoryType type;
    s.call(f, static_cast<void*>(&type), HIP_POINTER_ATTRIBUTE_MEMORY_TYPE, s.device);
  });
  ROW(hipPointerGetAttributes).standard([](Scene& s, auto f) {
    hipPointerAttribute_t attributes;
    s.call(f, &attributes, s.device);
  });
  ROW(hipDrvPointerGetAttributes).standard([](Scene& s, auto f) {
    hipMemoryType type;
    hipPointer_attribute attributes[] = {HIP_POINTER_ATTRIBUTE_MEMORY_TYPE};
    void* data[] = {&type};
    s.call(f, 1u, attributes, data, s.device);
  });
  ROW(hipPointerSetAttribute).standard([](Scene& s, auto f) {
    const int yes = 1;
    s.call(f, &yes, HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS, s.device);
  });
}

}  // namespace hipr::rows

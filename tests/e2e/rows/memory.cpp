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

// The prices of device memory. `allocate` makes the measured call for a number of bytes.
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
      .local("where such a block was freed before", ofSize([](Scene& s) {
               HIPR_OK(s, hipFree(allocated(s, Scene::kOwn)));
               return Scene::kOwn;
             }))
      .local("among others", ofSize([](Scene&) { return std::size_t{4096}; }));
}

// Host memory goes at once, so whoever may still read or write the program's memory is waited for. `give` makes it;
// the measured call takes it back.
template <class Row, class Give>
void addHostFree(Row row, Give give) {
  row.standard("while a kernel uses it",
               [=](Scene& s, auto f) {
                 void* block = give(s);
                 s.behind([&] { s.launchInto(block); }).call(f, block);
               })
      .standard("while a copy into it is under way",
                [=](Scene& s, auto f) {
                  void* block = give(s);
                  const auto copy = [&] {
                    HIPR_OK(s, hipMemcpyAsync(block, s.device, Scene::kBytes, hipMemcpyDeviceToHost, s.stream));
                  };
                  s.behind(copy).call(f, block);
                })
      .standard("with a function of the program pending",
                [=](Scene& s, auto f) {
                  void* block = give(s);
                  s.behind([&] { pendingFunction(s); }).call(f, block);
                })
      .post("behind a kernel that knows no memory of the host",
            [=](Scene& s, auto f) {
              void* block = give(s);
              s.behind([&] { s.launch(); }).call(f, block);
            })
      .post("idle, after a kernel has used it",
            [=](Scene& s, auto f) {
              void* block = give(s);
              s.launchInto(block);
              s.call(f, block);
            })
      .local("idle", [=](Scene& s, auto f) { s.call(f, give(s)); });
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
      .standard("while a kernel uses memory of the host",
                [](Scene& s, auto f) {
                  void *block = allocated(s, 4096), *used = allocatedHost(s);
                  s.behind([&] { s.launchInto(used); }).call(f, block);
                  HIPR_OK(s, hipHostFree(used));
                })
      .post("behind a kernel",
            [](Scene& s, auto f) {
              void* block = allocated(s, 4096);
              s.behind([&] { s.launch(); }).call(f, block);
            })
      .local("idle", [](Scene& s, auto f) { s.call(f, allocated(s, 4096)); })
      .local("idle, with a mapping of its own", [](Scene& s, auto f) { s.call(f, allocated(s, Scene::kOwn)); })
      .post("idle, with a mapping too large to be kept",
            [](Scene& s, auto f) { s.call(f, allocated(s, Scene::kLarge)); });
  addHostFree(ROW(hipHostFree), allocatedHost);
  addHostFree(ROW(hipFreeHost), allocatedHost);

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
  addHostFree(ROW(hipHostUnregister), [](Scene& s) {
    HIPR_OK(s, hipHostRegister(s.host.data(), s.host.size(), 0));
    return static_cast<void*>(s.host.data());
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

// Stream-ordered allocation and memory pools.
#include "tests/e2e/rows/book.h"

namespace hipr::rows {
namespace {

hipMemPoolProps properties() {
  hipMemPoolProps props{};
  props.allocType = hipMemAllocationTypePinned;
  props.location = {hipMemLocationTypeDevice, 0};
  return props;
}

hipMemPool_t defaultPool(Scene& s) {
  hipMemPool_t pool = nullptr;
  HIPR_OK(s, hipDeviceGetDefaultMemPool(&pool, 0));
  return pool;
}

// A pool that keeps a block of that size.
hipMemPool_t keeping(Scene& s, std::size_t size) {
  hipMemPool_t pool = nullptr;
  const hipMemPoolProps props = properties();
  void* block = nullptr;
  std::uint64_t most = ~std::uint64_t{0};
  HIPR_OK(s, hipMemPoolCreate(&pool, &props));
  HIPR_OK(s, hipMemPoolSetAttribute(pool, hipMemPoolAttrReleaseThreshold, &most));
  HIPR_OK(s, hipMallocFromPoolAsync(&block, size, pool, s.stream));
  HIPR_OK(s, hipFreeAsync(block, s.stream));
  return pool;
}

// `allocate` makes the measured call for a number of bytes.
template <class Row, class Allocate>
void addAllocation(Row row, Allocate allocate) {
  const auto ofSize = [allocate](auto size) {
    return [=](Scene& s, auto f) {
      void* block = nullptr;
      allocate(s, f, &block, size(s));
      HIPR_OK(s, hipFreeAsync(block, s.stream));
      HIPR_OK(s, hipStreamSynchronize(s.stream));  // the pool keeps nothing
    };
  };
  row.standard("beyond the memory granted so far", ofSize([](Scene& s) { return s.beyondCredit(); }))
      .post("with a mapping of its own", ofSize([](Scene&) { return Scene::kLarge; }))
      .local("where such a block was freed before", ofSize([](Scene& s) {
               void* block = nullptr;
               HIPR_OK(s, hipMallocAsync(&block, Scene::kOwn, s.stream));
               HIPR_OK(s, hipFreeAsync(block, s.stream));
               return Scene::kOwn;
             }))
      .local("among others", ofSize([](Scene&) { return std::size_t{4096}; }));
}

}  // namespace

void addPoolRows(Book& book) {
  addAllocation(ROW(hipMallocAsync),
                [](Scene& s, auto f, void** out, std::size_t size) { s.call(f, out, size, s.stream); });
  addAllocation(ROW(hipMallocFromPoolAsync),
                [](Scene& s, auto f, void** out, std::size_t size) { s.call(f, out, size, defaultPool(s), s.stream); });
  const auto freed = [](bool fromPool, bool busy) {
    return [=](Scene& s, auto f) {
      void* block = nullptr;
      if (fromPool)
        HIPR_OK(s, hipMallocAsync(&block, Scene::kLarge, s.stream));
      else
        HIPR_OK(s, hipMalloc(&block, Scene::kLarge));
      if (busy) s.behind([&] { s.launch(); });
      s.call(f, block, s.stream);
      HIPR_OK(s, hipStreamSynchronize(s.stream));
    };
  };
  ROW(hipFreeAsync)
      .standard("memory of hipMalloc, with a mapping too large to be kept", freed(false, false))
      .local("the same, behind a kernel", freed(false, true))
      .local("to its pool", freed(true, false))
      .local("to its pool, behind a kernel", freed(true, true));

  ROW(hipDeviceGetDefaultMemPool).standard([](Scene& s, auto f) {
    hipMemPool_t pool = nullptr;
    s.call(f, &pool, 0);
  });
  ROW(hipDeviceGetMemPool).standard([](Scene& s, auto f) {
    hipMemPool_t pool = nullptr;
    s.call(f, &pool, 0);
  });
  ROW(hipDeviceSetMemPool).standard([](Scene& s, auto f) { s.call(f, 0, defaultPool(s)); });
  ROW(hipMemGetDefaultMemPool).standard([](Scene& s, auto f) {
    hipMemPool_t pool = nullptr;
    hipMemLocation location{hipMemLocationTypeDevice, 0};
    s.call(f, &pool, &location, hipMemAllocationTypePinned);
  });
  ROW(hipMemGetMemPool).standard([](Scene& s, auto f) {
    hipMemPool_t pool = nullptr;
    hipMemLocation location{hipMemLocationTypeDevice, 0};
    s.call(f, &pool, &location, hipMemAllocationTypePinned);
  });
  ROW(hipMemSetMemPool).standard([](Scene& s, auto f) {
    hipMemLocation location{hipMemLocationTypeDevice, 0};
    s.call(f, &location, hipMemAllocationTypePinned, defaultPool(s));
  });
  ROW(hipMemPoolCreate).standard([](Scene& s, auto f) {
    hipMemPool_t pool = nullptr;
    const hipMemPoolProps props = properties();
    s.call(f, &pool, &props);
    HIPR_OK(s, hipMemPoolDestroy(pool));
  });
  ROW(hipMemPoolDestroy)
      .standard("with memory too large to be kept by the client",
                [](Scene& s, auto f) { s.call(f, keeping(s, Scene::kLarge)); })
      .local("with memory", [](Scene& s, auto f) { s.call(f, keeping(s, Scene::kOwn)); });
  ROW(hipMemPoolGetAccess).standard([](Scene& s, auto f) {
    hipMemAccessFlags flags;
    hipMemLocation location{hipMemLocationTypeDevice, 0};
    s.call(f, &flags, defaultPool(s), &location);
  });
  ROW(hipMemPoolSetAccess)
      .standard("for another device",
                [](Scene& s, auto f) {
                  const hipMemAccessDesc access{{hipMemLocationTypeDevice, 1}, hipMemAccessFlagsProtReadWrite};
                  s.renew();  // as if it had not been told yet
                  s.call(f, defaultPool(s), &access, std::size_t{1});
                })
      .local("for another device that has it",
             [](Scene& s, auto f) {
               const hipMemAccessDesc access{{hipMemLocationTypeDevice, 1}, hipMemAccessFlagsProtReadWrite};
               HIPR_OK(s, hipMemPoolSetAccess(defaultPool(s), &access, std::size_t{1}));
               s.call(f, defaultPool(s), &access, std::size_t{1});
             })
      .local("for its own", [](Scene& s, auto f) {
        const hipMemAccessDesc access{{hipMemLocationTypeDevice, 0}, hipMemAccessFlagsProtReadWrite};
        s.call(f, defaultPool(s), &access, std::size_t{1});
      });
  ROW(hipMemPoolGetAttribute).standard([](Scene& s, auto f) {
    std::uint64_t value = 0;
    s.call(f, defaultPool(s), hipMemPoolAttrReleaseThreshold, static_cast<void*>(&value));
  });
  ROW(hipMemPoolSetAttribute).standard([](Scene& s, auto f) {
    std::uint64_t value = 0;
    s.call(f, defaultPool(s), hipMemPoolAttrReleaseThreshold, static_cast<void*>(&value));
  });
  ROW(hipMemPoolTrimTo)
      .standard("with memory too large to be kept by the client",
                [](Scene& s, auto f) {
                  hipMemPool_t pool = keeping(s, Scene::kLarge);
                  s.call(f, pool, std::size_t{0});
                  HIPR_OK(s, hipMemPoolDestroy(pool));
                })
      .local("with nothing", [](Scene& s, auto f) { s.call(f, defaultPool(s), std::size_t{0}); });
}

}  // namespace hipr::rows

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

// `allocate` makes the measured call for a number of bytes.
template <class Row, class Allocate>
void addAllocation(Row row, Allocate allocate) {
  const auto ofSize = [allocate](auto size) {
    return [=](Scene& s, auto f) {
      void* block = nullptr;
      allocate(s, f, &block, size(s));
      HIPR_OK(s, hipFreeAsync(block, s.stream));
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
  const auto freed = [](std::size_t size, bool busy) {
    return [=](Scene& s, auto f) {
      void* block = nullptr;
      HIPR_OK(s, hipMallocAsync(&block, size, s.stream));
      if (busy) s.behind([&] { s.launch(); });
      s.call(f, block, s.stream);
    };
  };
  ROW(hipFreeAsync)
      .standard("with a mapping too large to be kept", freed(Scene::kLarge, false))
      .local("with a mapping too large to be kept, behind a kernel", freed(Scene::kLarge, true))
      .local("with a mapping of its own", freed(Scene::kOwn, false))
      .local("among others", freed(4096, false));

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
  ROW(hipMemPoolDestroy).standard([](Scene& s, auto f) {
    hipMemPool_t pool = nullptr;
    const hipMemPoolProps props = properties();
    HIPR_OK(s, hipMemPoolCreate(&pool, &props));
    s.call(f, pool);
  });
  ROW(hipMemPoolGetAccess).standard([](Scene& s, auto f) {
    hipMemAccessFlags flags;
    hipMemLocation location{hipMemLocationTypeDevice, 0};
    s.call(f, &flags, defaultPool(s), &location);
  });
  ROW(hipMemPoolSetAccess)
      .standard("for another device",
                [](Scene& s, auto f) {
                  const hipMemAccessDesc access{{hipMemLocationTypeDevice, 1}, hipMemAccessFlagsProtReadWrite};
                  s.call(f, defaultPool(s), &access, std::size_t{1});
                  s.renew();  // a second time would be an error: the worker is told again what it knows
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
  ROW(hipMemPoolTrimTo).standard([](Scene& s, auto f) { s.call(f, defaultPool(s), std::size_t{0}); });
}

}  // namespace hipr::rows

// Virtual memory management.
#include "tests/e2e/rows/book.h"

namespace hipr::rows {
namespace {

constexpr std::size_t kUnit = 2 << 20;  // a multiple of every granularity

hipMemAllocationProp properties() {
  hipMemAllocationProp prop{};
  prop.type = hipMemAllocationTypePinned;
  prop.location = {hipMemLocationTypeDevice, 0};
  return prop;
}

// Addresses, memory, and one mapped onto the other as far as an entry wants it.
struct Mapped {
  explicit Mapped(Scene& scene, bool map = true) : s(scene) {
    const hipMemAllocationProp prop = properties();
    HIPR_OK(s, hipMemAddressReserve(&range, kUnit, 0, nullptr, 0));
    HIPR_OK(s, hipMemCreate(&handle, kUnit, &prop, 0));
    if (map) HIPR_OK(s, hipMemMap(range, kUnit, 0, handle, 0));
    mapped = map;
  }
  ~Mapped() {
    if (mapped) HIPR_OK(s, hipMemUnmap(range, kUnit));
    if (handle != nullptr) HIPR_OK(s, hipMemRelease(handle));
    if (range != nullptr) HIPR_OK(s, hipMemAddressFree(range, kUnit));
  }
  Scene& s;
  void* range = nullptr;
  hipMemGenericAllocationHandle_t handle = nullptr;
  bool mapped = false;
};

}  // namespace

void addVmmRows(Book& book) {
  ROW(hipMemGetAllocationGranularity).standard([](Scene& s, auto f) {
    std::size_t unit = 0;
    const hipMemAllocationProp prop = properties();
    s.call(f, &unit, &prop, hipMemAllocationGranularityMinimum);
  });
  ROW(hipMemAddressReserve).standard([](Scene& s, auto f) {
    void* range = nullptr;
    s.call(f, &range, kUnit, std::size_t{0}, nullptr, 0ull);
    HIPR_OK(s, hipMemAddressFree(range, kUnit));
  });
  ROW(hipMemAddressFree).standard([](Scene& s, auto f) {
    void* range = nullptr;
    HIPR_OK(s, hipMemAddressReserve(&range, kUnit, 0, nullptr, 0));
    s.call(f, range, kUnit);
  });
  const auto create = [](auto size) {
    return [=](Scene& s, auto f) {
      hipMemGenericAllocationHandle_t handle = nullptr;
      const hipMemAllocationProp prop = properties();
      s.call(f, &handle, size(s), &prop, 0ull);
      HIPR_OK(s, hipMemRelease(handle));
    };
  };
  ROW(hipMemCreate)
      .standard("beyond the memory granted so far",
                create([](Scene& s) { return s.beyondCredit() / kUnit * kUnit + kUnit; }))
      .post("within it", create([](Scene&) { return kUnit; }));
  ROW(hipMemRelease).standard([](Scene& s, auto f) {
    hipMemGenericAllocationHandle_t handle = nullptr;
    const hipMemAllocationProp prop = properties();
    HIPR_OK(s, hipMemCreate(&handle, kUnit, &prop, 0));
    s.call(f, handle);
  });
  ROW(hipMemMap)
      .standard("where something was unmapped that a kernel may use",
                [](Scene& s, auto f) {
                  Mapped memory(s);
                  s.behind([&] {
                    s.launch();
                    HIPR_OK(s, hipMemUnmap(memory.range, kUnit));
                  });
                  s.call(f, memory.range, kUnit, std::size_t{0}, memory.handle, 0ull);
                })
      .post("elsewhere", [](Scene& s, auto f) {
        Mapped memory(s, false);
        s.call(f, memory.range, kUnit, std::size_t{0}, memory.handle, 0ull);
        memory.mapped = true;
      });
  ROW(hipMemUnmap).standard([](Scene& s, auto f) {
    Mapped memory(s);
    s.call(f, memory.range, kUnit);
    memory.mapped = false;
  });
  ROW(hipMemSetAccess).standard([](Scene& s, auto f) {
    Mapped memory(s);
    const hipMemAccessDesc access{{hipMemLocationTypeDevice, 0}, hipMemAccessFlagsProtReadWrite};
    s.call(f, memory.range, kUnit, &access, std::size_t{1});
  });
  ROW(hipMemGetAccess).standard([](Scene& s, auto f) {
    Mapped memory(s);
    unsigned long long flags = 0;
    const hipMemLocation location{hipMemLocationTypeDevice, 0};
    s.call(f, &flags, &location, memory.range);
  });
  ROW(hipMemRetainAllocationHandle).standard([](Scene& s, auto f) {
    Mapped memory(s);
    hipMemGenericAllocationHandle_t again = nullptr;
    s.call(f, &again, memory.range);
    HIPR_OK(s, hipMemRelease(again));
  });
  ROW(hipMemGetAllocationPropertiesFromHandle).standard([](Scene& s, auto f) {
    Mapped memory(s);
    hipMemAllocationProp prop{};
    s.call(f, &prop, memory.handle);
  });
  ROW(hipMemGetHandleForAddressRange).standard([](Scene& s, auto f) {
    int file = -1;
    s.expect(hipErrorNotSupported)
        .call(f, static_cast<void*>(&file), s.device, std::size_t{4096}, hipMemRangeHandleTypeDmaBufFd, 0ull);
  });
  ROW(hipMemMapArrayAsync).standard([](Scene& s, auto f) {
    s.expect(hipErrorInvalidValue).call(f, nullptr, 0u, s.stream);
  });
}

}  // namespace hipr::rows

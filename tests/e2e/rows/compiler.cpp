// Entry points called by compiler-made host code.
#include "tests/e2e/rows/book.h"

namespace hipr::rows {
namespace {

constexpr dim3 kOne{1, 1, 1};

// Registers code around a measured call that gets its handle.
template <class Call>
auto withCode(Call call) {
  return [call](Scene& s, auto f) {
    Scene::Wrapper wrapper{.image = Scene::code()};
    void** code = s.hip.__hipRegisterFatBinary(&wrapper);
    call(s, f, code);
    s.hip.__hipUnregisterFatBinary(code);
  };
}

char handle = 0;
char name[] = "counter";

}  // namespace

void addCompilerRows(Book& book) {
  ROW(__gnu_f2h_ieee).standard([](Scene& s, auto f) { s.call(f, 1.5f); });
  ROW(__gnu_h2f_ieee).standard([](Scene& s, auto f) { s.call(f, static_cast<unsigned short>(0x3c00)); });
  ROW(__hipGetPCH).standard([](Scene& s, auto f) {
    const char* header = nullptr;
    unsigned size = 0;
    s.call(f, &header, &size);
  });
  ROW(__hipOnError).standard([](Scene& s, auto f) { s.call(f, nullptr); });
  ROW(__hipPushCallConfiguration).standard([](Scene& s, auto f) {
    dim3 grid, block;
    std::size_t shared = 0;
    hipStream_t stream = nullptr;
    s.call(f, kOne, kOne, std::size_t{0}, s.stream);
    HIPR_OK(s, __hipPopCallConfiguration(&grid, &block, &shared, &stream));
  });
  ROW(__hipPopCallConfiguration).standard([](Scene& s, auto f) {
    dim3 grid, block;
    std::size_t shared = 0;
    hipStream_t stream = nullptr;
    HIPR_OK(s, __hipPushCallConfiguration(kOne, kOne, 0, s.stream));
    s.call(f, &grid, &block, &shared, &stream);
  });
  ROW(__hipRegisterFatBinary).standard([](Scene& s, auto f) {
    Scene::Wrapper wrapper{.image = Scene::code()};
    s.hip.__hipUnregisterFatBinary(s.call(f, &wrapper));
  });
  ROW(__hipRegisterFunction).standard(withCode([](Scene& s, auto f, void** code) {
    s.call(f, code, &handle, nullptr, "store", ~0u, nullptr, nullptr, nullptr, nullptr, nullptr);
  }));
  ROW(__hipRegisterVar).standard(withCode([](Scene& s, auto f, void** code) {
    s.call(f, code, &handle, name, name, 0, sizeof(int), 0, 0);
  }));
  ROW(__hipRegisterManagedVar).standard(withCode([](Scene& s, auto f, void** code) {
    void* slot = nullptr;
    int initial = 3;
    s.call(f, static_cast<void*>(code), &slot, &initial, "shared", sizeof initial, unsigned{alignof(int)});
  }));
  ROW(__hipUnregisterFatBinary)
      .standard("of code that was used",
                [](Scene& s, auto f) {
                  char kernel = 0, variable = 0;
                  Scene::Wrapper wrapper{.image = Scene::code()};
                  void** code = s.registerCode(wrapper, &kernel, &variable);
                  HIPR_OK(s, hipLaunchKernel(&kernel, kOne, kOne, s.arguments(), 0, s.stream));
                  s.call(f, code);
                })
      .local("of code that nobody used", [](Scene& s, auto f) {
        Scene::Wrapper wrapper{.image = Scene::code()};
        s.call(f, s.hip.__hipRegisterFatBinary(&wrapper));
      });
}

}  // namespace hipr::rows

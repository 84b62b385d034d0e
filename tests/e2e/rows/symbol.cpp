// Variables that the compiler registers. Where they are, the worker says in its answer to the code they are in; whoever
// needs a variable before that answer has come waits for it.
#include "tests/e2e/rows/book.h"

namespace hipr::rows {
namespace {

// A variable in code that nobody has used so far, and one in code that is long there.
template <class Row, class Use>
void addFirstUse(Row row, Use use) {
  row.standard("first use of its code", [=](Scene& s, auto f) {
    char kernel = 0, variable = 0;
    Scene::Wrapper wrapper{.image = Scene::code()};
    void** code = s.registerCode(wrapper, &kernel, &variable);
    use(s, f, &variable);
    s.hip.__hipUnregisterFatBinary(code);
  });
}

int value = 3;

}  // namespace

void addSymbolRows(Book& book) {
  const auto address = [](Scene& s, auto f, const void* symbol) {
    void* pointer = nullptr;
    s.call(f, &pointer, symbol);
  };
  addFirstUse(ROW(hipGetSymbolAddress), address);
  ROW(hipGetSymbolAddress).local("known", [=](Scene& s, auto f) { address(s, f, &s.variable); });

  const auto size = [](Scene& s, auto f, const void* symbol) {
    std::size_t bytes = 0;
    s.call(f, &bytes, symbol);
  };
  addFirstUse(ROW(hipGetSymbolSize), size);
  ROW(hipGetSymbolSize).local("known", [=](Scene& s, auto f) { size(s, f, &s.variable); });

  const auto to = [](Scene& s, auto f, const void* symbol) {
    s.call(f, symbol, &value, sizeof value, std::size_t{0}, hipMemcpyHostToDevice);
  };
  addFirstUse(ROW(hipMemcpyToSymbol), to);
  ROW(hipMemcpyToSymbol).post("known", [=](Scene& s, auto f) { to(s, f, &s.variable); });

  const auto toAsync = [](Scene& s, auto f, const void* symbol) {
    s.call(f, symbol, &value, sizeof value, std::size_t{0}, hipMemcpyHostToDevice, s.stream);
  };
  addFirstUse(ROW(hipMemcpyToSymbolAsync), toAsync);
  ROW(hipMemcpyToSymbolAsync).post("known", [=](Scene& s, auto f) { toAsync(s, f, &s.variable); });

  ROW(hipMemcpyFromSymbol).standard([](Scene& s, auto f) {
    s.call(f, &value, &s.variable, sizeof value, std::size_t{0}, hipMemcpyDeviceToHost);
  });
  ROW(hipMemcpyFromSymbolAsync)
      .standard("to pageable memory",
                [](Scene& s, auto f) {
                  s.call(f, &value, &s.variable, sizeof value, std::size_t{0}, hipMemcpyDeviceToHost, s.stream);
                })
      .post("to pinned memory", [](Scene& s, auto f) {
        s.call(f, s.pinned, &s.variable, sizeof value, std::size_t{0}, hipMemcpyDeviceToHost, s.stream);
      });
}

}  // namespace hipr::rows

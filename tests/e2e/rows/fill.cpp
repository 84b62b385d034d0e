// Fills. Of device memory they are posted; host memory that no kernel knows of is filled by the program itself, after
// the work before it: a call with "Async" leaves that for when its stream comes there.
#include "tests/e2e/rows/book.h"

namespace hipr::rows {
namespace {

// `fill` makes the measured call on the memory given.
template <class Fill>
auto behindAKernel(Fill fill, void* Scene::* memory) {
  return [=](Scene& s, auto f) {
    s.behind([&] { s.launch(); });
    fill(s, f, s.*memory);
  };
}
template <class Row, class Fill>
void addFill(Row row, Fill fill) {
  row.standard("of pinned memory, behind a kernel", behindAKernel(fill, &Scene::pinned))
      .post("of device memory", [=](Scene& s, auto f) { fill(s, f, s.device); })
      .post("of device memory, behind a kernel", behindAKernel(fill, &Scene::device));
}
template <class Row, class Fill>
void addAsyncFill(Row row, Fill fill) {
  row.standard("of pinned memory, behind a kernel", behindAKernel(fill, &Scene::pinned))
      .standard("of device memory", [=](Scene& s, auto f) { fill(s, f, s.device); })
      .standard("of device memory, behind a kernel", behindAKernel(fill, &Scene::device));
}

constexpr std::size_t kCount = 64, kPitch = 512, kWidth = 32, kHeight = 4;

hipPitchedPtr box(void* address) {
  return {address, kPitch, kWidth, kHeight};
}

}  // namespace

void addFillRows(Book& book) {
  addFill(ROW(hipMemset), [](Scene& s, auto f, void* to) { s.call(f, to, 1, kCount); });
  addAsyncFill(ROW(hipMemsetAsync), [](Scene& s, auto f, void* to) { s.call(f, to, 1, kCount, s.stream); });
  addFill(ROW(hipMemsetD8), [](Scene& s, auto f, void* to) { s.call(f, to, 1, kCount); });
  addAsyncFill(ROW(hipMemsetD8Async), [](Scene& s, auto f, void* to) { s.call(f, to, 1, kCount, s.stream); });
  addFill(ROW(hipMemsetD16), [](Scene& s, auto f, void* to) { s.call(f, to, 1, kCount); });
  addAsyncFill(ROW(hipMemsetD16Async), [](Scene& s, auto f, void* to) { s.call(f, to, 1, kCount, s.stream); });
  addFill(ROW(hipMemsetD32), [](Scene& s, auto f, void* to) { s.call(f, to, 1, kCount); });
  addAsyncFill(ROW(hipMemsetD32Async), [](Scene& s, auto f, void* to) { s.call(f, to, 1, kCount, s.stream); });
  addFill(ROW(hipMemset2D), [](Scene& s, auto f, void* to) { s.call(f, to, kPitch, 1, kWidth, kHeight); });
  addAsyncFill(ROW(hipMemset2DAsync),
               [](Scene& s, auto f, void* to) { s.call(f, to, kPitch, 1, kWidth, kHeight, s.stream); });
  addFill(ROW(hipMemsetD2D8), [](Scene& s, auto f, void* to) { s.call(f, to, kPitch, 1, kWidth, kHeight); });
  addAsyncFill(ROW(hipMemsetD2D8Async),
               [](Scene& s, auto f, void* to) { s.call(f, to, kPitch, 1, kWidth, kHeight, s.stream); });
  addFill(ROW(hipMemsetD2D16), [](Scene& s, auto f, void* to) { s.call(f, to, kPitch, 1, kWidth, kHeight); });
  addAsyncFill(ROW(hipMemsetD2D16Async),
               [](Scene& s, auto f, void* to) { s.call(f, to, kPitch, 1, kWidth, kHeight, s.stream); });
  addFill(ROW(hipMemsetD2D32), [](Scene& s, auto f, void* to) { s.call(f, to, kPitch, 1u, kWidth, kHeight); });
  addAsyncFill(ROW(hipMemsetD2D32Async),
               [](Scene& s, auto f, void* to) { s.call(f, to, kPitch, 1u, kWidth, kHeight, s.stream); });
  addFill(ROW(hipMemset3D), [](Scene& s, auto f, void* to) { s.call(f, box(to), 1, hipExtent{kWidth, kHeight, 2}); });
  addAsyncFill(ROW(hipMemset3DAsync),
               [](Scene& s, auto f, void* to) { s.call(f, box(to), 1, hipExtent{kWidth, kHeight, 2}, s.stream); });
}

}  // namespace hipr::rows

// Copies of one dimension. The worst case of each is one whose bytes the program may read as soon as the call returns,
// or that it makes in its own memory, after the work before it.
#include "tests/e2e/rows/book.h"

namespace hipr::rows {
namespace {

constexpr std::size_t kSmall = 4096;  // travels inside its message; Scene::kBytes does not

// hipMemcpy and those that differ from it only in a stream.
template <class Row, class... Stream>
void addCopies(Row row, Stream... stream) {
  const auto copy = [stream...](Scene& s, auto f, void* to, const void* from, std::size_t size, hipMemcpyKind kind) {
    s.call(f, to, from, size, kind, stream(s)...);
  };
  row.standard("device to host",
               [=](Scene& s, auto f) { copy(s, f, s.host.data(), s.device, kSmall, hipMemcpyDeviceToHost); })
      .standard("device to host, large",
                [=](Scene& s, auto f) { copy(s, f, s.host.data(), s.device, Scene::kBytes, hipMemcpyDeviceToHost); })
      .standard("host to host, behind a kernel",
                [=](Scene& s, auto f) {
                  s.behind([&] { s.launch(); });
                  copy(s, f, s.host.data(), s.host.data() + kSmall, kSmall, hipMemcpyHostToHost);
                })
      .post("host to device",
            [=](Scene& s, auto f) { copy(s, f, s.device, s.host.data(), kSmall, hipMemcpyHostToDevice); })
      .post("host to device, large",
            [=](Scene& s, auto f) { copy(s, f, s.device, s.host.data(), Scene::kBytes, hipMemcpyHostToDevice); })
      .post("pinned to device",
            [=](Scene& s, auto f) { copy(s, f, s.device, s.pinned, Scene::kBytes, hipMemcpyHostToDevice); })
      .post("device to device",
            [=](Scene& s, auto f) { copy(s, f, s.device, s.other, Scene::kBytes, hipMemcpyDeviceToDevice); })
      .post("device to device, behind a kernel", [=](Scene& s, auto f) {
        s.behind([&] { s.launch(); });
        copy(s, f, s.device, s.other, Scene::kBytes, hipMemcpyDeviceToDevice);
      });
}

hipStream_t own(Scene& s) {
  return s.stream;
}

}  // namespace

void addCopyRows(Book& book) {
  const auto batch = [](void* Scene::* from) {
    return [from](Scene& s, auto f) {
      void *to[] = {s.other, s.other}, *sources[] = {s.*from, s.*from};
      std::size_t sizes[] = {64, 128}, failed = 0;
      s.call(f, to, sources, sizes, std::size_t{2}, nullptr, nullptr, std::size_t{0}, &failed, s.stream);
    };
  };
  const auto boxes = [](void* to, void* from) {
    hipMemcpy3DBatchOp op{};
    op.src.type = op.dst.type = hipMemcpyOperandTypePointer;
    op.src.op.ptr.ptr = from;
    op.dst.op.ptr.ptr = to;
    op.extent = {64, 8, 2};
    op.srcAccessOrder = hipMemcpySrcAccessOrderStream;
    return op;
  };
  ROW(hipMemcpy3DBatchAsync)
      .standard("device to pageable",
                [=](Scene& s, auto f) {
                  hipMemcpy3DBatchOp op = boxes(s.host.data(), s.device);
                  std::size_t failed = 0;
                  s.call(f, std::size_t{1}, &op, &failed, 0ull, s.stream);
                })
      .post("on the device", [=](Scene& s, auto f) {
        hipMemcpy3DBatchOp op = boxes(s.other, s.device);
        std::size_t failed = 0;
        s.call(f, std::size_t{1}, &op, &failed, 0ull, s.stream);
      });
  ROW(hipMemcpyBatchAsync)
      .standard("into pageable memory",
                [](Scene& s, auto f) {
                  void *to[] = {s.host.data()}, *sources[] = {s.device};
                  std::size_t sizes[] = {64}, failed = 0;
                  s.call(f, to, sources, sizes, std::size_t{1}, nullptr, nullptr, std::size_t{0}, &failed, s.stream);
                })
      .post("on the device", batch(&Scene::device))
      .post("from pinned memory", batch(&Scene::pinned));
  addCopies(ROW(hipMemcpy));
  ROW(hipMemcpy).standard("device to pinned", [](Scene& s, auto f) {
    s.call(f, s.pinned, s.device, Scene::kBytes, hipMemcpyDeviceToHost);
  });
  addCopies(ROW(hipMemcpyWithStream), own);
  ROW(hipMemcpyWithStream).standard("device to pinned", [](Scene& s, auto f) {
    s.call(f, s.pinned, s.device, Scene::kBytes, hipMemcpyDeviceToHost, s.stream);
  });
  addCopies(ROW(hipMemcpyAsync), own);
  ROW(hipMemcpyAsync).post("device to pinned", [](Scene& s, auto f) {
    s.call(f, s.pinned, s.device, Scene::kBytes, hipMemcpyDeviceToHost, s.stream);
  });

  ROW(hipMemcpyHtoD)
      .standard("into pinned memory, behind a kernel",
                [](Scene& s, auto f) { s.behind([&] { s.launch(); }).call(f, s.pinned, s.host.data(), kSmall); })
      .local("into pinned memory", [](Scene& s, auto f) { s.call(f, s.pinned, s.host.data(), kSmall); })
      .post("into device memory", [](Scene& s, auto f) { s.call(f, s.device, s.host.data(), kSmall); });
  ROW(hipMemcpyHtoDAsync)
      .standard(
          "into pinned memory, behind a kernel",
          [](Scene& s, auto f) { s.behind([&] { s.launch(); }).call(f, s.pinned, s.host.data(), kSmall, s.stream); })
      .post("into device memory", [](Scene& s, auto f) { s.call(f, s.device, s.host.data(), kSmall, s.stream); });
  ROW(hipMemcpyDtoH).standard([](Scene& s, auto f) { s.call(f, s.host.data(), s.device, kSmall); });
  ROW(hipMemcpyDtoHAsync)
      .standard("pageable", [](Scene& s, auto f) { s.call(f, s.host.data(), s.device, kSmall, s.stream); })
      .post("pinned", [](Scene& s, auto f) { s.call(f, s.pinned, s.device, kSmall, s.stream); });
  ROW(hipMemcpyDtoD)
      .standard("pinned memory by its device address", [](Scene& s, auto f) { s.call(f, s.pinned, s.device, kSmall); })
      .post("in device memory", [](Scene& s, auto f) { s.call(f, s.device, s.other, kSmall); });
  ROW(hipMemcpyDtoDAsync)
      .standard("in pinned memory by its device address, behind a kernel",
                [](Scene& s, auto f) {
                  auto* const from = static_cast<char*>(s.pinned) + kSmall;
                  s.behind([&] { s.launch(); }).call(f, s.pinned, from, kSmall, s.stream);
                })
      .post("in device memory", [](Scene& s, auto f) { s.call(f, s.device, s.other, kSmall, s.stream); });

  ROW(hipMemcpyPeer)
      .standard("in pinned memory by its device address, behind a kernel",
                [](Scene& s, auto f) {
                  auto* const from = static_cast<char*>(s.pinned) + kSmall;
                  s.behind([&] { s.launch(); }).call(f, s.pinned, 0, from, 0, kSmall);
                })
      .local("in pinned memory by its device address",
             [](Scene& s, auto f) {
               auto* const from = static_cast<char*>(s.pinned) + kSmall;
               s.call(f, s.pinned, 0, from, 0, kSmall);
             })
      .post("between two devices", [](Scene& s, auto f) { s.call(f, s.away, 1, s.device, 0, kSmall); });
  ROW(hipMemcpyPeerAsync)
      .standard("in pinned memory by its device address, behind a kernel",
                [](Scene& s, auto f) {
                  auto* const from = static_cast<char*>(s.pinned) + kSmall;
                  s.behind([&] { s.launch(); }).call(f, s.pinned, 0, from, 0, kSmall, s.stream);
                })
      .post("between two devices", [](Scene& s, auto f) { s.call(f, s.away, 1, s.device, 0, kSmall, s.stream); });
}

}  // namespace hipr::rows

// Managed memory, and what programs say about it.
#include "tests/e2e/rows/book.h"

namespace hipr::rows {
namespace {

constexpr hipMemLocation kDevice0{hipMemLocationTypeDevice, 0};

// Managed memory for one measured call.
template <class Call>
auto withMemory(Call call) {
  return [call](Scene& s, auto f) {
    void* memory = nullptr;
    HIPR_OK(s, hipMallocManaged(&memory, Scene::kBytes, hipMemAttachGlobal));
    call(s, f, memory);
    HIPR_OK(s, hipFree(memory));
  };
}

}  // namespace

void addManagedRows(Book& book) {
  ROW(hipMallocManaged).standard([](Scene& s, auto f) {
    void* memory = nullptr;
    s.call(f, &memory, Scene::kBytes, unsigned{hipMemAttachGlobal});
    HIPR_OK(s, hipFree(memory));
  });
  ROW(hipMemAdvise).standard(withMemory([](Scene& s, auto f, void* memory) {
    s.call(f, memory, Scene::kBytes, hipMemAdviseSetReadMostly, 0);
  }));
  ROW(hipMemAdvise_v2).standard(withMemory([](Scene& s, auto f, void* memory) {
    s.call(f, memory, Scene::kBytes, hipMemAdviseSetReadMostly, kDevice0);
  }));
  ROW(hipMemPrefetchAsync).standard(withMemory([](Scene& s, auto f, void* memory) {
    s.call(f, memory, Scene::kBytes, 0, s.stream);
  }));
  ROW(hipMemPrefetchAsync_v2).standard(withMemory([](Scene& s, auto f, void* memory) {
    s.call(f, memory, Scene::kBytes, kDevice0, 0u, s.stream);
  }));
  const auto prefetchBatch = withMemory([](Scene& s, auto f, void* memory) {
    std::size_t size = Scene::kBytes, start = 0;
    hipMemLocation place = kDevice0;
    s.call(f, &memory, &size, std::size_t{1}, &place, &start, std::size_t{1}, 0ull, s.stream);
  });
  ROW(hipMemPrefetchBatchAsync).standard(prefetchBatch);
  ROW(hipMemDiscardAndPrefetchBatchAsync).standard(prefetchBatch);
  ROW(hipDrvMemDiscardAndPrefetchBatchAsync).standard(prefetchBatch);
  const auto discardBatch = withMemory([](Scene& s, auto f, void* memory) {
    std::size_t size = Scene::kBytes;
    s.call(f, &memory, &size, std::size_t{1}, 0ull, s.stream);
  });
  ROW(hipMemDiscardBatchAsync).standard(discardBatch);
  ROW(hipDrvMemDiscardBatchAsync).standard(discardBatch);
  ROW(hipMemRangeGetAttribute).standard(withMemory([](Scene& s, auto f, void* memory) {
    int value = 0;
    s.call(f, static_cast<void*>(&value), sizeof value, hipMemRangeAttributeReadMostly, memory, Scene::kBytes);
  }));
  ROW(hipMemRangeGetAttributes).standard(withMemory([](Scene& s, auto f, void* memory) {
    int value = 0;
    void* data[] = {&value};
    std::size_t sizes[] = {sizeof value};
    hipMemRangeAttribute attributes[] = {hipMemRangeAttributeReadMostly};
    s.call(f, data, sizes, attributes, std::size_t{1}, memory, Scene::kBytes);
  }));
  ROW(hipStreamAttachMemAsync).standard(withMemory([](Scene& s, auto f, void* memory) {
    s.call(f, s.stream, memory, Scene::kBytes, unsigned{hipMemAttachGlobal});
  }));
}

}  // namespace hipr::rows

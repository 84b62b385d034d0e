// Arrays, and copies from and to them.
#include "tests/e2e/rows/book.h"
#include "tests/e2e/rows/image_scene.h"

namespace hipr::rows {
namespace {

constexpr HIP_ARRAY_DESCRIPTOR kPlane{.Width = 4, .Height = 4, .Format = HIP_AD_FORMAT_FLOAT, .NumChannels = 1};
constexpr HIP_ARRAY3D_DESCRIPTOR kBox{
    .Width = 4, .Height = 4, .Depth = 4, .Format = HIP_AD_FORMAT_FLOAT, .NumChannels = 1, .Flags = 0};
constexpr std::size_t kNone = 0, kRow = SceneArray::kRow, kRows = SceneArray::kHeight, kAll = kRow * kRows;
char out[256];  // room for whatever is described

template <class T>
T* room() {
  return reinterpret_cast<T*>(out);
}

void ignore(void*) {}

// Whether there is memory for it is for the worker to say.
template <class Row, class... A>
void makes(Row row, A... arguments) {
  row.standard([=](Scene& s, auto f) {
    hipArray_t array = nullptr;
    s.call(f, &array, arguments...);
    HIPR_OK(s, hipFreeArray(array));
  });
}

template <class Row>
void ends(Row row) {
  row.standard("with a function of the program pending",
               [](Scene& s, auto f) {
                 SceneArray array(s);
                 s.behind([&] {
                    HIPR_OK(s, hipLaunchHostFunc(s.stream, &ignore, nullptr));
                  }).call(f, std::exchange(array.handle, nullptr));
               })
      .post("idle", [](Scene& s, auto f) {
        SceneArray array(s);
        s.call(f, std::exchange(array.handle, nullptr));
      });
}

template <class Row, class... A>
void tells(Row row, A... told) {
  row.standard([=](Scene& s, auto f) {
    const SceneArray array(s);
    s.call(f, told..., array.handle);
  });
}

template <class Row, class... A>
void answers(Row row, hipError_t error, A... arguments) {
  row.standard([=](Scene& s, auto f) { s.expect(error).call(f, arguments...); });
}

void addLives(Book& book) {
  makes(ROW(hipMallocArray), &kFloats, std::size_t{4}, std::size_t{4}, 0u);
  makes(ROW(hipMalloc3DArray), &kFloats, hipExtent{4, 4, 4}, 0u);
  makes(ROW(hipArrayCreate), &kPlane);
  makes(ROW(hipArray3DCreate), &kBox);
  ends(ROW(hipFreeArray));
  ends(ROW(hipArrayDestroy));
  tells(ROW(hipArrayGetInfo), room<hipChannelFormatDesc>(), nullptr, nullptr);
  tells(ROW(hipArrayGetDescriptor), room<HIP_ARRAY_DESCRIPTOR>());
  tells(ROW(hipArray3DGetDescriptor), room<HIP_ARRAY3D_DESCRIPTOR>());
  tells(ROW(hipGetChannelDesc), room<hipChannelFormatDesc>());

  const auto none = reinterpret_cast<hipMipmappedArray_t>(0x1000);
  const auto array = room<hipArray_t>();
  answers(ROW(hipMallocMipmappedArray), hipErrorNotSupported, room<hipMipmappedArray_t>(), &kFloats, hipExtent{4, 4, 0},
          2u, 0u);
  answers(ROW(hipMipmappedArrayCreate), hipErrorNotSupported, room<hipMipmappedArray_t>(),
          room<HIP_ARRAY3D_DESCRIPTOR>(), 2u);
  answers(ROW(hipFreeMipmappedArray), hipErrorInvalidValue, none);
  answers(ROW(hipMipmappedArrayDestroy), hipErrorInvalidValue, none);
  answers(ROW(hipGetMipmappedArrayLevel), hipErrorInvalidHandle, array, nullptr, 0u);
  answers(ROW(hipMipmappedArrayGetLevel), hipErrorInvalidHandle, array, nullptr, 0u);
  answers(ROW(hipMipmappedArrayGetMemoryRequirements), hipErrorNotSupported, room<hipArrayMemoryRequirements>(), none,
          0);
}

// With an array, and the device's memory in place of the host's where a copy costs less then.
template <class Row, class Call>
void copies(Row row, Call call) {
  row.standard("with the host",
               [=](Scene& s, auto f) {
                 const SceneArray array(s);
                 call(s, f, array, s.host.data(), hipMemcpyDefault);
               })
      .post("on the device", [=](Scene& s, auto f) {
        const SceneArray array(s);
        call(s, f, array, s.device, hipMemcpyDeviceToDevice);
      });
}

// Bytes of pageable memory have left it when the call returns, and nobody waits for them to arrive; unless a function
// of the program could still be writing there.
template <class Row, class Call>
void uploads(Row row, Call call) {
  row.standard("from memory that a function may be writing",
               [=](Scene& s, auto f) {
                 const SceneArray array(s);
                 s.behind([&] {
                   for (const hipStream_t stream : {s.stream, hipStreamPerThread})  // of `_spt` calls
                     HIPR_OK(s, hipLaunchHostFunc(stream, &ignore, nullptr));
                 });
                 call(s, f, array, s.host.data(), hipMemcpyHostToDevice);
               })
      .post("from the host",
            [=](Scene& s, auto f) {
              const SceneArray array(s);
              call(s, f, array, s.host.data(), hipMemcpyHostToDevice);
            })
      .post("on the device", [=](Scene& s, auto f) {
        const SceneArray array(s);
        call(s, f, array, s.device, hipMemcpyDeviceToDevice);
      });
}

void addRows(Book& book) {
  uploads(ROW(hipMemcpy2DToArray), [](Scene& s, auto f, const SceneArray& array, void* memory, hipMemcpyKind kind) {
    s.call(f, array.handle, kNone, kNone, memory, kRow, kRow, kRows, kind);
  });
  uploads(ROW(hipMemcpy2DToArrayAsync),
          [](Scene& s, auto f, const SceneArray& array, void* memory, hipMemcpyKind kind) {
            s.call(f, array.handle, kNone, kNone, memory, kRow, kRow, kRows, kind, s.stream);
          });
  copies(ROW(hipMemcpy2DFromArray), [](Scene& s, auto f, const SceneArray& array, void* memory, hipMemcpyKind kind) {
    s.call(f, memory, kRow, array.handle, kNone, kNone, kRow, kRows, kind);
  });
  copies(ROW(hipMemcpy2DFromArrayAsync),
         [](Scene& s, auto f, const SceneArray& array, void* memory, hipMemcpyKind kind) {
           s.call(f, memory, kRow, array.handle, kNone, kNone, kRow, kRows, kind, s.stream);
         });
  ROW(hipMemcpy2DArrayToArray).standard([](Scene& s, auto f) {
    const SceneArray to(s), from(s);
    s.call(f, to.handle, kNone, kNone, from.handle, kNone, kNone, kRow, kRows, hipMemcpyDeviceToDevice);
  });
}

void addLines(Book& book) {
  uploads(ROW(hipMemcpyToArray), [](Scene& s, auto f, const SceneArray& array, void* memory, hipMemcpyKind kind) {
    s.call(f, array.handle, kNone, kNone, memory, kAll, kind);
  });
  copies(ROW(hipMemcpyFromArray), [](Scene& s, auto f, const SceneArray& array, void* memory, hipMemcpyKind kind) {
    s.call(f, memory, array.handle, kNone, kNone, kAll, kind);
  });
  uploads(ROW(hipMemcpyHtoA), [](Scene& s, auto f, const SceneArray& array, void* memory, hipMemcpyKind) {
    s.call(f, array.handle, kNone, memory, kRow);
  });
  uploads(ROW(hipMemcpyHtoAAsync), [](Scene& s, auto f, const SceneArray& array, void* memory, hipMemcpyKind) {
    s.call(f, array.handle, kNone, memory, kRow, s.stream);
  });
  copies(ROW(hipMemcpyAtoH), [](Scene& s, auto f, const SceneArray& array, void* memory, hipMemcpyKind) {
    s.call(f, memory, array.handle, kNone, kRow);
  });
  copies(ROW(hipMemcpyAtoHAsync), [](Scene& s, auto f, const SceneArray& array, void* memory, hipMemcpyKind) {
    s.call(f, memory, array.handle, kNone, kRow, s.stream);
  });
  ROW(hipMemcpyAtoA).standard([](Scene& s, auto f) {
    const SceneArray to(s), from(s);
    s.call(f, to.handle, kNone, from.handle, kNone, kRow);
  });
  copies(ROW(hipMemcpyAtoD), [](Scene& s, auto f, const SceneArray& array, void* memory, hipMemcpyKind) {
    s.call(f, memory, array.handle, kNone, kRow);
  });
  uploads(ROW(hipMemcpyDtoA), [](Scene& s, auto f, const SceneArray& array, void* memory, hipMemcpyKind) {
    s.call(f, array.handle, kNone, memory, kRow);
  });
}

}  // namespace

void addArrayRows(Book& book) {
  addLives(book);
  addRows(book);
  addLines(book);
}

}  // namespace hipr::rows

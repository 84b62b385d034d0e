// Other APIs' memory, and OpenGL on a machine without a display. What cannot be done is refused without asking anyone.
#include "tests/e2e/rows/book.h"

namespace hipr::rows {
namespace {

// A row whose answer is an error that its arguments decide.
template <class Row, class... A>
void answers(Row row, hipError_t error, A... arguments) {
  row.standard([=](Scene& s, auto f) { s.expect(error).call(f, arguments...); });
}

char out[256];  // room for whatever is described

template <class T>
T* room() {
  return reinterpret_cast<T*>(out);
}

constexpr hipError_t kRefused = hipErrorNotSupported, kInvalid = hipErrorInvalidValue;

}  // namespace

void addInteropRows(Book& book) {
  static hipExternalMemoryHandleDesc memory{};
  memory.type = hipExternalMemoryHandleTypeOpaqueFd;
  memory.handle.fd = 3;
  memory.size = 4096;
  static hipExternalSemaphoreHandleDesc semaphore{};
  semaphore.type = hipExternalSemaphoreHandleTypeOpaqueFd;
  semaphore.handle.fd = 3;
  answers(ROW(hipImportExternalMemory), hipErrorOutOfMemory, room<hipExternalMemory_t>(), &memory);
  answers(ROW(hipExternalMemoryGetMappedBuffer), kInvalid, room<void*>(), nullptr, nullptr);
  answers(ROW(hipExternalMemoryGetMappedMipmappedArray), kInvalid, room<hipMipmappedArray_t>(), nullptr, nullptr);
  answers(ROW(hipDestroyExternalMemory), kInvalid, nullptr);
  answers(ROW(hipImportExternalSemaphore), kRefused, room<hipExternalSemaphore_t>(), &semaphore);
  ROW(hipSignalExternalSemaphoresAsync).standard([](Scene& s, auto f) {
    s.call(f, room<hipExternalSemaphore_t>(), room<hipExternalSemaphoreSignalParams>(), 0u, s.stream);
  });
  ROW(hipWaitExternalSemaphoresAsync).standard([](Scene& s, auto f) {
    s.call(f, room<hipExternalSemaphore_t>(), room<hipExternalSemaphoreWaitParams>(), 0u, s.stream);
  });
  answers(ROW(hipDestroyExternalSemaphore), kInvalid, nullptr);
  answers(ROW(hipGLGetDevices), hipErrorNoDevice, room<unsigned>(), room<int>(), 4u, hipGLDeviceListAll);
  answers(ROW(hipGraphicsGLRegisterBuffer), kInvalid, room<hipGraphicsResource*>(), GLuint{1}, 0u);
  answers(ROW(hipGraphicsGLRegisterImage), kInvalid, room<hipGraphicsResource*>(), GLuint{1}, GLenum{1}, 0u);
  answers(ROW(hipGraphicsMapResources), hipErrorUnknown, 0, nullptr, nullptr);
  answers(ROW(hipGraphicsResourceGetMappedPointer), hipErrorUnknown, room<void*>(), room<std::size_t>(), nullptr);
  answers(ROW(hipGraphicsSubResourceGetMappedArray), kInvalid, room<hipArray_t>(), nullptr, 0u, 0u);
  answers(ROW(hipGraphicsUnregisterResource), kInvalid, nullptr);
  ROW(hipGraphicsUnmapResources)
      .standard("behind a launch",
                [](Scene& s, auto f) { s.behind([&] { s.launch(); }).call(f, 0, nullptr, s.stream); })
      .local("idle", [](Scene& s, auto f) { s.call(f, 0, nullptr, s.stream); });
}

}  // namespace hipr::rows

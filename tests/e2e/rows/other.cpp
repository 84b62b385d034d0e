// Errors, entry-point look-up, names: nothing a worker is needed for.
#include "tests/e2e/rows/book.h"

namespace hipr::rows {

void addOtherRows(Book& book) {
  // Whatever other entries provoked is forgotten first.
  const auto afterSuccess = [](Scene& s, auto f) {
    (void)s.hip.hipGetLastError();
    s.call(f);
  };
  ROW(hipDrvGetErrorName).standard([](Scene& s, auto f) {
    const char* text = nullptr;
    s.call(f, hipErrorInvalidValue, &text);
  });
  ROW(hipDrvGetErrorString).standard([](Scene& s, auto f) {
    const char* text = nullptr;
    s.call(f, hipErrorInvalidValue, &text);
  });
  ROW(hipGetErrorName).standard([](Scene& s, auto f) { s.call(f, hipErrorInvalidValue); });
  ROW(hipGetErrorString).standard([](Scene& s, auto f) { s.call(f, hipErrorInvalidValue); });
  ROW(hipExtGetLastError).standard(afterSuccess);
  ROW(hipGetLastError).standard(afterSuccess);
  ROW(hipPeekAtLastError).standard(afterSuccess);

  ROW(amd_dbgapi_get_build_id).standard([](Scene& s, auto f) { s.call(f); });
  ROW(amd_dbgapi_get_build_name).standard([](Scene& s, auto f) { s.call(f); });
  ROW(amd_dbgapi_get_git_hash).standard([](Scene& s, auto f) { s.call(f); });
  ROW(hipGetDriverEntryPoint).standard([](Scene& s, auto f) {
    void* function = nullptr;
    hipDriverEntryPointQueryResult status;
    s.call(f, "hipMalloc", &function, 0ull, &status);
  });
  ROW(hipGetProcAddress).standard([](Scene& s, auto f) {
    void* function = nullptr;
    hipDriverProcAddressQueryResult status;
    s.call(f, "hipMalloc", &function, 600, std::uint64_t{0}, &status);
  });
  ROW(hipApiName).standard([](Scene& s, auto f) { s.call(f, 0u); });
  ROW(hipGetStreamDeviceId).standard([](Scene& s, auto f) { s.call(f, s.stream); });
  ROW(hipKernelNameRef).standard([](Scene& s, auto f) { s.call(f, s.store); });
  ROW(hipKernelNameRefByPtr).standard([](Scene& s, auto f) { s.call(f, &s.kernel, s.stream); });
  ROW(hipCreateChannelDesc).standard([](Scene& s, auto f) { s.call(f, 32, 0, 0, 0, hipChannelFormatKindFloat); });
}

}  // namespace hipr::rows

// Contexts. Several of these calls do nothing on AMD GPUs and say so; that costs nothing either.
#include "tests/e2e/rows/book.h"

namespace hipr::rows {
namespace {

hipCtx_t current(Scene& s) {
  hipCtx_t context = nullptr;
  HIPR_OK(s, hipCtxGetCurrent(&context));
  return context;
}

}  // namespace

void addContextRows(Book& book) {
  ROW(hipCtxCreate).standard([](Scene& s, auto f) {
    hipCtx_t context = nullptr;
    s.call(f, &context, 0u, 0);
    HIPR_OK(s, hipCtxDestroy(context));
  });
  ROW(hipCtxDestroy).standard([](Scene& s, auto f) {
    hipCtx_t context = nullptr;
    HIPR_OK(s, hipCtxCreate(&context, 0, 0));
    s.call(f, context);
  });
  ROW(hipCtxDisablePeerAccess).standard([](Scene& s, auto f) { s.call(f, current(s)); });
  ROW(hipCtxEnablePeerAccess).standard([](Scene& s, auto f) { s.call(f, current(s), 0u); });
  ROW(hipCtxGetApiVersion).standard([](Scene& s, auto f) {
    unsigned version = 0;
    s.expect(hipErrorNotSupported).call(f, current(s), &version);
  });
  ROW(hipCtxGetCacheConfig).standard([](Scene& s, auto f) {
    hipFuncCache_t config;
    s.expect(hipErrorNotSupported).call(f, &config);
  });
  ROW(hipCtxGetCurrent).standard([](Scene& s, auto f) {
    hipCtx_t context = nullptr;
    s.call(f, &context);
  });
  ROW(hipCtxGetDevice).standard([](Scene& s, auto f) {
    hipDevice_t device;
    s.call(f, &device);
  });
  ROW(hipCtxGetFlags).standard([](Scene& s, auto f) {
    unsigned flags = 0;
    s.expect(hipErrorNotSupported).call(f, &flags);
  });
  ROW(hipCtxGetSharedMemConfig).standard([](Scene& s, auto f) {
    hipSharedMemConfig config;
    s.call(f, &config);
  });
  ROW(hipCtxPopCurrent).standard([](Scene& s, auto f) {
    hipCtx_t context = nullptr;
    HIPR_OK(s, hipCtxPushCurrent(current(s)));
    s.call(f, &context);
  });
  ROW(hipCtxPushCurrent).standard([](Scene& s, auto f) {
    hipCtx_t context = current(s);
    s.call(f, context);
    HIPR_OK(s, hipCtxPopCurrent(&context));
  });
  ROW(hipCtxSetCacheConfig).standard([](Scene& s, auto f) {
    s.expect(hipErrorNotSupported).call(f, hipFuncCachePreferL1);
  });
  ROW(hipCtxSetCurrent).standard([](Scene& s, auto f) {
    s.call(f, current(s));
    HIPR_OK(s, hipCtxSetCurrent(nullptr));
  });
  ROW(hipCtxSetSharedMemConfig).standard([](Scene& s, auto f) {
    s.expect(hipErrorNotSupported).call(f, hipSharedMemBankSizeFourByte);
  });
  ROW(hipCtxSynchronize).standard([](Scene& s, auto f) {
    s.behind([&] { s.launch(); }).expect(hipErrorNotSupported).call(f);
  });
  ROW(hipDevicePrimaryCtxGetState).standard([](Scene& s, auto f) {
    unsigned flags = 0;
    int active = 0;
    s.call(f, 0, &flags, &active);
  });
  ROW(hipDevicePrimaryCtxRetain).standard([](Scene& s, auto f) {
    hipCtx_t context = nullptr;
    s.call(f, &context, 0);
    HIPR_OK(s, hipDevicePrimaryCtxRelease(0));
  });
  ROW(hipDevicePrimaryCtxRelease).standard([](Scene& s, auto f) {
    hipCtx_t context = nullptr;
    HIPR_OK(s, hipDevicePrimaryCtxRetain(&context, 0));
    s.call(f, 0);
  });
  ROW(hipDevicePrimaryCtxReset).standard([](Scene& s, auto f) { s.call(f, 0); });
  ROW(hipDevicePrimaryCtxSetFlags).standard([](Scene& s, auto f) {
    s.expect(hipErrorContextAlreadyInUse).call(f, 0, 0u);
  });
}

}  // namespace hipr::rows

// The few declarations these programs need, written out by hand as an old or a new application's compiler saw them, so
// that no header of this project can make a test agree with a mistake. ABI is 5, 6 or 7.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "check.h"

#ifndef ABI
#error "compile with -DABI=5, 6 or 7"
#endif

enum : int {
  kSuccess = 0,
  kInvalidValue = 1,
  kInvalidConfiguration = 9,
  kInvalidDevice = 101,
  kInvalidHandle = 400,
  kNotFound = 500,
  kNotReady = 600
};

extern "C" {
struct Dim3 {
  std::uint32_t x, y, z;
};
int hipGetDeviceCount(int*);
int hipSetDevice(int);
int hipGetDevice(int*);
int hipDeviceSynchronize();
int hipGetDeviceProperties(void* prop, int device);  // the plain symbol: 792 bytes in every version
int hipDeviceGetAttribute(int*, int attribute, int device);
int hipChooseDevice(int*, const void* prop);
int hipGetLastError();
int hipPeekAtLastError();
const char* hipGetErrorName(int);
int hipRuntimeGetVersion(int*);
int hipMalloc(void**, std::size_t);
int hipFree(void*);
int hipHostMalloc(void**, std::size_t, unsigned flags);
int hipHostFree(void*);
int hipMallocManaged(void**, std::size_t, unsigned flags);
int hipMemcpy(void* to, const void* from, std::size_t, int kind);
int hipMemset(void*, int, std::size_t);
int hipPointerGetAttributes(void* attributes, const void*);
int hipPointerGetAttribute(void* data, int attribute, void*);
int hipDrvMemcpy3D(const void*);
int hipMemcpyParam2D(const void*);
int hipStreamCreate(void**);
int hipStreamDestroy(void*);
int hipStreamQuery(void*);
int hipStreamSynchronize(void*);
int hipStreamAddCallback(void* stream, void (*)(void* stream, int status, void* user), void* user, unsigned flags);
int hipModuleLoadData(void**, const void*);
int hipModuleUnload(void*);
int hipModuleGetFunction(void**, void* module, const char*);
int hipModuleLaunchKernel(void* f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                          unsigned shared, void* stream, void** params, void** extra);
int hipLaunchKernel(const void*, Dim3 grid, Dim3 block, void** args, std::size_t shared, void* stream);
void** __hipRegisterFatBinary(const void* wrapper);
void __hipUnregisterFatBinary(void**);
void __hipRegisterFunction(void**, const void* host, char* device, const char* name, unsigned limit, void*, void*,
                           void*, void*, int*);
#if ABI >= 6
int hipGetDevicePropertiesR0600(void* prop, int device);
int hipGetDevicePropertiesR0000(void* prop, int device);
int hipChooseDeviceR0600(int*, const void* prop);
int hipExtGetLastError();
int hipGetProcAddress(const char*, void** function, int version, std::uint64_t flags, int* status);
int hipLaunchHostFunc(void* stream, void (*)(void*), void*);
#endif
}

// hipMemoryType was renumbered in HIP 6.
constexpr int kHost = ABI == 5 ? 0 : 1, kDevice = ABI == 5 ? 1 : 2;

#define IS(CALL, CODE) check::equal((CALL), int(CODE), #CALL, __FILE__, __LINE__)
#define OK(CALL)                                  \
  do {                                            \
    if (!IS(CALL, kSuccess)) throw check::Stop{}; \
  } while (0)

// A field of a structure known only by its offset.
template <class T>
T field(const unsigned char* base, std::size_t offset) {
  T v;
  std::memcpy(&v, base + offset, sizeof v);
  return v;
}

// The part of the CUDA driver's C interface that this library calls, declared here because no CUDA SDK is needed to
// build: handles, three structures and a few numbers, as libcuda.so.1 has them on 64-bit Linux.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hipr::cuda {

using CUresult = int;  // named values: errors.cpp
using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUmemHandle = unsigned long long;
using CUcontext = struct CUctx_st*;
using CUstream = struct CUstream_st*;
using CUevent = struct CUevent_st*;
using CUmodule = struct CUmod_st*;
using CUfunction = struct CUfunc_st*;
using CUhostFn = void (*)(void* data);
using CUstreamCallback = void (*)(CUstream stream, CUresult status, void* data);

inline constexpr CUresult kCudaSuccess = 0;
inline constexpr CUresult kCudaInvalidValue = 1;

struct CUuuid {
  char bytes[16];
};

// Which member of CUmemcpy3D's pairs holds the address.
enum CUmemorytype : unsigned { kMemoryHost = 1, kMemoryDevice = 2 };

struct CUmemcpy2D {
  std::size_t srcXInBytes, srcY;
  CUmemorytype srcMemoryType;
  const void* srcHost;
  CUdeviceptr srcDevice;
  void* srcArray;
  std::size_t srcPitch;
  std::size_t dstXInBytes, dstY;
  CUmemorytype dstMemoryType;
  void* dstHost;
  CUdeviceptr dstDevice;
  void* dstArray;
  std::size_t dstPitch;
  std::size_t widthInBytes, height;
};
static_assert(sizeof(CUmemcpy2D) == 128);

struct CUmemLocation {
  int type;  // 1: device
  int id;
};

struct CUmemAllocationProp {
  int type;  // 1: pinned
  int requestedHandleTypes;
  CUmemLocation location;
  void* win32HandleMetaData;
  struct {
    unsigned char compressionType, gpuDirectRdmaCapable;
    unsigned short usage;
    unsigned char reserved[4];
  } allocFlags;
};
static_assert(sizeof(CUmemAllocationProp) == 32);

struct CUmemAccessDesc {
  CUmemLocation location;
  int flags;
};
static_assert(sizeof(CUmemAccessDesc) == 12);

enum CUpointerAttribute : int {
  kPointerMemoryType = 2,
  kPointerDevicePointer = 3,
  kPointerHostPointer = 4,
  kPointerIsManaged = 8,
  kPointerDeviceOrdinal = 9,
};

enum : unsigned { kHostPortable = 1, kHostDeviceMap = 2, kHostWriteCombined = 4 };
enum : unsigned { kRegisterPortable = 1, kRegisterDeviceMap = 2, kRegisterIoMemory = 4, kRegisterReadOnly = 8 };
enum : unsigned { kEventFlagMask = 7 };  // blocking, no timing, interprocess: HIP's bits are the same

// How a launch is told where its packed arguments are. HIP uses the same list with another end mark.
inline void* const kLaunchEnd = nullptr;
inline void* const kLaunchBufferPointer = reinterpret_cast<void*>(1);
inline void* const kLaunchBufferSize = reinterpret_cast<void*>(2);

}  // namespace hipr::cuda

// Structures as they were in HIP 5, where HIP 7 has others. Nothing else: tests/layouts.sh compares them between
// systems.
#pragma once

#include "hip_remote/hip.h"

namespace hipr::abi {

// HIP_MEMCPY3D, whose fields had 32 bits.
struct Memcpy3D5 {
  unsigned srcXInBytes, srcY, srcZ, srcLOD;
  int srcMemoryType;
  const void* srcHost;
  hipDeviceptr_t srcDevice;
  hipArray_t srcArray;
  unsigned srcPitch, srcHeight;
  unsigned dstXInBytes, dstY, dstZ, dstLOD;
  int dstMemoryType;
  void* dstHost;
  hipDeviceptr_t dstDevice;
  hipArray_t dstArray;
  unsigned dstPitch, dstHeight;
  unsigned WidthInBytes, Height, Depth;
};
static_assert(sizeof(Memcpy3D5) == 128);

// hipMemAllocationProp, which was reordered inside the .so.5 line, in 5.3.
struct MemAllocationProp52 {  // numbers instead of enums: in the newer layout these words may hold anything
  unsigned char compressionType;
  int locationType, locationId;
  int requestedHandleType;
  int type;
  unsigned short usage;
  void* win32HandleMetaData;
};
static_assert(sizeof(MemAllocationProp52) == sizeof(hipMemAllocationProp));

// Of external semaphores, which grew reserved fields in HIP 6.
struct ExternalSemaphoreParams5 {  // both signal and wait; the timeout is a wait's
  unsigned long long fenceValue;
  unsigned long long key;
  unsigned timeoutMs;
  unsigned reserved[11];
  unsigned flags;
  unsigned reserved2[16];
};
static_assert(sizeof(ExternalSemaphoreParams5) == 136);

}  // namespace hipr::abi

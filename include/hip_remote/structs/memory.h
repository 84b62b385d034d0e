// Structures: memory, copies, pools and virtual memory.
#pragma once

#include "hip_remote/structs/names.h"

struct HIP_MEMCPY3D {
  size_t srcXInBytes;
  size_t srcY;
  size_t srcZ;
  size_t srcLOD;
  hipMemoryType srcMemoryType;
  const void* srcHost;
  hipDeviceptr_t srcDevice;
  hipArray_t srcArray;
  size_t srcPitch;
  size_t srcHeight;
  size_t dstXInBytes;
  size_t dstY;
  size_t dstZ;
  size_t dstLOD;
  hipMemoryType dstMemoryType;
  void* dstHost;
  hipDeviceptr_t dstDevice;
  hipArray_t dstArray;
  size_t dstPitch;
  size_t dstHeight;
  size_t WidthInBytes;
  size_t Height;
  size_t Depth;
};
static_assert(sizeof(HIP_MEMCPY3D) == 184);

struct hipExtent {
  size_t width;
  size_t height;
  size_t depth;
};
static_assert(sizeof(hipExtent) == 24);

struct hipMemLocation {
  hipMemLocationType type;
  int id;
};
static_assert(sizeof(hipMemLocation) == 8);

struct hipMemPoolProps {
  hipMemAllocationType allocType;
  hipMemAllocationHandleType handleTypes;
  hipMemLocation location;
  void* win32SecurityAttributes;
  size_t maxSize;
  unsigned char reserved[56];
};
static_assert(sizeof(hipMemPoolProps) == 88);

struct hipPitchedPtr {
  void* ptr;
  size_t pitch;
  size_t xsize;
  size_t ysize;
};
static_assert(sizeof(hipPitchedPtr) == 32);

struct hipPos {
  size_t x;
  size_t y;
  size_t z;
};
static_assert(sizeof(hipPos) == 24);

struct hipMemcpy3DParms {
  hipArray_t srcArray;
  hipPos srcPos;
  hipPitchedPtr srcPtr;
  hipArray_t dstArray;
  hipPos dstPos;
  hipPitchedPtr dstPtr;
  hipExtent extent;
  hipMemcpyKind kind;
};
static_assert(sizeof(hipMemcpy3DParms) == 160);

struct hipMemsetParams {
  void* dst;
  unsigned int elementSize;
  size_t height;
  size_t pitch;
  unsigned int value;
  size_t width;
};
static_assert(sizeof(hipMemsetParams) == 48);

struct hipMemAccessDesc {
  hipMemLocation location;
  hipMemAccessFlags flags;
};
static_assert(sizeof(hipMemAccessDesc) == 12);

struct hipMemAllocationProp {
  hipMemAllocationType type;
  union {
    hipMemAllocationHandleType requestedHandleType;
    hipMemAllocationHandleType requestedHandleTypes;
  };
  hipMemLocation location;
  void* win32HandleMetaData;
  struct {
    unsigned char compressionType;
    unsigned char gpuDirectRDMACapable;
    unsigned short usage;
  } allocFlags;
};
static_assert(sizeof(hipMemAllocationProp) == 32);

struct hipMemPoolPtrExportData {
  unsigned char reserved[64];
};
static_assert(sizeof(hipMemPoolPtrExportData) == 64);

struct hipOffset3D {
  size_t x;
  size_t y;
  size_t z;
};
static_assert(sizeof(hipOffset3D) == 24);

struct hipMemcpy3DOperand {
  hipMemcpy3DOperandType type;
  union {
    struct {
      void* ptr;
      size_t rowLength;
      size_t layerHeight;
      hipMemLocation locHint;
    } ptr;
    struct {
      hipArray_t array;
      hipOffset3D offset;
    } array;
  } op;
};
static_assert(sizeof(hipMemcpy3DOperand) == 40);

struct hipMemcpy3DBatchOp {
  hipMemcpy3DOperand src;
  hipMemcpy3DOperand dst;
  hipExtent extent;
  hipMemcpySrcAccessOrder srcAccessOrder;
  unsigned int flags;
};
static_assert(sizeof(hipMemcpy3DBatchOp) == 112);

struct hipMemcpy3DPeerParms {
  hipArray_t srcArray;
  hipPos srcPos;
  hipPitchedPtr srcPtr;
  int srcDevice;
  hipArray_t dstArray;
  hipPos dstPos;
  hipPitchedPtr dstPtr;
  int dstDevice;
  hipExtent extent;
};
static_assert(sizeof(hipMemcpy3DPeerParms) == 168);

struct hipMemcpyAttributes {
  hipMemcpySrcAccessOrder srcAccessOrder;
  hipMemLocation srcLocHint;
  hipMemLocation dstLocHint;
  unsigned int flags;
};
static_assert(sizeof(hipMemcpyAttributes) == 24);

struct hipPointerAttribute_t {
  hipMemoryType type;
  int device;
  void* devicePointer;
  void* hostPointer;
  int isManaged;
  unsigned int allocationFlags;
};
static_assert(sizeof(hipPointerAttribute_t) == 32);

struct hip_Memcpy2D {
  size_t srcXInBytes;
  size_t srcY;
  hipMemoryType srcMemoryType;
  const void* srcHost;
  hipDeviceptr_t srcDevice;
  hipArray_t srcArray;
  size_t srcPitch;
  size_t dstXInBytes;
  size_t dstY;
  hipMemoryType dstMemoryType;
  void* dstHost;
  hipDeviceptr_t dstDevice;
  hipArray_t dstArray;
  size_t dstPitch;
  size_t WidthInBytes;
  size_t Height;
};
static_assert(sizeof(hip_Memcpy2D) == 128);

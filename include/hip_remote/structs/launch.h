// Structures: functions and launches.
#pragma once

#include "hip_remote/structs/names.h"

typedef struct uint3 {
  unsigned int x, y, z;
} uint3;

struct HIP_LAUNCH_CONFIG {
  unsigned int gridDimX;
  unsigned int gridDimY;
  unsigned int gridDimZ;
  unsigned int blockDimX;
  unsigned int blockDimY;
  unsigned int blockDimZ;
  unsigned int sharedMemBytes;
  hipStream_t hStream;
  hipLaunchAttribute* attrs;
  unsigned int numAttrs;
};
static_assert(sizeof(HIP_LAUNCH_CONFIG) == 56);

struct dim3 {
  uint32_t x;
  uint32_t y;
  uint32_t z;
};
static_assert(sizeof(dim3) == 12);

struct hipAccessPolicyWindow {
  void* base_ptr;
  hipAccessProperty hitProp;
  float hitRatio;
  hipAccessProperty missProp;
  size_t num_bytes;
};
static_assert(sizeof(hipAccessPolicyWindow) == 32);

struct hipFuncAttributes {
  int binaryVersion;
  int cacheModeCA;
  size_t constSizeBytes;
  size_t localSizeBytes;
  int maxDynamicSharedSizeBytes;
  int maxThreadsPerBlock;
  int numRegs;
  int preferredShmemCarveout;
  int ptxVersion;
  size_t sharedSizeBytes;
};
static_assert(sizeof(hipFuncAttributes) == 56);

struct hipFunctionLaunchParams {
  hipFunction_t function;
  unsigned int gridDimX;
  unsigned int gridDimY;
  unsigned int gridDimZ;
  unsigned int blockDimX;
  unsigned int blockDimY;
  unsigned int blockDimZ;
  unsigned int sharedMemBytes;
  hipStream_t hStream;
  void** kernelParams;
};
static_assert(sizeof(hipFunctionLaunchParams) == 56);

struct hipLaunchMemSyncDomainMap {
  unsigned char default_;
  unsigned char remote;
};
static_assert(sizeof(hipLaunchMemSyncDomainMap) == 2);

union hipLaunchAttributeValue {
  char pad[64];
  hipAccessPolicyWindow accessPolicyWindow;
  int cooperative;
  int priority;
  hipSynchronizationPolicy syncPolicy;
  hipLaunchMemSyncDomainMap memSyncDomainMap;
  hipLaunchMemSyncDomain memSyncDomain;
};
static_assert(sizeof(hipLaunchAttributeValue) == 64);

struct hipLaunchAttribute {
  hipLaunchAttributeID id;
  char pad[4];
  union {
    hipLaunchAttributeValue val;
    hipLaunchAttributeValue value;
  };
};
static_assert(sizeof(hipLaunchAttribute) == 72);

struct hipLaunchConfig_t {
  dim3 gridDim;
  dim3 blockDim;
  size_t dynamicSmemBytes;
  hipStream_t stream;
  hipLaunchAttribute* attrs;
  unsigned int numAttrs;
};
static_assert(sizeof(hipLaunchConfig_t) == 56);

struct hipLaunchParams {
  void* func;
  dim3 gridDim;
  dim3 blockDim;
  void** args;
  size_t sharedMem;
  hipStream_t stream;
};
static_assert(sizeof(hipLaunchParams) == 56);

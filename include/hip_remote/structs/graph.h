// Structures: graphs and stream capture.
#pragma once

#include "hip_remote/structs/launch.h"
#include "hip_remote/structs/memory.h"
#include "hip_remote/structs/names.h"

struct HIP_MEMSET_NODE_PARAMS {
  hipDeviceptr_t dst;
  size_t pitch;
  unsigned int value;
  unsigned int elementSize;
  size_t width;
  size_t height;
};
static_assert(sizeof(HIP_MEMSET_NODE_PARAMS) == 40);

struct hipBatchMemOpNodeParams {
  hipCtx_t ctx;
  unsigned int count;
  hipStreamBatchMemOpParams* paramArray;
  unsigned int flags;
};
static_assert(sizeof(hipBatchMemOpNodeParams) == 32);

struct hipChildGraphNodeParams {
  hipGraph_t graph;
};
static_assert(sizeof(hipChildGraphNodeParams) == 8);

struct hipEventRecordNodeParams {
  hipEvent_t event;
};
static_assert(sizeof(hipEventRecordNodeParams) == 8);

struct hipEventWaitNodeParams {
  hipEvent_t event;
};
static_assert(sizeof(hipEventWaitNodeParams) == 8);

struct hipExternalSemaphoreSignalNodeParams {
  hipExternalSemaphore_t* extSemArray;
  const hipExternalSemaphoreSignalParams* paramsArray;
  unsigned int numExtSems;
};
static_assert(sizeof(hipExternalSemaphoreSignalNodeParams) == 24);

struct hipExternalSemaphoreWaitNodeParams {
  hipExternalSemaphore_t* extSemArray;
  const hipExternalSemaphoreWaitParams* paramsArray;
  unsigned int numExtSems;
};
static_assert(sizeof(hipExternalSemaphoreWaitNodeParams) == 24);

struct hipGraphEdgeData {
  unsigned char from_port;
  unsigned char reserved[5];
  unsigned char to_port;
  unsigned char type;
};
static_assert(sizeof(hipGraphEdgeData) == 8);

struct hipGraphInstantiateParams {
  hipGraphNode_t errNode_out;
  unsigned long long flags;
  hipGraphInstantiateResult result_out;
  hipStream_t uploadStream;
};
static_assert(sizeof(hipGraphInstantiateParams) == 32);

struct hipHostNodeParams {
  hipHostFn_t fn;
  void* userData;
};
static_assert(sizeof(hipHostNodeParams) == 16);

struct hipKernelNodeParams {
  dim3 blockDim;
  void** extra;
  void* func;
  dim3 gridDim;
  void** kernelParams;
  unsigned int sharedMemBytes;
};
static_assert(sizeof(hipKernelNodeParams) == 64);

struct hipMemAllocNodeParams {
  hipMemPoolProps poolProps;
  const hipMemAccessDesc* accessDescs;
  size_t accessDescCount;
  size_t bytesize;
  void* dptr;
};
static_assert(sizeof(hipMemAllocNodeParams) == 120);

struct hipMemFreeNodeParams {
  void* dptr;
};
static_assert(sizeof(hipMemFreeNodeParams) == 8);

struct hipMemcpyNodeParams {
  int flags;
  int reserved[3];
  hipMemcpy3DParms copyParams;
};
static_assert(sizeof(hipMemcpyNodeParams) == 176);

struct hipGraphNodeParams {
  hipGraphNodeType type;
  int reserved0[3];
  union {
    long long reserved1[29];
    hipKernelNodeParams kernel;
    hipMemcpyNodeParams memcpy;
    hipMemsetParams memset;
    hipHostNodeParams host;
    hipChildGraphNodeParams graph;
    hipEventWaitNodeParams eventWait;
    hipEventRecordNodeParams eventRecord;
    hipExternalSemaphoreSignalNodeParams extSemSignal;
    hipExternalSemaphoreWaitNodeParams extSemWait;
    hipMemAllocNodeParams alloc;
    hipMemFreeNodeParams free;
  };
  long long reserved2;
};
static_assert(sizeof(hipGraphNodeParams) == 256);

union hipKernelNodeAttrValue {
  hipAccessPolicyWindow accessPolicyWindow;
  int cooperative;
};
static_assert(sizeof(hipKernelNodeAttrValue) == 32);

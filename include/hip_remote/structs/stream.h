// Structures: memory operations in streams.
#pragma once

#include "hip_remote/structs/names.h"

struct hipStreamMemOpFlushRemoteWritesParams_t {
  hipStreamBatchMemOpType operation;
  unsigned int flags;
};
static_assert(sizeof(hipStreamMemOpFlushRemoteWritesParams_t) == 8);

struct hipStreamMemOpMemoryBarrierParams_t {
  hipStreamBatchMemOpType operation;
  unsigned int flags;
};
static_assert(sizeof(hipStreamMemOpMemoryBarrierParams_t) == 8);

struct hipStreamMemOpWaitValueParams_t {
  hipStreamBatchMemOpType operation;
  hipDeviceptr_t address;
  union {
    uint32_t value;
    uint64_t value64;
  };
  unsigned int flags;
  hipDeviceptr_t alias;
};
static_assert(sizeof(hipStreamMemOpWaitValueParams_t) == 40);

struct hipStreamMemOpWriteValueParams_t {
  hipStreamBatchMemOpType operation;
  hipDeviceptr_t address;
  union {
    uint32_t value;
    uint64_t value64;
  };
  unsigned int flags;
  hipDeviceptr_t alias;
};
static_assert(sizeof(hipStreamMemOpWriteValueParams_t) == 40);

union hipStreamBatchMemOpParams {
  hipStreamBatchMemOpType operation;
  hipStreamMemOpWaitValueParams_t waitValue;
  hipStreamMemOpWriteValueParams_t writeValue;
  hipStreamMemOpFlushRemoteWritesParams_t flushRemoteWrites;
  hipStreamMemOpMemoryBarrierParams_t memoryBarrier;
  uint64_t pad[6];
};
static_assert(sizeof(hipStreamBatchMemOpParams) == 48);

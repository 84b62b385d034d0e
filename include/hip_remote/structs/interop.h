// Structures: memory and semaphores of other APIs, and of other processes.
#pragma once

#include "hip_remote/structs/memory.h"
#include "hip_remote/structs/names.h"
#include "hip_remote/structs/texture.h"

struct hipExternalMemoryBufferDesc {
  unsigned long long offset;
  unsigned long long size;
  unsigned int flags;
  unsigned int reserved[16];
};
static_assert(sizeof(hipExternalMemoryBufferDesc) == 88);

struct hipExternalMemoryHandleDesc {
  hipExternalMemoryHandleType type;
  union {
    int fd;
    struct {
      void* handle;
      const void* name;
    } win32;
    const void* nvSciBufObject;
  } handle;
  unsigned long long size;
  unsigned int flags;
  unsigned int reserved[16];
};
static_assert(sizeof(hipExternalMemoryHandleDesc) == 104);

struct hipExternalMemoryMipmappedArrayDesc {
  unsigned long long offset;
  hipChannelFormatDesc formatDesc;
  hipExtent extent;
  unsigned int flags;
  unsigned int numLevels;
};
static_assert(sizeof(hipExternalMemoryMipmappedArrayDesc) == 64);

struct hipExternalSemaphoreHandleDesc {
  hipExternalSemaphoreHandleType type;
  union {
    int fd;
    struct {
      void* handle;
      const void* name;
    } win32;
    const void* NvSciSyncObj;
  } handle;
  unsigned int flags;
  unsigned int reserved[16];
};
static_assert(sizeof(hipExternalSemaphoreHandleDesc) == 96);

struct hipExternalSemaphoreSignalParams {
  struct {
    struct {
      unsigned long long value;
    } fence;
    union {
      void* fence;
      unsigned long long reserved;
    } nvSciSync;
    struct {
      unsigned long long key;
    } keyedMutex;
    unsigned int reserved[12];
  } params;
  unsigned int flags;
  unsigned int reserved[16];
};
static_assert(sizeof(hipExternalSemaphoreSignalParams) == 144);

struct hipExternalSemaphoreWaitParams {
  struct {
    struct {
      unsigned long long value;
    } fence;
    union {
      void* fence;
      unsigned long long reserved;
    } nvSciSync;
    struct {
      unsigned long long key;
      unsigned int timeoutMs;
    } keyedMutex;
    unsigned int reserved[10];
  } params;
  unsigned int flags;
  unsigned int reserved[16];
};
static_assert(sizeof(hipExternalSemaphoreWaitParams) == 144);

struct hipIpcEventHandle_t {
  char reserved[64];
};
static_assert(sizeof(hipIpcEventHandle_t) == 64);

struct hipIpcMemHandle_t {
  char reserved[64];
};
static_assert(sizeof(hipIpcMemHandle_t) == 64);

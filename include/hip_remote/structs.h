// Every structure of the HIP 7 C API. HIP 7 is the reference version; abi/translate.h holds what older ones had
// instead.
#pragma once

#include "hip_remote/enums.h"
#include "hip_remote/handles.h"

typedef struct HIP_ARRAY3D_DESCRIPTOR HIP_ARRAY3D_DESCRIPTOR;
typedef struct HIP_ARRAY_DESCRIPTOR HIP_ARRAY_DESCRIPTOR;
typedef struct HIP_LAUNCH_CONFIG HIP_LAUNCH_CONFIG;
typedef struct HIP_MEMCPY3D HIP_MEMCPY3D;
typedef struct HIP_MEMSET_NODE_PARAMS HIP_MEMSET_NODE_PARAMS;
typedef struct HIP_RESOURCE_DESC HIP_RESOURCE_DESC;
typedef struct HIP_RESOURCE_VIEW_DESC HIP_RESOURCE_VIEW_DESC;
typedef struct HIP_TEXTURE_DESC HIP_TEXTURE_DESC;
typedef struct dim3 dim3;
typedef struct hipAccessPolicyWindow hipAccessPolicyWindow;
typedef struct hipChannelFormatDesc hipChannelFormatDesc;
typedef struct hipMipmappedArray hipMipmappedArray;
typedef struct hipArrayMapInfo hipArrayMapInfo;
typedef struct hipBatchMemOpNodeParams hipBatchMemOpNodeParams;
typedef struct hipChildGraphNodeParams hipChildGraphNodeParams;
typedef struct hipDeviceArch_t hipDeviceArch_t;
typedef struct hipDeviceProp_tR0000 hipDeviceProp_tR0000;
typedef struct hipUUID hipUUID;
typedef struct hipDeviceProp_tR0600 hipDeviceProp_tR0600;
typedef struct hipEventRecordNodeParams hipEventRecordNodeParams;
typedef struct hipEventWaitNodeParams hipEventWaitNodeParams;
typedef struct hipExtent hipExtent;
typedef struct hipExternalMemoryBufferDesc hipExternalMemoryBufferDesc;
typedef struct hipExternalMemoryHandleDesc hipExternalMemoryHandleDesc;
typedef struct hipExternalMemoryMipmappedArrayDesc hipExternalMemoryMipmappedArrayDesc;
typedef struct hipExternalSemaphoreHandleDesc hipExternalSemaphoreHandleDesc;
typedef struct hipExternalSemaphoreSignalNodeParams hipExternalSemaphoreSignalNodeParams;
typedef struct hipExternalSemaphoreSignalParams hipExternalSemaphoreSignalParams;
typedef struct hipExternalSemaphoreWaitNodeParams hipExternalSemaphoreWaitNodeParams;
typedef struct hipExternalSemaphoreWaitParams hipExternalSemaphoreWaitParams;
typedef struct hipFuncAttributes hipFuncAttributes;
typedef struct hipFunctionLaunchParams hipFunctionLaunchParams;
typedef struct hipGraphEdgeData hipGraphEdgeData;
typedef struct hipGraphInstantiateParams hipGraphInstantiateParams;
typedef struct hipHostNodeParams hipHostNodeParams;
typedef struct hipKernelNodeParams hipKernelNodeParams;
typedef struct hipMemLocation hipMemLocation;
typedef struct hipMemPoolProps hipMemPoolProps;
typedef struct hipMemAllocNodeParams hipMemAllocNodeParams;
typedef struct hipMemFreeNodeParams hipMemFreeNodeParams;
typedef struct hipPitchedPtr hipPitchedPtr;
typedef struct hipPos hipPos;
typedef struct hipMemcpy3DParms hipMemcpy3DParms;
typedef struct hipMemcpyNodeParams hipMemcpyNodeParams;
typedef struct hipMemsetParams hipMemsetParams;
typedef struct hipGraphNodeParams hipGraphNodeParams;
typedef struct hipIpcEventHandle_t hipIpcEventHandle_t;
typedef struct hipIpcMemHandle_t hipIpcMemHandle_t;
typedef union hipKernelNodeAttrValue hipKernelNodeAttrValue;
typedef struct hipLaunchMemSyncDomainMap hipLaunchMemSyncDomainMap;
typedef union hipLaunchAttributeValue hipLaunchAttributeValue;
typedef struct hipLaunchAttribute hipLaunchAttribute;
typedef struct hipLaunchConfig_t hipLaunchConfig_t;
typedef struct hipLaunchParams hipLaunchParams;
typedef struct hipMemAccessDesc hipMemAccessDesc;
typedef struct hipMemAllocationProp hipMemAllocationProp;
typedef struct hipMemPoolPtrExportData hipMemPoolPtrExportData;
typedef struct hipOffset3D hipOffset3D;
typedef struct hipMemcpy3DOperand hipMemcpy3DOperand;
typedef struct hipMemcpy3DBatchOp hipMemcpy3DBatchOp;
typedef struct hipMemcpy3DPeerParms hipMemcpy3DPeerParms;
typedef struct hipMemcpyAttributes hipMemcpyAttributes;
typedef struct hipPointerAttribute_t hipPointerAttribute_t;
typedef struct hipResourceDesc hipResourceDesc;
typedef struct hipResourceViewDesc hipResourceViewDesc;
typedef struct hipStreamMemOpFlushRemoteWritesParams_t hipStreamMemOpFlushRemoteWritesParams_t;
typedef struct hipStreamMemOpMemoryBarrierParams_t hipStreamMemOpMemoryBarrierParams_t;
typedef struct hipStreamMemOpWaitValueParams_t hipStreamMemOpWaitValueParams_t;
typedef struct hipStreamMemOpWriteValueParams_t hipStreamMemOpWriteValueParams_t;
typedef union hipStreamBatchMemOpParams hipStreamBatchMemOpParams;
typedef struct hipTextureDesc hipTextureDesc;
typedef struct hip_Memcpy2D hip_Memcpy2D;
typedef struct surfaceReference surfaceReference;
typedef struct textureReference textureReference;

typedef struct uint3 {
  unsigned int x, y, z;
} uint3;

typedef void (*hipStreamCallback_t)(hipStream_t stream, hipError_t status, void* userData);
typedef void (*hipHostFn_t)(void* userData);
typedef void (*hipProfilerChunkCallback)(const void* chunk, size_t size, void* userData);

struct HIP_ARRAY3D_DESCRIPTOR {
  size_t Width;
  size_t Height;
  size_t Depth;
  hipArray_Format Format;
  unsigned int NumChannels;
  unsigned int Flags;
};
static_assert(sizeof(HIP_ARRAY3D_DESCRIPTOR) == 40);

struct HIP_ARRAY_DESCRIPTOR {
  size_t Width;
  size_t Height;
  hipArray_Format Format;
  unsigned int NumChannels;
};
static_assert(sizeof(HIP_ARRAY_DESCRIPTOR) == 24);

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

struct HIP_MEMSET_NODE_PARAMS {
  hipDeviceptr_t dst;
  size_t pitch;
  unsigned int value;
  unsigned int elementSize;
  size_t width;
  size_t height;
};
static_assert(sizeof(HIP_MEMSET_NODE_PARAMS) == 40);

struct HIP_RESOURCE_DESC {
  HIPresourcetype resType;
  union {
    struct {
      hipArray_t hArray;
    } array;
    struct {
      hipMipmappedArray_t hMipmappedArray;
    } mipmap;
    struct {
      hipDeviceptr_t devPtr;
      hipArray_Format format;
      unsigned int numChannels;
      size_t sizeInBytes;
    } linear;
    struct {
      hipDeviceptr_t devPtr;
      hipArray_Format format;
      unsigned int numChannels;
      size_t width;
      size_t height;
      size_t pitchInBytes;
    } pitch2D;
    struct {
      int reserved[32];
    } reserved;
  } res;
  unsigned int flags;
};
static_assert(sizeof(HIP_RESOURCE_DESC) == 144);

struct HIP_RESOURCE_VIEW_DESC {
  HIPresourceViewFormat format;
  size_t width;
  size_t height;
  size_t depth;
  unsigned int firstMipmapLevel;
  unsigned int lastMipmapLevel;
  unsigned int firstLayer;
  unsigned int lastLayer;
  unsigned int reserved[16];
};
static_assert(sizeof(HIP_RESOURCE_VIEW_DESC) == 112);

struct HIP_TEXTURE_DESC {
  HIPaddress_mode addressMode[3];
  HIPfilter_mode filterMode;
  unsigned int flags;
  unsigned int maxAnisotropy;
  HIPfilter_mode mipmapFilterMode;
  float mipmapLevelBias;
  float minMipmapLevelClamp;
  float maxMipmapLevelClamp;
  float borderColor[4];
  int reserved[12];
};
static_assert(sizeof(HIP_TEXTURE_DESC) == 104);

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

struct hipChannelFormatDesc {
  int x;
  int y;
  int z;
  int w;
  hipChannelFormatKind f;
};
static_assert(sizeof(hipChannelFormatDesc) == 20);

struct hipMipmappedArray {
  void* data;
  hipChannelFormatDesc desc;
  unsigned int type;
  unsigned int width;
  unsigned int height;
  unsigned int depth;
  unsigned int min_mipmap_level;
  unsigned int max_mipmap_level;
  unsigned int flags;
  hipArray_Format format;
  unsigned int num_channels;
};
static_assert(sizeof(hipMipmappedArray) == 64);

struct hipArrayMapInfo {
  hipResourceType resourceType;
  union {
    hipMipmappedArray mipmap;
    hipArray_t array;
  } resource;
  hipArraySparseSubresourceType subresourceType;
  union {
    struct {
      unsigned int level;
      unsigned int layer;
      unsigned int offsetX;
      unsigned int offsetY;
      unsigned int offsetZ;
      unsigned int extentWidth;
      unsigned int extentHeight;
      unsigned int extentDepth;
    } sparseLevel;
    struct {
      unsigned int layer;
      unsigned long long offset;
      unsigned long long size;
    } miptail;
  } subresource;
  hipMemOperationType memOperationType;
  hipMemHandleType memHandleType;
  union {
    hipMemGenericAllocationHandle_t memHandle;
  } memHandle;
  unsigned long long offset;
  unsigned int deviceBitMask;
  unsigned int flags;
  unsigned int reserved[2];
};
static_assert(sizeof(hipArrayMapInfo) == 152);

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

struct hipDeviceArch_t {
  unsigned int hasGlobalInt32Atomics : 1;
  unsigned int hasGlobalFloatAtomicExch : 1;
  unsigned int hasSharedInt32Atomics : 1;
  unsigned int hasSharedFloatAtomicExch : 1;
  unsigned int hasFloatAtomicAdd : 1;
  unsigned int hasGlobalInt64Atomics : 1;
  unsigned int hasSharedInt64Atomics : 1;
  unsigned int hasDoubles : 1;
  unsigned int hasWarpVote : 1;
  unsigned int hasWarpBallot : 1;
  unsigned int hasWarpShuffle : 1;
  unsigned int hasFunnelShift : 1;
  unsigned int hasThreadFenceSystem : 1;
  unsigned int hasSyncThreadsExt : 1;
  unsigned int hasSurfaceFuncs : 1;
  unsigned int has3dGrid : 1;
  unsigned int hasDynamicParallelism : 1;
};
static_assert(sizeof(hipDeviceArch_t) == 4);

struct hipDeviceProp_tR0000 {
  char name[256];
  size_t totalGlobalMem;
  size_t sharedMemPerBlock;
  int regsPerBlock;
  int warpSize;
  int maxThreadsPerBlock;
  int maxThreadsDim[3];
  int maxGridSize[3];
  int clockRate;
  int memoryClockRate;
  int memoryBusWidth;
  size_t totalConstMem;
  int major;
  int minor;
  int multiProcessorCount;
  int l2CacheSize;
  int maxThreadsPerMultiProcessor;
  int computeMode;
  int clockInstructionRate;
  hipDeviceArch_t arch;
  int concurrentKernels;
  int pciDomainID;
  int pciBusID;
  int pciDeviceID;
  size_t maxSharedMemoryPerMultiProcessor;
  int isMultiGpuBoard;
  int canMapHostMemory;
  int gcnArch;
  char gcnArchName[256];
  int integrated;
  int cooperativeLaunch;
  int cooperativeMultiDeviceLaunch;
  int maxTexture1DLinear;
  int maxTexture1D;
  int maxTexture2D[2];
  int maxTexture3D[3];
  unsigned int* hdpMemFlushCntl;
  unsigned int* hdpRegFlushCntl;
  size_t memPitch;
  size_t textureAlignment;
  size_t texturePitchAlignment;
  int kernelExecTimeoutEnabled;
  int ECCEnabled;
  int tccDriver;
  int cooperativeMultiDeviceUnmatchedFunc;
  int cooperativeMultiDeviceUnmatchedGridDim;
  int cooperativeMultiDeviceUnmatchedBlockDim;
  int cooperativeMultiDeviceUnmatchedSharedMem;
  int isLargeBar;
  int asicRevision;
  int managedMemory;
  int directManagedMemAccessFromHost;
  int concurrentManagedAccess;
  int pageableMemoryAccess;
  int pageableMemoryAccessUsesHostPageTables;
};
static_assert(sizeof(hipDeviceProp_tR0000) == 792);

struct hipUUID {
  char bytes[16];
};
static_assert(sizeof(hipUUID) == 16);

struct hipDeviceProp_tR0600 {
  char name[256];
  hipUUID uuid;
  char luid[8];
  unsigned int luidDeviceNodeMask;
  size_t totalGlobalMem;
  size_t sharedMemPerBlock;
  int regsPerBlock;
  int warpSize;
  size_t memPitch;
  int maxThreadsPerBlock;
  int maxThreadsDim[3];
  int maxGridSize[3];
  int clockRate;
  size_t totalConstMem;
  int major;
  int minor;
  size_t textureAlignment;
  size_t texturePitchAlignment;
  int deviceOverlap;
  int multiProcessorCount;
  int kernelExecTimeoutEnabled;
  int integrated;
  int canMapHostMemory;
  int computeMode;
  int maxTexture1D;
  int maxTexture1DMipmap;
  int maxTexture1DLinear;
  int maxTexture2D[2];
  int maxTexture2DMipmap[2];
  int maxTexture2DLinear[3];
  int maxTexture2DGather[2];
  int maxTexture3D[3];
  int maxTexture3DAlt[3];
  int maxTextureCubemap;
  int maxTexture1DLayered[2];
  int maxTexture2DLayered[3];
  int maxTextureCubemapLayered[2];
  int maxSurface1D;
  int maxSurface2D[2];
  int maxSurface3D[3];
  int maxSurface1DLayered[2];
  int maxSurface2DLayered[3];
  int maxSurfaceCubemap;
  int maxSurfaceCubemapLayered[2];
  size_t surfaceAlignment;
  int concurrentKernels;
  int ECCEnabled;
  int pciBusID;
  int pciDeviceID;
  int pciDomainID;
  int tccDriver;
  int asyncEngineCount;
  int unifiedAddressing;
  int memoryClockRate;
  int memoryBusWidth;
  int l2CacheSize;
  int persistingL2CacheMaxSize;
  int maxThreadsPerMultiProcessor;
  int streamPrioritiesSupported;
  int globalL1CacheSupported;
  int localL1CacheSupported;
  size_t sharedMemPerMultiprocessor;
  int regsPerMultiprocessor;
  int managedMemory;
  int isMultiGpuBoard;
  int multiGpuBoardGroupID;
  int hostNativeAtomicSupported;
  int singleToDoublePrecisionPerfRatio;
  int pageableMemoryAccess;
  int concurrentManagedAccess;
  int computePreemptionSupported;
  int canUseHostPointerForRegisteredMem;
  int cooperativeLaunch;
  int cooperativeMultiDeviceLaunch;
  size_t sharedMemPerBlockOptin;
  int pageableMemoryAccessUsesHostPageTables;
  int directManagedMemAccessFromHost;
  int maxBlocksPerMultiProcessor;
  int accessPolicyMaxWindowSize;
  size_t reservedSharedMemPerBlock;
  int hostRegisterSupported;
  int sparseHipArraySupported;
  int hostRegisterReadOnlySupported;
  int timelineSemaphoreInteropSupported;
  int memoryPoolsSupported;
  int gpuDirectRDMASupported;
  unsigned int gpuDirectRDMAFlushWritesOptions;
  int gpuDirectRDMAWritesOrdering;
  unsigned int memoryPoolSupportedHandleTypes;
  int deferredMappingHipArraySupported;
  int ipcEventSupported;
  int clusterLaunch;
  int unifiedFunctionPointers;
  int reserved[63];
  int hipReserved[32];
  char gcnArchName[256];
  size_t maxSharedMemoryPerMultiProcessor;
  int clockInstructionRate;
  hipDeviceArch_t arch;
  unsigned int* hdpMemFlushCntl;
  unsigned int* hdpRegFlushCntl;
  int cooperativeMultiDeviceUnmatchedFunc;
  int cooperativeMultiDeviceUnmatchedGridDim;
  int cooperativeMultiDeviceUnmatchedBlockDim;
  int cooperativeMultiDeviceUnmatchedSharedMem;
  int isLargeBar;
  int asicRevision;
};
static_assert(sizeof(hipDeviceProp_tR0600) == 1472);

struct hipEventRecordNodeParams {
  hipEvent_t event;
};
static_assert(sizeof(hipEventRecordNodeParams) == 8);

struct hipEventWaitNodeParams {
  hipEvent_t event;
};
static_assert(sizeof(hipEventWaitNodeParams) == 8);

struct hipExtent {
  size_t width;
  size_t height;
  size_t depth;
};
static_assert(sizeof(hipExtent) == 24);

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

struct hipExternalSemaphoreSignalNodeParams {
  hipExternalSemaphore_t* extSemArray;
  const hipExternalSemaphoreSignalParams* paramsArray;
  unsigned int numExtSems;
};
static_assert(sizeof(hipExternalSemaphoreSignalNodeParams) == 24);

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

struct hipExternalSemaphoreWaitNodeParams {
  hipExternalSemaphore_t* extSemArray;
  const hipExternalSemaphoreWaitParams* paramsArray;
  unsigned int numExtSems;
};
static_assert(sizeof(hipExternalSemaphoreWaitNodeParams) == 24);

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

struct hipMemcpyNodeParams {
  int flags;
  int reserved[3];
  hipMemcpy3DParms copyParams;
};
static_assert(sizeof(hipMemcpyNodeParams) == 176);

struct hipMemsetParams {
  void* dst;
  unsigned int elementSize;
  size_t height;
  size_t pitch;
  unsigned int value;
  size_t width;
};
static_assert(sizeof(hipMemsetParams) == 48);

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

struct hipIpcEventHandle_t {
  char reserved[64];
};
static_assert(sizeof(hipIpcEventHandle_t) == 64);

struct hipIpcMemHandle_t {
  char reserved[64];
};
static_assert(sizeof(hipIpcMemHandle_t) == 64);

union hipKernelNodeAttrValue {
  hipAccessPolicyWindow accessPolicyWindow;
  int cooperative;
};
static_assert(sizeof(hipKernelNodeAttrValue) == 32);

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

struct hipResourceDesc {
  hipResourceType resType;
  union {
    struct {
      hipArray_t array;
    } array;
    struct {
      hipMipmappedArray_t mipmap;
    } mipmap;
    struct {
      void* devPtr;
      hipChannelFormatDesc desc;
      size_t sizeInBytes;
    } linear;
    struct {
      void* devPtr;
      hipChannelFormatDesc desc;
      size_t width;
      size_t height;
      size_t pitchInBytes;
    } pitch2D;
  } res;
};
static_assert(sizeof(hipResourceDesc) == 64);

struct hipResourceViewDesc {
  hipResourceViewFormat format;
  size_t width;
  size_t height;
  size_t depth;
  unsigned int firstMipmapLevel;
  unsigned int lastMipmapLevel;
  unsigned int firstLayer;
  unsigned int lastLayer;
};
static_assert(sizeof(hipResourceViewDesc) == 48);

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

struct hipTextureDesc {
  hipTextureAddressMode addressMode[3];
  hipTextureFilterMode filterMode;
  hipTextureReadMode readMode;
  int sRGB;
  float borderColor[4];
  int normalizedCoords;
  unsigned int maxAnisotropy;
  hipTextureFilterMode mipmapFilterMode;
  float mipmapLevelBias;
  float minMipmapLevelClamp;
  float maxMipmapLevelClamp;
};
static_assert(sizeof(hipTextureDesc) == 64);

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

struct surfaceReference {
  hipSurfaceObject_t surfaceObject;
};
static_assert(sizeof(surfaceReference) == 8);

struct textureReference {
  int normalized;
  hipTextureReadMode readMode;
  hipTextureFilterMode filterMode;
  hipTextureAddressMode addressMode[3];
  hipChannelFormatDesc channelDesc;
  int sRGB;
  unsigned int maxAnisotropy;
  hipTextureFilterMode mipmapFilterMode;
  float mipmapLevelBias;
  float minMipmapLevelClamp;
  float maxMipmapLevelClamp;
  hipTextureObject_t textureObject;
  int numChannels;
  hipArray_Format format;
};
static_assert(sizeof(textureReference) == 88);

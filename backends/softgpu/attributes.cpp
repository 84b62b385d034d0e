#include "backends/softgpu/attributes.h"

#include <algorithm>
#include <climits>
#include <cstdint>

namespace hipr::softgpu {
namespace {

// Attributes are ints; sizes beyond that saturate, as HIP does.
template <class T>
int asInt(T value) {
  if constexpr (sizeof(T) > sizeof(int)) return static_cast<int>(std::min<std::uint64_t>(value, INT_MAX));
  return static_cast<int>(value);
}

}  // namespace

void fillAttributes(const hipDeviceProp_tR0600& p, AttributeTable& out) {
#define SET(name, value) out.set(hipDeviceAttribute##name, asInt(value))
  SET(EccEnabled, p.ECCEnabled);
  SET(AccessPolicyMaxWindowSize, p.accessPolicyMaxWindowSize);
  SET(AsyncEngineCount, p.asyncEngineCount);
  SET(CanMapHostMemory, p.canMapHostMemory);
  SET(CanUseHostPointerForRegisteredMem, p.canUseHostPointerForRegisteredMem);
  SET(ClockRate, p.clockRate);
  SET(ComputeMode, p.computeMode);
  SET(ComputePreemptionSupported, p.computePreemptionSupported);
  SET(ConcurrentKernels, p.concurrentKernels);
  SET(ConcurrentManagedAccess, p.concurrentManagedAccess);
  SET(CooperativeLaunch, p.cooperativeLaunch);
  SET(CooperativeMultiDeviceLaunch, p.cooperativeMultiDeviceLaunch);
  SET(DeviceOverlap, p.deviceOverlap);
  SET(DirectManagedMemAccessFromHost, p.directManagedMemAccessFromHost);
  SET(GlobalL1CacheSupported, p.globalL1CacheSupported);
  SET(HostNativeAtomicSupported, p.hostNativeAtomicSupported);
  SET(Integrated, p.integrated);
  SET(IsMultiGpuBoard, p.isMultiGpuBoard);
  SET(KernelExecTimeout, p.kernelExecTimeoutEnabled);
  SET(L2CacheSize, p.l2CacheSize);
  SET(LocalL1CacheSupported, p.localL1CacheSupported);
  SET(Luid, 0);
  SET(LuidDeviceNodeMask, p.luidDeviceNodeMask);
  SET(ComputeCapabilityMajor, p.major);
  SET(ManagedMemory, p.managedMemory);
  SET(MaxBlocksPerMultiProcessor, p.maxBlocksPerMultiProcessor);
  SET(MaxBlockDimX, p.maxThreadsDim[0]);
  SET(MaxBlockDimY, p.maxThreadsDim[1]);
  SET(MaxBlockDimZ, p.maxThreadsDim[2]);
  SET(MaxGridDimX, p.maxGridSize[0]);
  SET(MaxGridDimY, p.maxGridSize[1]);
  SET(MaxGridDimZ, p.maxGridSize[2]);
  SET(MaxSurface1D, p.maxSurface1D);
  SET(MaxSurface1DLayered, p.maxSurface1DLayered[0]);
  SET(MaxSurface2D, p.maxSurface2D[0]);
  SET(MaxSurface2DLayered, p.maxSurface2DLayered[0]);
  SET(MaxSurface3D, p.maxSurface3D[0]);
  SET(MaxSurfaceCubemap, p.maxSurfaceCubemap);
  SET(MaxSurfaceCubemapLayered, p.maxSurfaceCubemapLayered[0]);
  SET(MaxTexture1DWidth, p.maxTexture1D);
  SET(MaxTexture1DLayered, p.maxTexture1DLayered[0]);
  SET(MaxTexture1DLinear, p.maxTexture1DLinear);
  SET(MaxTexture1DMipmap, p.maxTexture1DMipmap);
  SET(MaxTexture2DWidth, p.maxTexture2D[0]);
  SET(MaxTexture2DHeight, p.maxTexture2D[1]);
  SET(MaxTexture2DGather, p.maxTexture2DGather[0]);
  SET(MaxTexture2DLayered, p.maxTexture2DLayered[0]);
  SET(MaxTexture2DLinear, p.maxTexture2DLinear[0]);
  SET(MaxTexture2DMipmap, p.maxTexture2DMipmap[0]);
  SET(MaxTexture3DWidth, p.maxTexture3D[0]);
  SET(MaxTexture3DHeight, p.maxTexture3D[1]);
  SET(MaxTexture3DDepth, p.maxTexture3D[2]);
  SET(MaxTexture3DAlt, p.maxTexture3DAlt[0]);
  SET(MaxTextureCubemap, p.maxTextureCubemap);
  SET(MaxTextureCubemapLayered, p.maxTextureCubemapLayered[0]);
  SET(MaxThreadsDim, p.maxThreadsDim[0]);
  SET(MaxThreadsPerBlock, p.maxThreadsPerBlock);
  SET(MaxThreadsPerMultiProcessor, p.maxThreadsPerMultiProcessor);
  SET(MaxPitch, p.memPitch);
  SET(MemoryBusWidth, p.memoryBusWidth);
  SET(MemoryClockRate, p.memoryClockRate);
  SET(ComputeCapabilityMinor, p.minor);
  SET(MultiGpuBoardGroupID, p.multiGpuBoardGroupID);
  SET(MultiprocessorCount, p.multiProcessorCount);
  SET(PageableMemoryAccess, p.pageableMemoryAccess);
  SET(PageableMemoryAccessUsesHostPageTables, p.pageableMemoryAccessUsesHostPageTables);
  SET(PciBusId, p.pciBusID);
  SET(PciDeviceId, p.pciDeviceID);
  SET(PciDomainId, p.pciDomainID);
  SET(PersistingL2CacheMaxSize, p.persistingL2CacheMaxSize);
  SET(MaxRegistersPerBlock, p.regsPerBlock);
  SET(MaxRegistersPerMultiprocessor, p.regsPerMultiprocessor);
  SET(ReservedSharedMemPerBlock, p.reservedSharedMemPerBlock);
  SET(MaxSharedMemoryPerBlock, p.sharedMemPerBlock);
  SET(SharedMemPerBlockOptin, p.sharedMemPerBlockOptin);
  SET(SharedMemPerMultiprocessor, p.sharedMemPerMultiprocessor);
  SET(SingleToDoublePrecisionPerfRatio, p.singleToDoublePrecisionPerfRatio);
  SET(StreamPrioritiesSupported, p.streamPrioritiesSupported);
  SET(SurfaceAlignment, p.surfaceAlignment);
  SET(TccDriver, p.tccDriver);
  SET(TextureAlignment, p.textureAlignment);
  SET(TexturePitchAlignment, p.texturePitchAlignment);
  SET(TotalConstantMemory, p.totalConstMem);
  SET(TotalGlobalMem, p.totalGlobalMem);
  SET(UnifiedAddressing, p.unifiedAddressing);
  SET(WarpSize, p.warpSize);
  SET(MemoryPoolsSupported, p.memoryPoolsSupported);
  SET(HostRegisterSupported, p.hostRegisterSupported);
  SET(MemoryPoolSupportedHandleTypes, p.memoryPoolSupportedHandleTypes);
  SET(HostNumaId, 0);
  SET(DmaBufSupported, 0);
  SET(GPUDirectRDMAWithHipVMMSupported, 0);
  SET(HandleTypeFabricSupported, 0);
  SET(HostAllocDmaBufSupported, 0);
  SET(GPUDirectRDMASupported, p.gpuDirectRDMASupported);
  SET(GPUDirectRDMAFlushWritesOptions, p.gpuDirectRDMAFlushWritesOptions);
  SET(GPUDirectRDMAWritesOrdering, p.gpuDirectRDMAWritesOrdering);
  SET(ClockInstructionRate, p.clockInstructionRate);
  SET(MaxSharedMemoryPerMultiprocessor, p.maxSharedMemoryPerMultiProcessor);
  SET(HdpMemFlushCntl, 0);
  SET(HdpRegFlushCntl, 0);
  SET(CooperativeMultiDeviceUnmatchedFunc, p.cooperativeMultiDeviceUnmatchedFunc);
  SET(CooperativeMultiDeviceUnmatchedGridDim, p.cooperativeMultiDeviceUnmatchedGridDim);
  SET(CooperativeMultiDeviceUnmatchedBlockDim, p.cooperativeMultiDeviceUnmatchedBlockDim);
  SET(CooperativeMultiDeviceUnmatchedSharedMem, p.cooperativeMultiDeviceUnmatchedSharedMem);
  SET(IsLargeBar, p.isLargeBar);
  out.set(kOrdinaryMemory, p.isLargeBar);
  SET(AsicRevision, p.asicRevision);
  SET(CanUseStreamWaitValue, 1);
  SET(PhysicalMultiProcessorCount, p.multiProcessorCount);
  SET(FineGrainSupport, 1);
  SET(WallClockRate, p.clockInstructionRate);
  SET(MaxAvailableVgprsPerThread, 512);
  SET(ExpertSchedMode, 0);
  SET(MaxDynDataPrefetchRegions, 0);
#undef SET
}

}  // namespace hipr::softgpu

#include "tools/hip_on_cuda/attributes.h"

#include <cstring>

#include "tools/hip_on_cuda/driver.h"

namespace hipr::cuda {
namespace {

struct Pair {
  hipDeviceAttribute_t hip;
  int cuda;
};

constexpr Pair kPairs[] = {
    {hipDeviceAttributeMaxThreadsPerBlock, 1},
    {hipDeviceAttributeMaxBlockDimX, 2},
    {hipDeviceAttributeMaxBlockDimY, 3},
    {hipDeviceAttributeMaxBlockDimZ, 4},
    {hipDeviceAttributeMaxGridDimX, 5},
    {hipDeviceAttributeMaxGridDimY, 6},
    {hipDeviceAttributeMaxGridDimZ, 7},
    {hipDeviceAttributeMaxSharedMemoryPerBlock, 8},
    {hipDeviceAttributeTotalConstantMemory, 9},
    {hipDeviceAttributeWarpSize, 10},
    {hipDeviceAttributeMaxPitch, 11},
    {hipDeviceAttributeMaxRegistersPerBlock, 12},
    {hipDeviceAttributeClockRate, 13},
    {hipDeviceAttributeWallClockRate, 13},  // what `spin` in kernels.c counts
    {hipDeviceAttributeTextureAlignment, 14},
    {hipDeviceAttributeDeviceOverlap, 15},
    {hipDeviceAttributeMultiprocessorCount, 16},
    {hipDeviceAttributePhysicalMultiProcessorCount, 16},
    {hipDeviceAttributeKernelExecTimeout, 17},
    {hipDeviceAttributeIntegrated, 18},
    {hipDeviceAttributeCanMapHostMemory, 19},
    {hipDeviceAttributeComputeMode, 20},
    {hipDeviceAttributeConcurrentKernels, 31},
    {hipDeviceAttributeEccEnabled, 32},
    {hipDeviceAttributePciBusId, 33},
    {hipDeviceAttributePciDeviceId, 34},
    {hipDeviceAttributeTccDriver, 35},
    {hipDeviceAttributeMemoryClockRate, 36},
    {hipDeviceAttributeMemoryBusWidth, 37},
    {hipDeviceAttributeL2CacheSize, 38},
    {hipDeviceAttributeMaxThreadsPerMultiProcessor, 39},
    {hipDeviceAttributeAsyncEngineCount, 40},
    {hipDeviceAttributeUnifiedAddressing, 41},
    {hipDeviceAttributePciDomainId, 50},
    {hipDeviceAttributeTexturePitchAlignment, 51},
    {hipDeviceAttributeComputeCapabilityMajor, 75},
    {hipDeviceAttributeComputeCapabilityMinor, 76},
    {hipDeviceAttributeStreamPrioritiesSupported, 78},
    {hipDeviceAttributeGlobalL1CacheSupported, 79},
    {hipDeviceAttributeLocalL1CacheSupported, 80},
    {hipDeviceAttributeSharedMemPerMultiprocessor, 81},
    {hipDeviceAttributeMaxSharedMemoryPerMultiprocessor, 81},
    {hipDeviceAttributeMaxRegistersPerMultiprocessor, 82},
    {hipDeviceAttributeManagedMemory, 83},
    {hipDeviceAttributeIsMultiGpuBoard, 84},
    {hipDeviceAttributeMultiGpuBoardGroupID, 85},
    {hipDeviceAttributeHostNativeAtomicSupported, 86},
    {hipDeviceAttributeSingleToDoublePrecisionPerfRatio, 87},
    {hipDeviceAttributePageableMemoryAccess, 88},
    {hipDeviceAttributeConcurrentManagedAccess, 89},
    {hipDeviceAttributeComputePreemptionSupported, 90},
    {hipDeviceAttributeCanUseHostPointerForRegisteredMem, 91},
    {hipDeviceAttributeCooperativeLaunch, 95},
    {hipDeviceAttributeSharedMemPerBlockOptin, 97},
    {hipDeviceAttributeHostRegisterSupported, 99},
    {hipDeviceAttributePageableMemoryAccessUsesHostPageTables, 100},
    {hipDeviceAttributeDirectManagedMemAccessFromHost, 101},
    {hipDeviceAttributeVirtualMemoryManagementSupported, 102},
    {hipDeviceAttributeMaxBlocksPerMultiProcessor, 106},
    {hipDeviceAttributePersistingL2CacheMaxSize, 108},
    {hipDeviceAttributeReservedSharedMemPerBlock, 111},
    {hipDeviceAttributeCanUseStreamWaitValue, 122},
};

hipDeviceArch_t allFeatures() {
  hipDeviceArch_t arch{};
  arch.hasGlobalInt32Atomics = arch.hasGlobalFloatAtomicExch = arch.hasSharedInt32Atomics = 1;
  arch.hasSharedFloatAtomicExch = arch.hasFloatAtomicAdd = arch.hasGlobalInt64Atomics = arch.hasSharedInt64Atomics = 1;
  arch.hasDoubles = arch.hasWarpVote = arch.hasWarpBallot = arch.hasWarpShuffle = arch.has3dGrid = 1;
  arch.hasThreadFenceSystem = 1;
  return arch;
}

}  // namespace

int cudaAttribute(hipDeviceAttribute_t attribute) {
  for (const Pair& pair : kPairs) {
    if (pair.hip == attribute) return pair.cuda;
  }
  return 0;
}

hipError_t readProperties(int device, hipDeviceProp_tR0600& p) {
  const Driver& d = driver();
  const auto get = [&](hipDeviceAttribute_t attribute) {
    int value = 0;
    return d.deviceGetAttribute(&value, cudaAttribute(attribute), device) == kCudaSuccess ? value : 0;
  };
  const auto size = [&](hipDeviceAttribute_t attribute) { return static_cast<std::size_t>(get(attribute)); };
  p = {};
  CUresult result = d.deviceGetName(p.name, sizeof p.name, device);
  if (result == kCudaSuccess) result = d.deviceTotalMem(&p.totalGlobalMem, device);
  if (result != kCudaSuccess) return toHip(result);
  CUuuid uuid{};
  if (d.deviceGetUuid && d.deviceGetUuid(&uuid, device) == kCudaSuccess) std::memcpy(&p.uuid, &uuid, sizeof uuid);
  std::strcpy(p.gcnArchName, kPretendedTarget);
  p.arch = allFeatures();
  p.sharedMemPerBlock = size(hipDeviceAttributeMaxSharedMemoryPerBlock);
  p.regsPerBlock = get(hipDeviceAttributeMaxRegistersPerBlock);
  p.warpSize = get(hipDeviceAttributeWarpSize);
  p.memPitch = size(hipDeviceAttributeMaxPitch);
  p.maxThreadsPerBlock = get(hipDeviceAttributeMaxThreadsPerBlock);
  p.maxThreadsDim[0] = get(hipDeviceAttributeMaxBlockDimX);
  p.maxThreadsDim[1] = get(hipDeviceAttributeMaxBlockDimY);
  p.maxThreadsDim[2] = get(hipDeviceAttributeMaxBlockDimZ);
  p.maxGridSize[0] = get(hipDeviceAttributeMaxGridDimX);
  p.maxGridSize[1] = get(hipDeviceAttributeMaxGridDimY);
  p.maxGridSize[2] = get(hipDeviceAttributeMaxGridDimZ);
  p.clockRate = p.clockInstructionRate = get(hipDeviceAttributeClockRate);
  p.totalConstMem = size(hipDeviceAttributeTotalConstantMemory);
  p.major = get(hipDeviceAttributeComputeCapabilityMajor);
  p.minor = get(hipDeviceAttributeComputeCapabilityMinor);
  p.textureAlignment = size(hipDeviceAttributeTextureAlignment);
  p.texturePitchAlignment = size(hipDeviceAttributeTexturePitchAlignment);
  p.deviceOverlap = get(hipDeviceAttributeDeviceOverlap);
  p.multiProcessorCount = get(hipDeviceAttributeMultiprocessorCount);
  p.canMapHostMemory = get(hipDeviceAttributeCanMapHostMemory);
  p.concurrentKernels = get(hipDeviceAttributeConcurrentKernels);
  p.ECCEnabled = get(hipDeviceAttributeEccEnabled);
  p.pciBusID = get(hipDeviceAttributePciBusId);
  p.pciDeviceID = get(hipDeviceAttributePciDeviceId);
  p.pciDomainID = get(hipDeviceAttributePciDomainId);
  p.asyncEngineCount = get(hipDeviceAttributeAsyncEngineCount);
  p.unifiedAddressing = get(hipDeviceAttributeUnifiedAddressing);
  p.memoryClockRate = get(hipDeviceAttributeMemoryClockRate);
  p.memoryBusWidth = get(hipDeviceAttributeMemoryBusWidth);
  p.l2CacheSize = get(hipDeviceAttributeL2CacheSize);
  p.maxThreadsPerMultiProcessor = get(hipDeviceAttributeMaxThreadsPerMultiProcessor);
  p.streamPrioritiesSupported = get(hipDeviceAttributeStreamPrioritiesSupported);
  p.sharedMemPerMultiprocessor = p.maxSharedMemoryPerMultiProcessor =
      size(hipDeviceAttributeSharedMemPerMultiprocessor);
  p.regsPerMultiprocessor = get(hipDeviceAttributeMaxRegistersPerMultiprocessor);
  p.managedMemory = get(hipDeviceAttributeManagedMemory);
  p.concurrentManagedAccess = get(hipDeviceAttributeConcurrentManagedAccess);
  p.canUseHostPointerForRegisteredMem = get(hipDeviceAttributeCanUseHostPointerForRegisteredMem);
  p.cooperativeLaunch = get(hipDeviceAttributeCooperativeLaunch);
  p.maxBlocksPerMultiProcessor = get(hipDeviceAttributeMaxBlocksPerMultiProcessor);
  p.hostRegisterSupported = get(hipDeviceAttributeHostRegisterSupported);
  return hipSuccess;
}

}  // namespace hipr::cuda

// The two layouts of device properties: R0000, of every release up to 5.7, and R0600. What both have is copied here.
#pragma once

#include <cstring>

namespace hipr {

template <class To, class From>
void copySharedProperties(const From& from, To& to) {
#define SAME(field)                                        \
  static_assert(sizeof(To::field) == sizeof(From::field)); \
  std::memcpy(to.field, from.field, sizeof to.field)
  SAME(name);
  SAME(gcnArchName);
  SAME(maxThreadsDim);
  SAME(maxGridSize);
  SAME(maxTexture2D);
  SAME(maxTexture3D);
#undef SAME
#define SAME(field) to.field = from.field
  SAME(totalGlobalMem);
  SAME(sharedMemPerBlock);
  SAME(regsPerBlock);
  SAME(warpSize);
  SAME(maxThreadsPerBlock);
  SAME(clockRate);
  SAME(memoryClockRate);
  SAME(memoryBusWidth);
  SAME(totalConstMem);
  SAME(major);
  SAME(minor);
  SAME(multiProcessorCount);
  SAME(l2CacheSize);
  SAME(maxThreadsPerMultiProcessor);
  SAME(computeMode);
  SAME(clockInstructionRate);
  SAME(arch);
  SAME(concurrentKernels);
  SAME(pciDomainID);
  SAME(pciBusID);
  SAME(pciDeviceID);
  SAME(maxSharedMemoryPerMultiProcessor);
  SAME(isMultiGpuBoard);
  SAME(canMapHostMemory);
  SAME(integrated);
  SAME(cooperativeLaunch);
  SAME(cooperativeMultiDeviceLaunch);
  SAME(maxTexture1DLinear);
  SAME(maxTexture1D);
  SAME(memPitch);
  SAME(textureAlignment);
  SAME(texturePitchAlignment);
  SAME(kernelExecTimeoutEnabled);
  SAME(ECCEnabled);
  SAME(tccDriver);
  SAME(cooperativeMultiDeviceUnmatchedFunc);
  SAME(cooperativeMultiDeviceUnmatchedGridDim);
  SAME(cooperativeMultiDeviceUnmatchedBlockDim);
  SAME(cooperativeMultiDeviceUnmatchedSharedMem);
  SAME(isLargeBar);
  SAME(asicRevision);
  SAME(managedMemory);
  SAME(directManagedMemAccessFromHost);
  SAME(concurrentManagedAccess);
  SAME(pageableMemoryAccess);
  SAME(pageableMemoryAccessUsesHostPageTables);
#undef SAME
}

}  // namespace hipr

#include "abi/translate.h"

#include <cstring>
#include <iterator>

namespace hipr::abi {

// The fields that both property structs have under one name. Arrays longer in R0600 are cut to what R0000 has.
#define HIPR_COMMON_PROPERTIES(X)                                                                                     \
  X(name)                                                                                                             \
  X(totalGlobalMem)                                                                                                   \
  X(sharedMemPerBlock) X(regsPerBlock) X(warpSize) X(maxThreadsPerBlock) X(maxThreadsDim) X(maxGridSize) X(clockRate) \
      X(memoryClockRate) X(memoryBusWidth) X(totalConstMem) X(major) X(minor) X(multiProcessorCount) X(l2CacheSize)   \
          X(maxThreadsPerMultiProcessor) X(computeMode) X(clockInstructionRate) X(arch) X(concurrentKernels)          \
              X(pciDomainID) X(pciBusID) X(pciDeviceID) X(maxSharedMemoryPerMultiProcessor) X(isMultiGpuBoard)        \
                  X(canMapHostMemory) X(gcnArchName) X(integrated) X(cooperativeLaunch)                               \
                      X(cooperativeMultiDeviceLaunch) X(maxTexture1DLinear) X(maxTexture1D) X(maxTexture2D)           \
                          X(maxTexture3D) X(hdpMemFlushCntl) X(hdpRegFlushCntl) X(memPitch) X(textureAlignment)       \
                              X(texturePitchAlignment) X(kernelExecTimeoutEnabled) X(ECCEnabled) X(tccDriver)         \
                                  X(cooperativeMultiDeviceUnmatchedFunc) X(cooperativeMultiDeviceUnmatchedGridDim)    \
                                      X(cooperativeMultiDeviceUnmatchedBlockDim)                                      \
                                          X(cooperativeMultiDeviceUnmatchedSharedMem) X(isLargeBar) X(asicRevision)   \
                                              X(managedMemory) X(directManagedMemAccessFromHost)                      \
                                                  X(concurrentManagedAccess) X(pageableMemoryAccess)                  \
                                                      X(pageableMemoryAccessUsesHostPageTables)

#define HIPR_COPY_PROPERTY(field)                        \
  static_assert(sizeof(to.field) == sizeof(from.field)); \
  std::memcpy(&to.field, &from.field, sizeof(to.field));

hipDeviceProp_tR0000 toR0000(const hipDeviceProp_tR0600& from) {
  hipDeviceProp_tR0000 to{};
  HIPR_COMMON_PROPERTIES(HIPR_COPY_PROPERTY)
  to.gcnArch = gcnArchNumber(from.gcnArchName);
  return to;
}

hipDeviceProp_tR0600 fromR0000(const hipDeviceProp_tR0000& from) {
  hipDeviceProp_tR0600 to{};
  HIPR_COMMON_PROPERTIES(HIPR_COPY_PROPERTY)
  return to;
}

int gcnArchNumber(const char* gcnArchName) {
  if (std::strncmp(gcnArchName, "gfx", 3) != 0) return 0;
  const char* digits = gcnArchName + 3;
  const std::size_t length = std::strspn(digits, "0123456789abcdef");
  if (length < 3 || length > 4) return 0;
  // The last two digits are hexadecimal minor version and stepping, the rest is the decimal major version.
  const auto hex = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  const int major = length == 3 ? hex(digits[0]) : hex(digits[0]) * 10 + hex(digits[1]);
  return major * 100 + hex(digits[length - 2]) * 10 + hex(digits[length - 1]);
}

hipMemoryType memoryTypeFrom5(int type) {
  constexpr hipMemoryType kTypes[] = {hipMemoryTypeHost, hipMemoryTypeDevice, hipMemoryTypeArray, hipMemoryTypeUnified,
                                      hipMemoryTypeManaged};
  if (type < 0 || type >= static_cast<int>(std::size(kTypes))) return static_cast<hipMemoryType>(-1);
  return kTypes[type];
}

int memoryTypeTo5(hipMemoryType type) {
  switch (type) {
    case hipMemoryTypeDevice:
      return kMemoryType5Device;
    case hipMemoryTypeArray:
      return kMemoryType5Array;
    case hipMemoryTypeUnified:
      return kMemoryType5Unified;
    case hipMemoryTypeManaged:
      return kMemoryType5Managed;
    default:
      return kMemoryType5Host;
  }
}

hip_Memcpy2D memcpy2DFrom5(const hip_Memcpy2D& copy) {
  hip_Memcpy2D to = copy;
  to.srcMemoryType = memoryTypeFrom5(copy.srcMemoryType);
  to.dstMemoryType = memoryTypeFrom5(copy.dstMemoryType);
  return to;
}

HIP_MEMCPY3D memcpy3DFrom5(const Memcpy3D5& copy) {
  HIP_MEMCPY3D to{};
  to.srcXInBytes = copy.srcXInBytes;
  to.srcY = copy.srcY;
  to.srcZ = copy.srcZ;
  to.srcLOD = copy.srcLOD;
  to.srcMemoryType = memoryTypeFrom5(copy.srcMemoryType);
  to.srcHost = copy.srcHost;
  to.srcDevice = copy.srcDevice;
  to.srcArray = copy.srcArray;
  to.srcPitch = copy.srcPitch;
  to.srcHeight = copy.srcHeight;
  to.dstXInBytes = copy.dstXInBytes;
  to.dstY = copy.dstY;
  to.dstZ = copy.dstZ;
  to.dstLOD = copy.dstLOD;
  to.dstMemoryType = memoryTypeFrom5(copy.dstMemoryType);
  to.dstHost = copy.dstHost;
  to.dstDevice = copy.dstDevice;
  to.dstArray = copy.dstArray;
  to.dstPitch = copy.dstPitch;
  to.dstHeight = copy.dstHeight;
  to.WidthInBytes = copy.WidthInBytes;
  to.Height = copy.Height;
  to.Depth = copy.Depth;
  return to;
}

hipMemAllocationProp memAllocationPropFrom5(const void* prop) {
  MemAllocationProp52 old;
  std::memcpy(&old, prop, sizeof(old));
  hipMemAllocationProp to{};
  if (old.type != hipMemAllocationTypePinned || old.location.type != hipMemLocationTypeDevice) {
    std::memcpy(&to, prop, sizeof(to));
    return to;
  }
  to.type = old.type;
  to.requestedHandleType = old.requestedHandleType;
  to.location = old.location;
  to.win32HandleMetaData = old.win32HandleMetaData;
  to.allocFlags.compressionType = old.compressionType;
  to.allocFlags.usage = old.usage;
  return to;
}

hipLaunchAttributeValue launchAttributeValueFrom56(const void* value) {
  hipLaunchAttributeValue to{};
  std::memcpy(&to, value, kLaunchAttributeValueSize56);
  return to;
}

void launchAttributeValueTo56(const hipLaunchAttributeValue& value, void* out) {
  std::memcpy(out, &value, kLaunchAttributeValueSize56);
}

hipMemsetParams memsetParamsFrom6(const HIP_MEMSET_NODE_PARAMS& params) {
  hipMemsetParams to{};
  to.dst = params.dst;
  to.elementSize = params.elementSize;
  to.height = params.height;
  to.pitch = params.pitch;
  to.value = params.value;
  to.width = params.width;
  return to;
}

// These three only grew at the end, where HIP 5 had padding.
hipExternalMemoryHandleDesc externalMemoryHandleFrom5(const void* desc) {
  hipExternalMemoryHandleDesc to{};
  std::memcpy(&to, desc, offsetof(hipExternalMemoryHandleDesc, reserved));
  return to;
}

hipExternalMemoryBufferDesc externalMemoryBufferFrom5(const void* desc) {
  hipExternalMemoryBufferDesc to{};
  std::memcpy(&to, desc, offsetof(hipExternalMemoryBufferDesc, reserved));
  return to;
}

hipExternalSemaphoreHandleDesc externalSemaphoreHandleFrom5(const void* desc) {
  hipExternalSemaphoreHandleDesc to{};
  std::memcpy(&to, desc, offsetof(hipExternalSemaphoreHandleDesc, reserved));
  return to;
}

hipExternalSemaphoreSignalParams externalSemaphoreSignalFrom5(const ExternalSemaphoreParams5& params) {
  hipExternalSemaphoreSignalParams to{};
  to.params.fence.value = params.fenceValue;
  to.params.keyedMutex.key = params.key;
  to.flags = params.flags;
  return to;
}

hipExternalSemaphoreWaitParams externalSemaphoreWaitFrom5(const ExternalSemaphoreParams5& params) {
  hipExternalSemaphoreWaitParams to{};
  to.params.fence.value = params.fenceValue;
  to.params.keyedMutex.key = params.key;
  to.params.keyedMutex.timeoutMs = params.timeoutMs;
  to.flags = params.flags;
  return to;
}

}  // namespace hipr::abi

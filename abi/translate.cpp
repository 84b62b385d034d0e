#include "abi/translate.h"

#include <cstring>
#include <iterator>

namespace hipr::abi {

// A value the enum can hold but does not name.
constexpr auto kNoMemoryType = static_cast<hipMemoryType>(15);

hipMemoryType memoryTypeFrom5(int type) {
  constexpr hipMemoryType kTypes[] = {hipMemoryTypeHost, hipMemoryTypeDevice, hipMemoryTypeArray, hipMemoryTypeUnified,
                                      hipMemoryTypeManaged};
  if (type < 0 || type >= static_cast<int>(std::size(kTypes))) return kNoMemoryType;
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
  if (old.type != hipMemAllocationTypePinned || old.locationType != hipMemLocationTypeDevice) {
    std::memcpy(&to, prop, sizeof(to));
    return to;
  }
  to.type = hipMemAllocationTypePinned;
  to.requestedHandleType = static_cast<hipMemAllocationHandleType>(old.requestedHandleType);
  to.location = {hipMemLocationTypeDevice, old.locationId};
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

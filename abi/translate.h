// Structures and numbers of HIP 5 and 6 that HIP 7, which the runtime speaks, has otherwise. Plain conversions, no
// state.
#pragma once

#include <cstddef>

#include "abi/older_structs.h"
#include "hip_remote/hip.h"
#include "types/platform.h"

namespace hipr::abi {

// --- hipMemoryType was renumbered in HIP 6
inline constexpr int kMemoryType5Host = 0, kMemoryType5Device = 1, kMemoryType5Array = 2, kMemoryType5Unified = 3,
                     kMemoryType5Managed = 4;
hipMemoryType memoryTypeFrom5(int type);  // what is no type in HIP 5 becomes none of HIP 7 either
int memoryTypeTo5(hipMemoryType type);    // hipMemoryTypeUnregistered, which HIP 5 does not have, becomes 0

hip_Memcpy2D memcpy2DFrom5(const hip_Memcpy2D& copy);

// --- HIP_MEMCPY3D had 32-bit fields in HIP 5
HIP_MEMCPY3D memcpy3DFrom5(const Memcpy3D5& copy);

// --- hipMemAllocationProp was reordered inside the .so.5 line, in 5.3
// Takes either layout. Where 5.2 has the allocation type (pinned, 1), 5.3 has the low half of a pointer that only
// Windows uses; where 5.2 has the location type (device, 1), 5.3 has the handle type.
hipMemAllocationProp memAllocationPropFrom5(const void* prop);

// --- launch attribute values grew from 32 to 64 bytes in HIP 7
inline constexpr std::size_t kLaunchAttributeValueSize56 = 32;
hipLaunchAttributeValue launchAttributeValueFrom56(const void* value);
void launchAttributeValueTo56(const hipLaunchAttributeValue& value, void* out);

// --- the driver-style memset node of HIP 6
hipMemsetParams memsetParamsFrom6(const HIP_MEMSET_NODE_PARAMS& params);

// --- external memory and semaphores grew reserved fields in HIP 6
hipExternalMemoryHandleDesc externalMemoryHandleFrom5(const void* desc);
hipExternalMemoryBufferDesc externalMemoryBufferFrom5(const void* desc);
hipExternalSemaphoreHandleDesc externalSemaphoreHandleFrom5(const void* desc);
hipExternalSemaphoreSignalParams externalSemaphoreSignalFrom5(const ExternalSemaphoreParams5& params);
hipExternalSemaphoreWaitParams externalSemaphoreWaitFrom5(const ExternalSemaphoreParams5& params);

// --- versions and attributes
// The number hipRuntimeGetVersion gives: the newest release whose symbols the soname exports.
constexpr int hipVersion(int abi) {
  return abi == 5 ? 50731921 : abi == 6 ? 60443484 : 70226015;
}
// Attribute numbers that exist in the caller's version. They are only ever appended or retired.
constexpr bool knownAttribute(int abi, int attribute) {
  const bool retired =
      attribute == 64 || attribute == 86 || attribute == 10001 || attribute == 10003 || attribute == 10004;
  if (retired) return abi == 5;
  if (attribute == kOrdinaryMemory) return true;  // softgpu's own; nobody else has a value for it
  if (attribute < 10000) return attribute <= (abi == 5 ? 89 : abi == 6 ? 91 : 99);
  return attribute <= (abi == 7 ? 10022 : 10017);
}

}  // namespace hipr::abi

// Flag bits of the HIP C API that its headers define as macros.
#pragma once

enum : unsigned {
  hipStreamDefault = 0x0,
  hipStreamNonBlocking = 0x1,

  hipEventDefault = 0x0,
  hipEventBlockingSync = 0x1,
  hipEventDisableTiming = 0x2,
  hipEventInterprocess = 0x4,
  hipEventDisableSystemFence = 0x20000000,
  hipEventReleaseToDevice = 0x40000000,
  hipEventReleaseToSystem = 0x80000000,
  hipEventRecordDefault = 0x0,
  hipEventRecordExternal = 0x1,
  hipEventWaitDefault = 0x0,
  hipEventWaitExternal = 0x1,

  hipHostMallocDefault = 0x0,
  hipHostMallocPortable = 0x1,
  hipHostMallocMapped = 0x2,
  hipHostMallocWriteCombined = 0x4,
  hipHostMallocUncached = 0x10000000,
  hipHostMallocNumaUser = 0x20000000,
  hipHostMallocCoherent = 0x40000000,
  hipHostMallocNonCoherent = 0x80000000,

  hipHostRegisterDefault = 0x0,
  hipHostRegisterPortable = 0x1,
  hipHostRegisterMapped = 0x2,
  hipHostRegisterIoMemory = 0x4,
  hipHostRegisterReadOnly = 0x8,
  hipExtHostRegisterUncached = 0x80000000,

  hipMemAttachGlobal = 0x1,
  hipMemAttachHost = 0x2,
  hipMemAttachSingle = 0x4,

  hipArrayDefault = 0x0,
  hipArrayLayered = 0x1,
  hipArraySurfaceLoadStore = 0x2,
  hipArrayCubemap = 0x4,
  hipArrayTextureGather = 0x8,
  HIP_TRSA_OVERRIDE_FORMAT = 0x1,
  HIP_TRSF_READ_AS_INTEGER = 0x1,
  HIP_TRSF_NORMALIZED_COORDINATES = 0x2,
  HIP_TRSF_SRGB = 0x10,

  hipDeviceScheduleAuto = 0x0,
  hipDeviceScheduleSpin = 0x1,
  hipDeviceScheduleYield = 0x2,
  hipDeviceScheduleBlockingSync = 0x4,
  hipDeviceScheduleMask = 0x7,
  hipDeviceMapHost = 0x8,
  hipDeviceLmemResizeToMax = 0x10,

  hipDeviceMallocDefault = 0x0,
  hipDeviceMallocFinegrained = 0x1,
  hipMallocSignalMemory = 0x2,
  hipDeviceMallocUncached = 0x3,
  hipDeviceMallocContiguous = 0x4,

  hipCooperativeLaunchMultiDeviceNoPreSync = 0x1,
  hipCooperativeLaunchMultiDeviceNoPostSync = 0x2,

  hipOccupancyDefault = 0x0,
  hipOccupancyDisableCachingOverride = 0x1,

  hipExtAnyOrderLaunch = 0x1,
};

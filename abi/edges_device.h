// What older sonames have otherwise: errors, devices and launches.
#pragma once

#include <cstring>

#include "abi/edge.h"
#include "abi/translate.h"
#include "hip_remote/hip.h"
#include "runtime/api.h"

namespace hipr::abi {

// --- errors

// HIP 6 has one slot under both names.
template <>
struct Edge<&::hipExtGetLastError, 6> {
  template <auto>
  static hipError_t call() {
    return api::hipGetLastError();
  }
};

// 1054 was hipErrorTbd before a new code took its number.
template <auto Exported, int Abi>
  requires(Abi < 7 &&
           OneOf<Exported, &::hipGetErrorName, &::hipGetErrorString, &::hipDrvGetErrorName, &::hipDrvGetErrorString>)
struct Edge<Exported, Abi> {
  template <auto Api, typename... Rest>
  static auto call(hipError_t error, Rest... rest) {
    return Api(error == hipErrorInvalidClusterSize ? hipErrorTbd : error, rest...);
  }
};

// Before HIP 7 these two did nothing and said so.
template <auto Exported, int Abi>
  requires(Abi < 7 && OneOf<Exported, &::hipProfilerStart, &::hipProfilerStop>)
struct Edge<Exported, Abi> {
  template <auto>
  static hipError_t call() {
    return hipErrorNotSupported;
  }
};

// --- devices

template <auto Exported, int Abi>
  requires OneOf<Exported, &::hipRuntimeGetVersion, &::hipDriverGetVersion>
struct Edge<Exported, Abi> {
  template <auto Api>
  static hipError_t call(int* version) {
    const hipError_t error = Api(version);
    if (error == hipSuccess) *version = hipVersion(Abi);
    return error;
  }
};

template <int Abi>
struct Edge<&::hipDeviceGetAttribute, Abi> {
  template <auto Api>
  static hipError_t call(int* value, hipDeviceAttribute_t attribute, int device) {
    if (!knownAttribute(Abi, attribute)) return hipErrorInvalidValue;
    if constexpr (Abi == 5) {
      constexpr int kArch = 10001, kGcnArch = 10003;
      if (attribute == kArch || attribute == kGcnArch) return ofArchitecture(value, attribute == kArch, device);
    }
    return Api(value, attribute, device);
  }

 private:
  static hipError_t ofArchitecture(int* value, bool features, int device) {
    if (value == nullptr) return hipErrorInvalidValue;
    hipDeviceProp_tR0000 prop;
    const hipError_t error = api::hipGetDevicePropertiesR0000(&prop, device);
    if (error != hipSuccess) return error;
    static_assert(sizeof(prop.arch) == sizeof(*value));
    std::memcpy(value, features ? static_cast<const void*>(&prop.arch) : &prop.gcnArch, sizeof(*value));
    return hipSuccess;
  }
};

// --- launches: a shape that cannot be launched was an invalid value before HIP 7

template <auto Exported, int Abi>
  requires(Abi < 7 && OneOf<Exported, &::hipLaunchKernel, &::hipExtLaunchKernel, &::hipLaunchByPtr,
                            &::hipExtModuleLaunchKernel, &::hipHccModuleLaunchKernel>)
struct Edge<Exported, Abi> {
  template <auto Api, typename... Args>
  static hipError_t call(Args... args) {
    const hipError_t error = Api(args...);
    return error == hipErrorInvalidConfiguration ? hipErrorInvalidValue : error;
  }
};

// What is no stream got its name of old here; HIP 7 calls it a wrong handle.
template <>
struct Edge<&::hipLaunchCooperativeKernel, 7> {
  template <auto Api, typename... Args>
  static hipError_t call(Args... args) {
    const hipError_t error = Api(args...);
    return error == hipErrorContextIsDestroyed ? hipErrorInvalidHandle : error;
  }
};

}  // namespace hipr::abi

// Functions: error.
#pragma once

#include "hip_remote/structs.h"

extern "C" {

hipError_t hipDrvGetErrorName(hipError_t hipError, const char** errorString);
hipError_t hipDrvGetErrorString(hipError_t hipError, const char** errorString);
hipError_t hipExtGetLastError();
const char* hipGetErrorName(hipError_t hip_error);
const char* hipGetErrorString(hipError_t hipError);
hipError_t hipGetLastError();
hipError_t hipPeekAtLastError();
}

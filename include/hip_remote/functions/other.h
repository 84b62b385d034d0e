// Functions: other.
#pragma once

#include "hip_remote/structs.h"

extern "C" {

size_t amd_dbgapi_get_build_id();
const char* amd_dbgapi_get_build_name();
const char* amd_dbgapi_get_git_hash();
const char* hipApiName(uint32_t id);
bool hipEnableActivityCallback(uint32_t op, bool enable);
hipError_t hipExtDisableLogging();
hipError_t hipExtEnableLogging();
hipError_t hipExtSetLoggingParams(size_t log_level, size_t log_size, size_t log_mask);
const char* hipGetCmdName(unsigned int id);
hipError_t hipGetDriverEntryPoint(const char* symbol, void** funcPtr, unsigned long long flags,
                                  hipDriverEntryPointQueryResult* driverStatus);
hipError_t hipGetDriverEntryPoint_spt(const char* symbol, void** funcPtr, unsigned long long flags,
                                      hipDriverEntryPointQueryResult* status);
hipError_t hipGetProcAddress(const char* symbol, void** pfn, int hipVersion, uint64_t flags,
                             hipDriverProcAddressQueryResult* symbolStatus);
hipError_t hipGetProcAddress_spt(const char* symbol, void** pfn, int hipVersion, uint64_t flags,
                                 hipDriverProcAddressQueryResult* symbolStatus);
int hipGetStreamDeviceId(hipStream_t stream);
void hipInitActivityCallback(void* idCallback, void* opCallback, void* arg);
const char* hipKernelNameRef(const hipFunction_t f);
const char* hipKernelNameRefByPtr(const void* hostFunction, hipStream_t stream);
hipError_t hipProfilerDisableExt(uint64_t* end_record_id);
hipError_t hipProfilerEnableExt(uint64_t* start_record_id, uint64_t state);
hipError_t hipProfilerGetRecordsExt(const HipApiRecordExt* const** chunks, size_t* chunk_count, size_t* chunk_size,
                                    size_t* total_count);
hipError_t hipProfilerRegisterChunkCallbackExt(hipProfilerChunkCallback cb, void* user_data);
hipError_t hipProfilerStart();
hipError_t hipProfilerStop();
hipError_t hipRegisterActivityCallback(uint32_t id, void* function, void* arg);
hipError_t hipRegisterApiCallback(uint32_t id, void* function, void* arg);
void hipRegisterTracerCallback(int (*function)(activity_domain_t, uint32_t, void*));
hipError_t hipRemoveActivityCallback(uint32_t id);
hipError_t hipRemoveApiCallback(uint32_t id);
}

// Functions: hiprtc.
#pragma once

#include "hip_remote/structs.h"

extern "C" {

hiprtcResult hiprtcAddNameExpression(hiprtcProgram prog, const char* name_expression);
hiprtcResult hiprtcCompileProgram(hiprtcProgram prog, int numOptions, const char* const* options);
hiprtcResult hiprtcCreateProgram(hiprtcProgram* prog, const char* src, const char* name, int numHeaders,
                                 const char* const* headers, const char* const* includeNames);
hiprtcResult hiprtcDestroyProgram(hiprtcProgram* prog);
hiprtcResult hiprtcGetBitcode(hiprtcProgram prog, char* bitcode);
hiprtcResult hiprtcGetBitcodeSize(hiprtcProgram prog, size_t* bitcode_size);
hiprtcResult hiprtcGetCode(hiprtcProgram prog, char* code);
hiprtcResult hiprtcGetCodeSize(hiprtcProgram prog, size_t* codeSizeRet);
const char* hiprtcGetErrorString(hiprtcResult result);
hiprtcResult hiprtcGetLoweredName(hiprtcProgram prog, const char* name_expression, const char** lowered_name);
hiprtcResult hiprtcGetProgramLog(hiprtcProgram prog, char* log);
hiprtcResult hiprtcGetProgramLogSize(hiprtcProgram prog, size_t* logSizeRet);
hiprtcResult hiprtcLinkAddData(hiprtcLinkState hip_link_state, hipJitInputType input_type, void* image,
                               size_t image_size, const char* name, unsigned int num_options, hipJitOption* options_ptr,
                               void** option_values);
hiprtcResult hiprtcLinkAddFile(hiprtcLinkState hip_link_state, hipJitInputType input_type, const char* file_path,
                               unsigned int num_options, hipJitOption* options_ptr, void** option_values);
hiprtcResult hiprtcLinkComplete(hiprtcLinkState hip_link_state, void** bin_out, size_t* size_out);
hiprtcResult hiprtcLinkCreate(unsigned int num_options, hipJitOption* option_ptr, void** option_vals_pptr,
                              hiprtcLinkState* hip_link_state_ptr);
hiprtcResult hiprtcLinkDestroy(hiprtcLinkState hip_link_state);
hiprtcResult hiprtcVersion(int* major, int* minor);
}

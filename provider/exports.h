// What the exported functions of all generations share.
#pragma once

#include "provider/provider.h"

namespace hipr::provider {

Provider& provider();  // of this process

bool callerIsGo();  // which layout of the topology to write

// What AMD GPUs do not do yet: NOT_SUPPORTED, and INVALID_PARAM for what would make no sense anyway.
AccelResult partitionsUnsupported(const char* templateId, const char* uuid);

// For workers that this process starts.
AccelResult limitMemory(const char* uuid, std::uint64_t bytes);
AccelResult limitCompute(const char* uuid, std::uint32_t percent);

}  // namespace hipr::provider
